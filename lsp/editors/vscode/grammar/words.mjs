// The words of the language and the pieces of which the patterns are made. A
// test holds the words equal to those of the compiler's grammar.

const re = String.raw;

export const name = re`[A-Za-z_]\w*`;
export const path = re`${name}(?:\.${name})*`;
export const paths = re`${path}(?:\s*,\s*${path})*`;

// A word followed by these begins an assignment, whatever it means elsewhere.
const noAssignment = re`(?!\s*(?:=(?![=>])|\.(?!\.)|\[))`;

// keyword matches one of the words where it is no name.
export const keyword = (words) => re`(?<![\w.])(${alternatives(words)})\b${noAssignment}`;

// clause matches a word behind a construct. An operator before or behind it
// shows that it is a field of that name.
export const clause = (words) =>
  re`(?<![\w.])(?<![-=+*/%<>?:,(\[] )(${alternatives(words)})\b(?!\s*(?:[=.,)\]+*/%<>?:]|-(?!>)|(?:and|or|in)\b))`;

export const alternatives = (words) => words.trim().split(/\s+/).join("|");

// nextDeclaration ends every open region, so that a missing brace colours one
// flow wrongly and not the rest of the file.
export const nextDeclaration =
  re`(?=^(?:(?:import|test)\s+"|(?:const|enum|type|event|internal|task|fn|fragment|flow)\s+[A-Za-z_]))`;

export const reservedEvents = "timeout error completed joined expired cancel";
export const primitives = "bool int decimal string duration time json";
export const containers = "list map";
export const days = "day mon tue wed thu fri sat sun";
export const units =
  "s secs? seconds? m mins? minutes? h hrs? hours? d days? w wks? weeks? mo months? y yrs? years? ms msecs? millis milliseconds? us";

export const builtins = `now time date time_at next local add_months format
  len contains starts_with ends_with lower upper trim split join slice min max abs round range
  sum sort find any all count map filter keys values active`;

// match is a pattern with its captures given as a list of scopes.
export const match = (pattern, ...scopes) => ({ match: pattern, captures: captures(scopes) });

export const captures = (scopes) =>
  Object.fromEntries(
    scopes.map((scope, i) => [String(i + 1), typeof scope === "string" ? { name: `${scope}.flow` } : scope]).filter(([, c]) => c),
  );

export const include = (...rules) => rules.map((rule) => ({ include: `#${rule}` }));

// region is a pair of brackets and what may stand between them.
export const region = (open, close, kind, patterns) => ({
  begin: open,
  end: re`${close}|${nextDeclaration}`,
  beginCaptures: { 0: { name: `punctuation.section.${kind}.begin.flow` } },
  endCaptures: { 0: { name: `punctuation.section.${kind}.end.flow` } },
  patterns,
});
