//go:build unix

// Package pgtest gives tests a real Postgres. It starts a throwaway cluster on
// a loopback port, one for all tests of a process, and gives each test a
// database of its own:
//
//	func TestStore(t *testing.T) {
//		db, err := sql.Open("postgres", pgtest.New(t))
//		…
//	}
//
// A machine without Postgres fails the test: a store that was not tested is not
// reported as tested. FLOWC_TEST_POSTGRES names a server to use instead; its
// role must be allowed to create databases.
//
// Whatever happens to the test process, its cluster is stopped and removed: a
// small watcher waits for the end of a pipe that only the process holds.
package pgtest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	_ "github.com/lib/pq" // the driver
)

// EnvURL is the environment variable that names an existing server.
const EnvURL = "FLOWC_TEST_POSTGRES"

// patience is how long a start, a stop or a statement of this package may take
// before the test fails: long enough for a busy machine.
const patience = time.Minute

// shared is the server of all tests of the process that ask for no other.
var shared = sync.OnceValues(func() (*Server, error) {
	if at := os.Getenv(EnvURL); at != "" {
		return external(at)
	}
	return startServer(Options{})
})

// New returns the URL of a new, empty database. It is dropped when the test
// ends.
func New(t testing.TB) string {
	t.Helper()
	s, err := shared()
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	return s.New(t)
}

// New returns the URL of a new, empty database on this server. It is dropped
// when the test ends, if the server still runs.
func (s *Server) New(t testing.TB) string {
	t.Helper()
	name := "flowc_test_" + randomName()
	if err := s.exec("CREATE DATABASE " + name); err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	t.Cleanup(func() {
		if !s.Running() {
			return
		}
		if err := s.exec("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)"); err != nil {
			t.Errorf("pgtest: %v", err)
		}
	})
	return s.databaseURL(name)
}

// exec runs a statement on the maintenance database, on a connection of its
// own, so that no pool outlives a killed server.
func (s *Server) exec(statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	db, err := sql.Open("postgres", s.URL())
	if err != nil {
		return fmt.Errorf("open %s: %w", s.URL(), err)
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}

func (s *Server) databaseURL(name string) string {
	u := s.base
	u.Path = "/" + name
	return u.String()
}

// external takes a server that was there before. It is never stopped.
func external(at string) (*Server, error) {
	u, err := url.Parse(at)
	if err != nil || u.Scheme == "" {
		return nil, fmt.Errorf("%s=%q is not a URL such as postgres://user@host:5432/postgres?sslmode=disable", EnvURL, at)
	}
	query := u.Query()
	if query.Get("sslmode") == "" {
		query.Set("sslmode", "disable")
		u.RawQuery = query.Encode()
	}
	s := &Server{base: *u, maintenance: u.Path}
	if err := s.exec("SELECT 1"); err != nil {
		return nil, fmt.Errorf("reach the server of %s: %w", EnvURL, err)
	}
	return s, nil
}

func randomName() string {
	b := make([]byte, 8)
	// crypto/rand.Read never returns an error; it ends the program instead.
	_, _ = rand.Read(b)
	return hex.EncodeToString(b)
}
