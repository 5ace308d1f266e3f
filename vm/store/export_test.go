package store

import "testing"

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
