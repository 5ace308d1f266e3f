// Flowc in VS Code: the language server, commands that run tests, and a preview
// of the statechart.
import * as vscode from "vscode";
import { Preview } from "./preview";
import { Server } from "./server";
import { runTest, runTests, validateWorkspace } from "./tests";

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const server = new Server();
  const preview = new Preview(vscode.Uri.joinPath(context.extensionUri, "out"));
  const command = vscode.commands.registerCommand;
  context.subscriptions.push(
    server,
    preview,
    command("flowc.runTestAtCursor", () => runTest()),
    command("flowc.runFileTests", () => runTests()),
    command("flowc.validateWorkspace", validateWorkspace),
    command("flowc.restartServer", () => server.restart()),
    command("flowc.openPreview", () => preview.open()),
    vscode.workspace.onDidChangeConfiguration((e) => e.affectsConfiguration("flowc.path") && server.restart()),
  );
  await server.start();
}
