// Comments, strings, numbers and durations.
import { alternatives, captures, include, match, units } from "./words.mjs";

const re = String.raw;

// tooLong matches a number of a unit that is more than 3650 days.
const tooLong = [
  re`(?:\d{5,}|[4-9]\d{3}|3[7-9]\d\d|36[6-9]\d|365[1-9])d`,
  re`(?:\d{6,}|9\d{4}|8[89]\d{3}|87[7-9]\d\d|876(?!00h)\d\d)h`,
  re`(?:\d{8,}|[6-9]\d{6}|5[3-9]\d{5}|52[6-9]\d{4}|525[7-9]\d{3}|5256(?!000m)\d{3})m`,
  re`(?:\d{10,}|[4-9]\d{8}|3[2-9]\d{7}|31[6-9]\d{6}|315[4-9]\d{5}|3153[7-9]\d{4}|31536(?!0000s)\d{4})s`,
].join("|");

// It gives nothing back, so that `1_000` is not a 1 with a unit.
const number = re`(?>\d+(?:_\d+)*(?:\.\d+(?:_\d+)*)?)`;

export const lexical = {
  comments: {
    patterns: [
      {
        match: re`(//)\s*(flowc:allow)\b(?:[ \t]+([a-z][a-z0-9-]*))?(.*)$`,
        name: "comment.line.double-slash.flow",
        captures: captures(["punctuation.definition.comment", "keyword.other.allow", "entity.name.tag.finding"]),
      },
      {
        match: re`(//).*$`,
        name: "comment.line.double-slash.flow",
        captures: captures(["punctuation.definition.comment"]),
      },
      {
        begin: re`/\*`,
        end: re`\*/`,
        name: "comment.block.flow",
        captures: { 0: { name: "punctuation.definition.comment.flow" } },
      },
    ],
  },

  // A string ends with its line, also one that lacks its quote.
  strings: {
    begin: '"',
    end: '(")|$',
    name: "string.quoted.double.flow",
    beginCaptures: { 0: { name: "punctuation.definition.string.begin.flow" } },
    endCaptures: { 1: { name: "punctuation.definition.string.end.flow" } },
    patterns: include("escapes", "interpolation"),
  },

  // Names of tests, imports, error codes and zones take no interpolation.
  "plain-strings": {
    begin: '"',
    end: '(")|$',
    name: "string.quoted.double.plain.flow",
    beginCaptures: { 0: { name: "punctuation.definition.string.begin.flow" } },
    endCaptures: { 1: { name: "punctuation.definition.string.end.flow" } },
    patterns: include("escapes"),
  },

  escapes: {
    patterns: [
      { match: re`\\(?:[ntr"\\{]|u\{[0-9A-Fa-f]{1,6}\})`, name: "constant.character.escape.flow" },
      { match: re`\\.?`, name: "invalid.illegal.escape.flow" },
    ],
  },

  interpolation: {
    patterns: [
      { match: re`\{\s*\}`, name: "invalid.illegal.interpolation.flow" },
      {
        begin: re`\{`,
        end: re`(\})|(?=$)`,
        name: "meta.interpolation.flow",
        contentName: "meta.embedded.expression.flow",
        beginCaptures: { 0: { name: "punctuation.section.interpolation.begin.flow" } },
        endCaptures: { 1: { name: "punctuation.section.interpolation.end.flow" } },
        patterns: include("record", "expression"),
      },
    ],
  },

  numbers: {
    patterns: [
      { match: re`(?<!\w)(?<![^.]\.)(?:${tooLong})\b`, name: "invalid.illegal.duration.flow" },
      match(re`(?<!\w)(?<![^.]\.)(\d+(?:_\d+)*)([smhd])(?![\w])`, "constant.numeric.duration", "keyword.other.unit.duration"),
      { match: re`(?<!\w)(?<![^.]\.)${number}[A-Za-z_]\w*(?:\.\d\w*)*`, name: "invalid.illegal.duration.flow" },
      {
        // The unit is a name when one of these follows it.
        match: re`(?<!\w)(?<![^.]\.)${number}[ \t]+(?i:${alternatives(units)})\b(?![ \t]*(?:=(?!=)|[:.(\[]))`,
        name: "invalid.illegal.duration.flow",
      },
      { match: re`(?<!\w)(?<![^.]\.)\d+(?:_\d+)*\.\d+(?:_\d+)*`, name: "constant.numeric.decimal.flow" },
      { match: re`(?<!\w)(?<![^.]\.)\d+(?:_\d+)*`, name: "constant.numeric.integer.flow" },
    ],
  },

  // A bare number where a duration must stand.
  "missing-unit": match(
    re`(?<![\w.])(timeout|idle|within|backoff|sleep|advance)\s+(\d[\d_]*)(?![\w.])(?!\s*(?:[+*/%]|-(?!>)))(?!\s+(?i:${alternatives(units)})\b)`,
    "keyword.control.timer",
    "invalid.illegal.duration",
  ),

  // Letters that other editors and languages put in, and that mean nothing.
  illegal: {
    patterns: [
      { match: "[“”„‘’‚«»'`;]", name: "invalid.illegal.character.flow" },
      { match: re`&&|\|\||[=!]==`, name: "invalid.illegal.operator.flow" },
    ],
  },
};
