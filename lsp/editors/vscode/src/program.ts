// The flowc program: where it is, and how it is run for an answer.
import { spawn } from "node:child_process";
import { homedir } from "node:os";
import { dirname } from "node:path";
import * as vscode from "vscode";

/** Program is the path of flowc, as the setting gives it. */
export function program(): string {
  const set = vscode.workspace.getConfiguration("flowc").get<string>("path") || "flowc";
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  return set.replace(/^~(?=[/\\])/, homedir()).replace(/\$\{workspaceFolder\}/g, folder);
}

export interface Output {
  /** The exit code; undefined when flowc could not be run or was stopped. */
  code: number | undefined;
  stdout: string;
  stderr: string;
}

/** Run runs flowc and gives what it printed. It never throws. */
export function run(args: string[], file: vscode.Uri, stdin: string, signal: AbortSignal): Promise<Output> {
  return new Promise((done) => {
    const child = spawn(program(), args, { cwd: dirname(file.fsPath), signal });
    const out: Output = { code: undefined, stdout: "", stderr: "" };
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out.stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (out.stderr += text));
    child.on("error", (err) => done({ ...out, stderr: `${program()}: ${err.message}` }));
    child.on("close", (code) => done({ ...out, code: code ?? undefined }));
    child.stdin.on("error", () => undefined); // flowc may end before it has read all
    child.stdin.end(stdin);
  });
}
