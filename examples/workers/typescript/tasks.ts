// The work of examples/change.flow that a machine which runs checks would do. It reads what the worker that writes code has left
// below FLOWC_WORKPLACE.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { Failure, type Handler } from "./worker.js";

const workplace = process.env["FLOWC_WORKPLACE"] ?? "workplace";

const run_checks: Handler = async (task) => {
  const folder = join(workplace, String(task.input["branch"]));
  const files = await readdir(folder).catch(() => {
    throw new Failure("no_branch", `there is nothing at ${folder}`, { retryAfter: 1 });
  });
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), "utf8")));
  const passed = texts.some((text) => text.includes("test"));
  return { passed, report: passed ? "" : "there is no test" };
};

export const handlers: Record<string, Handler> = { run_checks };
