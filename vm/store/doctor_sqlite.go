package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/jmoiron/sqlx"
)

// examineSQLite reads the file beside the server that has it, which WAL allows.
func examineSQLite(ctx context.Context, path string, b Bounds) ([]Check, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("there is no file %s; `flowc run --database %s` makes one", path, path)
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder, not a database", path)
	}
	all, err := statements("doctor.sql")
	if err != nil {
		return nil, err
	}
	q := url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(5000)", "query_only(ON)"}}
	db, err := sqlx.Open(liteDriver, "file:"+strings.ReplaceAll(url.PathEscape(path), "%2F", "/")+"?"+q.Encode())
	if err != nil {
		return nil, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	x := &liteExamination{examination{db: db, sql: all, bounds: b}, path}
	x.now = func(context.Context) (int64, error) { return time.Now().UnixMicro(), nil }
	var tables int
	if err := db.GetContext(ctx, &tables, "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = '"+schemaTable+"'"); err != nil {
		return nil, fmt.Errorf("%s cannot be read as a database: %w", path, err)
	}
	x.look(ctx, namedCheck{"pages", x.pages}, namedCheck{"journal", x.journal}, namedCheck{"disk", x.disk})
	known := false
	x.look(ctx, namedCheck{"schema", func(ctx context.Context) error {
		known, err = x.schema(ctx, "sqlite", tables > 0)
		return err
	}})
	if known {
		x.look(ctx, x.tokens()...)
	}
	return x.checks, nil
}

type liteExamination struct {
	examination
	path string
}

func (x *liteExamination) pages(ctx context.Context) error {
	var found []string
	if err := x.db.SelectContext(ctx, &found, "PRAGMA quick_check(5)"); err != nil {
		return err
	}
	if len(found) != 1 || found[0] != "ok" {
		x.wrong("pages", strings.Join(found, "; "), "the file is damaged: by its disk, or because it was copied while a server had it",
			"stop the server and go back to a backup, or save what can be read with `sqlite3 FILE .recover`")
		return nil
	}
	x.fine("pages", "all of them can be read")
	return nil
}

// journal looks at the log before the file. Its mode is kept in the file; that each commit is synced is set by every server.
func (x *liteExamination) journal(ctx context.Context) error {
	var mode string
	if err := x.db.GetContext(ctx, &mode, "PRAGMA journal_mode"); err != nil {
		return err
	}
	if info, err := os.Stat(x.path + "-wal"); err == nil && info.Size() > x.bounds.KeptWAL {
		x.wrong("journal", fmt.Sprintf("%s-wal has %d MB", x.path, info.Size()>>20), "some program reads the file in one long transaction, so that the log cannot be emptied",
			"end that program; a restart of the server empties the log")
		return nil
	}
	if !strings.EqualFold(mode, "wal") {
		x.wrong("journal", "the journal mode is "+mode, "some program has changed it: readers and the server wait for each other", "start a server: it sets WAL again")
		return nil
	}
	x.fine("journal", "WAL; the server syncs each commit")
	return nil
}

func (x *liteExamination) disk(context.Context) error {
	folder, err := filepath.Abs(filepath.Dir(x.path))
	if err != nil {
		return err
	}
	var fs syscall.Statfs_t
	if err := syscall.Statfs(folder, &fs); err != nil {
		return err
	}
	free := int64(fs.Bavail) * int64(fs.Bsize) //nolint:unconvert // their types differ between systems
	if free < x.bounds.FreeDisk {
		x.wrong("disk", fmt.Sprintf("%d MB are free in %s", free>>20, folder), "without room no step can be saved: requests are answered 503 and timers wait",
			"make room, or `flowc purge`")
		return nil
	}
	x.fine("disk", "%d MB are free", free>>20)
	return nil
}
