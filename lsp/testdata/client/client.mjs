// Drives a server with the client library of VS Code: node client.mjs FLOWC SOURCE
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import protocol from "vscode-languageserver-protocol/node.js";
import { TextDocument } from "vscode-languageserver-textdocument";
import { at, connect, of, open } from "./session.mjs";

const [flowc, source] = process.argv.slice(2);
const text = readFileSync(source, "utf8");

// generator of repeatable chance.
function chance(seed) {
  return (n) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * n);
  };
}

async function pushes() {
  const { connection, result, publication, end } = await connect(flowc, {
    textDocument: { publishDiagnostics: { relatedInformation: true, versionSupport: true } },
  });
  assert.equal(result.capabilities.diagnosticProvider, undefined);
  assert.equal(result.serverInfo.name, "flowc");
  const uri = "file:///w/mistake.flow";
  await open(connection, uri, 1, "flow f {\n  initial nowhere\n  state a { timeout 1d on timeout -> b }\n  final b\n}\n");
  const { diagnostics } = await publication(1);
  assert.ok(diagnostics.some((d) => d.code === "unknown-state" || d.code === "initial-not-direct-child"), JSON.stringify(diagnostics));
  await end();
}

async function asks() {
  const { connection, result, published, end } = await connect(flowc, {
    general: { positionEncodings: ["utf-16"] },
    textDocument: {
      diagnostic: {},
      completion: { completionItem: { snippetSupport: true, resolveSupport: { properties: ["documentation"] } } },
      documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    },
    workspace: { workspaceEdit: { documentChanges: true } },
  });
  const uri = "file:///w/a.flow";
  await open(connection, uri, 1, text);
  const document = TextDocument.create(uri, "flow", 1, text);
  const place = (letters, skip = 0) => document.positionAt(text.indexOf(letters) + skip);

  const report = await connection.sendRequest(protocol.DocumentDiagnosticRequest.type, of(uri));
  assert.equal(report.kind, "full");
  assert.deepEqual(report.items, []);

  const symbols = await connection.sendRequest(protocol.DocumentSymbolRequest.type, of(uri));
  const flow = symbols.find((s) => s.children?.length > 3);
  assert.ok(flow, "a flow with states");

  const arrow = place(" -> charging", 4);
  const list = await connection.sendRequest(protocol.CompletionRequest.type, at(uri, arrow));
  assert.ok(list.items.length > 0);
  const resolved = await connection.sendRequest(protocol.CompletionResolveRequest.type, list.items[0]);
  assert.equal(resolved.label, list.items[0].label);

  const target = place("    on ", "    on ".length);
  const hover = await connection.sendRequest(protocol.HoverRequest.type, at(uri, target));
  assert.equal(hover.contents.kind, "markdown");
  const [definition] = await connection.sendRequest(protocol.DefinitionRequest.type, at(uri, target));
  assert.equal(definition.uri, uri);
  const references = await connection.sendRequest(protocol.ReferencesRequest.type, { ...at(uri, target), context: { includeDeclaration: true } });
  assert.ok(references.length > 1);
  const renamed = await connection.sendRequest(protocol.RenameRequest.type, { ...at(uri, target), newName: "renamed_event" });
  assert.equal(renamed.documentChanges[0].textDocument.version, 1);
  const after = TextDocument.applyEdits(document, renamed.documentChanges[0].edits);
  assert.equal(after.split("renamed_event").length - 1, references.length);
  await assert.rejects(connection.sendRequest(protocol.RenameRequest.type, { ...at(uri, target), newName: "null" }), /word of the language/);

  assert.deepEqual(await connection.sendRequest(protocol.DocumentFormattingRequest.type, { ...of(uri), options: { tabSize: 2, insertSpaces: true } }), []);
  const tokens = await connection.sendRequest(protocol.SemanticTokensRequest.type, of(uri));
  assert.equal(tokens.data.length % 5, 0);
  assert.ok(result.capabilities.semanticTokensProvider.legend.tokenTypes.includes("keyword"));
  assert.ok((await connection.sendRequest(protocol.FoldingRangeRequest.type, of(uri))).length > 3);
  const lenses = await connection.sendRequest(protocol.CodeLensRequest.type, of(uri));
  const outcomes = await connection.sendRequest(protocol.ExecuteCommandRequest.type, { command: lenses[0].command.command, arguments: lenses[0].command.arguments });
  assert.ok(outcomes.length > 0 && outcomes.every((o) => o.passed), JSON.stringify(outcomes));
  assert.deepEqual(published, [], "a client that pulls gets no push");
  await end();
}

// between is a position that VS Code could send: not inside of a letter, and not between the two of a line's end.
function between(document, offset) {
  const body = document.getText();
  const second = (c) => (c >= 0xdc00 && c < 0xe000) || c === 10;
  if (second(body.charCodeAt(offset)) && body[offset - 1] !== "\n") offset--;
  return document.positionAt(Math.max(offset, 0));
}

// edits makes random edits as VS Code's own text model makes them, and compares what the server says of the text with what it says
// of the same text opened afresh.
async function edits(encodings) {
  const { connection, end } = await connect(flowc, { general: { positionEncodings: encodings }, textDocument: { diagnostic: {} } });
  const uri = "file:///w/edited.flow";
  const next = chance(7);
  const pieces = ["x", "😀", "é", "\r\n", "\n", "\t", " -> ", "state s { ", "}", "6h", '"', "// ", "名"];
  let document = TextDocument.create(uri, "flow", 1, text);
  await open(connection, uri, 1, text);
  for (let i = 0; i < 300; i++) {
    const changes = [];
    for (let n = 1 + next(3); n > 0; n--) {
      const start = next(document.getText().length);
      const range = { start: between(document, start), end: between(document, start + next(6)) };
      const change = { range, text: pieces[next(pieces.length)] };
      changes.push(change);
      document = TextDocument.update(document, [change], document.version + 1);
    }
    await connection.sendNotification(protocol.DidChangeTextDocumentNotification.type, {
      textDocument: { uri, version: document.version },
      contentChanges: changes,
    });
    if (i % 30 !== 0) continue;
    const fresh = "file:///w/fresh.flow";
    await open(connection, fresh, 1, document.getText());
    const [a, b] = await Promise.all(
      [uri, fresh].map((u) => connection.sendRequest(protocol.SemanticTokensRequest.type, of(u))),
    );
    assert.deepEqual(a.data, b.data, `after ${i} messages`);
    const [c, d] = await Promise.all([uri, fresh].map((u) => connection.sendRequest(protocol.DocumentDiagnosticRequest.type, of(u))));
    assert.deepEqual(c.items.map((x) => [x.code, x.range]), d.items.map((x) => [x.code, x.range]), `after ${i} messages`);
    await connection.sendNotification(protocol.DidCloseTextDocumentNotification.type, of(fresh));
  }
  await end();
}

await pushes();
await asks();
await edits(["utf-16"]);
console.log("ok");
process.exit(0);
