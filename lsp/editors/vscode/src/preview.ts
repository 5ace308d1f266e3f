// The preview: the statechart of the file in the active editor. It follows the
// cursor, and keeps the last good picture while the file is broken.
import * as vscode from "vscode";
import { at, outline, type Item } from "./outline";
import { page, reason, type FromPage, type ToPage } from "./page";
import { run } from "./program";

/** How long the text must rest before the picture is drawn anew, in milliseconds. */
const rest = 150;

export class Preview implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private file: vscode.TextDocument | undefined;
  private items: Item[] = [];
  /** The flow that is drawn. */
  private flow: string | undefined;
  private timer: NodeJS.Timeout | undefined;
  private drawing: AbortController | undefined;
  private readonly listeners: vscode.Disposable[];

  constructor(private readonly resources: vscode.Uri) {
    this.listeners = [
      vscode.workspace.onDidChangeTextDocument((e) => e.document === this.file && this.later()),
      vscode.window.onDidChangeActiveTextEditor((editor) => editor && this.follow(editor)),
      vscode.window.onDidChangeTextEditorSelection((e) => e.textEditor.document === this.file && this.select()),
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
    this.flow = this.flowAtCursor();
    const args = ["graph", "--format", "svg", ...(this.flow ? ["--flow", this.flow] : []), "-"];
    const drawn = await run(args, file.uri, file.getText(), signal);
    if (signal.aborted) {
      return;
    }
    this.send(drawn.code === 0 ? { type: "chart", svg: drawn.stdout } : { type: "broken", message: reason(drawn.stderr) });
    this.send({ type: "select", path: this.stateAtCursor()?.path ?? "" });
  }

  /** Select marks the state at the cursor; in another flow that one is drawn. */
  private select(): void {
    if (this.flowAtCursor() !== this.flow) {
      void this.draw();
    } else {
      this.send({ type: "select", path: this.stateAtCursor()?.path ?? "" });
    }
  }

  /** FlowAtCursor is the flow to draw: the one at the cursor, else the one that is shown, else the first. */
  private flowAtCursor(): string | undefined {
    const flows = this.items.filter((i) => i.kind === "flow").map((i) => i.name);
    const here = this.stateAtCursor()?.flow;
    return [here, this.flow, flows[0]].find((name) => name !== undefined && flows.includes(name));
  }

  private stateAtCursor(): Item | undefined {
    const line = this.editor()?.selection.active.line;
    return line === undefined ? undefined : at(this.items, line, "flow", "state", "parallel", "region", "final");
  }

  private editor(): vscode.TextEditor | undefined {
    return vscode.window.visibleTextEditors.find((e) => e.document === this.file);
  }

  private send(message: ToPage): void {
    void this.panel?.webview.postMessage(message);
  }

  /** Receive takes a click on a state: the text is shown, also from behind another tab, and the cursor goes to the state's line. */
  private receive(message: FromPage): void {
    if (message.type === "ready") {
      void this.draw();
      return;
    }
    const item = this.items.find((i) => i.flow === this.flow && i.path === message.path && i.kind !== "test");
    if (item && this.file) {
      const start = new vscode.Position(item.first, 0);
      void vscode.window.showTextDocument(this.file.uri, {
        viewColumn: this.editor()?.viewColumn ?? vscode.ViewColumn.One,
        selection: new vscode.Range(start, start),
      });
    }
  }
}
