-- Who may do what, which tasks are held, how much of a queue runs at once, and what tokens are searched by.
-- +goose Up
-- error is what a token failed with; held_due the earliest instant that passes while the token is paused.
ALTER TABLE tokens ADD COLUMN error text;
ALTER TABLE tokens ADD COLUMN held_due integer;
CREATE INDEX tokens_error ON tokens (error, created_at, id) WHERE error IS NOT NULL;
CREATE INDEX tokens_held_due ON tokens (held_due) WHERE held_due IS NOT NULL;

-- Of a credential only the hash is kept. flows, events and tasks are JSON arrays; an empty one sets no limit.
CREATE TABLE credentials (
  name       text PRIMARY KEY,
  role       text NOT NULL,
  hash       text NOT NULL UNIQUE,
  flows      text NOT NULL DEFAULT '[]',
  events     text NOT NULL DEFAULT '[]',
  tasks      text NOT NULL DEFAULT '[]',
  actor      text NOT NULL DEFAULT '',
  created_at integer NOT NULL
);

CREATE TABLE held_tasks (
  task   text PRIMARY KEY,
  reason text NOT NULL DEFAULT '',
  actor  text NOT NULL DEFAULT '',
  at     integer NOT NULL
);

-- concurrency 0 and rate 0 set no limit. rate is claims in each span of per microseconds; left and at are what is left of them.
CREATE TABLE queues (
  queue       text PRIMARY KEY,
  concurrency integer NOT NULL DEFAULT 0,
  rate        integer NOT NULL DEFAULT 0,
  per         integer NOT NULL DEFAULT 0,
  left_over   real NOT NULL DEFAULT 0,
  at          integer NOT NULL DEFAULT 0
);
CREATE INDEX tasks_queue ON tasks (queue) WHERE status = 'claimed';
