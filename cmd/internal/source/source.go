// Package source finds the .flow files that a command line names and reads and writes them.
package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Stdin is the path that means standard input, and StdinName the name that its findings carry.
const (
	Stdin     = "-"
	StdinName = "<stdin>"
)

// A File is a file named on the command line or found in a folder named there.
type File struct {
	Name string // as it is shown: the path as the user would write it
	Path string // Stdin for standard input
	Text []byte
}

// Collect reads the files that the paths name: files as they are, folders with every *.flow file below them, names that begin
// with a dot aside, and Stdin. A file that several paths lead to is read once, under the first name. Files have at most
// limit+1 bytes of text, so that a caller can see that one is too large. The error joins all that could not be read; the files
// that could be are returned beside it.
func Collect(paths []string, stdin io.Reader, limit int64) ([]File, error) {
	c := collection{stdin: stdin, limit: limit}
	for _, path := range paths {
		c.add(path)
	}
	return c.files, errors.Join(c.errs...)
}

type collection struct {
	stdin     io.Reader
	limit     int64
	files     []File
	infos     []fs.FileInfo // of files that are no stdin
	readStdin bool
	errs      []error
}

func (c *collection) fail(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf(format, args...))
}

func (c *collection) add(path string) {
	if path == Stdin {
		c.addStdin()
		return
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		c.fail("cannot read %s: %w", path, reason(err))
	case info.IsDir():
		c.addFolder(path)
	default:
		c.addFile(path, info)
	}
}

func (c *collection) addStdin() {
	if c.readStdin {
		return
	}
	c.readStdin = true
	text, err := io.ReadAll(io.LimitReader(c.stdin, c.limit+1))
	if err != nil {
		c.fail("cannot read standard input: %w", err)
		return
	}
	c.files = append(c.files, File{Name: StdinName, Path: Stdin, Text: text})
}

// addFolder takes the folder's files in the order of their names. Folders behind symbolic links are not entered, so that no
// circle of links can hold it.
func (c *collection) addFolder(root string) {
	found := false
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			c.fail("cannot read %s: %w", path, reason(err))
			return nil
		case path != root && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir() || filepath.Ext(path) != ".flow":
			return nil
		}
		info, err := os.Stat(path)
		if err == nil && info.IsDir() {
			return nil
		}
		found = true
		if err != nil {
			c.fail("cannot read %s: %w", path, reason(err))
			return nil
		}
		c.addFile(path, info)
		return nil
	})
	if err != nil {
		c.fail("cannot read %s: %w", root, reason(err))
	}
	if !found && err == nil {
		c.fail("no .flow file in %s", root)
	}
}

func (c *collection) addFile(path string, info fs.FileInfo) {
	for _, known := range c.infos {
		if os.SameFile(known, info) {
			return
		}
	}
	text, err := Read(path, c.limit)
	if err != nil {
		c.errs = append(c.errs, err)
		return
	}
	c.infos = append(c.infos, info)
	c.files = append(c.files, File{Name: filepath.Clean(path), Path: path, Text: text})
}

// Read reads a file, at most limit+1 bytes of it.
func Read(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", path, reason(err))
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", path, reason(err))
	}
	return text, nil
}

// reason is the system's word for what went wrong, without the path, which the message names already.
func reason(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}
