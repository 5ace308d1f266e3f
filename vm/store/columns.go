package store

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/lib/pq"
)

// A set is rows by column: []string, []int64, []int, []bool or [][]byte, all of one length. It is how many rows travel in one
// statement (R83): as one array each on Postgres, as one JSON array of rows on SQLite.
type set []any

// arrays are a set's parameters on Postgres, for unnest.
func (s set) arrays() []any {
	args := make([]any, len(s))
	for i, c := range s {
		switch c := c.(type) {
		case []string:
			args[i] = pq.StringArray(c)
		case []int64:
			args[i] = pq.Int64Array(c)
		case []bool:
			args[i] = pq.BoolArray(c)
		case [][]byte:
			args[i] = pq.ByteaArray(c)
		default:
			args[i] = pq.Array(c)
		}
	}
	return args
}

// document is a set's one parameter on SQLite, for json_each. A set of one column is an array of values.
func (s set) document() (string, error) {
	n := s.len()
	var b bytes.Buffer
	b.WriteByte('[')
	for row := range n {
		if row > 0 {
			b.WriteByte(',')
		}
		if len(s) > 1 {
			b.WriteByte('[')
		}
		for i, c := range s {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := cell(&b, c, row); err != nil {
				return "", err
			}
		}
		if len(s) > 1 {
			b.WriteByte(']')
		}
	}
	b.WriteByte(']')
	return b.String(), nil
}

func cell(b *bytes.Buffer, column any, row int) error {
	switch c := column.(type) {
	case []string:
		text, err := json.Marshal(c[row])
		if err != nil {
			return fmt.Errorf("write a text for json_each: %w", err)
		}
		b.Write(text)
	case []int64:
		fmt.Fprintf(b, "%d", c[row])
	case []int:
		fmt.Fprintf(b, "%d", c[row])
	case []bool:
		fmt.Fprintf(b, "%t", c[row])
	case [][]byte:
		b.WriteByte('"')
		b.Write(hex.AppendEncode(nil, c[row]))
		b.WriteByte('"')
	default:
		return fmt.Errorf("a column of %T cannot be part of a set", column)
	}
	return nil
}

func (s set) len() int {
	if len(s) == 0 {
		return 0
	}
	switch c := s[0].(type) {
	case []string:
		return len(c)
	case []int64:
		return len(c)
	}
	return 0
}

// column takes one field of each row.
func column[R, C any](rows []R, field func(*R) C) []C {
	out := make([]C, len(rows))
	for i := range rows {
		out[i] = field(&rows[i])
	}
	return out
}
