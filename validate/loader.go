package validate

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// A Loader gives the text of files by their names. Names use slashes; an import's name is the importing file's folder joined with
// what the import says.
type Loader interface {
	// Load returns the file's text. A file that does not exist is an error that satisfies errors.Is(err, fs.ErrNotExist).
	Load(name string) ([]byte, error)
}

// Disk loads files from the file system.
type Disk struct{}

// Load reads the file.
func (Disk) Load(name string) ([]byte, error) { return os.ReadFile(name) }

// Map loads files from memory, as they were uploaded, and nothing else.
type Map map[string]string

// Load returns the uploaded text.
func (m Map) Load(name string) ([]byte, error) {
	text, ok := m[name]
	if !ok {
		return nil, fmt.Errorf("load %s: %w", name, fs.ErrNotExist)
	}
	return []byte(text), nil
}

// An Overlay loads what an editor holds in memory and everything else from the loader below.
type Overlay struct {
	Open  map[string][]byte
	Below Loader
}

// Load returns the text in memory, or the file below.
func (o Overlay) Load(name string) ([]byte, error) {
	if text, ok := o.Open[name]; ok {
		return text, nil
	}
	return o.Below.Load(name)
}

// importName returns the name of the file that an import in another file means, and whether it is one that may be imported: a
// relative path with no scheme and no drive.
func importName(from, spec string) (string, bool) {
	if spec == "" || strings.HasPrefix(spec, "/") || strings.ContainsAny(spec, "\\:\x00") {
		return "", false
	}
	return path.Join(path.Dir(from), spec), true
}
