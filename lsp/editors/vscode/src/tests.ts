// Commands that run flowc in a terminal.
import * as vscode from "vscode";
import { at, outline, testPattern } from "./outline";
import { program } from "./program";

/** RunTest runs one test: the one that is named, or the one at the cursor. */
export async function runTest(uri?: string, name?: string): Promise<void> {
  const file = await saved(uri);
  if (!file) {
    return;
  }
  const editor = vscode.window.activeTextEditor;
  const named = name ?? at(outline(file.getText()), editor?.document === file ? editor.selection.active.line : 0, "test")?.name;
  if (named === undefined) {
    void vscode.window.showInformationMessage("The cursor is in no test block.");
    return;
  }
  await execute(named, ["test", "--run", testPattern(named), file.uri.fsPath], file.uri);
}

/** RunTests runs all tests of a file. */
export async function runTests(uri?: string): Promise<void> {
  const file = await saved(uri);
  if (file) {
    await execute(vscode.workspace.asRelativePath(file.uri), ["test", file.uri.fsPath], file.uri);
  }
}

/** ValidateWorkspace validates every file of the workspace's folders. */
export async function validateWorkspace(): Promise<void> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length === 0) {
    void vscode.window.showInformationMessage("No folder is open.");
    return;
  }
  await vscode.workspace.saveAll(false);
  await execute("validate", ["validate", ...folders.map((f) => f.uri.fsPath)], folders[0]!.uri);
}

/** Saved gives the document, with what is on the disk being what is seen. */
async function saved(uri?: string): Promise<vscode.TextDocument | undefined> {
  const wanted = uri === undefined ? undefined : vscode.Uri.parse(uri);
  const file = wanted ? await vscode.workspace.openTextDocument(wanted) : vscode.window.activeTextEditor?.document;
  if (file?.languageId !== "flow") {
    void vscode.window.showInformationMessage("Open a .flow file first.");
    return undefined;
  }
  return !file.isDirty || (await file.save()) ? file : undefined;
}

/**
 * Execute runs flowc as a task: no shell reads the arguments. It has no problem matcher: the server lists the findings of all files
 * already, and a task begins by removing the problems of its matcher's owner.
 */
async function execute(name: string, args: string[], near: vscode.Uri): Promise<void> {
  const scope = vscode.workspace.getWorkspaceFolder(near) ?? vscode.TaskScope.Workspace;
  const task = new vscode.Task(
    { type: "flowc", args },
    scope,
    name,
    "flowc",
    new vscode.ProcessExecution(program(), args),
  );
  task.presentationOptions = { clear: true, panel: vscode.TaskPanelKind.Dedicated, reveal: vscode.TaskRevealKind.Always };
  await vscode.tasks.executeTask(task);
}
