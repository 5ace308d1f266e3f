package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"flowc/vm/store"
	"flowc/vm/store/pgtest"
)

func examine(t *testing.T, url string, b store.Bounds) []store.Check {
	t.Helper()
	checks, err := store.Examine(context.Background(), url, b)
	if err != nil {
		t.Fatal(err)
	}
	return checks
}

// finds checks that of all that is looked at this alone is wrong, and what is said of it: each says why it matters and what to do.
func finds(t *testing.T, checks []store.Check, name string, said ...string) {
	t.Helper()
	found := false
	for _, c := range checks {
		switch {
		case c.Fine && (c.Why != "" || c.Advice != ""), !c.Fine && (c.Why == "" || c.Advice == ""), c.Found == "":
			t.Errorf("%+v", c)
		case c.Fine:
		case c.Name != name:
			t.Errorf("%s: %s", c.Name, c.Found)
		default:
			found = true
			for _, s := range said {
				if !strings.Contains(c.Found, s) {
					t.Errorf("%s: %q does not say %q", name, c.Found, s)
				}
			}
		}
	}
	if found != (name != "") {
		t.Errorf("%s is not found among %d checks", name, len(checks))
	}
}

func on(t *testing.T, url string, statements ...string) *sql.DB {
	t.Helper()
	db, err := sql.Open("postgres", url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	for _, q := range statements {
		if _, err := db.Exec(q); err != nil {
			t.Fatalf("%s: %v", q, err)
		}
	}
	return db
}

func nameOf(t *testing.T, at string) string {
	t.Helper()
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	return `"` + u.Path[1:] + `"`
}

// Each condition is made on a real Postgres, found, and found to be all that is wrong.
func TestTheDoctorOfPostgres(t *testing.T) {
	server := pgtest.NewServer(t, pgtest.Options{Settings: map[string]string{"max_prepared_transactions": "5"}})
	for _, test := range []struct {
		name   string
		make   func(t *testing.T, url string, s store.Store) string // gives another URL to look at, or ""
		bounds store.Bounds
		check  string
		said   []string
	}{
		{name: "nothing"},
		{name: "commits are not waited for", check: "synchronous_commit", said: []string{"is off"}, make: func(t *testing.T, url string, _ store.Store) string {
			on(t, url, "ALTER DATABASE "+nameOf(t, url)+" SET synchronous_commit = off")
			return ""
		}},
		{name: "read-only", check: "writable", make: func(t *testing.T, url string, _ store.Store) string {
			on(t, url, "ALTER DATABASE "+nameOf(t, url)+" SET default_transaction_read_only = on")
			return ""
		}},
		{name: "clock", check: "clock", said: []string{"differ by 1h"}, make: func(t *testing.T, url string, _ store.Store) string {
			on(t, url, "CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql AS 'SELECT pg_catalog.clock_timestamp() + interval ''1 hour'''",
				"ALTER DATABASE "+nameOf(t, url)+" SET search_path = public, pg_catalog")
			return ""
		}, bounds: store.Bounds{Overdue: 2 * time.Hour, Transaction: 2 * time.Hour, RowLock: 2 * time.Hour}},
		{name: "connections", check: "connections", said: []string{"of the database's 1 are in use"}, make: func(t *testing.T, url string, _ store.Store) string {
			on(t, url, "ALTER DATABASE "+nameOf(t, url)+" CONNECTION LIMIT 1")
			return ""
		}},
		{name: "rights", check: "rights", make: func(t *testing.T, at string, _ store.Store) string {
			on(t, at, "CREATE ROLE shy LOGIN", "GRANT SELECT ON ALL TABLES IN SCHEMA public TO shy")
			u, err := url.Parse(at)
			if err != nil {
				t.Fatal(err)
			}
			u.User = url.User("shy")
			return u.String()
		}},
		{name: "old transaction", check: "open transactions", said: []string{"a report", "as flowc", "idle in transaction"},
			bounds: store.Bounds{Transaction: time.Nanosecond}, make: func(t *testing.T, url string, _ store.Store) string {
				on(t, url+"&application_name=a%20report", "BEGIN ISOLATION LEVEL REPEATABLE READ", "SELECT count(*) FROM tokens")
				return ""
			}},
		{name: "prepared transaction", check: "prepared transactions", said: []string{"forgotten for"}, bounds: store.Bounds{Transaction: time.Nanosecond},
			make: func(t *testing.T, url string, _ store.Store) string {
				db := on(t, url, "BEGIN", "CREATE TABLE x ()", "PREPARE TRANSACTION 'forgotten'")
				t.Cleanup(func() {
					if _, err := db.Exec("ROLLBACK PREPARED 'forgotten'"); err != nil {
						t.Error(err)
					}
				})
				return ""
			}},
		{name: "slot", check: "replication slots", said: []string{"gone (physical) is used by nobody"}, make: func(t *testing.T, url string, _ store.Store) string {
			db := on(t, url, "SELECT pg_create_physical_replication_slot('gone', true)")
			t.Cleanup(func() {
				if _, err := db.Exec("SELECT pg_drop_replication_slot('gone')"); err != nil {
					t.Error(err)
				}
			})
			return ""
		}},
		{name: "dead rows", check: "dead rows", said: []string{"tokens has 100 dead rows", "tokens has autovacuum_enabled=false"}, bounds: store.Bounds{DeadRows: 50},
			make: func(t *testing.T, url string, _ store.Store) string {
				on(t, url, "ALTER TABLE tokens SET (autovacuum_enabled = false)",
					"INSERT INTO tokens (id, flow, program, status, version, created_at, updated_at) SELECT g::text, 'f', 'p', 'completed', 1, 1, 1 FROM generate_series(1, 100) g",
					"DELETE FROM tokens", "SELECT pg_stat_force_next_flush()")
				return ""
			}},
		{name: "locked row", check: "row locks", said: []string{"somebody", "holds the tokens held-1"}, bounds: store.Bounds{RowLock: time.Nanosecond},
			make: func(t *testing.T, url string, s store.Store) string {
				insert(t, s, store.Writes{NewTokens: []store.Token{token("held-1", 0), token("free", 0)}})
				on(t, url+"&application_name=somebody", "BEGIN", "SELECT id FROM tokens WHERE id = 'held-1' FOR UPDATE")
				return ""
			}},
		{name: "migration", check: "migration", said: []string{"other-host holds the lock since"}, make: func(t *testing.T, url string, _ store.Store) string {
			locked(t, url, "now() + interval '1 minute'")
			return ""
		}},
		{name: "migration that was left", check: "migration", said: []string{"other-host began one", "is gone"}, make: func(t *testing.T, url string, _ store.Store) string {
			locked(t, url, "now() - interval '1 minute'")
			return ""
		}},
		{name: "newer schema", check: "schema", said: []string{"its version is 9999, this program knows"}, make: func(t *testing.T, _ string, s store.Store) string {
			store.SetSchemaVersion(t, s, 9999)
			return ""
		}},
		{name: "older schema", check: "schema", said: []string{"its version is 1, this program's is"}, make: func(t *testing.T, url string, _ store.Store) string {
			on(t, url, "DELETE FROM flowc_schema WHERE version_id > 1")
			return ""
		}},
		{name: "quarantine", check: "quarantine", said: []string{"1 set aside: order:k since ", "(cannot be read)"}, make: quarantined},
		{name: "overdue", check: "timers", said: []string{"waits since 1970-01-01T00:00:00Z"}, make: overdue},
		{name: "message", check: "messages", said: []string{"waits since 1970-01-01T00:00:00Z"}, make: waitingMessage},
		{name: "program", check: "programs", said: []string{"the programs of 1 living tokens are missing"}, make: withoutProgram},
		{name: "pooler", check: "pooler", said: []string{"a pooler in transaction mode"}, make: func(t *testing.T, url string, _ store.Store) string { return pooled(t, url) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			url := server.New(t)
			s := open(t, url, store.Options{})
			at := ""
			if test.make != nil {
				at = test.make(t, url, s)
			}
			if at == "" {
				at = url
			}
			finds(t, examine(t, at, test.bounds), test.check, test.said...)
		})
	}
}

func locked(t *testing.T, url, until string) {
	t.Helper()
	on(t, url, "DELETE FROM flowc_schema_lock", `INSERT INTO flowc_schema_lock (lock_id, locked, locked_at, locked_by, lease_expires_at)
		VALUES (1, true, now() - interval '2 minutes', 'other-host', `+until+`)`)
}

func quarantined(t *testing.T, _ string, s store.Store) string {
	t.Helper()
	row := token("a", 0)
	row.Key = "k"
	insert(t, s, store.Writes{NewTokens: []store.Token{row}})
	update(t, s, func(tx *store.Tx) error { return tx.Quarantine("a", "cannot be read\nand a stack") })
	return ""
}

func overdue(t *testing.T, _ string, s store.Store) string {
	t.Helper()
	insert(t, s, store.Writes{NewTokens: []store.Token{token("a", 1)}})
	return ""
}

func waitingMessage(t *testing.T, _ string, s store.Store) string {
	t.Helper()
	insert(t, s, store.Writes{NewTokens: []store.Token{token("a", 0)}, Inbox: []store.Inbox{{Receiver: "a", Sender: "s", SenderVersion: 1, N: 1, Stimulus: "{}", At: 1}}})
	return ""
}

func withoutProgram(t *testing.T, _ string, s store.Store) string {
	t.Helper()
	row := token("a", 0)
	row.Waiting = "event"
	insert(t, s, store.Writes{NewTokens: []store.Token{row}})
	return ""
}

// What belongs to a whole server, or to a database that no store can be opened on.
func TestTheDoctorOfACarelessPostgres(t *testing.T) {
	server := pgtest.NewServer(t, pgtest.Options{NoFsync: true, Settings: map[string]string{"full_page_writes": "off", "autovacuum": "off"}})
	url := server.New(t)
	on(t, url, "CREATE DATABASE ascii ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'")
	at := strings.Replace(url, strings.Trim(nameOf(t, url), `"`), "ascii", 1)
	var wrong []string
	for _, c := range examine(t, at, store.Bounds{}) {
		if !c.Fine {
			wrong = append(wrong, c.Name)
		} else if c.Name == "schema" && !strings.Contains(c.Found, "there is none") {
			t.Errorf("%+v", c)
		}
	}
	if want := []string{"fsync", "full_page_writes", "autovacuum", "encoding"}; !slices.Equal(wrong, want) {
		t.Errorf("found %v, want %v", wrong, want)
	}
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Examine(context.Background(), at, store.Bounds{}); err == nil || !strings.Contains(err.Error(), "connect") {
		t.Errorf("a server that does not run: %v", err)
	}
}

func TestTheDoctorOfSQLite(t *testing.T) {
	for _, test := range []struct {
		name   string
		make   func(t *testing.T, path string, s store.Store) string
		bounds store.Bounds
		check  string
		said   []string
	}{
		{name: "nothing"},
		{name: "quarantine", check: "quarantine", said: []string{"1 set aside: order:k since ", "(cannot be read)"}, make: quarantined},
		{name: "overdue", check: "timers", make: overdue},
		{name: "message", check: "messages", make: waitingMessage},
		{name: "program", check: "programs", make: withoutProgram},
		{name: "disk", check: "disk", said: []string{"MB are free in /"}, bounds: store.Bounds{FreeDisk: 1 << 62}},
		{name: "log", check: "journal", said: []string{"flow.db-wal has"}, bounds: store.Bounds{KeptWAL: 1}, make: overdueLater},
		{name: "newer schema", check: "schema", make: func(t *testing.T, _ string, s store.Store) string {
			store.SetSchemaVersion(t, s, 9999)
			return ""
		}},
		{name: "journal", check: "journal", said: []string{"the journal mode is delete"}, make: func(t *testing.T, path string, s store.Store) string {
			closed(t, s, path, "PRAGMA journal_mode = DELETE")
			return ""
		}},
		{name: "damaged page", check: "pages", make: damagedPage},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "flow.db")
			s, err := store.Open(context.Background(), path, store.Options{}) // it stays open: the doctor looks beside it
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			if test.make != nil {
				test.make(t, path, s)
			}
			finds(t, examine(t, path, test.bounds), test.check, test.said...)
		})
	}
}

func overdueLater(t *testing.T, _ string, s store.Store) string {
	t.Helper()
	insert(t, s, store.Writes{NewTokens: []store.Token{token("a", 1<<60)}})
	return ""
}

// closed closes a store and runs a statement on its file.
func closed(t *testing.T, s store.Store, path, statement string) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
}

// damagedPage overwrites a page of an index in the middle of the file.
func damagedPage(t *testing.T, path string, s store.Store) string {
	t.Helper()
	var w store.Writes
	for i := range 2000 {
		w.History = append(w.History, store.History{Token: fmt.Sprintf("t%04d", i), Version: 1, Line: 1, Stimulus: "{}", Lines: "[]"})
	}
	insert(t, s, w)
	closed(t, s, path, "PRAGMA wal_checkpoint(TRUNCATE)")
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte(strings.Repeat("x", 4096)), info.Size()/4096*3/4*4096); err != nil {
		t.Fatal(err)
	}
	return ""
}

func TestTheDoctorOfWhatIsNoDatabase(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("no database\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for at, said := range map[string]string{
		filepath.Join(dir, "none"): "there is no file", dir: "is a folder", text: "cannot be read as a database",
		"postgres://flowc@127.0.0.1:1/x?sslmode=disable": "connect", "postgres://flowc:secret@[::1/x": "it is not one",
	} {
		_, err := store.Examine(context.Background(), at, store.Bounds{})
		if err == nil || !strings.Contains(err.Error(), said) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", at, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
		t.Error("the doctor made a file")
	}
}
