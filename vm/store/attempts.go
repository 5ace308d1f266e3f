package store

import (
	"context"
	"fmt"

	"flowc/vm/task"
)

// Attempts is described at Store.
func (d *db) Attempts(ctx context.Context, token string, from, to int64) ([]task.Row, error) {
	var found []taskRow
	if err := d.selectRows(ctx, &found, d.sql["attempts"], token, from, to); err != nil {
		return nil, fmt.Errorf("read the attempts of %s: %w", token, err)
	}
	return taskRows(found)
}

// historyBytes is about how much of a history one read gives: payloads are large, and one who reads slowly must not make the server
// hold many of them. Two steps it gives at least, since of the first nothing may be wanted.
const historyBytes = 1 << 20

// History is described at Store.
func (d *db) History(ctx context.Context, token string, version int64, line, limit int) (rows []History, more bool, err error) {
	var found []struct {
		History
		Of int `db:"found"`
	}
	err = d.selectRows(ctx, &found, d.sql["history"], token, version, version, token, version, line, limit, historyBytes)
	if err != nil {
		return nil, false, fmt.Errorf("read the history of %s: %w", token, err)
	}
	for i := range found {
		rows = append(rows, found[i].History)
		more = found[i].Of == limit || found[i].Of > len(found)
	}
	return rows, more, nil
}
