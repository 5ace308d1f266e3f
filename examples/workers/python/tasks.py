"""The work of examples/change.flow that a program which writes code would do. It writes files below FLOWC_WORKPLACE."""

import os
import re

from worker import Event, Failure

WORKPLACE = os.environ.get("FLOWC_WORKPLACE", "workplace")


def write_code(task):
    given = task.input
    if given["repository"] == "secret":
        raise Failure("no_access", "nobody may read it", no_retry=True)
    if given["request"].endswith("?"):
        return Event("question_asked", {"text": "what exactly?"})
    branch = re.sub(r"[^a-z0-9]+", "-", given["request"].lower()).strip("-")
    put(os.path.join(WORKPLACE, branch), task.idempotency_key, given["feedback"] or given["request"])
    return {"branch": branch}


def put(folder, key, text):
    """Writes a file that is named by the idempotency key: the second attempt at the same work writes the same file again. It
    appears whole or not at all."""
    os.makedirs(folder, exist_ok=True)
    part = os.path.join(folder, f".{key}.{os.getpid()}")
    with open(part, "w", encoding="utf-8") as f:
        f.write(text)
    os.replace(part, os.path.join(folder, key))


HANDLERS = {"write_code": write_code}
