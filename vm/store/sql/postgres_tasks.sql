-- name: task_tokens
SELECT id, token FROM tasks WHERE id = ANY($1::text[])

-- name: lock_tasks
SELECT id, token, flow, task, queue, status, next_at, held_at, dispatched, offered_at, ended_at, COALESCE(input, '') AS input, body
FROM tasks WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE

-- name: lock_free_tasks
WITH l AS MATERIALIZED (
  SELECT id, token, flow, task, queue, status, next_at, held_at, dispatched, offered_at, ended_at, COALESCE(input, '') AS input, body
  FROM tasks WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE SKIP LOCKED
)
SELECT l.*, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now FROM l

-- name: claim_tasks
WITH l AS MATERIALIZED (
  SELECT t.* FROM (SELECT * FROM unnest($1::text[], $2::text[], $3::int[]) AS u(task, flow, max)
    WHERE NOT EXISTS (SELECT 1 FROM held_tasks h WHERE h.task = u.task)) AS w CROSS JOIN LATERAL (
    SELECT id, token, flow, task, queue, status, next_at, held_at, dispatched, offered_at, ended_at, COALESCE(input, '') AS input, body
    FROM tasks
    WHERE task = w.task AND (w.flow = '' OR flow = w.flow) AND status IN ('offered', 'backoff') AND held_at = 0
      AND next_at <= (extract(epoch FROM now()) * 1000000)::bigint
    ORDER BY next_at, id LIMIT w.max FOR UPDATE SKIP LOCKED) t
)
SELECT l.*, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now FROM l

-- name: insert_tasks
INSERT INTO tasks (id, token, flow, task, queue, status, next_at, held_at, dispatched, offered_at, ended_at, input, body)
SELECT id, token, flow, task, queue, status, next_at, held_at, dispatched, offered_at, ended_at, NULLIF(input, ''), body
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[], $9::bool[],
  $10::bigint[], $11::bigint[], $12::text[], $13::text[])
  AS u(id, token, flow, task, queue, status, next_at, held_at, dispatched, offered_at, ended_at, input, body)

-- name: update_tasks
UPDATE tasks t SET status = u.status, next_at = u.next_at, held_at = u.held_at, ended_at = u.ended_at, body = u.body
FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[])
  AS u(id, status, next_at, held_at, ended_at, body)
WHERE t.id = u.id

-- name: withdraw_tasks
UPDATE tasks SET status = 'withdrawn', next_at = 0, ended_at = $2
WHERE id = ANY($1::text[]) AND status IN ('offered', 'claimed', 'backoff')

-- name: hold_tasks
UPDATE tasks t SET held_at = u.at FROM unnest($1::text[], $2::bigint[]) AS u(token, at)
WHERE t.token = u.token AND t.held_at = 0 AND t.status IN ('offered', 'claimed', 'backoff')

-- name: unhold_tasks
UPDATE tasks t SET held_at = 0, next_at = CASE WHEN t.status = 'backoff' THEN t.next_at + u.at - t.held_at ELSE t.next_at END
FROM unnest($1::text[], $2::bigint[]) AS u(token, at) WHERE t.token = u.token AND t.held_at > 0

-- name: expired_tasks
SELECT id, token FROM tasks WHERE status = 'claimed' AND next_at <= (extract(epoch FROM now()) * 1000000)::bigint ORDER BY next_at LIMIT $1

-- name: next_task
SELECT COALESCE(min(next_at), 0) FROM tasks WHERE status = 'claimed'

-- name: next_claimable
SELECT COALESCE(min(m), 0) FROM unnest($1::text[], $2::text[]) AS w(task, flow) CROSS JOIN LATERAL (
  SELECT min(next_at) AS m FROM tasks
  WHERE task = w.task AND (w.flow = '' OR flow = w.flow) AND status IN ('offered', 'backoff') AND held_at = 0) x
WHERE NOT EXISTS (SELECT 1 FROM held_tasks h WHERE h.task = w.task)

-- name: tasks_of
SELECT t.id, t.token, t.flow, t.task, t.queue, t.status, t.next_at, t.held_at, t.dispatched, t.offered_at, t.ended_at, '' AS input, t.body
FROM unnest($1::text[]) AS u(token) CROSS JOIN LATERAL (
  SELECT * FROM tasks WHERE token = u.token AND status IN ('offered', 'claimed', 'backoff') AND NOT dispatched
  ORDER BY offered_at, id LIMIT $2) t
ORDER BY t.offered_at, t.id

-- name: working
SELECT u.token FROM unnest($1::text[]) AS u(token)
WHERE EXISTS (SELECT 1 FROM tasks WHERE token = u.token AND status IN ('offered', 'claimed', 'backoff'))

-- name: lock_queues
SELECT queue, concurrency, rate, per, left_over, at FROM queues WHERE queue = ANY($1::text[]) ORDER BY queue FOR UPDATE

-- name: running_in_queues
SELECT queue AS name, count(*) AS n FROM tasks WHERE status = 'claimed' AND queue = ANY($1::text[]) GROUP BY queue

-- name: spend_queues
UPDATE queues q SET left_over = u.left_over::double precision, at = u.at
FROM unnest($1::text[], $2::text[], $3::bigint[]) AS u(queue, left_over, at) WHERE q.queue = u.queue
