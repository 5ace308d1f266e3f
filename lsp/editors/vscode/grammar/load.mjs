// Loads the built grammar the way VS Code does, for tests and pictures.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

// Both come with vscode-tmgrammar-test.
const require = createRequire(import.meta.url);
const textmate = require("vscode-textmate");
const oniguruma = require("vscode-oniguruma");

export const { INITIAL } = textmate;

export async function registry() {
  const wasm = readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  return new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (scope) => {
      const file = { "source.flow": "flow", "markdown.flow.codeblock": "markdown" }[scope];
      return file
        ? textmate.parseRawGrammar(readFileSync(new URL(`../out/${file}.tmLanguage.json`, import.meta.url), "utf8"), `${file}.json`)
        : null;
    },
  });
}
