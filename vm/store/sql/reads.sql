-- Reads outside a step, the same on both back ends; their parameters are written ? and rebound.

-- name: next_due
SELECT COALESCE(min(next_due), 0) FROM tokens WHERE next_due IS NOT NULL

-- name: inbox_waits
SELECT EXISTS (SELECT 1 FROM inbox i WHERE not_before <= ? AND NOT EXISTS (SELECT 1 FROM quarantine q WHERE q.token = i.receiver))

-- name: token
SELECT id, flow, COALESCE(key, '') AS key, program, status, version, lines, COALESCE(next_due, 0) AS next_due, states, snapshot,
       data, COALESCE(parent, '') AS parent, COALESCE(restart_of, '') AS restart_of, created_at, updated_at, quarantined
FROM tokens WHERE id = ?

-- name: state_sets
WITH RECURSIVE hop AS (
  SELECT min(states) AS states FROM tokens WHERE states <> '[]'
  UNION ALL
  SELECT (SELECT min(t.states) FROM tokens t WHERE t.states > h.states AND t.states <> '[]') FROM hop h WHERE h.states IS NOT NULL
)
SELECT states FROM hop WHERE states IS NOT NULL LIMIT ?

-- name: key
SELECT flow, key, token, created_at, COALESCE(purged_at, 0) AS purged_at FROM keys WHERE flow = ? AND key = ?

-- name: list
SELECT id, flow, COALESCE(key, '') AS key, program, status, version, lines, COALESCE(next_due, 0) AS next_due, states, snapshot,
       data, COALESCE(parent, '') AS parent, COALESCE(restart_of, '') AS restart_of, created_at, updated_at, quarantined
FROM tokens

-- name: history
SELECT token, version, line, at, stimulus, lines, found FROM (
  SELECT token, version, line, at, stimulus, lines, count(*) OVER () AS found, row_number() OVER (ORDER BY version, line) AS n,
    sum(octet_length(stimulus) + octet_length(lines)) OVER (ORDER BY version, line) - octet_length(stimulus) - octet_length(lines) AS size
  FROM (SELECT token, version, line, at, stimulus, lines FROM history
    WHERE token = ? AND (version > ? OR version = ?
      AND line >= COALESCE((SELECT max(h.line) FROM history h WHERE h.token = ? AND h.version = ? AND h.line <= ?), 0))
    ORDER BY version, line LIMIT ?) r) s
WHERE size < ? OR n <= 2 ORDER BY version, line

-- name: fan_items_of
SELECT t.id AS token, t.version, COALESCE(i.visit, 0) AS visit, COALESCE(i.begun, 0) AS begun, COALESCE(i.idx, 0) AS idx,
       COALESCE(i.ended, false) AS ended, COALESCE(i.body, '') AS body
FROM tokens t LEFT JOIN fan_items i ON i.token = t.id WHERE t.id = ? ORDER BY i.visit, i.begun, i.idx

-- name: event_ids_of
SELECT token, id, outcome FROM event_ids WHERE token = ?

-- name: recent_history
SELECT token, version, line, at, stimulus, lines FROM history WHERE token = ? ORDER BY version DESC, line DESC LIMIT ?

-- name: tasks
SELECT id, token, flow, task, queue, status, next_at, held_at, dispatched, offered_at, ended_at, COALESCE(input, '') AS input, body
FROM tasks

-- name: program
SELECT hash, flow, code, source, COALESCE(files, '') AS files, actor, created_at FROM programs WHERE hash = ?

-- name: flow
SELECT name, program, since, (SELECT count(*) FROM programs p WHERE p.flow = f.name) AS versions FROM flows f WHERE name = ?

-- name: flows
SELECT name, program, since, (SELECT count(*) FROM programs p WHERE p.flow = f.name) AS versions FROM flows f ORDER BY name

-- name: versions_of_flow
SELECT hash, flow, COALESCE(files, '') AS files, actor, created_at FROM programs WHERE flow = ? ORDER BY created_at DESC, hash

-- name: insert_program
INSERT INTO programs (hash, flow, code, source, files, actor, created_at) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (hash) DO NOTHING

-- name: set_current
INSERT INTO flows (name, program, since) VALUES (?, ?, ?)
ON CONFLICT (name) DO UPDATE SET program = excluded.program, since = excluded.since WHERE flows.program <> excluded.program

-- name: quarantined
SELECT token, at, reason, COALESCE(due, 0) AS due FROM quarantine ORDER BY at, token LIMIT ?

-- name: quarantined_token
SELECT token, at, reason, COALESCE(due, 0) AS due FROM quarantine WHERE token = ?

-- name: count_tokens
SELECT status AS name, count(*) AS n FROM tokens GROUP BY status

-- name: count_tasks
SELECT status AS name, count(*) AS n FROM tasks GROUP BY status

-- name: count_inbox
SELECT 'inbox' AS name, count(*) AS n FROM inbox

-- name: count_quarantined
SELECT 'quarantined' AS name, count(*) AS n FROM quarantine

-- name: oldest_offers
SELECT task AS name, min(next_at) AS n FROM tasks t WHERE status IN ('offered', 'backoff') AND held_at = 0
  AND NOT EXISTS (SELECT 1 FROM held_tasks h WHERE h.task = t.task) GROUP BY task

-- name: count_failed_dispatches
SELECT 'failed' AS name, count(*) AS n FROM tasks WHERE dispatched AND status = 'failed'

-- name: oldest_message
SELECT 'inbox' AS name, COALESCE(min(at), 0) AS n FROM inbox

-- name: count_overdue_paused
SELECT 'overdue' AS name, count(*) AS n FROM tokens WHERE held_due IS NOT NULL AND held_due <= ?

-- name: credentials
SELECT name, role, hash, flows, events, tasks, actor, created_at FROM credentials ORDER BY name

-- name: insert_credential
INSERT INTO credentials (name, role, hash, flows, events, tasks, actor, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING

-- name: delete_credential
DELETE FROM credentials WHERE name = ?

-- name: free_key
DELETE FROM keys WHERE flow = ? AND key = ? AND purged_at IS NOT NULL

-- name: move_answer
UPDATE idempotency SET status = ?, body = ? WHERE credential = ? AND route = ? AND key = ? AND body = ?

-- name: held_tasks
SELECT task, reason, actor, at FROM held_tasks ORDER BY task

-- name: hold_task
INSERT INTO held_tasks (task, reason, actor, at) VALUES (?, ?, ?, ?)
ON CONFLICT (task) DO UPDATE SET reason = excluded.reason, actor = excluded.actor

-- name: release_task
DELETE FROM held_tasks WHERE task = ?

-- name: queues
SELECT queue, concurrency, rate, per, left_over, at FROM queues ORDER BY queue

-- name: set_queue
INSERT INTO queues (queue, concurrency, rate, per, left_over, at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (queue) DO UPDATE SET concurrency = excluded.concurrency, rate = excluded.rate, per = excluded.per,
  left_over = excluded.left_over, at = excluded.at

-- name: drop_queue
DELETE FROM queues WHERE queue = ?
