// What the scripts here share: a server behind the client library of VS Code.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import protocol from "vscode-languageserver-protocol/node.js";

// connect starts a server and initializes it, with the uri of a folder where there is one.
export async function connect(flowc, capabilities, folder = null) {
  const server = spawn(flowc, ["lsp", "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
  const connection = protocol.createProtocolConnection(
    new protocol.StreamMessageReader(server.stdout),
    new protocol.StreamMessageWriter(server.stdin),
  );
  const published = [];
  let heard = () => {};
  connection.onNotification(protocol.PublishDiagnosticsNotification.type, (p) => {
    published.push(p);
    heard();
  });
  connection.onRequest(protocol.RegistrationRequest.type, () => {});
  connection.listen();
  const result = await connection.sendRequest(protocol.InitializeRequest.type, {
    processId: process.pid,
    rootUri: null,
    workspaceFolders: folder && [{ uri: folder, name: "flows" }],
    capabilities,
  });
  await connection.sendNotification(protocol.InitializedNotification.type, {});
  const publication = async (version) => {
    for (;;) {
      const p = published.shift();
      if (p && p.version === version) return p;
      if (!p) await new Promise((resolve) => (heard = resolve));
    }
  };
  const end = async () => {
    await connection.sendRequest(protocol.ShutdownRequest.type);
    const exited = new Promise((resolve) => server.on("exit", resolve));
    await connection.sendNotification(protocol.ExitNotification.type);
    assert.equal(await exited, 0, "the exit code");
    connection.dispose();
  };
  return { connection, result, published, publication, end };
}

export const open = (connection, uri, version, body) =>
  connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: "flow", version, text: body },
  });

export const of = (uri) => ({ textDocument: { uri } });
export const at = (uri, position) => ({ textDocument: { uri }, position });
