// A flowc worker with nothing but Node's standard library, version 20 or later.
//
//   npm ci && npx tsc
//   FLOWC_SERVER=http://127.0.0.1:7654 node dist/worker.js dist/tasks.js
//
// The module that is named exports `handlers`, functions by the names of tasks. A function gets a Task and gives the task's result,
// or an Event; it throws a Failure when it cannot do the work. It may be called more than once for the same work, so what it does
// outside should be named by task.idempotencyKey.
//
// Environment: FLOWC_SERVER, FLOWC_CREDENTIAL, FLOWC_WORKER (its name), FLOWC_CONCURRENCY (functions at once for each task, 1),
// FLOWC_LEASE and FLOWC_POLL (seconds, 60 and 30), FLOWC_GRACE (seconds that functions may go on after SIGTERM, 10).

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { pathToFileURL } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";

/** One attempt at some work, as the server gives it. */
export interface Claimed {
  id: string;
  lease: string;
  leaseUntil: string;
  task: string;
  token: string;
  flow: string;
  attempt: number;
  idempotencyKey: string;
  input: Record<string, unknown>;
  deadline: string | null;
  may: string[];
}

/** What a function gets: the signal is aborted when it should return soon, with the reason as its reason. */
export interface Task extends Claimed {
  signal: AbortSignal;
}

export type Handler = (task: Task) => Promise<Record<string, unknown> | Event | void>;

/** Ends the work with an event that the flow names by `may`, instead of a result. */
export class Event {
  constructor(readonly name: string, readonly payload: Record<string, unknown> = {}) {}
}

/** Why an attempt failed. The flow can catch the code; one that the task's `fails` names gives up all attempts. */
export class Failure extends Error {
  constructor(
    readonly code: string,
    message = "",
    readonly options: { noRetry?: boolean; retryAfter?: number } = {},
  ) {
    super(message);
  }
}

/** The server's answer is a problem document. */
export class Refused extends Error {
  constructor(readonly status: number, readonly code: string, detail: string, readonly retryAfter: number) {
    super(`${detail} (${status} ${code})`);
  }

  /** Whether asking again is of no use. */
  get final(): boolean {
    return ![408, 429, 502, 503, 504].includes(this.status);
  }
}

type Stop = "cancelled" | "lease-lost" | "stopping";

interface PostOptions {
  key?: string;
  wait?: number;
  tries?: number;
  signal?: AbortSignal;
}

/** Posts to a flowc server and tries again as long as that can help. */
export class Server {
  constructor(private readonly url: string, private readonly credential = "") {}

  /** Posts a body. All tries carry the same key, so the server does what is asked for once. */
  async post(path: string, body: object, options: PostOptions = {}): Promise<unknown> {
    const tries = options.tries ?? 8;
    for (let n = 0; ; n++) {
      try {
        return await this.once(path, body, options);
      } catch (error) {
        if (options.signal?.aborted || n + 1 >= tries || (error instanceof Refused && error.final)) throw error;
        await sleep(pauseAfter(error, n));
      }
    }
  }

  private async once(path: string, body: object, options: PostOptions): Promise<unknown> {
    const headers: Record<string, string> = { "Content-Type": "application/json" };
    if (options.key) headers["Idempotency-Key"] = options.key;
    if (this.credential) headers["Authorization"] = `Bearer ${this.credential}`;
    const limit = AbortSignal.timeout((30 + (options.wait ?? 0)) * 1000);
    const signal = options.signal ? AbortSignal.any([limit, options.signal]) : limit;
    const response = await fetch(this.url.replace(/\/+$/, "") + path, { method: "POST", headers, body: JSON.stringify(body), signal });
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    const seconds = Number(response.headers.get("Retry-After") ?? "0");
    const { code, detail } = problem(text);
    throw new Refused(response.status, code, detail, Number.isFinite(seconds) ? seconds : 0);
  }
}

function problem(text: string): { code: string; detail: string } {
  try {
    const { code, detail } = JSON.parse(text);
    return { code: String(code), detail: String(detail) };
  } catch {
    return { code: "", detail: "refused" }; // a proxy's page
  }
}

/** Milliseconds that double from a tenth of a second to five seconds, with jitter, and no less than the server asks for. */
function pauseAfter(error: unknown, n: number): number {
  const longest = Math.min(5000, 100 * 2 ** n);
  const own = longest / 2 + (Math.random() * longest) / 2;
  return error instanceof Refused ? Math.max(error.retryAfter * 1000, own) : own;
}

export interface Settings {
  name: string;
  lease: number;
  poll: number;
  grace: number;
  concurrency: number;
}

type Report = { verb: "complete" | "fail" | "release"; body: object };

/** Does the work of some tasks until it is told to stop. */
export class Worker {
  private readonly stopping = new AbortController();
  private readonly running = new Map<Claimed, AbortController>();

  constructor(private readonly server: Server, private readonly handlers: Record<string, Handler>, private readonly set: Settings) {}

  stop(): void {
    this.stopping.abort("stopping" satisfies Stop);
  }

  /** Works until stop is called or the server refuses for good. */
  async run(): Promise<void> {
    let broken: unknown;
    const loops = Object.keys(this.handlers).flatMap((name) => Array.from({ length: this.set.concurrency }, () => this.loop(name)));
    const ended = Promise.all(loops.map((loop) => loop.catch((error: unknown) => {
      broken ??= error; // one that is refused for good ends all
      this.stop();
    })));
    await new Promise((resolve) => this.stopping.signal.addEventListener("abort", resolve, { once: true }));
    for (const attempt of this.running.values()) attempt.abort("stopping" satisfies Stop);
    const grace = new AbortController();
    await Promise.race([ended, sleep(this.set.grace * 1000, undefined, { signal: grace.signal }).catch(() => {})]).finally(() => grace.abort());
    await Promise.all([...this.running.keys()].map((task) => this.report(task, { verb: "release", body: {} })));
    if (broken) throw broken;
  }

  private async loop(name: string): Promise<void> {
    const { signal } = this.stopping;
    for (let failures = 0; !signal.aborted; ) {
      try {
        const tasks = await this.claim(name);
        failures = 0;
        for (const task of tasks) await this.attempt(task);
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof Refused && error.final) throw error;
        if (failures === 0) log("server away", { error });
        await sleep(pauseAfter(error, failures++), undefined, { signal }).catch(() => {});
      }
    }
  }

  /** No key and one try: a claim whose answer is lost is not repeated, its lease runs out. */
  private async claim(name: string): Promise<Claimed[]> {
    const body = { worker: this.set.name, tasks: [{ name, max: 1 }], wait: `${this.set.poll}s`, lease: `${this.set.lease}s` };
    const answer = await this.server.post("/v1/tasks/claim", body, { wait: this.set.poll, tries: 1, signal: this.stopping.signal });
    return (answer as { tasks: Claimed[] }).tasks;
  }

  private async attempt(task: Claimed): Promise<void> {
    if (this.stopping.signal.aborted) {
      await this.report(task, { verb: "release", body: {} }); // not begun, so it goes back
      return;
    }
    log("claimed", { task: task.task, id: task.id, attempt: task.attempt });
    const control = new AbortController();
    const reported = new AbortController();
    this.running.set(task, control);
    const beating = this.beat(task, control, reported.signal);
    try {
      const report = await this.call(task, control.signal);
      if (report && this.running.has(task)) await this.report(task, report);
    } finally {
      reported.abort();
      this.running.delete(task);
      await beating;
    }
  }

  /** Calls the task's function and turns its end into a report; undefined: there is nothing to report. */
  private async call(task: Claimed, signal: AbortSignal): Promise<Report | undefined> {
    try {
      const result = await this.handlers[task.task]!({ ...task, signal });
      if (signal.reason === "cancelled") return undefined;
      if (result instanceof Event) return { verb: "complete", body: { event: result.name, payload: result.payload } };
      return { verb: "complete", body: { result: result ?? {} } };
    } catch (error) {
      if (signal.reason === "cancelled" || signal.reason === "lease-lost") return undefined;
      if (signal.reason === "stopping") return { verb: "release", body: {} };
      const failure = error instanceof Failure ? error : new Failure("handler_failed", String(error));
      const { noRetry, retryAfter } = failure.options;
      const message = failure.message.replaceAll("\0", "\ufffd").slice(0, 4096).toWellFormed();
      return { verb: "fail", body: { code: failure.code, message, noRetry, retryAfter: retryAfter ? `${retryAfter}s` : undefined } };
    }
  }

  /** Reports under one key until the server has it. A refused outcome ends the attempt, which would only run out. */
  private async report(task: Claimed, { verb, body }: Report): Promise<void> {
    this.running.delete(task);
    try {
      await this.server.post(`/v1/tasks/${task.id}/${verb}`, { lease: task.lease, ...body }, { key: randomUUID() });
      const { code, message } = body as { code?: string; message?: string };
      log(verb, { task: task.task, id: task.id, code, message });
    } catch (error) {
      log("report refused", { report: verb, id: task.id, code: error instanceof Refused ? error.code : "", error });
      if (verb === "complete" && error instanceof Refused && error.code !== "lease-lost") {
        await this.report(task, { verb: "fail", body: { code: "outcome_refused", message: error.message.slice(0, 4096) } });
      }
    }
  }

  /** Extends the lease at every third of it, and stops the function when the work is not wanted or the lease is lost. */
  private async beat(task: Claimed, control: AbortController, reported: AbortSignal): Promise<void> {
    const lease = this.set.lease * 1000;
    let until = performance.now() + lease;
    for (;;) {
      await sleep(lease / 3, undefined, { signal: reported }).catch(() => {});
      if (reported.aborted) return;
      const sent = performance.now();
      try {
        const answer = await this.server.post(`/v1/tasks/${task.id}/heartbeat`, { lease: task.lease }, { tries: 2, signal: reported });
        until = sent + lease;
        if ((answer as { cancelled: boolean }).cancelled) return control.abort("cancelled" satisfies Stop);
      } catch (error) {
        if (reported.aborted) return;
        if ((error instanceof Refused && error.final) || performance.now() >= until) return control.abort("lease-lost" satisfies Stop);
      }
    }
  }
}

function log(msg: string, fields: Record<string, unknown>): void {
  console.error(JSON.stringify({ msg, ...fields, ...("error" in fields ? { error: String(fields["error"]) } : {}) }));
}

async function main(): Promise<number> {
  const env = process.env;
  const path = process.argv[2];
  if (!path) {
    console.error("node worker.js TASKS.js");
    return 2;
  }
  const { handlers } = (await import(pathToFileURL(path).href)) as { handlers: Record<string, Handler> };
  const worker = new Worker(new Server(env["FLOWC_SERVER"] ?? "http://127.0.0.1:7654", env["FLOWC_CREDENTIAL"]), handlers, {
    name: env["FLOWC_WORKER"] ?? `${hostname()}/${process.pid}`,
    lease: Number(env["FLOWC_LEASE"] ?? 60),
    poll: Number(env["FLOWC_POLL"] ?? 30),
    grace: Number(env["FLOWC_GRACE"] ?? 10),
    concurrency: Number(env["FLOWC_CONCURRENCY"] ?? 1),
  });
  for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => worker.stop());
  await worker.run();
  return 0;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  main().then(process.exit, (error: unknown) => {
    log("stopped", { error });
    process.exit(1);
  });
}
