package editors_test

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// extension makes a copy of the VS Code extension with its packages beside it, so that the checkout stays as it is. All tests of a
// run share it.
func extension(t *testing.T) string {
	t.Helper()
	need(t, "npm", "install Node 20 or newer with npm; Debian's packages are nodejs and npm")
	version := strings.TrimPrefix(strings.TrimSpace(ran(t, ".", nil, "node", "--version")), "v")
	if major, err := strconv.Atoi(strings.Split(version, ".")[0]); err != nil || major < 20 {
		t.Fatalf("node is version %s; 20 or newer is needed", version)
	}
	packages, err := installed(t, "vscode")
	if err != nil {
		t.Fatal(err)
	}
	dir := linked(t, "vscode", packages)
	licence, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "LICENSE"), licence, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// linked gives a copy of a folder with these packages beside it, the same one each time.
func linked(t *testing.T, folder, packages string) string {
	t.Helper()
	dir := filepath.Join(scratch, folder)
	if _, err := os.Lstat(filepath.Join(dir, "node_modules")); err == nil {
		return dir
	}
	if err := os.CopyFS(dir, sources{os.DirFS(folder)}); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(packages, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// installed gives the folder with the packages that the lock file of a folder names, which is made once for each lock file and kept.
// The scripts are run after the installation.
func installed(t *testing.T, folder string, scripts ...string) (string, error) {
	t.Helper()
	cache := os.Getenv("FLOWC_TEST_CACHE")
	if cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			return "", err
		}
		cache = filepath.Join(dir, "flowc")
	}
	hash := sha256.New()
	inputs := []string{"package.json", "package-lock.json", ".npmrc"}
	for _, name := range inputs {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return "", err
		}
		if name != "package.json" { // what it says of packages is in the lock file too
			hash.Write(text)
		}
	}
	home := filepath.Join(cache, fmt.Sprintf("npm-%x", hash.Sum(nil)[:8]))
	if _, err := os.Stat(home); err == nil {
		return filepath.Join(home, "node_modules"), nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	fresh, err := os.MkdirTemp(cache, "new-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(fresh)
	for _, name := range inputs {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(fresh, name), text, 0o600)
		}
		if err != nil {
			return "", err
		}
	}
	ran(t, fresh, nil, "npm", "ci", "--no-progress")
	for _, script := range scripts {
		ran(t, fresh, nil, "npm", "run", "--silent", script)
	}
	// Whoever is first wins; another run's packages are the same.
	if err := os.Rename(fresh, home); err != nil {
		if _, there := os.Stat(home); there != nil {
			return "", fmt.Errorf("keep the packages: %w", err)
		}
	}
	return filepath.Join(home, "node_modules"), nil
}

// sources is a folder without what was built or installed in it.
type sources struct{ fs.FS }

// ReadDir implements fs.ReadDirFS.
func (s sources) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(s.FS, name)
	kept := entries[:0]
	for _, e := range entries {
		switch e.Name() {
		case "node_modules", "out", "LICENSE":
		default:
			kept = append(kept, e)
		}
	}
	return kept, err
}
