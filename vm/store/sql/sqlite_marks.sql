-- How far the histories of tokens go, for those who wait for more.

-- name: marks
SELECT id, version, lines FROM tokens WHERE id IN (SELECT value FROM json_each(?1))

-- name: flows_of
SELECT id, flow FROM tokens WHERE id IN (SELECT value FROM json_each(?1))

-- name: set_lines
UPDATE tokens AS t SET lines = u.lines
FROM (SELECT value->>0 AS id, value->>1 AS version, value->>2 AS lines FROM json_each(?1)) AS u
WHERE t.id = u.id AND t.version = u.version

-- name: attempts
SELECT id, token, flow, task, queue, status, next_at, held_at, dispatched, offered_at, ended_at, '' AS input, body FROM tasks
WHERE token = ? AND body LIKE '%"log":%' AND body->>'$.log[#-1].version' >= ? AND body->>'$.log[0].version' <= ?
