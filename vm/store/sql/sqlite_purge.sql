-- What a purge removes. A token whose dispatched work is not over, or for which a message waits, is left for later.

-- name: purgeable
SELECT t.id FROM tokens t WHERE (t.id IN (SELECT value FROM json_each(?1)) OR ?2) AND t.status IN (SELECT value FROM json_each(?3)) AND (?4 = '' OR t.flow = ?4) AND t.updated_at < ?5
  AND t.status IN ('completed', 'cancelled', 'failed') -- what the index holds
  AND NOT EXISTS (SELECT 1 FROM tasks k WHERE k.token = t.id AND k.status IN ('offered', 'claimed', 'backoff'))
  AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.receiver = t.id)
ORDER BY t.updated_at, t.id LIMIT ?6

-- name: count_purgeable
SELECT count(*) FROM tokens t WHERE (t.id IN (SELECT value FROM json_each(?1)) OR ?2) AND t.status IN (SELECT value FROM json_each(?3)) AND (?4 = '' OR t.flow = ?4) AND t.updated_at < ?5
  AND t.status IN ('completed', 'cancelled', 'failed') -- what the index holds
  AND NOT EXISTS (SELECT 1 FROM tasks k WHERE k.token = t.id AND k.status IN ('offered', 'claimed', 'backoff'))
  AND NOT EXISTS (SELECT 1 FROM inbox i WHERE i.receiver = t.id)

-- name: unpurged
SELECT id, flow, status FROM tokens WHERE id IN (SELECT value FROM json_each(?1)) ORDER BY id

-- name: purge_keys
UPDATE keys AS k SET purged_at = ?2 FROM tokens t WHERE t.id IN (SELECT value FROM json_each(?1)) AND k.flow = t.flow AND k.key = t.key AND k.token = t.id

-- name: forget_keys
DELETE FROM keys WHERE (flow, key) IN (SELECT flow, key FROM tokens WHERE id IN (SELECT value FROM json_each(?1)))

-- name: purge_history
DELETE FROM history WHERE token IN (SELECT value FROM json_each(?1))

-- name: purge_fans
DELETE FROM fan_items WHERE token IN (SELECT value FROM json_each(?1))

-- name: purge_event_ids
DELETE FROM event_ids WHERE token IN (SELECT value FROM json_each(?1))

-- name: purge_tasks
DELETE FROM tasks WHERE token IN (SELECT value FROM json_each(?1))

-- name: purge_quarantine
DELETE FROM quarantine WHERE token IN (SELECT value FROM json_each(?1))

-- name: purge_tokens
DELETE FROM tokens WHERE id IN (SELECT value FROM json_each(?1))

-- name: forget_orphans
DELETE FROM inbox WHERE seq IN (
  SELECT seq FROM inbox i WHERE NOT EXISTS (SELECT 1 FROM tokens t WHERE t.id = i.receiver) ORDER BY seq LIMIT ?1)
