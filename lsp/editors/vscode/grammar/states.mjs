// What stands in the body of a flow, a state or a region.
import { alternatives, captures, clause, days, include, keyword, match, name, nextDeclaration, path, paths, region, reservedEvents } from "./words.mjs";

const re = String.raw;

// bodied is an item with a body of its own, which need not begin on its line.
const bodied = (begin, scopes, patterns) => ({
  begin,
  end: re`(?<=\})|(?=\})|${nextDeclaration}`,
  beginCaptures: captures(scopes),
  patterns,
});

const events = { patterns: include("event-names") };

export const states = {
  "state-body": region(re`\{`, re`\}`, "body", include("state-items")),

  "state-items": {
    patterns: [
      ...include("comments", "missing-unit", "data", "state", "parallel", "final-body", "calendar"),
      match(re`(?<![\w.])(initial)\s+(${path})`, "keyword.declaration.state", "entity.name.type.state"),
      match(
        re`(?<![\w.])(final)\s+(${name})(?:\s+(as)\s+(success|failure|cancelled)\b)?`,
        "keyword.declaration.state", "entity.name.type.state.final", "keyword.other.clause", "constant.language.outcome",
      ),
      match(re`(?<![\w.])(use)\s+(${path})`, "keyword.declaration.use", "entity.name.type.fragment"),
      match(re`(?<![\w.])(timeout)\s+(never)\b`, "keyword.control.timer", "constant.language.never"),
      match(keyword("timeout after at every idle"), "keyword.control.timer"),
      match(re`(?<![\w.])(on)\s+(${paths})`, "keyword.control.handler", events),
      match(re`(?<![\w.])(defer)\s+(${paths})`, "keyword.control.handler", events),
      match(keyword("on when always"), "keyword.control.handler"),
      match(re`(?<![\w.])(entry|exit|run)\b(?=\s*(?:\{|$))`, "keyword.control.action"),
      match(re`(?<![\w.])(do|invoke)\s+(${path})`, "keyword.control.work", "entity.name.function.task"),
      match(re`(?<![\w.])(history)\b(?:\s+(deep)\b)?`, "keyword.control.history", "keyword.control.history"),
      ...include("target", "clauses", "braced-value", "block", "expression"),
    ],
  },

  data: bodied(re`(?<![\w.])(data)\b(?=\s*(?:\{|$))`, ["keyword.declaration.data"], include("comments", "field-body")),

  state: bodied(
    re`(?<![\w.])(state|region)\b(?!\s*[=.\[,)])(?:\s+(${name}))?`,
    ["keyword.declaration.state", "entity.name.type.state"],
    include("comments", "state-body"),
  ),

  parallel: bodied(
    re`(?<![\w.])(parallel)\b(?!\s*[=.\[,)])(?:\s+(${name}))?`,
    ["keyword.declaration.state", "entity.name.type.state"],
    include("comments", "clauses", "state-body", "expression"),
  ),

  "final-body": bodied(
    re`(?<![\w.])(final)\s+(${name})(?:\s+(as)\s+(success|failure|cancelled))?\s*(?=\{)`,
    ["keyword.declaration.state", "entity.name.type.state.final", "keyword.other.clause", "constant.language.outcome"],
    include("state-body"),
  ),

  calendar: {
    begin: re`(?<![\w.])(every)\s+(?=(?:${alternatives(days)})\b)`,
    end: re`(?=\bat\b|[{}])|$`,
    beginCaptures: captures(["keyword.control.timer"]),
    patterns: [
      { match: re`\b(?:${alternatives(days)})\b`, name: "constant.language.weekday.flow" },
      { match: re`\.\.`, name: "keyword.operator.range.flow" },
      { match: ",", name: "punctuation.separator.comma.flow" },
    ],
  },

  target: match(
    re`(->)\s*(?:(self)\b|(${path}))?`,
    "keyword.operator.transition", "variable.language.self", "entity.name.type.state",
  ),

  "event-names": {
    patterns: [
      { match: re`(?<![\w.])(?:${alternatives(reservedEvents)})\b(?!\.)`, name: "support.constant.event.reserved.flow" },
      { match: path, name: "variable.other.constant.event.flow" },
      { match: ",", name: "punctuation.separator.comma.flow" },
    ],
  },

  // The policy of work and what else stands behind a construct's name.
  clauses: {
    patterns: [
      ...include("missing-unit"),
      {
        begin: re`(?<![\w.])(fails|catch)\s+(?=")`,
        end: re`(?=[^\s",])|$`,
        beginCaptures: captures(["keyword.other.clause"]),
        patterns: [...include("plain-strings"), { match: ",", name: "punctuation.separator.comma.flow" }],
      },
      match(clause("within backoff key concurrency from for times until"), "keyword.other.clause"),
      match(re`(?<![\w.])(retry)\s+(?=[\w("])`, "keyword.other.clause"),
      match(re`(?<![\w.])(queue)\s+(${name})`, "keyword.other.clause", "entity.name.label.queue"),
      match(re`(?<![\w.])(may)\s+(${paths})`, "keyword.other.clause", events),
      match(re`(?<![\w.])(each)\s+(${name})(?=\s+in\b)`, "keyword.other.clause", "variable.parameter"),
      match(re`(?<![\w.])(join)\s+(?:(all|any|race)\b|(?=[\w(]))`, "keyword.other.clause", "constant.language.join"),
      match(re`(?<![\w.])(as)\s+(?:(${name})|(?="))`, "keyword.other.clause", "entity.name.label"),
      match(re`(?<=\w |\) |\] |" )(keep)\b`, "keyword.other.clause"),
    ],
  },
};
