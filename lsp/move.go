package lsp

import (
	"path/filepath"
	"strings"
)

// A Move is a file or a folder that gets another name.
type Move struct{ From, To string }

// Moved gives the edits that keep the imports of the workspace right when files or folders get other names. They are for the files
// under their old names.
func (s *Snapshot) Moved(moves []Move) []Edit {
	var out []Edit
	for _, file := range s.workspace() {
		tree := s.tree(file)
		if tree == nil {
			continue
		}
		for _, l := range linksOf(tree, file) {
			from, to := moved(moves, file), moved(moves, l.Target)
			if from == file && to == l.Target {
				continue
			}
			spec, err := filepath.Rel(filepath.Dir(from), to)
			if err != nil {
				continue
			}
			if spec = filepath.ToSlash(spec); spec != string(tree.Src[l.Span.Start:l.Span.End]) {
				out = append(out, Edit{Location{file, l.Span}, spec})
			}
		}
	}
	return out
}

// moved is the new name of a file.
func moved(moves []Move, file string) string {
	for _, m := range moves {
		if file == m.From {
			return m.To
		}
		if rest, ok := strings.CutPrefix(file, m.From+"/"); ok {
			return m.To + "/" + rest
		}
	}
	return file
}
