package store

import (
	"context"
	"testing"
)

// SetSchemaVersion makes a database look as if a newer program had migrated it.
func SetSchemaVersion(t testing.TB, s Store, version int64) {
	t.Helper()
	d := s.(*db)
	q := d.write.Rebind("INSERT INTO " + schemaTable + " (version_id, is_applied) VALUES (?, ?)")
	if _, err := d.write.Exec(q, version, true); err != nil {
		t.Fatal(err)
	}
}

// Statement gives the text of a named statement.
func Statement(s Store, name string) string { return s.(*db).sql[name] }

// Where gives the conditions of a filter as they are asked, with their parameters.
func Where(s Store, f Filter) (string, []any, error) {
	d := s.(*db)
	c, err := d.where(context.Background(), f)
	if err != nil {
		return "", nil, err
	}
	return d.read.Rebind(c.where()), c.args, nil
}

// Rebound gives the text of a named statement whose parameters are written ?.
func Rebound(s Store, name string) string {
	d := s.(*db)
	return d.read.Rebind(d.sql[name])
}
