package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/jmoiron/sqlx"

	"flowc/vm/task"
)

func (d *db) selectRows(ctx context.Context, dest any, q string, args ...any) error {
	if err := d.read.SelectContext(ctx, dest, d.read.Rebind(q), args...); err != nil {
		return readFault(err)
	}
	return nil
}

func (d *db) getRow(ctx context.Context, dest any, name string, args ...any) error {
	if err := d.read.GetContext(ctx, dest, d.read.Rebind(d.sql[name]), args...); err != nil {
		return fmt.Errorf("%s: %w", name, readFault(err))
	}
	return nil
}

func readFault(err error) error {
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return ErrNotFound
	case errors.Is(err, context.Canceled):
		return err
	case transient(err):
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return err
}

// setArg is a set as the parameter of a read.
func (d *db) setArg(ids []string) (any, error) {
	if d.sqlite {
		return set{ids}.document()
	}
	return set{ids}.arrays()[0], nil
}

func (d *db) Token(ctx context.Context, id string) (Token, error) {
	var t Token
	err := d.getRow(ctx, &t, "token", id)
	return t, err
}

func (d *db) Key(ctx context.Context, flow, key string) (Key, error) {
	var k Key
	err := d.getRow(ctx, &k, "key", flow, key)
	return k, err
}

// conditions builds a WHERE with ? parameters.
type conditions struct {
	parts []string
	args  []any
}

func (c *conditions) add(part string, args ...any) {
	c.parts = append(c.parts, part)
	c.args = append(c.args, args...)
}

// oneOf wants a column to have one of the values; nil is any.
func (c *conditions) oneOf(column string, values []string) {
	if values == nil {
		return
	}
	marks := make([]string, len(values))
	for i, v := range values {
		marks[i] = "?"
		c.args = append(c.args, v)
	}
	if len(marks) == 0 {
		marks = []string{"NULL"}
	}
	c.parts = append(c.parts, column+" IN ("+strings.Join(marks, ", ")+")")
}

func (c *conditions) where() string {
	if len(c.parts) == 0 {
		return ""
	}
	return "\nWHERE " + strings.Join(c.parts, " AND ")
}

func (f Filter) conditions() *conditions {
	c := &conditions{}
	if f.Flow != "" {
		c.add("flow = ?", f.Flow)
	}
	if f.Status != "" {
		c.add("status = ?", f.Status)
	}
	if f.Key != "" {
		c.add("key = ?", f.Key)
	}
	if f.Due {
		c.add("next_due IS NOT NULL")
	}
	if f.Error != "" {
		c.add("error = ?", f.Error)
	}
	if f.CreatedBefore != 0 {
		c.add("created_at < ?", f.CreatedBefore)
	}
	if f.CreatedAfter != 0 {
		c.add("created_at > ?", f.CreatedAfter)
	}
	c.oneOf("flow", f.Flows)
	return c
}

// listBytes is about how much of tokens one read gives: each may have a snapshot of a MiB and as much data, and an answer is held in
// memory until its reader has taken it.
const listBytes = 8 << 20

// List is described at Store.
func (d *db) List(ctx context.Context, f Filter) (found []Token, more bool, err error) {
	c, err := d.where(ctx, f)
	if err != nil {
		return nil, false, err
	}
	order := "created_at DESC, id DESC"
	switch {
	case f.Due:
		order = "next_due, id"
		if f.AfterID != "" {
			c.add("(next_due, id) > (?, ?)", f.AfterAt, f.AfterID)
		}
	case f.AfterID != "":
		c.add("(created_at, id) < (?, ?)", f.AfterAt, f.AfterID)
	}
	q := d.sql["list"] + c.where() + "\nORDER BY " + order + " LIMIT ?"
	rows, err := d.read.QueryxContext(ctx, d.read.Rebind(q), append(c.args, f.Limit+1)...)
	if err != nil {
		return nil, false, fmt.Errorf("list tokens: %w", readFault(err))
	}
	defer rows.Close()
	for size := 0; rows.Next(); {
		if len(found) == f.Limit || size >= listBytes {
			more = true
			break
		}
		var t Token
		if err := rows.StructScan(&t); err != nil {
			return nil, false, fmt.Errorf("list tokens: %w", readFault(err))
		}
		size += len(t.Snapshot) + len(t.Data)
		found = append(found, t)
	}
	if err := rows.Err(); err != nil {
		return nil, false, fmt.Errorf("list tokens: %w", readFault(err))
	}
	return found, more, nil
}

func (d *db) Count(ctx context.Context, f Filter) (int64, error) {
	c, err := d.where(ctx, f)
	if err != nil {
		return 0, err
	}
	var n int64
	if err := d.read.GetContext(ctx, &n, d.read.Rebind("SELECT count(*) FROM tokens"+c.where()), c.args...); err != nil {
		return 0, fmt.Errorf("count tokens: %w", readFault(err))
	}
	return n, nil
}

func (d *db) Recent(ctx context.Context, token string, limit int) ([]History, error) {
	var rows []History
	if err := d.selectRows(ctx, &rows, d.sql["recent_history"], token, limit); err != nil {
		return nil, fmt.Errorf("read the end of the history of %s: %w", token, err)
	}
	return rows, nil
}

func (d *db) Tokens(ctx context.Context, ids []string) ([]Token, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	in, args, err := sqlx.In("id IN (?)", ids)
	if err != nil {
		return nil, fmt.Errorf("read tokens: %w", err)
	}
	var rows []Token
	if err := d.selectRows(ctx, &rows, d.sql["list"]+"\nWHERE "+in+"\nORDER BY id", args...); err != nil {
		return nil, fmt.Errorf("read tokens: %w", err)
	}
	return rows, nil
}

func (d *db) Tasks(ctx context.Context, f TaskFilter) ([]task.Row, error) {
	c := &conditions{}
	if f.ID != "" {
		c.add("id = ?", f.ID)
	}
	if f.Task != "" {
		c.add("task = ?", f.Task)
	}
	if f.Token != "" {
		c.add("token = ?", f.Token)
	}
	c.oneOf("flow", f.Flows)
	switch {
	case f.Status != "":
		c.add("status = ?", f.Status)
	case !f.All:
		c.add("status IN ('offered', 'claimed', 'backoff')")
	}
	if f.After != "" {
		c.add("id > ?", f.After)
	}
	var found []taskRow
	if err := d.selectRows(ctx, &found, d.sql["tasks"]+c.where()+"\nORDER BY id LIMIT ?", append(c.args, f.Limit)...); err != nil {
		return nil, fmt.Errorf("list tasks: %w", err)
	}
	return taskRows(found)
}

func (d *db) Program(ctx context.Context, hash string) (Program, error) {
	var p Program
	err := d.getRow(ctx, &p, "program", hash)
	return p, err
}

func (d *db) Flow(ctx context.Context, name string) (Flow, error) {
	var f Flow
	err := d.getRow(ctx, &f, "flow", name)
	return f, err
}

func (d *db) Flows(ctx context.Context) ([]Flow, error) {
	var rows []Flow
	err := d.selectRows(ctx, &rows, d.sql["flows"])
	return rows, err
}

func (d *db) Programs(ctx context.Context, flow string) ([]Program, error) {
	var rows []Program
	err := d.selectRows(ctx, &rows, d.sql["versions_of_flow"], flow)
	return rows, err
}

func (d *db) Quarantined(ctx context.Context, limit int) ([]Quarantined, error) {
	var rows []Quarantined
	err := d.selectRows(ctx, &rows, d.sql["quarantined"], limit)
	return rows, err
}

func (d *db) QuarantineOf(ctx context.Context, token string) (Quarantined, error) {
	var q Quarantined
	err := d.getRow(ctx, &q, "quarantined_token", token)
	return q, err
}
