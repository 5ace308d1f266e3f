-- The items of fan-outs (R57): one that waits to be started, with its input, or how one ended. The snapshot has only their counts.
-- +goose Up
CREATE TABLE fan_items (
  token text NOT NULL,
  visit bigint NOT NULL,
  begun bigint NOT NULL,
  idx   bigint NOT NULL,
  ended boolean NOT NULL,
  body  text NOT NULL,
  PRIMARY KEY (token, visit, begun, idx)
);
