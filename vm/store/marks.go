package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// A Mark is how far a token's history goes: its version, and how many lines that version has so far. Marks of one token only rise:
// they change under its lock.
type Mark struct {
	Token   string `db:"id"`
	Version int64  `db:"version"`
	Lines   int    `db:"lines"`
}

// Marks is described at Store.
func (d *db) Marks(ctx context.Context, tokens []string) (map[string]Mark, error) {
	marks := make(map[string]Mark, len(tokens))
	if len(tokens) == 0 {
		return marks, nil
	}
	arg, err := d.setArg(tokens)
	if err != nil {
		return nil, err
	}
	var rows []Mark
	if err := d.selectRows(ctx, &rows, d.sql["marks"], arg); err != nil {
		return nil, fmt.Errorf("read how far histories go: %w", err)
	}
	for _, m := range rows {
		marks[m.Token] = m
	}
	return marks, nil
}

// FlowsOf is described at Store.
func (d *db) FlowsOf(ctx context.Context, tokens []string) (map[string]string, error) {
	flows := make(map[string]string, len(tokens))
	if len(tokens) == 0 {
		return flows, nil
	}
	arg, err := d.setArg(tokens)
	if err != nil {
		return nil, err
	}
	var rows []struct {
		ID   string `db:"id"`
		Flow string `db:"flow"`
	}
	if err := d.selectRows(ctx, &rows, d.sql["flows_of"], arg); err != nil {
		return nil, fmt.Errorf("read the flows of tokens: %w", err)
	}
	for _, r := range rows {
		flows[r.ID] = r.Flow
	}
	return flows, nil
}

// setLines keeps the lines that attempts of tasks added to versions that no step of the batch made.
func (t *Tx) setLines(w *Writes) error {
	r := w.Lines
	return t.execEach("set_lines", set{
		column(r, func(m *Mark) string { return m.Token }), column(r, func(m *Mark) int64 { return m.Version }),
		column(r, func(m *Mark) int { return m.Lines })})
}

// hintSize is the longest payload of a notification; Postgres takes less than 8,000 bytes.
const hintSize = 7500

// Tell is described at Store. It has a transaction of its own, which writes nothing: a NOTIFY within a step's would make its commit
// wait for those of others.
func (d *db) Tell(ctx context.Context, moved []Mark) error {
	if d.sqlite || len(moved) == 0 {
		return nil
	}
	if _, err := d.read.ExecContext(ctx, d.sql["tell"], set{packMarks(moved)}.arrays()...); err != nil {
		return fmt.Errorf("tell other servers what has moved: %w", readFault(err))
	}
	return nil
}

// packMarks writes marks into as few payloads as they fit in, a line each.
func packMarks(marks []Mark) []string {
	var all []string
	var b strings.Builder
	for _, m := range marks {
		line := m.Token + " " + strconv.FormatInt(m.Version, 10) + " " + strconv.Itoa(m.Lines) + "\n"
		if b.Len()+len(line) > hintSize && b.Len() > 0 {
			all = append(all, b.String())
			b.Reset()
		}
		b.WriteString(line)
	}
	return append(all, b.String())
}

// unpackMarks reads a payload. Lines that it does not understand are those of another version of the server; the poll covers them.
func unpackMarks(payload string) []Mark {
	var marks []Mark
	for line := range strings.Lines(payload) {
		var m Mark
		if n, err := fmt.Sscanf(line, "%s %d %d", &m.Token, &m.Version, &m.Lines); err == nil && n == 3 {
			marks = append(marks, m)
		}
	}
	return marks
}
