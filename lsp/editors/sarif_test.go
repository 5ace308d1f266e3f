package editors_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"flowc/validate/diag"
)

// TestSARIFFitsItsSchema holds what `flowc validate --format sarif` prints to the published schema of SARIF 2.1.0: for the failing
// example of every finding, for files without findings, and for a log that has been broken on purpose.
func TestSARIFFitsItsSchema(t *testing.T) {
	dir := extension(t)
	flows := t.TempDir()
	shown := 0
	for _, entry := range diag.All() {
		examples, err := diag.Examples(entry.ID)
		if err != nil {
			t.Fatal(err)
		}
		if examples[0].Passes {
			continue // the finding of a file that is too large to be shown
		}
		shown++
		for _, file := range examples[0].Files {
			write(t, filepath.Join(flows, string(entry.ID), file.Name), file.Text)
		}
	}
	if shown < 80 {
		t.Fatalf("only %d findings have an example", shown)
	}
	all := write(t, filepath.Join(t.TempDir(), "all.sarif"), sarif(t, flows))
	none := write(t, filepath.Join(t.TempDir(), "none.sarif"), sarif(t, "../../examples/quickstart.flow"))
	ran(t, dir, nil, "npm", "run", "--silent", "test:sarif", "--", all, none)

	broken := write(t, filepath.Join(t.TempDir(), "broken.sarif"), `{"version": "2.1.0", "runs": [{"tool": {"driver": {"rules": []}}}]}`)
	check := exec.CommandContext(t.Context(), "node", "test/sarif.mjs", broken)
	check.Dir = dir
	if out, err := check.CombinedOutput(); err == nil {
		t.Errorf("a driver without a name passes the check:\n%s", out)
	}
}

// sarif gives the log of a validation; findings are no error here.
func sarif(t *testing.T, path string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), program(t), "validate", "--format", "sarif", path).Output()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		t.Fatalf("validate %s: %v", path, err)
	}
	return string(out)
}

// write makes a file with its folders and gives its name.
func write(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
