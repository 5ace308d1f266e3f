package engine_test

import (
	"context"
	"database/sql"
	"strings"
	"testing"
)

// peek opens a database to read it beside the servers.
func peek(ctx context.Context, url string) (*sql.DB, error) {
	driver, at := "sqlite", "file:"+url+"?mode=ro&_pragma=busy_timeout(1000)"
	if strings.HasPrefix(url, "postgres") {
		driver, at = "postgres", url
	}
	db, err := sql.Open(driver, at)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, db.PingContext(ctx)
}

// forgetPrograms removes every program from a SQLite file that no server has open.
func forgetPrograms(t testing.TB, file string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+file)
	if err == nil {
		_, err = db.Exec("DELETE FROM programs")
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
