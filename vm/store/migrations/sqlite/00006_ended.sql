-- Ended tokens by when they last moved, so that a purge finds the oldest among any number that live.
-- +goose Up
CREATE INDEX tokens_ended ON tokens (updated_at, id) WHERE status IN ('completed', 'cancelled', 'failed');
