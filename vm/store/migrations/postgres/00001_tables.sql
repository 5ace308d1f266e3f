-- Instants are microseconds since the Unix epoch. Tables of tokens are keyed by the token first (R82).
-- +goose Up
CREATE TABLE programs (
  hash       text PRIMARY KEY,
  flow       text NOT NULL,
  code       bytea NOT NULL,
  source     bytea,
  files      text,
  actor      text NOT NULL DEFAULT '',
  created_at bigint NOT NULL
);
CREATE INDEX programs_flow ON programs (flow, created_at);

CREATE TABLE flows (
  name    text PRIMARY KEY,
  program text NOT NULL,
  since   bigint NOT NULL
);

-- next_due is the earliest timer of the snapshot: the one fact about when the token fires next (R11).
CREATE TABLE tokens (
  id          text PRIMARY KEY,
  flow        text NOT NULL,
  key         text,
  program     text NOT NULL,
  status      text NOT NULL,
  version     bigint NOT NULL,
  lines       integer NOT NULL DEFAULT 0,
  next_due    bigint,
  states      text NOT NULL DEFAULT '[]',
  snapshot    bytea,
  data        json,
  parent      text,
  restart_of  text,
  created_at  bigint NOT NULL,
  updated_at  bigint NOT NULL,
  quarantined boolean NOT NULL DEFAULT false
) WITH (fillfactor = 80);
CREATE INDEX tokens_next_due ON tokens (next_due) WHERE next_due IS NOT NULL;
CREATE INDEX tokens_created ON tokens (created_at, id);
CREATE INDEX tokens_flow ON tokens (flow, created_at, id);

CREATE TABLE keys (
  flow       text NOT NULL,
  key        text NOT NULL,
  token      text NOT NULL,
  created_at bigint NOT NULL,
  purged_at  bigint,
  PRIMARY KEY (flow, key)
);

CREATE TABLE inbox (
  seq            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  receiver       text NOT NULL,
  sender         text NOT NULL,
  sender_version bigint NOT NULL,
  n              integer NOT NULL,
  stimulus       text NOT NULL,
  at             bigint NOT NULL,
  not_before     bigint NOT NULL DEFAULT 0,
  UNIQUE (sender, sender_version, n)
) WITH (autovacuum_vacuum_scale_factor = 0.05); -- rows come and go
CREATE INDEX inbox_receiver ON inbox (receiver, seq);

-- One row per step (R70). line is the number of the row's first line within its version: a refusal adds a row and no version.
CREATE TABLE history (
  token    text NOT NULL,
  version  bigint NOT NULL,
  line     integer NOT NULL,
  at       bigint NOT NULL,
  stimulus text NOT NULL,
  lines    text NOT NULL,
  PRIMARY KEY (token, version, line)
);

CREATE TABLE tasks (
  id         text PRIMARY KEY,
  token      text NOT NULL,
  flow       text NOT NULL,
  task       text NOT NULL,
  queue      text NOT NULL,
  status     text NOT NULL,
  next_at    bigint NOT NULL,
  held_at    bigint NOT NULL DEFAULT 0,
  dispatched boolean NOT NULL DEFAULT false,
  offered_at bigint NOT NULL,
  ended_at   bigint NOT NULL DEFAULT 0,
  input      text,
  body       text NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX tasks_token ON tasks (token);
CREATE INDEX tasks_claimable ON tasks (task, next_at, id) WHERE status IN ('offered', 'backoff') AND held_at = 0;
CREATE INDEX tasks_running ON tasks (next_at) WHERE status = 'claimed';

CREATE TABLE idempotency (
  credential text NOT NULL,
  route      text NOT NULL,
  key        text NOT NULL,
  hash       text NOT NULL,
  status     text NOT NULL,
  body       text NOT NULL,
  at         bigint NOT NULL,
  PRIMARY KEY (credential, route, key)
);
CREATE INDEX idempotency_at ON idempotency (at);

CREATE TABLE quarantine (
  token  text PRIMARY KEY,
  at     bigint NOT NULL,
  reason text NOT NULL,
  due    bigint
);

-- A row per committed transaction, so that the fate of a COMMIT without a reply can be looked up. void: the looker-up took the
-- place, so that the transaction can never commit any more.
CREATE TABLE batches (
  id   text PRIMARY KEY,
  void boolean NOT NULL,
  at   bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX batches_at ON batches (at);
