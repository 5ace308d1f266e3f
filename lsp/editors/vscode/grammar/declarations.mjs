// What stands at the top of a file.
import { captures, include, keyword, match, name, nextDeclaration, region } from "./words.mjs";

const re = String.raw;

// header is a declaration's word and name with the parameters behind it.
const header = (word, kind, scope) => [
  {
    begin: re`(?<![\w.])(${word})\s+(${name})\s*(\()`,
    end: re`\)|${nextDeclaration}`,
    name: `meta.${kind}.flow`,
    beginCaptures: captures([`keyword.declaration.${kind}`, scope, "punctuation.section.parameters.begin"]),
    endCaptures: { 0: { name: "punctuation.section.parameters.end.flow" } },
    patterns: include("fields"),
  },
  match(re`(?<![\w.])(${word})(?:\s+(${name}))?(?=\s*(?:[-{=/]|$))`, `keyword.declaration.${kind}`, scope),
];

const braced = (word, scope, body) => ({
  begin: re`(?<![\w.])(${word})\b(?:\s+(${name}))?`,
  end: re`(?<=\})|${nextDeclaration}`,
  name: `meta.${word}.flow`,
  beginCaptures: captures([`keyword.declaration.${word}`, scope]),
  patterns: include("comments", body),
});

export const declarations = {
  file: {
    patterns: [
      ...include("comments", "import"),
      match(re`(?<![\w.])(const)\s+(${name})`, "keyword.declaration.constant", "variable.other.constant"),
      ...include("enum", "type", "test"),
      match(keyword("internal"), "storage.modifier.internal"),
      ...header("event", "event", "variable.other.constant.event"),
      ...header("task", "task", "entity.name.function.task"),
      ...header("fn", "function", "entity.name.function"),
      ...header("fragment", "fragment", "entity.name.type.fragment"),
      ...header("flow", "flow", "entity.name.type.class.flow"),
      ...include("results", "clauses", "braced-value", "state-body", "expression"),
    ],
  },

  import: {
    begin: keyword("import"),
    end: re`$`,
    beginCaptures: captures(["keyword.control.import"]),
    patterns: [
      ...include("comments", "plain-strings"),
      match(re`(?<![\w.])(as)\s+(${name})`, "keyword.control.import", "entity.name.namespace"),
    ],
  },

  enum: braced("enum", "entity.name.type.enum", "enum-body"),
  "enum-body": region(re`\{`, re`\}`, "enum", [
    ...include("comments"),
    { match: name, name: "variable.other.enummember.flow" },
    { match: ",", name: "punctuation.separator.comma.flow" },
  ]),

  type: braced("type", "entity.name.type", "field-body"),

  // `-> (…)` of a task or flow, `-> type` of a function.
  results: {
    patterns: [
      {
        begin: re`(->)\s*(\()`,
        end: re`\)|${nextDeclaration}`,
        beginCaptures: captures(["keyword.operator.result", "punctuation.section.parameters.begin"]),
        endCaptures: { 0: { name: "punctuation.section.parameters.end.flow" } },
        patterns: include("fields"),
      },
      {
        begin: re`(->)`,
        end: re`(?=[={(])|$`,
        beginCaptures: captures(["keyword.operator.result"]),
        patterns: include("types"),
      },
    ],
  },
};
