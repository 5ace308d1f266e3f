package build

import (
	"path"

	"flowc/grammar"
	"flowc/validate"
)

// closure gives a file and all that it imports, directly or not.
func closure(check *validate.Result, file string) map[string]string {
	byName := map[string]*validate.Source{}
	for _, s := range check.Sources {
		byName[s.Name] = s
	}
	files := map[string]string{}
	for queue := []string{file}; len(queue) > 0; queue = queue[1:] {
		s := byName[queue[0]]
		if s == nil {
			continue
		}
		if _, seen := files[s.Name]; seen {
			continue
		}
		files[s.Name] = string(s.AST.Src)
		queue = append(queue, imports(s)...)
	}
	return files
}

// imports names the files that a file imports, as the checker's loaders know them.
func imports(s *validate.Source) []string {
	var names []string
	for _, d := range s.AST.Decls {
		i, ok := d.(*grammar.ImportDecl)
		if !ok || i.Path == nil {
			continue
		}
		if spec, ok := i.Path.Text(); ok {
			names = append(names, path.Join(path.Dir(s.Name), spec))
		}
	}
	return names
}
