package lsp

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"flowc/grammar"
)

// MaxWorkspaceFiles is how many files a question about the whole workspace looks at, the first ones by name.
const MaxWorkspaceFiles = 5000

// readDisk reads a file without its byte order mark: editors take the mark away and write it again, so that places on the first
// line count without it.
func readDisk(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("read %s: it is no regular file", name)
	}
	text, err := grammar.ReadFile(name)
	return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), err
}

// workspace lists the .flow files below the folders and the open ones. Folders that cannot be read are left out, as are names
// that begin with a dot and node_modules.
func (s *Snapshot) workspace() []string {
	files := s.Open()
	for _, folder := range s.folders {
		_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			switch {
			case len(files) >= MaxWorkspaceFiles:
				return fs.SkipAll
			case err != nil:
				return nil
			case path != folder && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
				if d.IsDir() {
					return fs.SkipDir
				}
			case !d.IsDir() && strings.HasSuffix(path, ".flow"):
				files = append(files, filepath.ToSlash(path))
			}
			return nil
		})
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// Files lists the files of the workspace, and the open ones.
func (s *Snapshot) Files() []string { return s.workspace() }

// mentioning lists the files of the workspace in which a word stands, and the given one.
func (s *Snapshot) mentioning(word, file string) []string {
	out := []string{file}
	for _, name := range s.workspace() {
		if d := s.Document(name); name != file && d != nil && bytes.Contains(d.Text, []byte(word)) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}
