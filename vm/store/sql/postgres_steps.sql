-- The statements of a step's transaction on Postgres. Rows are locked in one statement and changed in the next: all parts of one
-- statement share a snapshot, so a lock and a change in one would miss what a concurrent transaction did in between. A locked
-- row is read from the locking part itself, which gives its newest version.

-- name: now
SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint

-- name: lock_tokens
WITH l AS MATERIALIZED (
  SELECT id, flow, COALESCE(key, '') AS key, program, status, version, lines, COALESCE(next_due, 0) AS next_due, states, snapshot, data,
         COALESCE(parent, '') AS parent, COALESCE(restart_of, '') AS restart_of, created_at, updated_at, quarantined
  FROM tokens WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE SKIP LOCKED
)
SELECT l.*, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now FROM l

-- name: claim_due
WITH l AS MATERIALIZED (
  SELECT id, flow, COALESCE(key, '') AS key, program, status, version, lines, COALESCE(next_due, 0) AS next_due, states, snapshot, data,
         COALESCE(parent, '') AS parent, COALESCE(restart_of, '') AS restart_of, created_at, updated_at, quarantined
  FROM tokens
  WHERE next_due <= (extract(epoch FROM now()) * 1000000)::bigint AND program <> ALL($1::text[])
  ORDER BY next_due LIMIT $2 FOR UPDATE SKIP LOCKED
)
SELECT l.*, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now FROM l

-- name: claim_inbox
WITH r AS MATERIALIZED (
  SELECT DISTINCT receiver FROM (
    SELECT receiver FROM inbox i
    WHERE NOT EXISTS (SELECT 1 FROM quarantine q WHERE q.token = i.receiver)
    AND not_before <= (extract(epoch FROM now()) * 1000000)::bigint ORDER BY seq LIMIT $2 * 8) x
), l AS MATERIALIZED (
  SELECT id, flow, COALESCE(key, '') AS key, program, status, version, lines, COALESCE(next_due, 0) AS next_due, states, snapshot, data,
         COALESCE(parent, '') AS parent, COALESCE(restart_of, '') AS restart_of, created_at, updated_at, quarantined
  FROM tokens WHERE id = ANY(ARRAY(SELECT receiver FROM r)) AND program <> ALL($1::text[])
  ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED
)
SELECT l.*, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now FROM l

-- name: exist
SELECT id FROM tokens WHERE id = ANY($1::text[])

-- name: inbox
SELECT seq, receiver, sender, sender_version, n, stimulus, at FROM inbox WHERE receiver = ANY($1::text[]) ORDER BY seq LIMIT $2

-- name: insert_tokens
INSERT INTO tokens (id, flow, key, program, status, version, lines, next_due, states, snapshot, data, parent, restart_of, created_at, updated_at, error, held_due,
  waiting)
SELECT id, flow, NULLIF(key, ''), program, status, version, lines, NULLIF(next_due, 0), states, snapshot, NULLIF(data, '')::json,
       NULLIF(parent, ''), NULLIF(restart_of, ''), created_at, updated_at, NULLIF(error, ''), NULLIF(held_due, 0),
       NULLIF(NULLIF(waiting, ''), 'ended')
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::int[], $8::bigint[], $9::text[], $10::bytea[],
  $11::text[], $12::text[], $13::text[], $14::bigint[], $15::bigint[], $16::text[], $17::bigint[], $18::text[])
  AS u(id, flow, key, program, status, version, lines, next_due, states, snapshot, data, parent, restart_of, created_at, updated_at,
  error, held_due, waiting)

-- name: update_tokens
UPDATE tokens t SET program = u.program, status = u.status, version = u.version, lines = u.lines, next_due = NULLIF(u.next_due, 0),
  states = u.states, snapshot = u.snapshot, data = COALESCE(NULLIF(u.data, '')::json, t.data), updated_at = u.updated_at,
  error = NULLIF(u.error, ''), held_due = NULLIF(u.held_due, 0),
  waiting = NULLIF(COALESCE(NULLIF(u.waiting, ''), t.waiting), 'ended')
FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::int[], $6::bigint[], $7::text[], $8::bytea[], $9::text[], $10::bigint[], $11::bigint[],
  $12::text[], $13::bigint[], $14::text[])
  AS u(id, program, status, version, lines, next_due, states, snapshot, data, updated_at, was, error, held_due, waiting)
WHERE t.id = u.id AND t.version = u.was

-- name: insert_history
INSERT INTO history (token, version, line, at, stimulus, lines)
SELECT * FROM unnest($1::text[], $2::bigint[], $3::int[], $4::bigint[], $5::text[], $6::text[])

-- name: insert_inbox
INSERT INTO inbox (receiver, sender, sender_version, n, stimulus, at)
SELECT receiver, sender, sender_version, n, stimulus, at
FROM unnest($1::text[], $2::text[], $3::bigint[], $4::int[], $5::text[], $6::bigint[]) WITH ORDINALITY
  AS u(receiver, sender, sender_version, n, stimulus, at, o) ORDER BY o

-- name: fan_items
SELECT i.token, i.visit, i.begun, i.idx, i.ended, i.body
FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bool[]) AS u(token, visit, begun, since, until, results)
JOIN fan_items i ON i.token = u.token AND i.visit = u.visit AND i.begun = u.begun
  AND (i.ended AND u.results OR NOT i.ended AND i.idx >= u.since AND i.idx < u.until)
ORDER BY i.idx

-- name: close_fans
DELETE FROM fan_items i USING unnest($1::text[], $2::bigint[], $3::bigint[]) AS u(token, visit, begun)
WHERE i.token = u.token AND i.visit = u.visit AND i.begun = u.begun

-- name: save_fan_items
INSERT INTO fan_items (token, visit, begun, idx, ended, body)
SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bool[], $6::text[])
ON CONFLICT (token, visit, begun, idx) DO UPDATE SET ended = excluded.ended, body = excluded.body

-- name: event_ids
SELECT e.token, e.id, e.outcome FROM unnest($1::text[], $2::text[]) AS u(token, id)
JOIN event_ids e ON e.token = u.token AND e.id = u.id

-- name: insert_event_ids
INSERT INTO event_ids (token, id, outcome) SELECT * FROM unnest($1::text[], $2::text[], $3::text[])

-- name: postpone_inbox
UPDATE inbox SET not_before = $2 WHERE receiver = ANY($1::text[])

-- name: delete_inbox
DELETE FROM inbox WHERE seq = ANY($1::bigint[])

-- name: reserve_keys
INSERT INTO keys (flow, key, token, created_at)
SELECT flow, key, token, at FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) AS u(flow, key, token, at) ORDER BY flow, key
ON CONFLICT (flow, key) DO NOTHING

-- name: keys
SELECT k.flow, k.key, k.token, k.created_at, COALESCE(k.purged_at, 0) AS purged_at
FROM unnest($1::text[], $2::text[]) AS u(flow, key) JOIN keys k ON k.flow = u.flow AND k.key = u.key

-- name: answered
SELECT i.* FROM unnest($1::text[], $2::text[], $3::text[]) AS u(credential, route, key)
JOIN idempotency i ON i.credential = u.credential AND i.route = u.route AND i.key = u.key

-- name: insert_answered
INSERT INTO idempotency (credential, route, key, hash, status, body, at)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[])
ORDER BY 1, 2, 3 ON CONFLICT (credential, route, key) DO NOTHING

-- name: mark
-- lib/pq begins with READ WRITE, which overrides a database that was made read-only for a fail-over: hence the condition.
INSERT INTO batches (id, void, at) SELECT $1, false, $2 WHERE current_setting('default_transaction_read_only') = 'off'

-- name: settle
INSERT INTO batches (id, void, at) VALUES ($1, true, $2) ON CONFLICT (id) DO NOTHING

-- name: settled
SELECT void FROM batches WHERE id = $1

-- name: forget_batches
DELETE FROM batches WHERE id = ANY(ARRAY(SELECT id FROM batches WHERE at < $1 LIMIT $2))

-- name: forget_answered
DELETE FROM idempotency WHERE ctid = ANY(ARRAY(SELECT ctid FROM idempotency WHERE at < $1 LIMIT $2))

-- name: quarantine
INSERT INTO quarantine (token, at, reason, due)
SELECT id, $2, $3, next_due FROM tokens WHERE id = $1 ON CONFLICT (token) DO NOTHING

-- name: set_aside
UPDATE tokens SET quarantined = true, next_due = NULL, waiting = CASE WHEN snapshot IS NULL THEN 'nothing' ELSE waiting END WHERE id = $1

-- name: take_back
UPDATE tokens t SET quarantined = false, next_due = COALESCE(q.due, t.next_due) FROM quarantine q WHERE q.token = t.id AND t.id = $1

-- name: unquarantine
DELETE FROM quarantine WHERE token = $1

-- name: current
SELECT name, program, since FROM flows WHERE name = ANY($1::text[])

-- name: programs
SELECT hash, flow, code, source, COALESCE(files, '') AS files, actor, created_at FROM programs WHERE hash = ANY($1::text[])

-- name: tokens
SELECT id, flow, COALESCE(key, '') AS key, program, status, version, lines, COALESCE(next_due, 0) AS next_due, states, snapshot,
       data, COALESCE(parent, '') AS parent, COALESCE(restart_of, '') AS restart_of, created_at, updated_at, quarantined
FROM tokens WHERE id = ANY($1::text[])
