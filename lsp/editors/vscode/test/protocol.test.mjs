// The protocol as VS Code's own client library speaks it, against `flowc lsp`.
// FLOWC names the program.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

const lsp = createRequire(import.meta.url)("vscode-languageserver-protocol/node");

// How long an answer may take on a busy machine, in milliseconds.
const deadline = 30_000;

const text = `event pay(reference: string)

// Books a payment.
task charge(amount: decimal) -> (receipt: string) within 30s retry 4 backoff 2s..1m

flow order(amount: decimal) -> (receipt: string?) {
  data {
    receipt: string?
  }

  initial awaiting_payment

  state awaiting_payment {
    timeout 2d
    on pay -> paid
    on timeout -> expired
  }

  state paid {
    timeout 1d
    do charge(amount: amount)
    on completed -> shipped {
      receipt = event.receipt
    }
    on error, timeout -> expired
  }

  final shipped
  final expired as failure
}

test "an unpaid order expires" {
  start order(amount: 20)
  advance 2d
  expect final expired
}
`;

const folder = mkdtempSync(join(tmpdir(), "flowc-protocol-"));
const uri = pathToFileURL(join(folder, "order.flow")).href;
const textDocument = { uri };
let child, connection, server;
let published = [];
let arrived = () => undefined;

/** The place of a piece of the text, with an offset into the piece. */
function place(piece, offset = 0, from = text) {
  const at = from.indexOf(piece);
  assert.ok(at >= 0, `no ${piece}`);
  const lines = from.slice(0, at + offset).split("\n");
  return { line: lines.length - 1, character: lines.at(-1).length };
}

const request = (type, params) => connection.sendRequest(type, { textDocument, ...params });

/** Waits until the findings of a version of the buffer have come. */
async function findings(version) {
  const late = AbortSignal.timeout(deadline);
  for (;;) {
    const last = published.findLast((p) => p.uri === uri && (p.version ?? version) >= version);
    if (last) {
      return last.diagnostics;
    }
    await new Promise((resolve, reject) => {
      arrived = resolve;
      late.onabort = () => reject(new Error(`no findings of version ${version}`));
    });
  }
}

let version = 0;
async function change(to) {
  published = [];
  version++;
  await connection.sendNotification(lsp.DidChangeTextDocumentNotification.type, { textDocument: { uri, version }, contentChanges: [{ text: to }] });
  return findings(version);
}

before(async () => {
  writeFileSync(join(folder, "order.flow"), text);
  child = spawn(process.env.FLOWC ?? "flowc", ["lsp"], { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
  connection = lsp.createProtocolConnection(new lsp.StreamMessageReader(child.stdout), new lsp.StreamMessageWriter(child.stdin));
  connection.onNotification(lsp.PublishDiagnosticsNotification.type, (params) => {
    published.push(params);
    arrived();
  });
  connection.onRequest(lsp.RegistrationRequest.type, () => null);
  connection.onRequest(lsp.ConfigurationRequest.type, ({ items }) => items.map(() => null));
  connection.onRequest(lsp.WorkDoneProgressCreateRequest.type, () => null);
  connection.listen();
  server = await connection.sendRequest(lsp.InitializeRequest.type, {
    processId: process.pid,
    rootUri: pathToFileURL(folder).href,
    workspaceFolders: [{ uri: pathToFileURL(folder).href, name: "test" }],
    capabilities: {
      textDocument: {
        synchronization: {},
        publishDiagnostics: { versionSupport: true, relatedInformation: true, codeDescriptionSupport: true },
        completion: { completionItem: { snippetSupport: true } },
        hover: { contentFormat: ["markdown", "plaintext"] },
        rename: { prepareSupport: true },
        semanticTokens: {
          requests: { full: true }, formats: ["relative"], tokenTypes: Object.values(lsp.SemanticTokenTypes), tokenModifiers: Object.values(lsp.SemanticTokenModifiers),
        },
      },
    },
  });
  await connection.sendNotification(lsp.InitializedNotification.type, {});
  version = 1;
  await connection.sendNotification(lsp.DidOpenTextDocumentNotification.type, { textDocument: { uri, languageId: "flow", version, text } });
});

after(async () => {
  await connection.sendRequest(lsp.ShutdownRequest.type);
  const ended = new Promise((resolve) => child.on("exit", resolve));
  await connection.sendNotification(lsp.ExitNotification.type);
  assert.equal(await ended, 0);
  connection.dispose();
  rmSync(folder, { recursive: true });
});

test("a file without mistakes has no findings", { timeout: deadline }, async () => {
  assert.deepEqual(await findings(1), []);
});

test("findings come and go with the text", { timeout: deadline }, async () => {
  const broken = await change(text.replace("timeout 2d", "timeout 1h30m").replace("-> shipped", "-> shiped"));
  assert.deepEqual(broken.map((d) => d.code).filter((c) => c === "duration-syntax" || c === "unknown-state").sort(), ["duration-syntax", "unknown-state"]);
  assert.equal(broken[0].source, "flowc");
  assert.deepEqual(await change(text), []);
});

test("completion after an arrow offers the states", { timeout: deadline }, async () => {
  const half = text.replace("on pay -> paid", "on pay -> ");
  await change(half);
  const list = await request(lsp.CompletionRequest.type, { position: place("on pay -> ", 10, half) });
  const labels = (Array.isArray(list) ? list : list.items).map((i) => i.label);
  for (const state of ["paid", "shipped", "expired", "self"]) {
    assert.ok(labels.includes(state), `${state} in ${labels}`);
  }
  await change(text);
});

test("hover says how often a task is tried", { timeout: deadline }, async () => {
  const hover = await request(lsp.HoverRequest.type, { position: place("charge(amount: amount)", 2) });
  assert.match(JSON.stringify(hover.contents), /Books a payment[^]*5 attempts/);
});

test("definition goes to the declaration", { timeout: deadline }, async () => {
  const found = [await request(lsp.DefinitionRequest.type, { position: place("-> paid", 4) })].flat()[0];
  assert.equal(found.targetUri ?? found.uri, uri);
  assert.equal((found.targetSelectionRange ?? found.range).start.line, place("state paid").line);
});

test("renaming changes every place", { timeout: deadline }, async () => {
  const position = place("state paid", 7);
  const prepared = await request(lsp.PrepareRenameRequest.type, { position });
  assert.deepEqual((prepared.range ?? prepared).start, place("state paid", 6));
  const edit = await request(lsp.RenameRequest.type, { position, newName: "settled" });
  const edits = edit.changes?.[uri] ?? edit.documentChanges.flatMap((c) => c.edits);
  assert.deepEqual(edits.map((e) => e.range.start.line).sort((a, b) => a - b), [place("-> paid").line, place("state paid").line]);
  assert.ok(edits.every((e) => e.newText === "settled"));
});

test("formatting gives the one style", { timeout: deadline }, async () => {
  const untidy = text.replace("    timeout 2d\n", "  timeout   2d\n\n\n");
  await change(untidy);
  const edits = await request(lsp.DocumentFormattingRequest.type, { options: { tabSize: 2, insertSpaces: true } });
  const lines = untidy.split("\n");
  const offset = ({ line, character }) => lines.slice(0, line).reduce((n, l) => n + l.length + 1, 0) + character;
  const tidy = edits
    .sort((a, b) => offset(b.range.start) - offset(a.range.start))
    .reduce((t, e) => t.slice(0, offset(e.range.start)) + e.newText + t.slice(offset(e.range.end)), untidy);
  assert.equal(tidy.replace("2d\n\n", "2d\n"), text);
  await change(text);
});

test("semantic tokens name what a word means", { timeout: deadline }, async () => {
  const { data } = await request(lsp.SemanticTokensRequest.type, {});
  const legend = server.capabilities.semanticTokensProvider.legend;
  const lines = text.split("\n");
  const tokens = [];
  for (let i = 0, line = 0, column = 0; i < data.length; i += 5) {
    column = data[i] === 0 ? column + data[i + 1] : data[i + 1];
    line += data[i];
    tokens.push(`${lines[line].slice(column, column + data[i + 2])} ${legend.tokenTypes[data[i + 3]]}`);
  }
  assert.equal(tokens[0], "event keyword");
  assert.equal(tokens[1], "pay event");
  assert.ok(tokens.includes("charge method"), tokens.join(", "));
});

test("the test has a command above it, which the extension or the server knows", { timeout: deadline }, async () => {
  const lenses = await request(lsp.CodeLensRequest.type, {});
  const commands = JSON.parse(readFileSync("package.json", "utf8")).contributes.commands.map((c) => c.command);
  const known = [...commands, ...(server.capabilities.executeCommandProvider?.commands ?? [])];
  assert.equal(lenses[0].range.start.line, place('test "an unpaid').line);
  for (const lens of lenses) {
    const { command } = lens.command ? lens : await connection.sendRequest(lsp.CodeLensResolveRequest.type, lens);
    assert.ok(known.includes(command.command), command.command);
  }
});
