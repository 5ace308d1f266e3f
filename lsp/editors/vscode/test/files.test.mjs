// The grammar over whole files: nothing that the compiler takes is coloured as
// a mistake, and no region is left open at the end.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { INITIAL, registry } from "../grammar/load.mjs";

const grammar = await (await registry()).loadGrammar("source.flow");

function scopes(text) {
  let state = INITIAL;
  const found = [];
  for (const [i, line] of text.split("\n").entries()) {
    const read = grammar.tokenizeLine(line, state);
    state = read.ruleStack;
    found.push(...read.tokens.map((t) => ({ line: i + 1, text: line.slice(t.startIndex, t.endIndex), scopes: t.scopes })));
  }
  return { found, depth: state.depth };
}

// FLOWC_EXAMPLES names more folders; without it the tests need no checkout.
const folders = ["test/grammar", ...(process.env.FLOWC_EXAMPLES ?? "").split(":").filter(Boolean)];
const files = folders.flatMap((f) => readdirSync(f).filter((n) => /^[^.]*\.flow$/.test(n)).map((n) => join(f, n)));

for (const file of files) {
  test(`${file} has no mistakes and ends where it began`, () => {
    const { found, depth } = scopes(readFileSync(file, "utf8"));
    assert.deepEqual(found.filter((t) => t.scopes.some((s) => s.startsWith("invalid"))), []);
    assert.equal(depth, 1);
  });
}

test("what is cut off anywhere does not reach the next flow", () => {
  const text = readFileSync("test/grammar/language.flow", "utf8");
  const from = text.indexOf("flow all_of_it");
  const to = text.indexOf("\ntest ");
  for (let end = from; end < to; end += 97) {
    const { found } = scopes(`${text.slice(0, end)}\n\nflow next_one(a: int) {\n  state s {\n  }\n}\n`);
    const name = found.find((t) => t.text === "next_one");
    assert.ok(name?.scopes.includes("entity.name.type.class.flow.flow"), `cut at ${end}: ${name?.scopes}`);
    assert.equal(name.scopes[1], "meta.flow.flow");
  }
});
