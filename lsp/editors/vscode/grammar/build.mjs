// Writes the TextMate grammars into the folder that is named, `out` by default.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { blocks } from "./blocks.mjs";
import { declarations } from "./declarations.mjs";
import { expressions } from "./expressions.mjs";
import { lexical } from "./lexical.mjs";
import { states } from "./states.mjs";
import { tests } from "./tests.mjs";

const flow = {
  name: "flow",
  scopeName: "source.flow",
  fileTypes: ["flow"],
  patterns: [{ include: "#file" }],
  repository: { ...lexical, ...expressions, ...declarations, ...states, ...blocks, ...tests },
};

// Fences that are marked as flow in Markdown.
const markdown = {
  scopeName: "markdown.flow.codeblock",
  injectionSelector: "L:text.html.markdown",
  patterns: [{ include: "#fence" }],
  repository: {
    fence: {
      begin: String.raw`(^|\G)(\s*)(${"`"}{3,}|~{3,})\s*(?i:(flow)(?:-fragment)?\s*$)`,
      end: String.raw`(^|\G)(\2|\s{0,3})(\3)\s*$`,
      name: "markup.fenced_code.block.markdown",
      beginCaptures: { 3: { name: "punctuation.definition.markdown" }, 4: { name: "fenced_code.block.language.markdown" } },
      endCaptures: { 3: { name: "punctuation.definition.markdown" } },
      contentName: "meta.embedded.block.flow",
      patterns: [{ include: "source.flow" }],
    },
  },
};

const folder = process.argv[2] ?? "out";
mkdirSync(folder, { recursive: true });
for (const [file, grammar] of [["flow.tmLanguage.json", flow], ["markdown.tmLanguage.json", markdown]]) {
  writeFileSync(join(folder, file), JSON.stringify(grammar, null, 1) + "\n");
}
