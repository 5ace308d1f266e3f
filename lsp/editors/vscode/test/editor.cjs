// As much of VS Code as the extension needs to start: what it registers is
// kept, what it shows is written down, everything else is a thing that takes
// any call. Loaded in place of the module "vscode".
const Module = require("node:module");

/** A thing that can be called, made, read and listened to without end. */
function anything(name) {
  const target = class {};
  return new Proxy(target, {
    get: (t, key) => {
      if (key === Symbol.toPrimitive || key === "toString") return () => name;
      if (key === Symbol.iterator) return [][Symbol.iterator].bind([]);
      if (key === "then" || key === "toJSON") return undefined;
      if (key === "prototype") return t.prototype;
      t[key] ??= anything(`${name}.${String(key)}`);
      return t[key];
    },
    apply: () => anything(`${name}()`),
    construct: () => anything(`new ${name}`),
  });
}

const disposable = () => ({ dispose() {} });

class EventEmitter {
  listeners = new Set();
  event = (run, self) => {
    const listener = (value) => run.call(self, value);
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  };
  fire(value) {
    [...this.listeners].forEach((l) => l(value));
  }
  dispose() {}
}

class Uri {
  constructor(path) {
    this.scheme = "file";
    this.authority = this.query = this.fragment = "";
    this.path = this.fsPath = path;
  }
  static file = (path) => new Uri(path);
  static parse = (text) => new Uri(decodeURIComponent(text.replace(/^file:\/\//, "")));
  static joinPath = (base, ...more) => new Uri([base.path, ...more].join("/"));
  toString() {
    return `file://${encodeURI(this.path)}`;
  }
}

class Position {
  constructor(line, character) {
    Object.assign(this, { line, character });
  }
}

class Range {
  constructor(start, end) {
    Object.assign(this, { start, end });
  }
}

class Selection extends Range {
  constructor(anchor, active) {
    super(anchor, active);
    this.active = active;
  }
}

exports.Uri = Uri;
exports.Position = Position;
exports.Selection = Selection;

/** The document of a text, as the editor would have it. */
exports.document = (path, text) => ({
  uri: Uri.file(path), fileName: path, languageId: "flow", version: 1, isDirty: false, isClosed: false, lineCount: text.split("\n").length, eol: 1,
  getText: () => text, save: async () => true,
});

/** Load gives the extension in an editor with these settings and this active editor, and what it did there. */
exports.load = function load(file, { settings, editor, folder }) {
  const did = { commands: new Map(), messages: [], tasks: [], panels: [], shown: [], diagnostics: new Map(), changed: new EventEmitter(), selected: new EventEmitter() };
  const configuration = (section) => ({
    get: (key, otherwise) => settings[`${section}.${key}`] ?? otherwise,
    has: () => false,
    inspect: () => undefined,
  });
  const say = (text) => {
    did.messages.push(text);
    return Promise.resolve(undefined);
  };
  const own = {
    EventEmitter, Uri, Position, Range, Selection,
    version: "1.91.0",
    Disposable: class {
      constructor(run) {
        this.dispose = run ?? (() => undefined);
      }
      static from = (...all) => ({ dispose: () => all.forEach((d) => d.dispose()) });
    },
    Diagnostic: class {
      constructor(range, message, severity) {
        Object.assign(this, { range, message, severity });
      }
    },
    Task: class {
      constructor(definition, scope, name, source, execution, problemMatchers) {
        Object.assign(this, { definition, scope, name, source, execution, problemMatchers });
      }
    },
    ProcessExecution: class {
      constructor(process, args) {
        Object.assign(this, { process, args });
      }
    },
    CancellationTokenSource: class {
      token = { isCancellationRequested: false, onCancellationRequested: () => disposable() };
      cancel() {}
      dispose() {}
    },
    CancellationError: class extends Error {},
    // Named one by one, because a bundle takes over what a module has when it is loaded.
    ...Object.fromEntries(["SemanticTokens", "TaskPanelKind", "TaskRevealKind", "TaskScope", "TextEditorRevealType", "ViewColumn"].map((n) => [n, anything(n)])),
    commands: {
      registerCommand(name, run) {
        if (did.commands.has(name)) throw new Error(`command '${name}' already exists`);
        did.commands.set(name, run);
        return { dispose: () => did.commands.delete(name) };
      },
      executeCommand: async () => undefined,
      getCommands: async () => [],
    },
    tasks: { executeTask: async (task) => void did.tasks.push(task) },
    env: { appName: "test", language: "en", uriScheme: "test" },
    languages: new Proxy({}, {
      get: (_, key) => {
        if (key === "match") return (selector, doc) => [selector].flat().some((s) => (s.language ?? s) === doc.languageId) ? 10 : 0;
        if (key !== "createDiagnosticCollection") return () => disposable();
        return () => ({
          name: "flowc", set: (uri, found) => did.diagnostics.set(String(uri), found), delete: (uri) => did.diagnostics.delete(String(uri)),
          clear() {}, dispose() {}, has: () => false, get: () => [], forEach() {},
        });
      },
    }),
    window: new Proxy({}, {
      get: (_, key) => ({
        activeTextEditor: editor, visibleTextEditors: editor ? [editor] : [],
        showTextDocument: async (uri, { selection }) => {
          did.shown.push(String(uri));
          editor.selection = new Selection(selection.start, selection.end);
          return editor;
        },
        showErrorMessage: say, showInformationMessage: say, showWarningMessage: say,
        createOutputChannel: () => new Proxy({ name: "flow", logLevel: 3 }, { get: (t, k) => t[k] ?? ((...line) => (did.messages.push(line.join(" ")), disposable())) }),
        tabGroups: { all: [], onDidChangeTabs: () => disposable(), onDidChangeTabGroups: () => disposable() },
        onDidChangeTextEditorSelection: did.selected.event,
        createWebviewPanel: () => {
          const panel = { sent: [], webview: {
            cspSource: "https://own.example", html: "", asWebviewUri: (uri) => uri,
            onDidReceiveMessage: (listener) => ((panel.say = listener), disposable()),
            postMessage: (message) => (panel.sent.push(message), panel.arrived?.(), Promise.resolve(true)),
          }, reveal() {}, dispose() {}, onDidDispose: () => disposable() };
          did.panels.push(panel);
          return panel;
        },
      })[key] ?? (() => disposable()),
    }),
    workspace: new Proxy({}, {
      get: (_, key) => ({
        workspaceFolders: [{ uri: Uri.file(folder), name: "test", index: 0 }],
        textDocuments: editor ? [editor.document] : [],
        notebookDocuments: [],
        getConfiguration: configuration,
        getWorkspaceFolder: () => undefined,
        asRelativePath: (uri) => uri.path.slice(folder.length + 1),
        openTextDocument: async () => editor.document,
        saveAll: async () => true,
        createFileSystemWatcher: () => ({ onDidCreate: () => disposable(), onDidChange: () => disposable(), onDidDelete: () => disposable(), dispose() {} }),
        onDidChangeTextDocument: did.changed.event,
      })[key] ?? (() => disposable()),
    }),
  };
  const vscode = new Proxy(own, { get: (t, key) => (t[key] ??= anything(String(key))) });
  const resolve = Module._load;
  Module._load = (name, ...rest) => (name === "vscode" ? vscode : resolve(name, ...rest));
  try {
    return { extension: require(file), did };
  } finally {
    Module._load = resolve;
  }
};
