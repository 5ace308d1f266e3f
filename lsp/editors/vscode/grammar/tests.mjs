// Test blocks.
import { captures, include, keyword, match, name, nextDeclaration, path, paths, region } from "./words.mjs";

const re = String.raw;

const events = { patterns: include("event-names") };
const states = { patterns: [{ match: path, name: "entity.name.type.state.flow" }, { match: ",", name: "punctuation.separator.comma.flow" }] };
const test = "keyword.control.test";
const expect = re`(?<=expect|not)\s+`;

export const tests = {
  test: {
    begin: re`(?<![\w.])(test)\b(?=\s*(?:["{]|$))`,
    end: re`(?<=\})|${nextDeclaration}`,
    name: "meta.test.flow",
    beginCaptures: captures(["keyword.declaration.test"]),
    patterns: [
      ...include("comments", "plain-strings", "test-body"),
    ],
  },

  "test-body": region(re`\{`, re`\}`, "test", [
    ...include("comments", "missing-unit", "expectations"),
    match(re`(?:^|(?<=\{))\s*(child)\s+(${path})\s+(\d+)\s*(:)`, test, "entity.name.type.class.flow", "constant.numeric.integer", "punctuation.separator.label"),
    match(re`(?:^|(?<=\{))\s*(${name})\s*(:)`, "entity.name.label.token", "punctuation.separator.label"),
    match(re`(?<![\w.])((?:restart|stop|start)\s+server)\b(?!\s*\()`, test),
    match(re`(?<![\w.])(start)\s+(${path})`, test, "entity.name.type.class.flow"),
    match(re`(?<![\w.])(send)\s+(${path})`, test, events),
    match(re`(?<![\w.])(claim|complete|fail|mock)\s+(${path})`, test, "entity.name.function.task"),
    match(re`(?<![\w.])(final)\s+(${name})`, test, "entity.name.type.state"),
    match(re`(?<![\w.])(with)\s+(${path})`, "keyword.other.clause", events),
    match(re`(?<![\w.])(with)\b`, "keyword.other.clause"),
    match(re`(?<![\w.])(advance)\b(?:\s+(to)\b)?`, "keyword.control.timer", "keyword.other.clause"),
    match(re`(?<![\w.])(retry)\b(?:\s+(at)\s+(${path}))?(?=\s*(?:$|\}|//))`, test, "keyword.other.clause", "entity.name.type.state"),
    match(re`(?<![\w.])(no\s+retry)\b`, "keyword.other.clause"),
    match(keyword("pause resume cancel"), test),
    match(keyword("at after"), "keyword.control.timer"),
    match(re`(->)`, "keyword.operator.result"),
    ...include("clauses", "braced-value", "expression"),
  ]),

  // Keywords only directly behind `expect`: fields may bear their names.
  expectations: {
    patterns: [
      match(re`(?<![\w.])(expect)\b(?:\s+(not)\b)?`, test, "keyword.operator.word"),
      match(re`${expect}(state)\s+(${paths})`, test, states),
      match(re`${expect}(status)\s+(${name})`, test, "constant.language.status"),
      match(re`${expect}(final)\s+(${path})`, test, "entity.name.type.state"),
      match(re`${expect}(outcome)\s+(success|failure|cancelled)\b`, test, "constant.language.outcome"),
      match(re`${expect}(error|note)(?=\s+")`, test),
      match(re`${expect}(timer)\s+(${path})(?:\s+(in|at)\b)?`, test, "entity.name.label", "keyword.other.clause"),
      match(re`${expect}(no\s+timers)\b`, test),
      match(re`${expect}(refused|accepts)\s+(${paths})`, test, events),
      match(re`${expect}(offered|dispatched)\s+(${path})`, test, "entity.name.function.task"),
      match(re`${expect}(child)\s+(${path})(?:\s+(state)\s+(${path}))?`, test, "entity.name.type.class.flow", test, "entity.name.type.state"),
    ],
  },
};
