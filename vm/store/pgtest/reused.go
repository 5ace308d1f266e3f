//go:build unix

package pgtest

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// idle are databases that a test has left empty, with their schema.
var idle struct {
	sync.Mutex
	urls []string
}

// Reused returns the URL of a database without rows that may have been used by an earlier test of the process: its schema is
// there, so the test is spared the migrations. For tests that change neither the schema nor the database itself; the others take
// New. What holds connections to it must be closed before the test's earlier clean-ups run.
func Reused(t testing.TB) string {
	t.Helper()
	s, err := shared()
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	if s.dir == "" { // a server that outlives the process must not keep its databases
		return s.New(t)
	}
	url := takeIdle()
	if url == "" {
		name := "flowc_test_" + randomName()
		if err := s.exec("CREATE DATABASE " + name); err != nil {
			t.Fatalf("pgtest: %v", err)
		}
		url = s.databaseURL(name)
	}
	t.Cleanup(func() {
		if t.Failed() || empty(url) != nil { // it is left as it is, for the next to have a good one
			return
		}
		idle.Lock()
		defer idle.Unlock()
		idle.urls = append(idle.urls, url)
	})
	return url
}

func takeIdle() string {
	idle.Lock()
	defer idle.Unlock()
	n := len(idle.urls)
	if n == 0 {
		return ""
	}
	url := idle.urls[n-1]
	idle.urls = idle.urls[:n-1]
	return url
}

// empty removes the rows of all tables but those that say which schema it is.
func empty(url string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	db, err := sql.Open("postgres", url)
	if err != nil {
		return fmt.Errorf("open %s: %w", url, err)
	}
	defer db.Close()
	var tables string
	err = db.QueryRowContext(ctx, `SELECT COALESCE(string_agg(quote_ident(tablename), ', '), '') FROM pg_tables
WHERE schemaname = 'public' AND tablename NOT LIKE '%schema%'`).Scan(&tables)
	if err != nil {
		return fmt.Errorf("list the tables: %w", err)
	}
	if strings.TrimSpace(tables) == "" {
		return nil
	}
	if _, err := db.ExecContext(ctx, "SET lock_timeout = '5s'; TRUNCATE "+tables+" RESTART IDENTITY"); err != nil {
		return fmt.Errorf("empty the tables: %w", err)
	}
	return nil
}
