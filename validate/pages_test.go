package validate_test

import (
	"slices"
	"testing"

	"flowc/validate"
	"flowc/validate/diag"
)

func checkExample(e diag.Example) *validate.Result {
	files := validate.Map{}
	for _, f := range e.Files {
		files[f.Name] = f.Text
	}
	return validate.Check(validate.Options{Files: []string{diag.MainFile}, Loader: files})
}

// A page's failing example has the finding of its page and no other; the passing one has none.
func TestPagesShowTheirFinding(t *testing.T) {
	for _, entry := range diag.All() {
		t.Run(string(entry.ID), func(t *testing.T) {
			examples, err := diag.Examples(entry.ID)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range examples {
				r := checkExample(e)
				var got []diag.ID
				for _, f := range r.Findings {
					if f.Severity != diag.Hint || entry.Severity == diag.Hint {
						got = append(got, f.ID)
					}
				}
				got = slices.Compact(got)
				want := []diag.ID{entry.ID}
				if e.Passes {
					want = nil
				}
				if !slices.Equal(got, want) {
					t.Errorf("passes %v: got %q, want %q\n%s", e.Passes, got, want, texts(r))
				}
			}
		})
	}
}
