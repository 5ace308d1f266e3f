-- name: task_tokens
SELECT id, token FROM tasks WHERE id IN (SELECT value FROM json_each(?1))

-- name: lock_tasks
SELECT id, token, flow, task, queue, status, next_at, held_at, dispatched, offered_at, ended_at, COALESCE(input, '') AS input, body
FROM tasks WHERE id IN (SELECT value FROM json_each(?1)) ORDER BY id

-- name: lock_free_tasks
SELECT id, token, flow, task, queue, status, next_at, held_at, dispatched, offered_at, ended_at, COALESCE(input, '') AS input, body
FROM tasks WHERE id IN (SELECT value FROM json_each(?1)) ORDER BY id

-- name: claim_tasks
SELECT id, token, flow, task, queue, status, next_at, held_at, dispatched, offered_at, ended_at, input, body FROM (
  SELECT t.id, t.token, t.flow, t.task, t.queue, t.status, t.next_at, t.held_at, t.dispatched, t.offered_at, t.ended_at,
         COALESCE(t.input, '') AS input, t.body, w.value->>2 AS most,
         row_number() OVER (PARTITION BY w.key ORDER BY t.next_at, t.id) AS nth
  FROM json_each(?1) w JOIN tasks t ON t.id IN (
    SELECT id FROM tasks c WHERE c.task = w.value->>0 AND (w.value->>1 = '' OR c.flow = w.value->>1)
    AND NOT EXISTS (SELECT 1 FROM held_tasks h WHERE h.task = c.task) AND c.status IN ('offered', 'backoff') AND c.held_at = 0 AND c.next_at <= ?2
    ORDER BY c.next_at, c.id LIMIT ?3))
WHERE nth <= most ORDER BY next_at, id

-- name: insert_tasks
INSERT INTO tasks (id, token, flow, task, queue, status, next_at, held_at, dispatched, offered_at, ended_at, input, body)
SELECT value->>0, value->>1, value->>2, value->>3, value->>4, value->>5, value->>6, value->>7, value->>8, value->>9, value->>10,
       NULLIF(value->>11, ''), value->>12
FROM json_each(?1)

-- name: update_tasks
UPDATE tasks AS t SET status = u.status, next_at = u.next_at, held_at = u.held_at, ended_at = u.ended_at, body = u.body
FROM (SELECT value->>0 AS id, value->>1 AS status, value->>2 AS next_at, value->>3 AS held_at, value->>4 AS ended_at, value->>5 AS body
      FROM json_each(?1)) AS u
WHERE t.id = u.id

-- name: withdraw_tasks
UPDATE tasks SET status = 'withdrawn', next_at = 0, ended_at = ?2
WHERE id IN (SELECT value FROM json_each(?1)) AND status IN ('offered', 'claimed', 'backoff')

-- name: hold_tasks
UPDATE tasks AS t SET held_at = u.at FROM (SELECT value->>0 AS token, value->>1 AS at FROM json_each(?1)) AS u
WHERE t.token = u.token AND t.held_at = 0 AND t.status IN ('offered', 'claimed', 'backoff')

-- name: unhold_tasks
UPDATE tasks AS t SET held_at = 0, next_at = CASE WHEN t.status = 'backoff' THEN t.next_at + u.at - t.held_at ELSE t.next_at END
FROM (SELECT value->>0 AS token, value->>1 AS at FROM json_each(?1)) AS u WHERE t.token = u.token AND t.held_at > 0

-- name: expired_tasks
SELECT id, token FROM tasks WHERE status = 'claimed' AND next_at <= ?2 ORDER BY next_at LIMIT ?1

-- name: next_task
SELECT COALESCE(min(next_at), 0) FROM tasks WHERE status = 'claimed'

-- name: next_claimable
SELECT COALESCE(min(t.next_at), 0) FROM json_each(?1) w
JOIN tasks t ON t.task = w.value->>0 AND (w.value->>1 = '' OR t.flow = w.value->>1) AND t.status IN ('offered', 'backoff') AND t.held_at = 0
WHERE NOT EXISTS (SELECT 1 FROM held_tasks h WHERE h.task = t.task)

-- name: tasks_of
SELECT t.id, t.token, t.flow, t.task, t.queue, t.status, t.next_at, t.held_at, t.dispatched, t.offered_at, t.ended_at, '' AS input, t.body
FROM json_each(?1) u JOIN tasks t ON t.id IN (
  SELECT id FROM tasks WHERE token = u.value AND status IN ('offered', 'claimed', 'backoff') AND NOT dispatched
  ORDER BY offered_at, id LIMIT ?2)
ORDER BY t.offered_at, t.id

-- name: working
SELECT u.value FROM json_each(?1) u
WHERE EXISTS (SELECT 1 FROM tasks WHERE token = u.value AND status IN ('offered', 'claimed', 'backoff'))

-- name: lock_queues
SELECT queue, concurrency, rate, per, left_over, at FROM queues WHERE queue IN (SELECT value FROM json_each(?1)) ORDER BY queue

-- name: running_in_queues
SELECT queue AS name, count(*) AS n FROM tasks WHERE status = 'claimed' AND queue IN (SELECT value FROM json_each(?1)) GROUP BY queue

-- name: spend_queues
UPDATE queues AS q SET left_over = CAST(u.left_over AS real), at = u.at
FROM (SELECT value->>0 AS queue, value->>1 AS left_over, value->>2 AS at FROM json_each(?1)) AS u WHERE q.queue = u.queue
