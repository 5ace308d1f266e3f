// Handlers that do what the test at GATE says, when it says it.

import { pathToFileURL } from "node:url";

const { Event, Failure } = await import(pathToFileURL(process.argv[1]).href);

const charge = async (task) => {
  const query = new URLSearchParams({ attempt: String(task.attempt), key: task.idempotencyKey });
  const said = await (await fetch(`${process.env.GATE}/?${query}`)).json();
  if (said.fail) throw new Failure(said.fail, "as told");
  if (said.event) return new Event(said.event, { text: "as told" });
  return said;
};

export const handlers = { charge };
