// Writes a folder with a page that shows a flow file beside its preview, the
// preview with its own page, policy and script:
//   node pictures/preview.mjs FOLDER FILE FIRST-LAST LINE [dark|light] [BROKEN]
// BROKEN is what the file became after its picture was drawn.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { source } from "../test/source.mjs";

const [folder, file, range, line, theme = "dark", broken] = process.argv.slice(2);
const flowc = process.env.FLOWC ?? "flowc";
const { page, reason } = await source("src/page.ts");
const { at, outline } = await source("src/outline.ts");

function output(command, ...args) {
  const ran = spawnSync(command, args, { encoding: "utf8", maxBuffer: 1 << 26 });
  if (ran.status !== 0) {
    throw new Error(`${command} ${args.join(" ")}: ${ran.error ?? ran.stderr}`);
  }
  return ran.stdout;
}

mkdirSync(folder, { recursive: true });
const to = (name) => join(folder, name);
for (const name of ["webview.js", "webview.css"]) {
  copyFileSync(join("out", name), to(name));
}
writeFileSync(to("text.html"), output(process.execPath, "pictures/colours.mjs", broken ?? file, range, theme, line));

const text = readFileSync(file, "utf8");
const state = at(outline(text), Number(line) - 1, "state", "parallel", "region", "final");
const messages = [
  { type: "select", path: state?.path ?? "" },
  { type: "chart", svg: output(flowc, "graph", "--format", "svg", file) },
  ...(broken ? [{ type: "broken", message: reason(spawnSync(flowc, ["graph", "-"], { input: readFileSync(broken), encoding: "utf8" }).stderr) }] : []),
];
writeFileSync(to("editor.js"), `
globalThis.acquireVsCodeApi = () => ({
  postMessage() {
    ${JSON.stringify(messages)}.forEach((data) => window.dispatchEvent(new MessageEvent("message", { data })));
  },
});
document.body.className = "vscode-${theme}";
`);
const colours = theme === "dark"
  ? "--vscode-editor-background: #1e1e1e; --vscode-editor-foreground: #d4d4d4; --vscode-focusBorder: #3794ff; --vscode-inputValidation-warningBackground: #352a05; --vscode-inputValidation-warningBorder: #b89500;"
  : "--vscode-editor-background: #fff; --vscode-editor-foreground: #333; --vscode-focusBorder: #0078d4;";
writeFileSync(to("theme.css"), `:root { ${colours} }`);
const html = page({ source: "file:", script: "webview.js", style: "webview.css" })
  .replace("</head>", '<link rel="stylesheet" href="theme.css"></head>')
  .replace("<script", '<script src="editor.js"></script>\n<script');
writeFileSync(to("preview.html"), html);
writeFileSync(to("index.html"), `<!doctype html><style>
body { margin: 0; display: flex; background: ${theme === "dark" ? "#1e1e1e" : "#fff"}; }
iframe { border: 0; height: 100vh; }
iframe + iframe { border-left: 1px solid #8884; flex: 1; }
</style><iframe src="text.html" style="width: 590px"></iframe><iframe src="preview.html"></iframe>`);
