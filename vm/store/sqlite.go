package store

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
)

const liteDriver = "sqlite"

// openSQLite opens a file for this process alone (R80): one connection writes, others read beside it (WAL). What is committed is
// on disk (synchronous=FULL).
func openSQLite(ctx context.Context, path string, o Options) (Store, error) {
	all, err := statements("sqlite_steps.sql", "sqlite_tasks.sql", "sqlite_purge.sql", "sqlite_marks.sql", "reads.sql")
	if err != nil {
		return nil, err
	}
	d := &db{sqlite: true, sql: all, options: o, clock: o.Clock, release: func() error { return nil }}
	if d.clock == nil {
		d.clock = func() int64 { return time.Now().UnixMicro() }
	}
	memory := path == ":memory:" || path == ""
	if !memory {
		if d.release, err = lockFile(ctx, path+".lock"); err != nil {
			return nil, fmt.Errorf("open %s: %w", path, err)
		}
	}
	if err := d.openFiles(ctx, path, memory); err != nil {
		d.Close()
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return d, nil
}

func (d *db) openFiles(ctx context.Context, path string, memory bool) error {
	at := liteURL(path)
	if memory {
		at = ":memory:?_txlock=immediate"
	}
	var err error
	if d.write, err = sqlx.Open(liteDriver, at); err != nil {
		return err
	}
	d.write.SetMaxOpenConns(1) // also keeps a database in memory alive
	d.write.SetConnMaxLifetime(0)
	d.read = d.write
	if err := migrate(ctx, d.write.DB, false); err != nil {
		return err
	}
	if memory || d.options.Pool == 1 {
		return nil
	}
	if d.read, err = sqlx.Open(liteDriver, at); err != nil {
		return err
	}
	d.read.SetMaxOpenConns(4)
	return nil
}

func liteURL(path string) string {
	q := url.Values{"_txlock": {"immediate"}}
	for _, p := range []string{"journal_mode(WAL)", "synchronous(FULL)", "busy_timeout(5000)", "foreign_keys(ON)"} {
		q.Add("_pragma", p)
	}
	return "file:" + strings.ReplaceAll(url.PathEscape(path), "%2F", "/") + "?" + q.Encode()
}

// lockFile keeps other processes out: an exclusive transaction on a database of its own beside the file, which the operating
// system ends with the process however it ends.
func lockFile(ctx context.Context, path string) (release func() error, err error) {
	q := url.Values{"_pragma": {"busy_timeout(0)", "journal_mode(DELETE)"}}
	lock, err := sql.Open(liteDriver, "file:"+strings.ReplaceAll(url.PathEscape(path), "%2F", "/")+"?"+q.Encode())
	if err != nil {
		return nil, fmt.Errorf("open the lock %s: %w", path, err)
	}
	lock.SetMaxOpenConns(1)
	lock.SetConnMaxLifetime(0)
	if _, err := lock.ExecContext(ctx, "BEGIN EXCLUSIVE"); err != nil {
		lock.Close()
		if transient(err) {
			return nil, ErrInUse
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return lock.Close, nil
}

// Close is described at Store.
func (d *db) Close() error {
	var first error
	if d.read != nil && d.read != d.write {
		first = d.read.Close()
	}
	if d.write != nil {
		if err := d.write.Close(); first == nil {
			first = err
		}
	}
	if d.release != nil {
		if err := d.release(); first == nil {
			first = err
		}
	}
	if first != nil {
		return fmt.Errorf("close the store: %w", first)
	}
	return nil
}
