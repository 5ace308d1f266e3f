package source

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Changed asks git which files differ from a revision: committed since, staged, in the working tree, removed, or not tracked yet.
// The answer is a function of a file's name as Collect gives it.
func Changed(rev string) (func(name string) bool, error) {
	if strings.HasPrefix(rev, "-") {
		return nil, fmt.Errorf("%q is no revision", rev)
	}
	top, err := git("rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	root := strings.TrimRight(string(top), "\n")
	changed := map[string]bool{}
	for _, args := range [][]string{
		{"-C", root, "diff", "--name-only", "--no-renames", "-z", rev, "--"},
		{"-C", root, "ls-files", "--others", "--exclude-standard", "-z"},
	} {
		out, err := git(args...)
		if err != nil {
			return nil, err
		}
		for _, name := range strings.Split(string(out), "\x00") {
			changed[filepath.Join(root, filepath.FromSlash(name))] = true
		}
	}
	return func(name string) bool { return name == StdinName || changed[absolute(name)] }, nil
}

// absolute is the path that git would name. The folder's links are followed as far as it exists; the file may be gone.
func absolute(name string) string {
	path, err := filepath.Abs(filepath.FromSlash(name))
	if err != nil {
		return name
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return path
}

// git runs git, which says on standard error what is wrong.
func git(args ...string) ([]byte, error) {
	cmd := exec.Command("git", args...)
	cmd.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err == nil {
		return out, nil
	}
	if text := strings.TrimSpace(said.String()); text != "" {
		return nil, fmt.Errorf("git: %s", text)
	}
	return nil, fmt.Errorf("run git: %w", err)
}
