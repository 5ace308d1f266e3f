// The language server: `flowc lsp` on standard input and output.
import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";
import { meaningful } from "./colours";
import { program } from "./program";
import { runTest, runTests } from "./tests";

/** Server runs `flowc lsp` and starts it anew when asked, or when its path is set. */
export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  // Starts and stops wait for each other, so that two commands in a row do not leave two servers.
  private last: Promise<void> = Promise.resolve();
  private readonly output = vscode.window.createOutputChannel("flow", { log: true });

  start(): Promise<void> {
    return this.queue(() => this.run());
  }

  restart(): Promise<void> {
    return this.queue(async () => {
      await this.stop();
      await this.run();
    });
  }

  async dispose(): Promise<void> {
    await this.queue(() => this.stop());
    this.output.dispose();
  }

  private queue(step: () => Promise<void>): Promise<void> {
    this.last = this.last.then(step, step);
    return this.last;
  }

  private async run(): Promise<void> {
    const client = new LanguageClient("flowc", "flow", serverOptions(), this.clientOptions());
    try {
      await client.start();
      this.client = client;
    } catch (err) {
      this.output.error(`${program()} lsp: ${err instanceof Error ? err.message : String(err)}`);
      void explain();
    }
  }

  private async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    await client?.dispose();
  }

  private shown(all: vscode.SemanticTokens | null | undefined): vscode.SemanticTokens | null | undefined {
    const legend = this.client?.initializeResult?.capabilities.semanticTokensProvider?.legend;
    return all && legend ? new vscode.SemanticTokens(meaningful(all.data, legend.tokenTypes)) : all;
  }

  private clientOptions(): LanguageClientOptions {
    return {
      documentSelector: [
        { scheme: "file", language: "flow" },
        { scheme: "untitled", language: "flow" },
      ],
      outputChannel: this.output,
      middleware: {
        // The lenses above tests: their output belongs into a terminal.
        executeCommand: (command, args, next) =>
          command === "flowc.runTest" ? runLens(args[0] as string, args[1] as string | undefined) : next(command, args),
        // Without the result's id the editor asks for all tokens each time, and not for edits of tokens that it was not given.
        provideDocumentSemanticTokens: async (document, token, next) => this.shown(await next(document, token)),
        provideDocumentRangeSemanticTokens: async (document, range, token, next) => this.shown(await next(document, range, token)),
      },
      synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.flow") },
    };
  }
}

/** RunLens runs the test of a lens, or with no name all of the file. */
function runLens(uri: string, name: string | undefined): Promise<void> {
  return name === undefined ? runTests(uri) : runTest(uri, name);
}

function serverOptions(): ServerOptions {
  return { command: program(), args: ["lsp"] };
}

/** Explain tells what to do when flowc cannot be started. */
async function explain(): Promise<void> {
  const settings = "Open settings";
  const chosen = await vscode.window.showErrorMessage(
    `\`${program()} lsp\` does not start. Colours work without it; findings, completion and the rest need flowc.`,
    settings,
  );
  if (chosen === settings) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "flowc.path");
  }
}
