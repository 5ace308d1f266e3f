-- What an examination of a Postgres database asks. Ages are seconds.

-- name: doctor_settings
SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS synchronous_commit,
  current_setting('full_page_writes') AS full_page_writes, current_setting('autovacuum') AS autovacuum,
  current_setting('transaction_read_only') AS read_only, current_setting('server_encoding') AS encoding,
  current_setting('server_version_num')::int AS version

-- name: doctor_sees
SELECT pg_has_role(current_user, 'pg_read_all_stats', 'USAGE')

-- name: doctor_clock
SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint

-- name: doctor_connections
SELECT (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS used,
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS most,
  (SELECT count(*) FROM pg_stat_activity a WHERE a.datname = current_database() AND backend_type = 'client backend') AS used_here,
  (SELECT datconnlimit FROM pg_database WHERE datname = current_database()) AS most_here,
  (SELECT count(*) FROM pg_stat_activity a WHERE a.usename = current_user AND backend_type = 'client backend') AS used_mine,
  (SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user) AS most_mine

-- name: doctor_old_transactions
SELECT pid, COALESCE(usename, '') AS usename, COALESCE(application_name, '') AS application, COALESCE(datname, '') AS datname,
  COALESCE(state, '') AS state, extract(epoch FROM clock_timestamp() - xact_start)::float8 AS age
FROM pg_stat_activity
WHERE pid <> pg_backend_pid() AND backend_type = 'client backend' AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL OR state LIKE 'idle in transaction%')
  AND xact_start < clock_timestamp() - make_interval(secs => $1)
ORDER BY xact_start LIMIT 10

-- name: doctor_prepared
SELECT gid, extract(epoch FROM clock_timestamp() - prepared)::float8 AS age FROM pg_prepared_xacts
WHERE prepared < clock_timestamp() - make_interval(secs => $1) ORDER BY prepared LIMIT 10

-- name: doctor_slots
SELECT slot_name AS name, slot_type AS type, active,
  COALESCE(pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END, restart_lsn), 0)::bigint AS kept,
  xmin IS NOT NULL OR catalog_xmin IS NOT NULL AS holds
FROM pg_replication_slots ORDER BY slot_name

-- name: doctor_dead_rows
SELECT s.relname AS name, n_live_tup AS live, n_dead_tup AS dead, COALESCE('autovacuum_enabled=false' = ANY(c.reloptions), false) AS off
FROM pg_stat_user_tables s JOIN pg_class c ON c.oid = s.relid
WHERE s.schemaname = current_schema() AND s.relname IN ('tokens', 'tasks', 'inbox', 'history', 'idempotency', 'batches', 'keys', 'fan_items')
ORDER BY n_dead_tup DESC

-- name: doctor_wraparound
SELECT GREATEST(age(datfrozenxid), mxid_age(datminmxid))::bigint FROM pg_database WHERE datname = current_database()

-- name: doctor_row_locks
SELECT a.pid, COALESCE(a.usename, '') AS usename, COALESCE(a.application_name, '') AS application, COALESCE(a.state, '') AS state,
  COALESCE(a.backend_xid::text, '') AS xid, extract(epoch FROM clock_timestamp() - a.xact_start)::float8 AS age
FROM pg_stat_activity a
WHERE a.pid <> pg_backend_pid() AND a.xact_start < clock_timestamp() - make_interval(secs => $1)
  AND EXISTS (SELECT 1 FROM pg_locks l JOIN pg_class c ON c.oid = l.relation WHERE l.pid = a.pid AND l.granted
    AND c.relname IN ('tokens', 'tasks', 'inbox') AND c.relnamespace = current_schema()::regnamespace
    AND l.mode IN ('RowShareLock', 'RowExclusiveLock', 'ShareRowExclusiveLock', 'ShareLock', 'ExclusiveLock', 'AccessExclusiveLock'))
ORDER BY a.xact_start LIMIT 10

-- name: doctor_locked_tokens
SELECT id FROM tokens WHERE xmax::text = $1 ORDER BY id LIMIT 5

-- name: doctor_has_lock_table
SELECT to_regclass('flowc_schema_lock') IS NOT NULL

-- name: doctor_schema_lock
SELECT COALESCE(locked_by, '') AS holder, COALESCE(extract(epoch FROM clock_timestamp() - locked_at), 0)::float8 AS age,
  COALESCE(lease_expires_at < clock_timestamp(), false) AS expired
FROM flowc_schema_lock WHERE locked

-- name: doctor_has_schema
SELECT to_regclass('flowc_schema') IS NOT NULL
