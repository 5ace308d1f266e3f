package store

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// A Tx is one transaction of Update. Its instant is read after the locks (R12).
type Tx struct {
	db    *db
	tx    *sqlx.Tx
	now   int64
	wrote bool
}

// Now is the database's instant in microseconds: the one read with the last lock, or read now.
func (t *Tx) Now() (int64, error) {
	if t.now != 0 {
		return t.now, nil
	}
	if t.db.sqlite {
		t.now = t.db.clock()
		return t.now, nil
	}
	if err := t.get(&t.now, "now"); err != nil {
		return 0, err
	}
	return t.now, nil
}

func (t *Tx) saw(now int64) {
	if t.db.sqlite {
		now = t.db.clock()
	}
	t.now = max(t.now, now)
}

// prepared gives the statement of a name with its parameters.
func (t *Tx) prepared(name string, rows set, more []any) (string, []any, error) {
	q, ok := t.db.sql[name]
	if !ok {
		return "", nil, fmt.Errorf("no statement is named %s", name)
	}
	if t.db.options.Fault != nil {
		if err := t.db.options.Fault(name); err != nil {
			return "", nil, err
		}
	}
	if rows == nil {
		return t.tx.Rebind(q), more, nil // the shared statements have ? for their parameters
	}
	if !t.db.sqlite {
		return q, append(rows.arrays(), more...), nil
	}
	doc, err := rows.document()
	if err != nil {
		return "", nil, err
	}
	return q, append([]any{doc}, more...), nil
}

func (t *Tx) query(dest any, name string, rows set, more ...any) error {
	q, args, err := t.prepared(name, rows, more)
	if err == nil {
		crashPoint()
		err = t.tx.SelectContext(context.Background(), dest, q, args...)
		crashPoint()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (t *Tx) get(dest any, name string, args ...any) error {
	q, args, err := t.prepared(name, nil, args)
	if err == nil {
		crashPoint()
		err = t.tx.GetContext(context.Background(), dest, q, args...)
		crashPoint()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// exec runs a writing statement and gives the number of rows that it changed.
func (t *Tx) exec(name string, rows set, more ...any) (int64, error) {
	q, args, err := t.prepared(name, rows, more)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	t.wrote = true
	crashPoint()
	r, err := t.tx.ExecContext(context.Background(), q, args...)
	crashPoint()
	if err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	n, err := r.RowsAffected()
	if err != nil {
		return 0, fmt.Errorf("%s: count the rows: %w", name, err)
	}
	return n, nil
}

// execEach runs a writing statement when the set has rows, and checks that it changed every one of them.
func (t *Tx) execEach(name string, rows set, more ...any) error {
	if rows.len() == 0 {
		return nil
	}
	n, err := t.exec(name, rows, more...)
	if err != nil {
		return err
	}
	if n != int64(rows.len()) {
		return fmt.Errorf("%s changed %d of %d rows: %w", name, n, rows.len(), ErrLost)
	}
	return nil
}

// execAny runs a writing statement when the set has rows.
func (t *Tx) execAny(name string, rows set, more ...any) error {
	if rows.len() == 0 {
		return nil
	}
	_, err := t.exec(name, rows, more...)
	return err
}
