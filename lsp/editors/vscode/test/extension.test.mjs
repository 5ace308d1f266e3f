// The packaged extension in a stand-in for the editor, with the real server and
// the real commands. FLOWC names the program.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";

const editor = createRequire(import.meta.url)("./editor.cjs");

// How long anything may take on a busy machine, in milliseconds.
const timeout = 30_000;

const text = `event pay

flow order {
  initial waiting

  state waiting {
    timeout 2d
    on pay -> paid
    on timeout -> expired
  }

  final paid
  final expired as failure
}

test "paid (at once)" {
  start order
  send pay
  expect final paid
}
`;

const folder = mkdtempSync(join(tmpdir(), "flowc-extension-"));
const file = join(folder, "order.flow");
writeFileSync(file, text);
const document = editor.document(file, text);
const cursor = (line) => new editor.Selection(new editor.Position(line, 0), new editor.Position(line, 0));
const active = { document, selection: cursor(7), revealRange: () => undefined };

const context = { subscriptions: [], extensionUri: editor.Uri.file(resolve(".")) };
let did;
before(async () => {
  const loaded = editor.load(resolve("out/extension.js"), { settings: { "flowc.path": process.env.FLOWC }, editor: active, folder });
  did = loaded.did;
  await loaded.extension.activate(context);
});

after(async () => {
  for (const s of context.subscriptions.reverse()) {
    await s.dispose();
  }
  rmSync(folder, { recursive: true });
});

test("it starts the server and registers every command of the manifest", { timeout }, () => {
  const wanted = JSON.parse(readFileSync("package.json", "utf8")).contributes.commands.map((c) => c.command);
  assert.deepEqual(wanted.filter((c) => !did.commands.has(c)), []);
  assert.ok(did.commands.has("flowc.runTest"), `the server's command is missing; said was: ${did.messages.join("\n")}`);
});

test("the test at the cursor is run, and no other", { timeout }, async () => {
  active.selection = cursor(16);
  await did.commands.get("flowc.runTestAtCursor")();
  const { execution, problemMatchers } = did.tasks.at(-1);
  assert.equal(execution.process, process.env.FLOWC);
  assert.deepEqual(execution.args, ["test", "--run", String.raw`^paid \(at once\)$`, file]);
  assert.equal(problemMatchers, undefined, "a task removes the problems of its matchers");
  await did.commands.get("flowc.runTest")(`file://${file}`, "paid (at once)");
  assert.deepEqual(did.tasks.at(-1).execution.args, execution.args);
  await did.commands.get("flowc.runTest")(`file://${file}`);
  assert.deepEqual(did.tasks.at(-1).execution.args, ["test", file]);
});

test("outside of tests it says so", { timeout }, async () => {
  active.selection = cursor(3);
  const tasks = did.tasks.length;
  await did.commands.get("flowc.runTestAtCursor")();
  assert.equal(did.tasks.length, tasks);
  assert.match(did.messages.at(-1), /in no test/);
});

/** Waits until the page has been sent a message of a type, and takes all that was sent. */
async function sent(panel, type) {
  while (!panel.sent.some((m) => m.type === type)) {
    await new Promise((arrived) => (panel.arrived = arrived));
  }
  return panel.sent.splice(0);
}

test("the preview draws, follows the cursor and keeps the picture", { timeout }, async () => {
  active.selection = cursor(7);
  did.commands.get("flowc.openPreview")();
  const panel = did.panels[0];
  assert.match(panel.webview.html, /default-src 'none'/);
  const drawn = await sent(panel, "select");
  assert.match(drawn.find((m) => m.type === "chart").svg, /^<svg[^]*waiting/);
  assert.deepEqual(drawn.find((m) => m.type === "select"), { type: "select", path: "waiting" });

  active.selection = cursor(11);
  did.selected.fire({ textEditor: active });
  assert.deepEqual(await sent(panel, "select"), [{ type: "select", path: "paid" }]);

  document.getText = () => text.replace("-> paid", "-> payd");
  document.version++;
  const letter = { start: new editor.Position(7, 16), end: new editor.Position(7, 17) };
  did.changed.fire({ document, contentChanges: [{ range: letter, text: "y" }] });
  const broken = await sent(panel, "broken");
  assert.match(broken.find((m) => m.type === "broken").message, /^line 8:.*payd/);
  assert.ok(!broken.some((m) => m.type === "chart"));
  document.getText = () => text;

  panel.say({ type: "reveal", path: "expired" });
  assert.equal(active.selection.active.line, 12);
  assert.deepEqual(did.shown, [String(document.uri)]);
});

test("the server can be started anew", { timeout }, async () => {
  await did.commands.get("flowc.restartServer")();
  assert.ok(did.commands.has("flowc.runTest"));
});
