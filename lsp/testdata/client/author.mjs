// Works on flows as an author does, with the client library of VS Code: node author.mjs FLOWC EXAMPLES
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import protocol from "vscode-languageserver-protocol/node.js";
import { TextDocument } from "vscode-languageserver-textdocument";
import { states } from "./broken.mjs";
import { at, connect, of } from "./session.mjs";

const [flowc, examples] = process.argv.slice(2);
const home = mkdtempSync(join(tmpdir(), "flowc-author-"));
cpSync(examples, home, { recursive: true });
process.on("exit", () => rmSync(home, { recursive: true, force: true }));

const { connection, end } = await connect(flowc, {
  general: { positionEncodings: ["utf-16"] },
  textDocument: { diagnostic: { relatedDocumentSupport: false }, codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix"] } } } },
  workspace: { workspaceEdit: { documentChanges: true } },
}, pathToFileURL(home).href);

// The buffers as the editor has them, by uri.
const buffers = new Map();
const uriOf = (name) => pathToFileURL(join(home, name)).href;

function show(uri, text) {
  buffers.set(uri, TextDocument.create(uri, "flow", 1, text));
  return connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId: "flow", version: 1, text } });
}

function hide(uri) {
  buffers.delete(uri);
  return connection.sendNotification(protocol.DidCloseTextDocumentNotification.type, of(uri));
}

// change makes edits as an editor makes those of a workspace edit: all at once, the last place first.
function change(uri, edits) {
  const before = buffers.get(uri);
  const contentChanges = edits.toSorted((a, b) => before.offsetAt(b.range.start) - before.offsetAt(a.range.start)).map((e) => ({ range: e.range, text: e.newText }));
  const version = before.version + 1;
  buffers.set(uri, TextDocument.update(before, contentChanges, version));
  return connection.sendNotification(protocol.DidChangeTextDocumentNotification.type, { textDocument: { uri, version }, contentChanges });
}

// retype replaces the text by another with one edit, where the two differ.
function retype(uri, text) {
  const before = buffers.get(uri);
  const old = before.getText();
  let start = 0;
  while (start < Math.min(old.length, text.length) && old[start] === text[start]) start++;
  let behind = 0;
  while (behind < Math.min(old.length, text.length) - start && old.at(-1 - behind) === text.at(-1 - behind)) behind++;
  const range = { start: before.positionAt(start), end: before.positionAt(old.length - behind) };
  return change(uri, [{ range, newText: text.slice(start, text.length - behind) }]);
}

// What is wrong without being in the way of the rest.
const wrong = [];
const took = [];
async function ask(type, params) {
  const start = performance.now();
  const answer = await connection.sendRequest(type, params); // an error is thrown
  took.push({ method: type.method, ms: performance.now() - start });
  return answer;
}

const findings = async (uri) => (await ask(protocol.DocumentDiagnosticRequest.type, of(uri))).items;

// everything asks all that an editor asks of a file, with the cursor at a place.
async function everything(uri, position) {
  const document = buffers.get(uri);
  const whole = { start: { line: 0, character: 0 }, end: document.positionAt(document.getText().length) };
  const here = at(uri, position);
  const p = protocol;
  const diagnostics = await findings(uri);
  await ask(p.HoverRequest.type, here);
  await ask(p.CompletionRequest.type, here);
  await ask(p.SignatureHelpRequest.type, here);
  await ask(p.DeclarationRequest.type, here);
  await ask(p.DefinitionRequest.type, here);
  await ask(p.TypeDefinitionRequest.type, here);
  await ask(p.ReferencesRequest.type, { ...here, context: { includeDeclaration: true } });
  await ask(p.DocumentHighlightRequest.type, here);
  await ask(p.DocumentSymbolRequest.type, of(uri));
  await ask(p.WorkspaceSymbolRequest.type, { query: "a" });
  await ask(p.CodeActionRequest.type, { ...of(uri), range: { start: position, end: position }, context: { diagnostics } });
  await ask(p.CodeLensRequest.type, of(uri));
  await ask(p.DocumentLinkRequest.type, of(uri));
  await ask(p.DocumentFormattingRequest.type, { ...of(uri), options: { tabSize: 2, insertSpaces: true } });
  await ask(p.PrepareRenameRequest.type, here).catch((e) => assert.match(e.message, /\w+ \w+/)); // refused with a reason
  await ask(p.FoldingRangeRequest.type, of(uri));
  await ask(p.SelectionRangeRequest.type, { ...of(uri), positions: [position] });
  await ask(p.SemanticTokensRequest.type, of(uri));
  await ask(p.SemanticTokensRangeRequest.type, { ...of(uri), range: whole });
  await ask(p.InlayHintRequest.type, { ...of(uri), range: whole });
  for (const item of (await ask(p.CallHierarchyPrepareRequest.type, here)) ?? []) {
    await ask(p.CallHierarchyIncomingCallsRequest.type, { item });
    await ask(p.CallHierarchyOutgoingCallsRequest.type, { item });
  }
  return diagnostics;
}

const names = readdirSync(home).filter((n) => n.endsWith(".flow"));
const textOf = (name) => readFileSync(join(home, name), "utf8");

// Every example is read from end to end, the cursor resting at 6 places.
async function reads() {
  for (const name of names) {
    const uri = uriOf(name);
    await show(uri, textOf(name));
    const size = buffers.get(uri).getText().length;
    for (let i = 0; i < 6; i++) {
      assert.deepEqual(await everything(uri, buffers.get(uri).positionAt(Math.floor((size * i) / 6))), [], name);
    }
    await hide(uri);
  }
}

const shown = ({ line, character }) => `${line + 1}:${character + 1}`;

// Every text that an author leaves half typed is looked at, each of its fixes is made and taken back, and then the text is mended.
async function breaks(newline, mark) {
  let fixes = 0;
  for (const { name, broken, position: lf, good } of states(names, textOf)) {
    const uri = uriOf(name);
    const written = (text) => mark + text.replaceAll("\n", newline);
    await show(uri, written(good));
    await retype(uri, written(broken));
    const before = buffers.get(uri).getText();
    const position = { line: lf.line, character: lf.character + (lf.line === 0 ? mark.length : 0) };
    const found = await everything(uri, position);
    assert.ok(found.length > 0, `nothing is wrong with ${name} near ${JSON.stringify(position)}`);
    for (const finding of found) {
      const last = buffers.get(uri).lineCount;
      assert.ok(finding.range.start.line < last && finding.range.end.line < last, `${finding.code} stands behind the file`);
      const actions = await ask(protocol.CodeActionRequest.type, { ...of(uri), range: finding.range, context: { diagnostics: [finding], only: ["quickfix"] } });
      for (const action of actions.filter((a) => a.diagnostics?.some((d) => d.code === finding.code))) {
        assert.equal(action.edit.documentChanges.length, 1);
        await change(uri, action.edit.documentChanges[0].edits);
        const left = await findings(uri);
        const same = (list) => list.filter((d) => d.code === finding.code).length;
        if (same(left) >= same(found)) wrong.push(`"${action.title}" leaves "${finding.message}" in ${name} at ${shown(position)}`);
        fixes++;
        await retype(uri, before);
      }
    }
    assert.deepEqual(await findings(uri), found, "the findings before and after the fixes were taken back");
    await retype(uri, written(good));
    assert.deepEqual(await findings(uri), [], `${name} is mended`);
    const edits = await ask(protocol.DocumentFormattingRequest.type, { ...of(uri), options: { tabSize: 2, insertSpaces: true } });
    assert.equal(TextDocument.applyEdits(buffers.get(uri), edits), good.replaceAll("\n", newline), "formatting takes only a byte order mark away");
    await hide(uri);
  }
  return fixes;
}

// A name is renamed in two buffers that are not saved, one of them with other ends of lines, and in a file that is not open.
async function renames() {
  const library = uriOf("lib/goods.flow"), order = uriOf("fulfilment.flow");
  await show(library, `// Not saved yet.\n${readFileSync(join(home, "lib/goods.flow"), "utf8")}`);
  await show(order, `// Not saved either.\r\n${textOf("fulfilment.flow").replaceAll("\n", "\r\n")}`);
  const text = buffers.get(order).getText();
  const place = buffers.get(order).positionAt(text.indexOf("on goods.collected") + "on goods.".length);
  const edit = await ask(protocol.RenameRequest.type, { ...at(order, place), newName: "fetched" });
  const files = edit.documentChanges.map((c) => c.textDocument);
  assert.deepEqual(new Set(files.map((f) => f.uri)), new Set([library, order]));
  for (const { textDocument, edits } of edit.documentChanges) {
    assert.equal(textDocument.version, buffers.get(textDocument.uri).version);
    await change(textDocument.uri, edits);
  }
  for (const uri of [library, order]) {
    assert.deepEqual(await findings(uri), [], uri);
    assert.doesNotMatch(buffers.get(uri).getText(), /\bcollected\b(?! )/);
  }
  assert.equal(buffers.get(order).getText(), text.replaceAll(/\bgoods\.collected\b/g, "goods.fetched"));
  await hide(library);
  assert.notDeepEqual(await findings(order), [], "the file on the disk has the old name");
  await hide(order);
}

await reads();
let fixes = 0;
for (const [newline, mark] of [["\n", ""], ["\r\n", ""], ["\r\n", "\ufeff"]]) {
  fixes += await breaks(newline, mark);
}
await renames();
await end();
assert.deepEqual(wrong, []);
assert.ok(fixes > 30, `only ${fixes} fixes were made`);

// The slowest hundredth, of all requests and of those of the slowest method.
const p99 = (all) => all.map((t) => t.ms).sort((a, b) => a - b)[Math.ceil(all.length * 0.99) - 1];
const methods = [...new Set(took.map((t) => t.method))].map((method) => [method, p99(took.filter((t) => t.method === method))]);
const [method, ms] = methods.sort((a, b) => b[1] - a[1])[0];
console.log(`${took.length} requests, ${fixes} fixes; p99 ${p99(took).toFixed(1)} ms, of ${method} ${ms.toFixed(1)} ms`);
if (process.env.FLOWC_QUIET) {
  assert.ok(ms < 50, `the slowest hundredth of ${method} takes ${ms} ms`);
}
process.exit(0);
