package validate_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"flowc/validate"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The words of every finding, to be reviewed by reading.
func TestMessages(t *testing.T) {
	for _, dir := range []string{"validate", "more", "broken"} {
		for name, src := range cases(t, dir) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				golden(t, filepath.Join("testdata", "messages", dir, name+".txt"), texts(validate.CheckText(name, src)))
			})
		}
	}
}

// golden compares a text with the file that keeps it, or writes the file.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the messages changed (run with -update if that is meant):\n%s", got)
	}
}
