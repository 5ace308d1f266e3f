// Imports a module of the extension that needs no editor.
import { buildSync } from "esbuild";

export async function source(file) {
  const built = buildSync({ entryPoints: [file], bundle: true, write: false, format: "esm", platform: "node" });
  return import(`data:text/javascript;base64,${Buffer.from(built.outputFiles[0].contents).toString("base64")}`);
}
