package source

import (
	"flowc/grammar"
	"flowc/validate"
)

// Load gives a checker the files that were collected and, below them, the disk for what they import. Nothing is read beyond the
// largest size that a file may have.
func Load(files []File) validate.Loader {
	open := make(map[string][]byte, len(files))
	for _, f := range files {
		open[f.Name] = f.Text
	}
	return validate.Overlay{Open: open, Below: disk{}}
}

// Names gives the names of the files.
func Names(files []File) []string {
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = f.Name
	}
	return names
}

type disk struct{}

// Load implements validate.Loader.
func (disk) Load(name string) ([]byte, error) { return Read(name, grammar.MaxFileSize) }
