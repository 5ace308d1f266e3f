// Expressions, types, parameters and arguments.
import { alternatives, builtins, captures, containers, include, match, name, nextDeclaration, primitives, region } from "./words.mjs";

const re = String.raw;

// A name with a colon is a label only where an argument begins; elsewhere it is
// the middle of `a ? b : c`.
const label = (scope) => match(re`(?:^|(?<=[({,]))\s*(${name})\s*(:)`, scope, "punctuation.separator.colon");

const comma = { match: ",", name: "punctuation.separator.comma.flow" };

export const expressions = {
  expression: {
    patterns: [
      ...include("comments", "strings", "numbers", "arguments", "index", "braced-value", "illegal", "operators"),
      match(re`(?<![\w.])(true|false|null)\b`, "constant.language"),
      match(re`(?<![\w.])(event)\b`, "variable.language.event"),
      match(re`(?<![\w.])(self)\b`, "variable.language.self"),
      match(re`(?<![\w.])(token)(\.)(id|key|started_at)\b`, "variable.language.token", "punctuation.accessor", "support.variable.property"),
      match(re`(?<![\w.])(entered_at)\b(?!\s*[:(])`, "support.variable"),
      match(re`(${name})\s*(=>)`, "variable.parameter", "keyword.operator.arrow"),
      match(re`(?<![\w.])(${alternatives(builtins)})(?=\s*\()`, "support.function.builtin"),
      match(re`(?<![\w.])(outcome)(\.)(success|failure|cancelled)\b`, "support.type.enum", "punctuation.accessor", "variable.other.enummember"),
      match(re`(${name})(?=\s*\()`, "entity.name.function"),
      match(re`(\.)\s*(${name})`, "punctuation.accessor", "variable.other.property"),
      { match: name, name: "variable.other.flow" },
      comma,
    ],
  },

  operators: {
    patterns: [
      { match: re`(?<![\w.])(?:and|or|not|in)\b`, name: "keyword.operator.word.flow" },
      { match: "->", name: "keyword.operator.transition.flow" },
      { match: "=>", name: "keyword.operator.arrow.flow" },
      { match: re`\.\.`, name: "keyword.operator.range.flow" },
      { match: re`\?\?`, name: "keyword.operator.coalesce.flow" },
      { match: "==|!=|<=|>=|<|>", name: "keyword.operator.comparison.flow" },
      { match: "=", name: "keyword.operator.assignment.flow" },
      { match: "[-+*/%]", name: "keyword.operator.arithmetic.flow" },
      { match: "!", name: "keyword.operator.present.flow" },
      { match: "[?:]", name: "keyword.operator.ternary.flow" },
    ],
  },

  arguments: region(re`\(`, re`\)`, "parens", [
    label("variable.parameter.argument"),
    ...include("record", "expression"),
  ]),

  index: region(re`\[`, re`\]`, "brackets", include("record", "expression")),

  // A brace directly behind an operator holds a value and no block.
  "braced-value": {
    begin: re`(=(?![=>])|\?\??|(?<=\s):)\s*(\{)`,
    end: re`\}|${nextDeclaration}`,
    beginCaptures: captures(["keyword.operator", "punctuation.section.record.begin"]),
    endCaptures: { 0: { name: "punctuation.section.record.end.flow" } },
    patterns: include("record-items"),
  },

  record: region(re`\{`, re`\}`, "record", include("record-items")),

  "record-items": {
    patterns: [label("variable.other.property.key"), ...include("record", "expression")],
  },

  types: {
    patterns: [
      ...include("comments"),
      match(re`(?<![\w.])(${alternatives(containers)})(?=\s*<)`, "support.type.container"),
      match(re`(?<![\w.])(${alternatives(primitives)})\b(?!\.)`, "support.type.primitive"),
      { match: re`(?<![\w.])(?:state|task|event|fn)\b(?!\.)`, name: "support.type.kind.flow" },
      { match: re`${name}(?:\.${name})*`, name: "entity.name.type.flow" },
      { match: "[<>]", name: "punctuation.definition.typeparameters.flow" },
      { match: re`\?`, name: "keyword.operator.optional.flow" },
    ],
  },

  // Fields with their types and defaults, in parentheses or a body in braces.
  fields: {
    patterns: [
      {
        begin: re`(?:^|(?<=[({,]))\s*(${name})\s*(:)|(?<!\w)(${name})(:)(?=\s*(?:${alternatives(primitives)}|list<|map<))`,
        end: re`(?=[,)}=])|$`,
        beginCaptures: captures(["variable.parameter", "punctuation.separator.colon", "variable.parameter", "punctuation.separator.colon"]),
        patterns: include("types"),
      },
      ...include("expression"),
    ],
  },

  parameters: region(re`\(`, re`\)`, "parameters", include("fields")),
  "field-body": region(re`\{`, re`\}`, "fields", include("fields")),
};
