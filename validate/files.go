package validate

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"flowc/grammar"
	"flowc/validate/diag"
)

// load reads the files and, breadth first, what they import. The files named are parsed side by side, since parsing is most of
// the work; nothing else depends on that.
func (c *checker) load() {
	var names []string
	var texts [][]byte
	known := map[string]bool{}
	for _, name := range c.opts.Files {
		if known[name] {
			continue
		}
		known[name] = true
		src, err := c.opts.Loader.Load(name)
		if err != nil {
			c.unreadable[name] = err
			continue
		}
		names, texts = append(names, name), append(texts, src)
	}
	for i, ast := range parseAll(names, texts) {
		c.read(names[i], ast).entry = true
	}
	for i := 0; i < len(c.files); i++ {
		c.loadImports(c.files[i])
	}
	c.checkCycles()
}

// parseAll parses files side by side, as many at a time as there are processors.
func parseAll(names []string, texts [][]byte) []*grammar.File {
	trees := make([]*grammar.File, len(names))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(names)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(names); i = int(next.Add(1)) - 1 {
				trees[i] = grammar.Parse(names[i], texts[i])
			}
		})
	}
	wg.Wait()
	return trees
}

func (c *checker) read(name string, ast *grammar.File) *file {
	f := &file{index: len(c.files), name: name, ast: ast, library: true, syntax: map[grammar.Span]*diag.Finding{}}
	for _, d := range f.ast.Decls {
		if _, ok := d.(*grammar.FlowDecl); ok {
			f.library = false
		}
	}
	c.files = append(c.files, f)
	c.byName[name] = f
	c.prog.Files = append(c.prog.Files, name)
	c.reportFaults(f)
	c.collectAllows(f)
	return f
}

func (c *checker) reportFaults(f *file) {
	for _, fault := range f.ast.Faults {
		id := diag.ID(fault.ID)
		if id != diag.DurationSyntax {
			f.faulty = true
			f.faults = append(f.faults, fault.Span.Start)
		}
		found := diag.NewAt(id, f.name, f.rng(fault.Span), "%s", fault.Message)
		found.Help = fault.Help
		for _, fix := range fault.Fixes {
			edits := make([]diag.Edit, len(fix.Edits))
			for i, e := range fix.Edits {
				edits[i] = diag.Edit{Range: f.rng(e.Span), Text: e.Text}
			}
			found = found.WithFix(fix.Title, edits...)
		}
		c.findings = append(c.findings, &found)
		f.syntax[fault.Span] = &found
	}
	slices.Sort(f.faults)
}

// faultsIn counts the faults of the syntax that begin in a span.
func (f *file) faultsIn(s grammar.Span) int {
	from, _ := slices.BinarySearch(f.faults, s.Start)
	to, _ := slices.BinarySearch(f.faults, s.End+1)
	return to - from
}

func (c *checker) loadImports(f *file) {
	e := &env{file: f}
	seen := map[string]*grammar.ImportDecl{}
	for _, d := range f.ast.Decls {
		imp, ok := d.(*grammar.ImportDecl)
		if !ok || imp.Path == nil {
			continue
		}
		ref := &importRef{decl: imp}
		if imp.As != nil {
			ref.alias = imp.As.Text
		}
		f.imports = append(f.imports, ref)
		spec := plainText(imp.Path)
		name, ok := importName(f.name, spec)
		if !ok {
			f.partial = f.partial || ref.alias == ""
			c.report(e.of(imp.Path), diag.ImportNotFound, "an import is a relative path with slashes, and `%s` is none", spec).
				help("write the path from this file's folder, as in `import \"lib.flow\"`")
			continue
		}
		if first := seen[name]; first != nil {
			c.report(e.of(imp.Path), diag.DuplicateImport, "`%s` is imported twice", spec).
				related(e.of(first.Path), "first imported here")
			continue
		}
		seen[name] = imp
		ref.file = c.loadImport(e, imp, name)
		f.partial = f.partial || ref.file == nil && ref.alias == ""
	}
}

func (c *checker) loadImport(e *env, imp *grammar.ImportDecl, name string) *file {
	if f := c.byName[name]; f != nil {
		return f
	}
	src, err := c.opts.Loader.Load(name)
	if err != nil {
		c.report(e.of(imp.Path), diag.ImportNotFound, "the file `%s` cannot be read, so none of its names are known", name).
			help("an import's path starts at the folder of the file that imports it")
		return nil
	}
	return c.read(name, grammar.Parse(name, src))
}

// checkCycles reports, for each circle of imports, the import that closes it, as seen from the files named first.
func (c *checker) checkCycles() {
	const (
		unseen = iota
		open
		done
	)
	state := make([]int, len(c.files))
	type frame struct {
		f    *file
		next int
	}
	for _, root := range c.files {
		if state[root.index] != unseen {
			continue
		}
		stack := []frame{{f: root}}
		state[root.index] = open
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if top.next == len(top.f.imports) {
				state[top.f.index] = done
				stack = stack[:len(stack)-1]
				continue
			}
			ref := top.f.imports[top.next]
			top.next++
			switch {
			case ref.file == nil || state[ref.file.index] == done:
			case state[ref.file.index] == open:
				e := &env{file: top.f}
				c.report(e.of(ref.decl.Path), diag.ImportCycle, "this import closes a circle: `%s` imports `%s` already, directly or through others", ref.file.name, top.f.name).
					help("move what both need into a file of its own")
				ref.file = nil
				top.f.partial = top.f.partial || ref.alias == ""
			default:
				state[ref.file.index] = open
				stack = append(stack, frame{f: ref.file})
			}
		}
	}
}

// plainText returns the text of a string that takes no interpolation.
func plainText(s *grammar.StringLit) string {
	if s == nil {
		return ""
	}
	var out string
	for _, p := range s.Parts {
		out += p.Text
	}
	return out
}
