package store_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/lib/pq"

	"flowc/vm/store/pgtest"
)

// The measurements behind docs/performance.md: they compare ways of doing one thing in one run, since absolute figures depend on
// the machine. Run them with
//
//	go test ./vm/store -run '^$' -bench . -benchtime 3s

const benchRows = 50_000

func benchDB(b *testing.B, more string, setup ...string) *sql.DB {
	b.Helper()
	url := pgtest.New(b)
	db, err := sql.Open("postgres", url+more)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	for _, q := range setup {
		if _, err := db.Exec(q); err != nil {
			b.Fatal(err)
		}
	}
	return db
}

const (
	columnTable = `CREATE TABLE tokens (id text PRIMARY KEY, version bigint NOT NULL, next_due bigint, snapshot bytea) WITH (fillfactor = 80)`
	columnIndex = `CREATE INDEX ON tokens (next_due) WHERE next_due IS NOT NULL`
	timerTable  = `CREATE TABLE timers (token text NOT NULL, n int NOT NULL, due bigint NOT NULL, PRIMARY KEY (token, n))`
	timerIndex  = `CREATE INDEX ON timers (due)`
)

var fillTokens = fmt.Sprintf(`INSERT INTO tokens SELECT 'token-' || g, 1, 1000000 + g, decode(repeat('ab', 400), 'hex') FROM generate_series(1, %d) g`, benchRows)

// BenchmarkTimers compares next_due as a column of the token's row (R11) with a table of timers: one batch of 100 transitions,
// each moving the token's timer.
func BenchmarkTimers(b *testing.B) {
	update := `UPDATE tokens t SET version = t.version + 1, snapshot = u.s %s FROM unnest($1::text[], $2::bytea[], $3::bigint[]) AS u(id, s, due) WHERE t.id = u.id`
	b.Run("column", func(b *testing.B) {
		db := benchDB(b, "&binary_parameters=yes", columnTable, columnIndex, fillTokens, "ANALYZE")
		transitions(b, db, fmt.Sprintf(update, ", next_due = u.due"))
	})
	b.Run("table", func(b *testing.B) {
		db := benchDB(b, "&binary_parameters=yes", columnTable, timerTable, timerIndex, fillTokens,
			"INSERT INTO timers SELECT id, 1, next_due FROM tokens", "UPDATE tokens SET next_due = NULL", "VACUUM ANALYZE")
		transitions(b, db, fmt.Sprintf(update, ", next_due = CASE WHEN u.due < 0 THEN 0 END"),
			`DELETE FROM timers t USING unnest($1::text[], $2::bytea[], $3::bigint[]) AS u(id, s, due) WHERE t.token = u.id`,
			`INSERT INTO timers SELECT id, 1, due FROM unnest($1::text[], $2::bytea[], $3::bigint[]) AS u(id, s, due)`)
	})
}

func transitions(b *testing.B, db *sql.DB, statements ...string) {
	const batch = 100
	snapshot := []byte(strings.Repeat("x", 400))
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		var ids pq.StringArray
		var snapshots pq.ByteaArray
		var due pq.Int64Array
		for k := range batch {
			ids = append(ids, fmt.Sprintf("token-%d", (i*batch*37+k*491)%benchRows+1))
			snapshots = append(snapshots, snapshot)
			due = append(due, int64(2_000_000+i*batch+k))
		}
		tx, err := db.Begin()
		if err != nil {
			b.Fatal(err)
		}
		for _, q := range append([]string{`SELECT id FROM tokens WHERE id = ANY($1::text[]) AND $2::bytea[] IS NOT NULL AND $3::bigint[] IS NOT NULL ORDER BY id FOR UPDATE SKIP LOCKED`}, statements...) {
			if _, err := tx.Exec(q, ids, snapshots, due); err != nil {
				b.Fatal(err)
			}
		}
		if err := tx.Commit(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*batch)/b.Elapsed().Seconds(), "transitions/s")
}

// BenchmarkDue compares a storm of due timers, claimed, stepped and armed again 256 at a time: on the token's row itself, and with
// a table of timers beside the tokens.
func BenchmarkDue(b *testing.B) {
	b.Run("column", func(b *testing.B) {
		db := benchDB(b, "&binary_parameters=yes", columnTable, columnIndex, fillTokens, "ANALYZE")
		claims(b, db, `WITH l AS MATERIALIZED (SELECT id, snapshot FROM tokens WHERE next_due <= $1 ORDER BY next_due LIMIT 256 FOR UPDATE SKIP LOCKED)
			UPDATE tokens t SET version = version + 1, next_due = next_due + $1 FROM l WHERE t.id = l.id`)
	})
	b.Run("table", func(b *testing.B) {
		db := benchDB(b, "&binary_parameters=yes", columnTable, timerTable, timerIndex, fillTokens,
			"INSERT INTO timers SELECT id, 1, next_due FROM tokens", "UPDATE tokens SET next_due = NULL", "VACUUM ANALYZE")
		claims(b, db, `WITH l AS MATERIALIZED (SELECT m.token, m.n, t.snapshot FROM timers m JOIN tokens t ON t.id = m.token
			WHERE m.due <= $1 ORDER BY m.due LIMIT 256 FOR UPDATE SKIP LOCKED),
			s AS (UPDATE tokens t SET version = version + 1 FROM l WHERE t.id = l.token)
			UPDATE timers m SET due = due + $1 FROM l WHERE m.token = l.token AND m.n = l.n`)
	})
}

func claims(b *testing.B, db *sql.DB, q string) {
	now := int64(1_000_000 + benchRows)
	n := int64(0)
	b.ResetTimer()
	for b.Loop() {
		r, err := db.Exec(q, now)
		if err != nil {
			b.Fatal(err)
		}
		took, err := r.RowsAffected()
		if err != nil {
			b.Fatal(err)
		}
		if n += took; took == 0 {
			now *= 4 // all have moved; they are due again
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "timers/s")
}

// BenchmarkParameters compares how lib/pq sends parameters: a transition of three statements with plain Exec, with
// binary_parameters=yes, and prepared once (which breaks under transaction pooling).
func BenchmarkParameters(b *testing.B) {
	statements := []string{
		`SELECT version FROM tokens WHERE id = $1 FOR UPDATE`,
		`UPDATE tokens SET version = version + 1, next_due = $2 WHERE id = $1`,
		`INSERT INTO history SELECT $1, version, $2 FROM tokens WHERE id = $1`,
	}
	history := `CREATE TABLE history (token text, version bigint, line text, PRIMARY KEY (token, version))`
	run := func(b *testing.B, more string, prepare bool) {
		db := benchDB(b, more, columnTable, columnIndex, history, fillTokens, "ANALYZE", "SET synchronous_commit = off")
		var prepared []*sql.Stmt
		for _, q := range statements {
			if prepare {
				st, err := db.Prepare(q)
				if err != nil {
					b.Fatal(err)
				}
				defer st.Close()
				prepared = append(prepared, st)
			}
		}
		b.ResetTimer()
		for i := 0; b.Loop(); i++ {
			id := fmt.Sprintf("token-%d", i%benchRows+1)
			args := [][]any{{id}, {id, int64(i)}, {id, "line"}}
			tx, err := db.Begin()
			for k, q := range statements {
				if err != nil {
					break
				}
				if prepare {
					_, err = tx.Stmt(prepared[k]).Exec(args[k]...)
				} else {
					_, err = tx.Exec(q, args[k]...)
				}
			}
			if err == nil {
				err = tx.Commit()
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "transitions/s")
	}
	b.Run("plain", func(b *testing.B) { run(b, "", false) })
	b.Run("binary", func(b *testing.B) { run(b, "&binary_parameters=yes", false) })
	b.Run("prepared", func(b *testing.B) { run(b, "", true) })
}
