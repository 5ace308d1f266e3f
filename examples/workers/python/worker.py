#!/usr/bin/env python3
"""A flowc worker with nothing but Python's standard library.

    FLOWC_SERVER=http://127.0.0.1:7654 python3 worker.py tasks.py

tasks.py has a dictionary HANDLERS from the names of tasks to functions. A function gets a Task and returns a dictionary, the
task's result, or an Event; it raises Failure when it cannot do the work. It may be called more than once for the same work, so
what it does outside should be named by task.idempotency_key.

Environment: FLOWC_SERVER, FLOWC_CREDENTIAL, FLOWC_WORKER (its name), FLOWC_CONCURRENCY (functions at once for each task, 1),
FLOWC_LEASE and FLOWC_POLL (seconds, 60 and 30), FLOWC_GRACE (seconds that functions may go on after SIGTERM, 10).
"""

import http.client
import importlib.util
import json
import os
import random
import signal
import socket
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid


class Failure(Exception):
    """Why an attempt failed. The flow can catch the code; one that the task's `fails` names gives up all attempts."""

    def __init__(self, code, message="", no_retry=False, retry_after=0):
        super().__init__(f"{code}: {message}")
        self.code, self.message, self.no_retry, self.retry_after = code, message, no_retry, retry_after


class Event:
    """Ends the work with an event that the flow names by `may`, instead of a result."""

    def __init__(self, name, payload=None):
        self.name, self.payload = name, payload


class Refused(Exception):
    """The server's answer is a problem document."""

    def __init__(self, status, problem, retry_after=0):
        super().__init__(f"{problem.get('detail', 'refused')} ({status} {problem.get('code', '')})")
        self.status, self.code, self.retry_after = status, problem.get("code", ""), retry_after

    def final(self):
        """Whether asking again is of no use."""
        return self.status not in (408, 429, 502, 503, 504)


class Server:
    """Posts to a flowc server and tries again as long as that can help."""

    def __init__(self, url, credential=""):
        self.url, self.credential = url.rstrip("/"), credential

    def post(self, path, body, key=None, wait=0, tries=8):
        """Posts a body. All tries carry the same key, so the server does what is asked for once."""
        for n in range(tries):
            try:
                return self._once(path, body, key, wait)
            except Refused as e:
                if e.final() or n + 1 == tries:
                    raise
                pause = max(e.retry_after, backoff(n))
            except (OSError, http.client.HTTPException):
                if n + 1 == tries:
                    raise
                pause = backoff(n)
            time.sleep(pause)

    def _once(self, path, body, key, wait):
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), method="POST")
        request.add_header("Content-Type", "application/json")
        if key:
            request.add_header("Idempotency-Key", key)
        if self.credential:
            request.add_header("Authorization", "Bearer " + self.credential)
        try:
            with urllib.request.urlopen(request, timeout=30 + wait) as response:
                return json.load(response)
        except urllib.error.HTTPError as e:
            raise Refused(e.code, problem(e.read()), retry_after(e.headers.get("Retry-After"))) from None


def problem(text):
    try:
        found = json.loads(text)
    except ValueError:
        return {}  # a proxy's page
    return found if isinstance(found, dict) else {}


def retry_after(header):
    return int(header) if header and header.isdigit() else 0


def backoff(n):
    """Doubles from a tenth of a second to five seconds, with jitter, so that many workers do not come back at once."""
    longest = min(5, 0.1 * 2**n)
    return longest / 2 + random.random() * longest / 2


class Task:
    """One attempt at some work. `stopped` is set when the function should return soon; `why` says why."""

    def __init__(self, claimed):
        self.id, self.lease, self.name = claimed["id"], claimed["lease"], claimed["task"]
        self.token, self.flow, self.attempt = claimed["token"], claimed["flow"], claimed["attempt"]
        self.idempotency_key, self.input, self.may = claimed["idempotencyKey"], claimed["input"], claimed["may"]
        self.stopped, self.why = threading.Event(), ""

    def stop(self, why):
        if not self.why:
            self.why = why
        self.stopped.set()


class Worker:
    """Does the work of some tasks until it is told to stop."""

    def __init__(self, server, handlers, name, lease=60, poll=30, grace=10):
        self.server, self.handlers, self.name = server, handlers, name
        self.lease, self.poll, self.grace = lease, poll, grace
        self.stopping, self.lock, self.running = threading.Event(), threading.Condition(), {}
        self.broken = None  # why no claim can succeed

    def run(self, concurrency=1):
        """Works until SIGTERM or SIGINT. Returns an exit code."""
        for sig in (signal.SIGTERM, signal.SIGINT):
            signal.signal(sig, lambda *_: self.stopping.set())
        for name in self.handlers:
            for _ in range(concurrency):
                threading.Thread(target=self._loop, args=(name,), daemon=True).start()
        while not self.stopping.wait(3600):
            pass
        self._let_go()
        if self.broken:
            log("claim refused", error=self.broken)
            return 1
        return 0

    def _let_go(self):
        """Lets what runs end within the grace, then gives it back."""
        with self.lock:
            for task in self.running.values():
                task.stop("stopping")
            self.lock.wait_for(lambda: not self.running, timeout=self.grace)
            left = list(self.running.values())
        for task in left:
            self._report(task, "release", {})

    def _loop(self, name):
        failures = 0
        while not self.stopping.is_set():
            body = {"worker": self.name, "tasks": [{"name": name, "max": 1}], "wait": f"{self.poll}s", "lease": f"{self.lease}s"}
            try:
                # No key and one try: a claim whose answer is lost is not repeated, its lease runs out.
                claimed = self.server.post("/v1/tasks/claim", body, wait=self.poll, tries=1)["tasks"]
                failures = 0
            except Refused as e:
                if e.final():
                    self.broken = e
                    self.stopping.set()
                    return
                time.sleep(max(e.retry_after, backoff(failures)))
                failures += 1
                continue
            except (OSError, http.client.HTTPException) as e:
                if failures == 0:
                    log("server away", error=e)
                time.sleep(backoff(failures))
                failures += 1
                continue
            for one in claimed:
                self._attempt(Task(one))

    def _attempt(self, task):
        with self.lock:
            if not self.stopping.is_set():
                self.running[task.id] = task
        if task.id not in self.running:  # claimed while the worker stops: not begun, so it goes back
            self._report(task, "release", {})
            return
        log("claimed", task=task.name, id=task.id, attempt=task.attempt)
        done = threading.Event()
        threading.Thread(target=self._beat, args=(task, done), daemon=True).start()
        try:
            verb, body = self._call(task)
            if verb:
                self._report(task, verb, body)
        finally:
            done.set()
            with self.lock:
                self.running.pop(task.id, None)
                self.lock.notify_all()

    def _call(self, task):
        """Calls the task's function and turns its end into a report."""
        try:
            result = self.handlers[task.name](task)
        except Exception as e:  # whatever it is, it is the attempt's failure and not the worker's
            if task.why in ("cancelled", "lease-lost"):
                return None, None
            if task.why == "stopping":
                return "release", {}
            if not isinstance(e, Failure):
                e = Failure("handler_failed", f"{type(e).__name__}: {e}")
            body = {"code": e.code, "message": e.message.replace("\0", "\ufffd")[:4096]}
            if e.no_retry:
                body["noRetry"] = True
            if e.retry_after:
                body["retryAfter"] = f"{e.retry_after}s"
            return "fail", body
        if task.why == "cancelled":
            return None, None
        if isinstance(result, Event):
            return "complete", {"event": result.name, "payload": result.payload or {}}
        return "complete", {"result": result or {}}

    def _report(self, task, verb, body):
        """Reports under one key until the server has it. A refused outcome ends the attempt, which would only run out."""
        try:
            self._send(task, verb, body)
            why = {k: body[k] for k in ("code", "message") if k in body}
            log(verb, task=task.name, id=task.id, **why)
        except Refused as e:
            log("report refused", report=verb, id=task.id, code=e.code, error=e)
            if verb == "complete" and e.code != "lease-lost":
                self._report(task, "fail", {"code": "outcome_refused", "message": str(e)[:4096]})
        except (OSError, http.client.HTTPException) as e:
            log("report lost, the lease will run out", report=verb, id=task.id, error=e)

    def _send(self, task, verb, body):
        self.server.post(f"/v1/tasks/{task.id}/{verb}", {"lease": task.lease, **body}, key=str(uuid.uuid4()))

    def _beat(self, task, done):
        """Extends the lease at every third of it, and stops the function when the work is not wanted or the lease is lost."""
        until = time.monotonic() + self.lease
        while not done.wait(self.lease / 3):
            sent = time.monotonic()
            try:
                answer = self.server.post(f"/v1/tasks/{task.id}/heartbeat", {"lease": task.lease}, tries=2)
                until = sent + self.lease
                if answer["cancelled"]:
                    task.stop("cancelled")
                    return
            except Refused as e:
                if e.final():
                    task.stop("lease-lost")
                    return
            except (OSError, http.client.HTTPException):
                pass
            if time.monotonic() >= until:
                task.stop("lease-lost")
                return


def log(msg, **fields):
    print(json.dumps({"msg": msg, **{k: str(v) for k, v in fields.items()}}), file=sys.stderr, flush=True)


def load(path):
    spec = importlib.util.spec_from_file_location("tasks", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["worker"] = sys.modules["__main__"]  # so that `from worker import Failure` is this Failure
    spec.loader.exec_module(module)
    return module.HANDLERS


def main():
    env = os.environ.get
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    worker = Worker(
        Server(env("FLOWC_SERVER", "http://127.0.0.1:7654"), env("FLOWC_CREDENTIAL", "")),
        load(sys.argv[1]),
        name=env("FLOWC_WORKER", f"{socket.gethostname()}/{os.getpid()}"),
        lease=int(env("FLOWC_LEASE", "60")),
        poll=int(env("FLOWC_POLL", "30")),
        grace=float(env("FLOWC_GRACE", "10")),
    )
    code = worker.run(int(env("FLOWC_CONCURRENCY", "1")))
    sys.stderr.flush()
    os._exit(code)  # threads that poll hold nothing; waiting for them would take up to FLOWC_POLL


if __name__ == "__main__":
    main()
