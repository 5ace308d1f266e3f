// Statements: of action blocks and routines.
import { include, keyword, match, name, path, paths, region } from "./words.mjs";

const re = String.raw;

const events = { patterns: include("event-names") };

export const blocks = {
  block: region(re`\{`, re`\}`, "block", include("statements")),

  statements: {
    patterns: [
      ...include("comments", "missing-unit"),
      match(re`(?<![\w.])(raise|schedule|unschedule|send|wait)\s+(?!for\b|until\b)(${path})`, "keyword.control.statement", events),
      match(re`(?<![\w.])(on)\s+(${paths})`, "keyword.control.handler", events),
      match(re`(?<![\w.])(dispatch|call)\s+(${path})`, "keyword.control.work", "entity.name.function.task"),
      match(re`(?<![\w.])(start)\s+(${path})`, "keyword.control.statement", "entity.name.type.class.flow"),
      match(re`(?<![\w.])(go)\s+(${path})`, "keyword.control.flow", "entity.name.type.state"),
      match(re`(?<![\w.])(rearm)\s+(?:(timeout)\b|(${path}))`, "keyword.control.timer", "support.constant.event.reserved", "entity.name.label"),
      match(re`(?<![\w.])(to)\s+(?:(parent)\b|(${path}))`, "keyword.other.clause", "variable.language.parent", "entity.name.type.class.flow"),
      match(keyword("note refuse fail unset"), "keyword.control.statement"),
      match(keyword("if else while break continue try catch wait"), "keyword.control.flow"),
      match(re`(?<![\w.])(for)\s+(${name})(?=\s+in\b)`, "keyword.control.flow", "variable.parameter"),
      match(keyword("sleep after at"), "keyword.control.timer"),
      match(keyword("when"), "keyword.control.handler"),
      ...include("let", "assignment", "clauses", "braced-value", "block", "expression"),
    ],
  },

  let: {
    begin: re`(?<![\w.])(let)\s+(${name})\s*(:)?`,
    end: re`(?==)|$`,
    beginCaptures: {
      1: { name: "keyword.declaration.let.flow" },
      2: { name: "variable.other.local.flow" },
      3: { name: "punctuation.separator.colon.flow" },
    },
    patterns: include("types"),
  },

  // The operator is left to the value behind it, which may begin with a brace.
  assignment: match(re`(?<![\w.])(${name})(?=(?:\.${name}|\[[^\]]*\])*\s*=(?![=>]))`, "variable.other.readwrite"),
};
