package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"time"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/*/*.sql
var migrations embed.FS

const schemaTable = "flowc_schema"

// migrate brings the schema up to date. Migrations only expand (R62), so older servers go on beside a newer one. Servers that
// start together take turns by a row in a table with a lease: no lock belongs to a session (R81). It needs two connections.
func migrate(ctx context.Context, conn *sql.DB, postgres bool) error {
	dialect, folder := goose.DialectSQLite3, "migrations/sqlite"
	options := []goose.ProviderOption{goose.WithTableName(schemaTable), goose.WithDisableGlobalRegistry(true)}
	if postgres {
		dialect, folder = goose.DialectPostgres, "migrations/postgres"
		locker, err := lock.NewPostgresTableLocker(lock.WithTableName("flowc_schema_lock"),
			lock.WithTableLockTimeout(250*time.Millisecond, 240), lock.WithTableLeaseDuration(20*time.Second))
		if err != nil {
			return fmt.Errorf("make the schema's lock: %w", err)
		}
		options = append(options, goose.WithLocker(locker))
	}
	files, err := fs.Sub(migrations, folder)
	if err != nil {
		return fmt.Errorf("open %s: %w", folder, err)
	}
	p, err := goose.NewProvider(dialect, conn, files, options...)
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	have, newest, err := p.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read the schema's version: %w", err)
	}
	switch {
	case have > newest:
		return fmt.Errorf("%w: %d, this program knows %d", ErrNewerSchema, have, newest)
	case have == newest:
		return nil
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrate the schema from %d to %d: %w", have, newest, err)
	}
	return nil
}
