// What the commands and the preview read from the text.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { source } from "./source.mjs";

const { at, outline, testPattern } = await source("src/outline.ts");
const { meaningful } = await source("src/colours.ts");
const { page } = await source("src/page.ts");

const shown = (items) => items.map((i) => `${i.kind} ${i.path || i.name} ${i.first}-${i.last}`);

test("states, flows and tests with their lines", () => {
  const text = `flow a(x: map<int> = {"k": 1}) -> (y: int) {
  data { state: int = 0 }
  state s {
    on x -> final { state = 1 }
    final done
    on completed { if a { b = "}" } }
    state t { // }
      entry { /* } */ note "{ "}" }" }
    }
  }
  parallel p join all {
    region r {
      final done { entry { note "x" } }
    }
  }
}

test "one \\"two\\" {x}" {
  start a(x: {"k": 1})
  expect state s
}
`;
  assert.deepEqual(shown(outline(text)), [
    "flow a 0-15",
    "state s 2-9",
    "final s.done 4-4",
    "state s.t 6-8",
    "parallel p 10-14",
    "region p.r 11-13",
    "final p.r.done 12-12",
    'test one "two" {x} 17-20',
  ]);
  assert.equal(at(outline(text), 7, "state", "final").path, "s.t");
  assert.equal(at(outline(text), 4, "state", "final").path, "s.done");
  assert.equal(at(outline(text), 18, "test").name, 'one "two" {x}');
  assert.equal(at(outline(text), 16, "test"), undefined);
});

test("a file that is being written", () => {
  const text = `flow a {
  state half
    on x -> b { c = 1 }
  state open {
    on x -> b {
    note "open

flow b {
  state c {
  }
}
test "t" {
`;
  assert.deepEqual(shown(outline(text)), [
    "flow a 0-6", "state half 1-1", "state open 3-6", "flow b 7-10", "state c 8-9", "test t 11-12",
  ]);
});

test("every prefix of a file", () => {
  const text = readFileSync("test/grammar/language.flow", "utf8");
  for (let end = 0; end <= text.length; end += 7) {
    for (const item of outline(text.slice(0, end))) {
      assert.ok(item.first <= item.last, `${item.kind} ${item.name} at ${end}`);
    }
  }
});

test("the pattern of a test's name matches it alone", () => {
  const name = "a (b) [c] {d} $1.50 ^x|y\\z? + *";
  assert.match(name, new RegExp(testPattern(name)));
  assert.doesNotMatch("a (b)", new RegExp(testPattern("a")));
});

test("the page of the preview allows its own files only", () => {
  const html = page({ source: "https://own.example", script: "https://own.example/w.js", style: "https://own.example/w.css" });
  assert.match(html, /default-src 'none'; style-src https:\/\/own\.example; script-src https:\/\/own\.example"/);
  assert.doesNotMatch(html, /unsafe|<style|<script>|\son\w+=/);
});

test("every command of the manifest is registered, and no other", () => {
  const manifest = JSON.parse(readFileSync("package.json", "utf8"));
  const code = readFileSync("src/extension.ts", "utf8");
  const registered = [...code.matchAll(/command\("(flowc\.\w+)"/g)].map((m) => m[1]);
  assert.deepEqual(registered.sort(), manifest.contributes.commands.map((c) => c.command).sort());
});

test("semantic tokens without those that the grammar tells finer", () => {
  const types = ["keyword", "event", "string"];
  const all = Uint32Array.from([0, 0, 2, 0, 0, 0, 3, 4, 1, 1, 0, 6, 2, 2, 0, 0, 4, 5, 1, 0, 2, 1, 2, 0, 0, 3, 9, 3, 1, 0]);
  assert.deepEqual([...meaningful(all, types)], [0, 3, 4, 1, 1, 0, 10, 5, 1, 0, 5, 9, 3, 1, 0]);
  assert.deepEqual([...meaningful(new Uint32Array(), types)], []);
});
