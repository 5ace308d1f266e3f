// Writes a page that shows a flow file as VS Code colours it:
//   node pictures/colours.mjs FILE [FIRST-LAST] [dark|light] [LINE-OF-THE-CURSOR] >page.html
import { readFileSync } from "node:fs";
import { INITIAL, registry } from "../grammar/load.mjs";
import { themes } from "./theme.mjs";

const [file, range = "1-", name = "dark", cursor] = process.argv.slice(2);
const textmate = await registry();
textmate.setTheme({ name, settings: themes[name] });
const grammar = await textmate.loadGrammar("source.flow");
const palette = textmate.getColorMap();

const escape = (text) => text.replace(/[&<>]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c]);

// A token's colours are packed into one number, of which these bits are read.
const underlined = (metadata) => ((metadata >>> 11) & 4) !== 0;
const foreground = (metadata) => palette[(metadata >>> 15) & 0x1ff];

function coloured(line, tokens) {
  let html = "";
  for (let i = 0; i < tokens.length; i += 2) {
    const style = `color:${foreground(tokens[i + 1])}${underlined(tokens[i + 1]) ? ";text-decoration:underline wavy" : ""}`;
    html += `<span style="${style}">${escape(line.slice(tokens[i], tokens[i + 2] ?? line.length))}</span>`;
  }
  return html;
}

const lines = readFileSync(file, "utf8").split("\n");
const [first, last] = range.split("-").map(Number);
const shown = [];
let state = INITIAL;
lines.forEach((line, i) => {
  const read = grammar.tokenizeLine2(line, state);
  state = read.ruleStack;
  if (i + 1 >= first && i + 1 <= (last || lines.length)) {
    shown.push(`<b${String(i + 1) === cursor ? ' class="cursor"' : ""}><i>${i + 1}</i>${coloured(line, read.tokens)}</b>`);
  }
});

const { background, foreground: text } = themes[name][0].settings;
process.stdout.write(`<!doctype html><meta charset="utf-8"><style>
body { margin: 0; padding: 14px 18px; background: ${background}; color: ${text}; }
pre { margin: 0; font: 14px/20px "DejaVu Sans Mono", monospace; }
b { display: block; min-height: 20px; font-weight: normal; }
.cursor { background: #8883; }
i { display: inline-block; width: 2.2em; margin-right: 1.2em; text-align: right; color: #858585; font-style: normal; }
</style><pre>${shown.join("")}</pre>
`);
