package engine

import (
	"encoding/json"
	"testing"
)

// A token without a first step shows its row. Short inputs once wrote over each other.
func TestDocumentOfIsJSONWhateverTheRowHolds(t *testing.T) {
	for raw, want := range map[string][2]string{
		`{"input":{},"data":null}`:      {`{}`, `null`},
		`{"input":null,"data":{}}`:      {`null`, `{}`},
		`{"input":{"n":1},"data":null}`: {`{"n":1}`, `null`},
		`{}`:                            {`null`, `null`},
		``:                              {`null`, `null`},
		`{"input":`:                     {`null`, `null`},
	} {
		d := documentOf([]byte(raw))
		if string(d.Input) != want[0] || string(d.Data) != want[1] || !json.Valid(d.Input) || !json.Valid(d.Data) {
			t.Errorf("%q: %q and %q, want %q", raw, d.Input, d.Data, want)
		}
	}
}
