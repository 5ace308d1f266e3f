-- The ids of events that a token has taken, with how each came out (R55): as long as the token is there.
-- +goose Up
CREATE TABLE event_ids (
  token   text NOT NULL,
  id      text NOT NULL,
  outcome text NOT NULL,
  PRIMARY KEY (token, id)
) WITHOUT ROWID;
