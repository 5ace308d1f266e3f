-- What an examination asks of both back ends. Parameters are written ? and rebound.

-- name: doctor_schema
SELECT COALESCE(max(version_id), 0) FROM flowc_schema WHERE is_applied

-- name: doctor_quarantine
SELECT q.token, q.at, q.reason, COALESCE(t.flow, '') AS flow, COALESCE(t.key, '') AS key FROM quarantine q LEFT JOIN tokens t ON t.id = q.token
ORDER BY q.at, q.token LIMIT 6

-- name: doctor_count_quarantine
SELECT count(*) FROM quarantine

-- name: doctor_overdue
SELECT COALESCE(min(next_due), 0) FROM tokens WHERE next_due IS NOT NULL

-- name: doctor_oldest_message
SELECT COALESCE(min(at), 0) FROM inbox i WHERE NOT EXISTS (SELECT 1 FROM quarantine q WHERE q.token = i.receiver)

-- name: doctor_without_program
SELECT count(*) FROM tokens WHERE waiting IS NOT NULL AND program NOT IN (SELECT hash FROM programs)
