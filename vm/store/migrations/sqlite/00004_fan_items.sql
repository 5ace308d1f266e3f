-- The items of fan-outs (R57): one that waits to be started, with its input, or how one ended. The snapshot has only their counts.
-- +goose Up
CREATE TABLE fan_items (
  token text NOT NULL,
  visit integer NOT NULL,
  begun integer NOT NULL,
  idx   integer NOT NULL,
  ended boolean NOT NULL,
  body  text NOT NULL,
  PRIMARY KEY (token, visit, begun, idx)
) WITHOUT ROWID;
