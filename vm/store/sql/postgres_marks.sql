-- How far the histories of tokens go, for those who wait for more.

-- name: marks
SELECT id, version, lines FROM tokens WHERE id = ANY($1::text[])

-- name: flows_of
SELECT id, flow FROM tokens WHERE id = ANY($1::text[])

-- name: set_lines
UPDATE tokens t SET lines = u.lines FROM unnest($1::text[], $2::bigint[], $3::int[]) AS u(id, version, lines)
WHERE t.id = u.id AND t.version = u.version

-- name: tell
SELECT count(pg_notify('flowc_moved', payload)) FROM unnest($1::text[]) AS u(payload)

-- name: attempts
SELECT id, token, flow, task, queue, status, next_at, held_at, dispatched, offered_at, ended_at, '' AS input, body FROM tasks
WHERE token = ? AND body LIKE '%"log":%' AND (body::json->'log'->-1->>'version')::bigint >= ?
  AND (body::json->'log'->0->>'version')::bigint <= ?
