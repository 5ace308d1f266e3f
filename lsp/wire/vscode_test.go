package wire

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// serveKey makes the test's own program a language server on its standard streams, for clients that start one.
const serveKey = "FLOWC_TEST_SERVES"

func TestMain(m *testing.M) {
	if os.Getenv(serveKey) == "" {
		os.Exit(m.Run())
	}
	code, err := New(Options{}).Serve(context.Background(), streams{os.Stdin, os.Stdout})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

type streams struct {
	io.Reader
	io.Writer
}

func (streams) Close() error { return os.Stdin.Close() }

// TestClientOfVSCode drives the server with the client library of VS Code, in lsp/testdata/client. The library is fetched once into
// the user's cache.
func TestClientOfVSCode(t *testing.T) {
	dir := installed(t)
	server, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	source, err := filepath.Abs(filepath.Join("..", "..", "examples", "order.flow"))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(serveKey, "1")
	if out := run(t, dir, "node", "client.mjs", server, source); strings.TrimSpace(out) != "ok" {
		t.Errorf("the client says %s", out)
	}
}

// TestAuthor works on every example as an author does, with the same library: it asks everything at many places, leaves 43 texts half
// typed (with all ends of lines, and a byte order mark), makes every quick fix that is offered, mends the text, and renames across
// files that are not saved. Every request is answered, no finding outlives its mistake, and every fix mends its own. With FLOWC_QUIET
// set, for a machine that does nothing else, the slowest hundredth of each method has to take less than 50 ms.
func TestAuthor(t *testing.T) {
	dir := installed(t)
	server, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	examples, err := filepath.Abs(filepath.Join("..", "..", "examples"))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(serveKey, "1")
	out := run(t, dir, "node", "author.mjs", server, examples)
	if !strings.Contains(out, " requests, ") {
		t.Errorf("the author says %s", out)
	}
	t.Log(strings.TrimSpace(out))
}

// installed gives a folder with the client and its library. It is named for the lock file, so that another library gets another
// folder.
func installed(t *testing.T) string {
	t.Helper()
	lock, err := os.ReadFile(filepath.Join("..", "testdata", "client", "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = t.TempDir()
	}
	sum := sha256.Sum256(lock)
	dir := filepath.Join(cache, "flowc-test", "lsp-client-"+hex.EncodeToString(sum[:6]))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(filepath.Join("..", "testdata", "client"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join("..", "testdata", "client", f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, f.Name()), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", ".package-lock.json")); err != nil {
		run(t, dir, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	}
	return dir
}

func run(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
	return string(out)
}
