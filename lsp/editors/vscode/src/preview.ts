// The preview: the statechart of the file in the active editor. It follows the
// cursor, and keeps the last good picture while the file is broken.
import * as vscode from "vscode";
import { at, outline, type Item } from "./outline";
import { page, type FromPage, type ToPage } from "./page";
import { run } from "./program";

const stateKinds = ["flow", "state", "parallel", "region", "final"] as const;

/** How long the text must rest before the picture is drawn anew, in milliseconds. */
const rest = 150;

export class Preview implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private file: vscode.TextDocument | undefined;
  private items: Item[] = [];
  private timer: NodeJS.Timeout | undefined;
  private drawing: AbortController | undefined;
  private readonly listeners: vscode.Disposable[];

  constructor(private readonly resources: vscode.Uri) {
    this.listeners = [
      vscode.workspace.onDidChangeTextDocument((e) => e.document === this.file && this.later()),
      vscode.window.onDidChangeActiveTextEditor((editor) => editor && this.follow(editor)),
      vscode.window.onDidChangeTextEditorSelection((e) => e.textEditor.document === this.file && this.select(e.textEditor)),
    ];
  }

  /** Open shows the preview beside the active editor. */
  open(): void {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.languageId !== "flow") {
      void vscode.window.showInformationMessage("Open a .flow file first.");
      return;
    }
    this.panel ??= this.makePanel();
    this.panel.reveal(vscode.ViewColumn.Beside, true);
    this.follow(editor);
  }

  dispose(): void {
    this.drawing?.abort();
    clearTimeout(this.timer);
    this.panel?.dispose();
    this.listeners.forEach((l) => l.dispose());
  }

  private makePanel(): vscode.WebviewPanel {
    const panel = vscode.window.createWebviewPanel("flowc.preview", "Statechart", { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true }, {
      enableScripts: true,
      localResourceRoots: [this.resources],
      retainContextWhenHidden: true,
    });
    const uri = (name: string) => panel.webview.asWebviewUri(vscode.Uri.joinPath(this.resources, name)).toString();
    panel.webview.onDidReceiveMessage((message: FromPage) => this.receive(message));
    panel.webview.html = page({ source: panel.webview.cspSource, script: uri("webview.js"), style: uri("webview.css") });
    panel.onDidDispose(() => {
      this.panel = undefined;
      this.file = undefined;
    });
    return panel;
  }

  private follow(editor: vscode.TextEditor): void {
    if (!this.panel || editor.document.languageId !== "flow" || editor.document === this.file) {
      return;
    }
    this.file = editor.document;
    this.panel.title = `Statechart of ${vscode.workspace.asRelativePath(this.file.uri)}`;
    void this.draw();
  }

  private later(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.draw(), rest);
  }

  /** Draw asks flowc for the picture of the text as it is in the editor; a newer drawing stops an older one. */
  private async draw(): Promise<void> {
    const file = this.file;
    if (!file) {
      return;
    }
    this.drawing?.abort();
    const { signal } = (this.drawing = new AbortController());
    this.items = outline(file.getText());
    const drawn = await run(["graph", "--format", "svg", "-"], file.uri, file.getText(), signal);
    if (signal.aborted) {
      return;
    }
    this.send(drawn.code === 0 ? { type: "chart", svg: drawn.stdout } : { type: "broken", message: firstLine(drawn.stderr) });
    const editor = vscode.window.visibleTextEditors.find((e) => e.document === file);
    if (editor) {
      this.select(editor);
    }
  }

  private select(editor: vscode.TextEditor): void {
    const item = at(this.items, editor.selection.active.line, ...stateKinds);
    this.send({ type: "select", flow: item?.flow ?? "", path: item?.path ?? "" });
  }

  private send(message: ToPage): void {
    void this.panel?.webview.postMessage(message);
  }

  private receive(message: FromPage): void {
    if (message.type === "ready") {
      void this.draw();
      return;
    }
    const item = this.items.find((i) => i.flow === message.flow && i.path === message.path && i.kind !== "test");
    const editor = vscode.window.visibleTextEditors.find((e) => e.document === this.file);
    if (item && editor) {
      const start = new vscode.Position(item.first, 0);
      editor.selection = new vscode.Selection(start, start);
      editor.revealRange(new vscode.Range(start, start), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }
  }
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0] ?? "";
}
