-- What tokens wait for, to list them by it, and the states that they are in.
-- +goose Up
-- waiting is what the snapshot waits for in one word, as package vm says it; null: the token has ended. A row gets it with the
-- token's next step.
ALTER TABLE tokens ADD COLUMN waiting text;
CREATE INDEX tokens_waiting ON tokens (waiting, created_at, id) WHERE waiting IS NOT NULL;
CREATE INDEX tokens_states ON tokens (states, created_at, id) WHERE states <> '[]';
