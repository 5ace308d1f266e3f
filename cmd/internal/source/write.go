package source

import (
	"fmt"
	"os"
	"path/filepath"
)

// Replace gives a file a new text, whole or not at all: whoever reads it meanwhile, or after a crash, sees the old text or the
// new one. The file keeps its mode, and a symbolic link stays one.
func Replace(path string, text []byte) error {
	if err := replace(path, text); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, reason(err))
	}
	return nil
}

func replace(path string, text []byte) error {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	if err := writable(target); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(target), ".flowc-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // gone already when all went well
	if err := fill(tmp, text, info.Mode().Perm()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), target)
}

// writable refuses a file that its owner has protected: a rename would not ask.
func writable(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

func fill(tmp *os.File, text []byte, mode os.FileMode) error {
	_, err := tmp.Write(text)
	if err == nil {
		err = tmp.Chmod(mode)
	}
	if err == nil {
		err = tmp.Sync()
	}
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	return err
}

// Create writes a file that must not exist yet.
func Create(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if os.IsExist(err) {
		return fmt.Errorf("%s exists already; it is left as it is", path)
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, reason(err))
	}
	_, err = f.Write(text)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, reason(err))
	}
	return nil
}
