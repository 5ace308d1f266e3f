-- The statements of a step's transaction on SQLite. A set is one JSON array of rows; bytes in it are hexadecimal. The
-- transaction is BEGIN IMMEDIATE, so it is alone and needs no row locks; its instant is the process's clock.

-- name: lock_tokens
SELECT id, flow, COALESCE(key, '') AS key, program, status, version, lines, COALESCE(next_due, 0) AS next_due, states, snapshot, data,
       COALESCE(parent, '') AS parent, COALESCE(restart_of, '') AS restart_of, created_at, updated_at, quarantined
FROM tokens WHERE id IN (SELECT value FROM json_each(?1)) ORDER BY id

-- name: claim_due
SELECT id, flow, COALESCE(key, '') AS key, program, status, version, lines, COALESCE(next_due, 0) AS next_due, states, snapshot, data,
       COALESCE(parent, '') AS parent, COALESCE(restart_of, '') AS restart_of, created_at, updated_at, quarantined
FROM tokens WHERE next_due <= ?3 AND program NOT IN (SELECT value FROM json_each(?1)) ORDER BY next_due LIMIT ?2

-- name: claim_inbox
SELECT id, flow, COALESCE(key, '') AS key, program, status, version, lines, COALESCE(next_due, 0) AS next_due, states, snapshot, data,
       COALESCE(parent, '') AS parent, COALESCE(restart_of, '') AS restart_of, created_at, updated_at, quarantined
FROM tokens WHERE id IN (
  SELECT receiver FROM inbox i WHERE NOT EXISTS (SELECT 1 FROM quarantine q WHERE q.token = i.receiver) AND not_before <= ?3
  ORDER BY seq LIMIT ?2 * 8)
AND program NOT IN (SELECT value FROM json_each(?1)) ORDER BY id LIMIT ?2

-- name: exist
SELECT id FROM tokens WHERE id IN (SELECT value FROM json_each(?1))

-- name: inbox
SELECT seq, receiver, sender, sender_version, n, stimulus, at FROM inbox
WHERE receiver IN (SELECT value FROM json_each(?1)) ORDER BY seq LIMIT ?2

-- name: insert_tokens
INSERT INTO tokens (id, flow, key, program, status, version, lines, next_due, states, snapshot, data, parent, restart_of, created_at, updated_at,
  error, held_due, waiting)
SELECT value->>0, value->>1, NULLIF(value->>2, ''), value->>3, value->>4, value->>5, value->>6, NULLIF(value->>7, 0), value->>8,
       unhex(value->>9), NULLIF(value->>10, ''), NULLIF(value->>11, ''), NULLIF(value->>12, ''), value->>13, value->>14,
       NULLIF(value->>15, ''), NULLIF(value->>16, 0), NULLIF(NULLIF(value->>17, ''), 'ended')
FROM json_each(?1)

-- name: update_tokens
UPDATE tokens AS t SET program = u.program, status = u.status, version = u.version, lines = u.lines, next_due = NULLIF(u.next_due, 0),
  states = u.states, snapshot = unhex(u.snapshot), data = COALESCE(NULLIF(u.data, ''), t.data), updated_at = u.updated_at,
  error = NULLIF(u.error, ''), held_due = NULLIF(u.held_due, 0),
  waiting = NULLIF(COALESCE(NULLIF(u.waiting, ''), t.waiting), 'ended')
FROM (SELECT value->>0 AS id, value->>1 AS program, value->>2 AS status, value->>3 AS version, value->>4 AS lines, value->>5 AS next_due,
        value->>6 AS states, value->>7 AS snapshot, value->>8 AS data, value->>9 AS updated_at, value->>10 AS was,
        value->>11 AS error, value->>12 AS held_due, value->>13 AS waiting FROM json_each(?1)) AS u
WHERE t.id = u.id AND t.version = u.was

-- name: insert_history
INSERT INTO history (token, version, line, at, stimulus, lines)
SELECT value->>0, value->>1, value->>2, value->>3, value->>4, value->>5 FROM json_each(?1)

-- name: insert_inbox
INSERT INTO inbox (receiver, sender, sender_version, n, stimulus, at)
SELECT value->>0, value->>1, value->>2, value->>3, value->>4, value->>5 FROM json_each(?1)

-- name: fan_items
SELECT i.token, i.visit, i.begun, i.idx, i.ended, i.body
FROM json_each(?1) u JOIN fan_items i ON i.token = u.value->>0 AND i.visit = u.value->>1 AND i.begun = u.value->>2
  AND (i.ended AND u.value->>5 OR NOT i.ended AND i.idx >= u.value->>3 AND i.idx < u.value->>4)
ORDER BY i.idx

-- name: close_fans
DELETE FROM fan_items WHERE (token, visit, begun) IN (SELECT value->>0, value->>1, value->>2 FROM json_each(?1))

-- name: save_fan_items
INSERT INTO fan_items (token, visit, begun, idx, ended, body)
SELECT value->>0, value->>1, value->>2, value->>3, value->>4, value->>5 FROM json_each(?1) WHERE true
ON CONFLICT (token, visit, begun, idx) DO UPDATE SET ended = excluded.ended, body = excluded.body

-- name: event_ids
SELECT e.token, e.id, e.outcome FROM json_each(?1) u JOIN event_ids e ON e.token = u.value->>0 AND e.id = u.value->>1

-- name: insert_event_ids
INSERT INTO event_ids (token, id, outcome) SELECT value->>0, value->>1, value->>2 FROM json_each(?1)

-- name: postpone_inbox
UPDATE inbox SET not_before = ?2 WHERE receiver IN (SELECT value FROM json_each(?1))

-- name: delete_inbox
DELETE FROM inbox WHERE seq IN (SELECT value FROM json_each(?1))

-- name: reserve_keys
INSERT INTO keys (flow, key, token, created_at)
SELECT value->>0, value->>1, value->>2, value->>3 FROM json_each(?1) WHERE true ON CONFLICT (flow, key) DO NOTHING

-- name: keys
SELECT k.flow, k.key, k.token, k.created_at, COALESCE(k.purged_at, 0) AS purged_at
FROM json_each(?1) u JOIN keys k ON k.flow = u.value->>0 AND k.key = u.value->>1

-- name: answered
SELECT i.* FROM json_each(?1) u
JOIN idempotency i ON i.credential = u.value->>0 AND i.route = u.value->>1 AND i.key = u.value->>2

-- name: insert_answered
INSERT INTO idempotency (credential, route, key, hash, status, body, at)
SELECT value->>0, value->>1, value->>2, value->>3, value->>4, value->>5, value->>6 FROM json_each(?1)
WHERE true ON CONFLICT (credential, route, key) DO NOTHING

-- name: mark
INSERT INTO batches (id, void, at) VALUES (?1, false, ?2)

-- name: settle
INSERT INTO batches (id, void, at) VALUES (?1, true, ?2) ON CONFLICT (id) DO NOTHING

-- name: settled
SELECT void FROM batches WHERE id = ?1

-- name: forget_batches
DELETE FROM batches WHERE id IN (SELECT id FROM batches WHERE at < ?1 LIMIT ?2)

-- name: forget_answered
DELETE FROM idempotency WHERE rowid IN (SELECT rowid FROM idempotency WHERE at < ?1 LIMIT ?2)

-- name: quarantine
INSERT INTO quarantine (token, at, reason, due)
SELECT id, ?2, ?3, next_due FROM tokens WHERE id = ?1 ON CONFLICT (token) DO NOTHING

-- name: set_aside
UPDATE tokens SET quarantined = true, next_due = NULL, waiting = CASE WHEN snapshot IS NULL THEN 'nothing' ELSE waiting END WHERE id = ?1

-- name: take_back
UPDATE tokens SET quarantined = false, next_due = COALESCE((SELECT due FROM quarantine q WHERE q.token = ?1), next_due) WHERE id = ?1

-- name: unquarantine
DELETE FROM quarantine WHERE token = ?1

-- name: current
SELECT name, program, since FROM flows WHERE name IN (SELECT value FROM json_each(?1))

-- name: programs
SELECT hash, flow, code, source, COALESCE(files, '') AS files, actor, created_at FROM programs WHERE hash IN (SELECT value FROM json_each(?1))

-- name: tokens
SELECT id, flow, COALESCE(key, '') AS key, program, status, version, lines, COALESCE(next_due, 0) AS next_due, states, snapshot,
       data, COALESCE(parent, '') AS parent, COALESCE(restart_of, '') AS restart_of, created_at, updated_at, quarantined
FROM tokens WHERE id IN (SELECT value FROM json_each(?1))
