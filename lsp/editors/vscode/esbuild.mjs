// Bundles the extension and the script of its preview into `out`.
import { build } from "esbuild";
import { copyFileSync, existsSync } from "node:fs";

const shared = { bundle: true, minify: true, legalComments: "none", logLevel: "warning" };

await build({
  ...shared,
  entryPoints: ["src/extension.ts"],
  outfile: "out/extension.js",
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
});
await build({
  ...shared,
  entryPoints: ["src/webview/main.ts"],
  outfile: "out/webview.js",
  platform: "browser",
  format: "iife",
  target: "es2022",
});
copyFileSync("src/webview/webview.css", "out/webview.css");

// The package holds the licence of the project.
const licence = new URL("../../../LICENSE", import.meta.url);
if (existsSync(licence)) {
  copyFileSync(licence, "LICENSE");
}
