package validate

import "flowc/grammar"

// Dependents returns those of the files whose findings a change may have changed: the files for which changed holds, and those
// that import one for which it holds, directly or through others, whether it still exists or not. The order is that of the files.
// A file that cannot be loaded counts as changed, so that nothing is passed over in silence.
func Dependents(files []string, loader Loader, changed func(name string) bool) []string {
	importers := map[string][]string{} // who imports a file
	reached := map[string]bool{}
	var affected []string
	for queue := files; len(queue) > 0; queue = queue[1:] {
		name := queue[0]
		if reached[name] {
			continue
		}
		reached[name] = true
		imported, err := importsOf(name, loader)
		if err != nil || changed(name) {
			affected = append(affected, name)
		}
		for _, to := range imported {
			importers[to] = append(importers[to], name)
			queue = append(queue[:len(queue):len(queue)], to)
		}
	}
	hit := map[string]bool{}
	for ; len(affected) > 0; affected = affected[1:] {
		if name := affected[0]; !hit[name] {
			hit[name] = true
			affected = append(affected, importers[name]...)
		}
	}
	var out []string
	for _, name := range files {
		if hit[name] {
			out = append(out, name)
		}
	}
	return out
}

func importsOf(name string, loader Loader) ([]string, error) {
	text, err := loader.Load(name)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, decl := range grammar.Parse(name, text).Decls {
		if imp, ok := decl.(*grammar.ImportDecl); ok && imp.Path != nil {
			if to, ok := importName(name, plainText(imp.Path)); ok {
				out = append(out, to)
			}
		}
	}
	return out, nil
}
