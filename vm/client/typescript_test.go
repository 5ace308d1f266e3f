package client_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// builds is where this run of the tests compiles to.
var builds = filepath.Join(os.TempDir(), fmt.Sprintf("flowc-worker-%d", os.Getpid()))

// compile checks and compiles the TypeScript worker once.
var compile = sync.OnceValues(func() (string, error) {
	modules, err := nodeModules()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(builds, 0o755); err != nil {
		return "", fmt.Errorf("make a folder for the compiled worker: %w", err)
	}
	// Node takes .js files for modules where a package says so.
	if err := os.WriteFile(filepath.Join(builds, "package.json"), []byte(`{"type": "module"}`), 0o644); err != nil {
		return "", fmt.Errorf("write the compiled worker's package: %w", err)
	}
	out, err := exec.Command("node", filepath.Join(modules, "typescript/bin/tsc"), "-p", workers+"/typescript", "--outDir", builds,
		"--typeRoots", filepath.Join(modules, "@types")).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("compile the TypeScript worker: %w\n%s", err, out)
	}
	return builds, nil
})

// nodeModules is the folder with the compiler, exactly as the lock file names it. It is installed once for all runs.
func nodeModules() (string, error) {
	lock, err := os.ReadFile(workers + "/typescript/package-lock.json")
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a folder for the TypeScript compiler: %w", err)
	}
	sum := sha256.Sum256(lock)
	home := filepath.Join(cache, "flowc", "npm-"+hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(home); err == nil {
		return filepath.Join(home, "node_modules"), nil
	}
	if err := os.MkdirAll(filepath.Dir(home), 0o755); err != nil {
		return "", err
	}
	part, err := os.MkdirTemp(filepath.Dir(home), "part-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(part)
	for _, name := range []string{"package.json", "package-lock.json"} {
		text, err := os.ReadFile(filepath.Join(workers, "typescript", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(part, name), text, 0o644)
		}
		if err != nil {
			return "", err
		}
	}
	install := exec.Command("npm", "ci", "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts")
	install.Dir = part
	if out, err := install.CombinedOutput(); err != nil {
		return "", fmt.Errorf("install the TypeScript compiler: %w\n%s", err, out)
	}
	// Another run may have been faster; then its folder is as good.
	if err := os.Rename(part, home); err != nil && !errors.Is(err, os.ErrExist) {
		if _, there := os.Stat(home); there != nil {
			return "", err
		}
	}
	return filepath.Join(home, "node_modules"), nil
}

// A lock file must not say where its packages come from: that is for who installs them to say.
func TestLockFileNamesNoPlace(t *testing.T) {
	lock, err := os.ReadFile(workers + "/typescript/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(lock), "resolved") || strings.Contains(string(lock), "://") {
		t.Error("the lock file names the place of a package")
	}
}
