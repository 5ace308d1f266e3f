-- What a purge removes. A token whose dispatched work is not over, or for which a message waits, is left for later.

-- name: purgeable
SELECT t.id FROM tokens t WHERE (t.id = ANY($1::text[]) OR $2) AND t.status = ANY($3::text[]) AND ($4::text = '' OR t.flow = $4) AND t.updated_at < $5
  AND t.status IN ('completed', 'cancelled', 'failed') -- what the index holds
  AND NOT EXISTS (SELECT 1 FROM tasks k WHERE k.token = t.id AND k.status IN ('offered', 'claimed', 'backoff'))
  AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.receiver = t.id)
ORDER BY t.updated_at, t.id LIMIT $6 FOR UPDATE OF t SKIP LOCKED

-- name: count_purgeable
SELECT count(*) FROM tokens t WHERE (t.id = ANY($1::text[]) OR $2) AND t.status = ANY($3::text[]) AND ($4::text = '' OR t.flow = $4) AND t.updated_at < $5
  AND t.status IN ('completed', 'cancelled', 'failed') -- what the index holds
  AND NOT EXISTS (SELECT 1 FROM tasks k WHERE k.token = t.id AND k.status IN ('offered', 'claimed', 'backoff'))
  AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.receiver = t.id)

-- name: unpurged
SELECT id, flow, status FROM tokens WHERE id = ANY($1::text[]) ORDER BY id

-- name: purge_keys
UPDATE keys k SET purged_at = $2 FROM tokens t WHERE t.id = ANY($1::text[]) AND k.flow = t.flow AND k.key = t.key AND k.token = t.id

-- name: forget_keys
DELETE FROM keys k USING tokens t WHERE t.id = ANY($1::text[]) AND k.flow = t.flow AND k.key = t.key AND k.token = t.id

-- name: purge_history
DELETE FROM history WHERE token = ANY($1::text[])

-- name: purge_fans
DELETE FROM fan_items WHERE token = ANY($1::text[])

-- name: purge_event_ids
DELETE FROM event_ids WHERE token = ANY($1::text[])

-- name: purge_tasks
DELETE FROM tasks WHERE token = ANY($1::text[])

-- name: purge_quarantine
DELETE FROM quarantine WHERE token = ANY($1::text[])

-- name: purge_tokens
DELETE FROM tokens WHERE id = ANY($1::text[])

-- name: forget_orphans
DELETE FROM inbox WHERE seq IN (
  SELECT seq FROM inbox i WHERE NOT EXISTS (SELECT 1 FROM tokens t WHERE t.id = i.receiver) ORDER BY seq LIMIT $1)
