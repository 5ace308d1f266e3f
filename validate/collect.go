package validate

import (
	"slices"
	"strconv"

	"flowc/grammar"
	"flowc/validate/diag"
)

// reserved lists the events that are never declared.
var reserved = map[string]bool{
	"timeout": true, "error": true, "completed": true, "joined": true, "expired": true, "cancel": true,
}

// collect makes the symbols of all files and brings imported names into scope.
func (c *checker) collect() {
	for _, f := range c.files {
		f.scope = map[symKind]map[string]*symbol{}
		f.aliases = map[string]*importRef{}
		for k := range kinds {
			f.scope[symKind(k)] = map[string]*symbol{}
		}
		for _, d := range f.ast.Decls {
			c.collectDecl(f, d)
		}
	}
	for _, f := range c.files {
		c.bindImports(f)
	}
	c.nameSymbols()
}

func (c *checker) collectDecl(f *file, d grammar.Decl) {
	switch d := d.(type) {
	case *grammar.ConstDecl:
		c.newSymbol(f, symConst, d.Name, d)
	case *grammar.EnumDecl:
		c.newSymbol(f, symType, d.Name, d)
	case *grammar.TypeDecl:
		c.newSymbol(f, symType, d.Name, d)
	case *grammar.EventDecl:
		c.newSymbol(f, symEvent, d.Name, d)
	case *grammar.TaskDecl:
		c.newSymbol(f, symTask, d.Name, d)
	case *grammar.FnDecl:
		c.newSymbol(f, symFunc, d.Name, d)
	case *grammar.FragmentDecl:
		c.newSymbol(f, symFragment, d.Name, d)
	case *grammar.FlowDecl:
		c.newSymbol(f, symFlow, d.Name, d)
	}
}

func (c *checker) newSymbol(f *file, kind symKind, id *grammar.Ident, d grammar.Decl) {
	if id == nil {
		return
	}
	e := &env{file: f}
	c.checkStyle(e, id)
	s := &symbol{kind: kind, name: id.Text, full: id.Text, env: e, ident: id, node: d}
	if kind == symEvent && reserved[id.Text] {
		c.report(e.of(id), diag.ReservedEventDeclared, "`%s` is a reserved event: the engine makes it, so a file cannot declare it", id.Text).
			help("remove the declaration to handle the reserved event, or choose another name")
		return
	}
	if c.builtinName(kind, id.Text) {
		c.skipped = append(c.skipped, skipped{f, d})
		c.report(e.of(id), kinds[kind].duplicate, "`%s` is built in, so a %s cannot have this name", id.Text, kinds[kind].word)
		return
	}
	if first := f.scope[kind][id.Text]; first != nil {
		c.skipped = append(c.skipped, skipped{f, d})
		c.report(e.of(id), kinds[kind].duplicate, "there is a %s `%s` already", kinds[kind].word, id.Text).
			related(first.env.of(first.ident), "first declared here")
		return
	}
	def := kinds[kind].def
	if _, ok := d.(*grammar.EnumDecl); ok {
		def = DefEnum
	}
	s.def = c.info.define(f, def, id, d)
	s.def.Doc = f.doc(d)
	f.scope[kind][id.Text] = s
	c.symbols = append(c.symbols, s)
}

func (c *checker) builtinName(kind symKind, name string) bool {
	switch kind {
	case symType:
		return builtinTypes[name] != nil || name == "list" || name == "map" || name == "outcome"
	case symFunc:
		return isBuiltin(name)
	}
	return false
}

// bindImports brings the names of the imported files into scope. Imports are not transitive: only what a file declares itself.
func (c *checker) bindImports(f *file) {
	e := &env{file: f}
	for _, ref := range f.imports {
		if ref.alias != "" {
			c.bindAlias(f, e, ref)
			continue
		}
		if ref.file == nil {
			continue
		}
		for k := range kinds {
			kind := symKind(k)
			for _, name := range sortedKeys(ref.file.scope[kind]) {
				if s := ref.file.own(kind, name); s != nil {
					c.bindName(f, e, ref, s)
				}
			}
		}
	}
}

func (c *checker) bindAlias(f *file, e *env, ref *importRef) {
	c.info.define(f, DefImport, ref.decl.As, ref.decl)
	if first := f.aliases[ref.alias]; first != nil {
		c.report(e.of(ref.decl.As), diag.DuplicateImport, "there is an import `%s` already", ref.alias).
			related(e.of(first.decl.As), "first imported here")
		return
	}
	f.aliases[ref.alias] = ref
}

func (c *checker) bindName(f *file, e *env, ref *importRef, s *symbol) {
	first := f.scope[s.kind][s.name]
	if first == nil {
		f.scope[s.kind][s.name] = s
		return
	}
	k := kinds[s.kind]
	if first.env.file == f {
		c.report(e.of(first.ident), k.duplicate, "the import of `%s` brings a %s `%s` of its own", ref.file.name, k.word, s.name).
			related(s.env.of(s.ident), "the imported one").
			help("rename one of them, or import with `as NAME`, which puts the names behind `NAME.`")
		return
	}
	c.report(e.of(ref.decl.Path), k.duplicate, "this import brings a %s `%s`, and another import does too", k.word, s.name).
		related(s.env.of(s.ident), "the one of this import").
		related(first.env.of(first.ident), "the other one").
		help("import one of them with `as NAME`, which puts the names behind `NAME.`")
}

// nameSymbols gives every symbol the name that it has in the model: as the files with flows that were named see it, with the prefixes
// of the imports on the shortest way to it. A name that is taken by then, as two files behind imports may share one, gets a number.
func (c *checker) nameSymbols() {
	prefix := c.prefixes()
	taken := map[symKind]map[string]bool{}
	for _, s := range c.symbols {
		if taken[s.kind] == nil {
			taken[s.kind] = map[string]bool{}
		}
		s.full = prefix[s.env.file] + s.name
		for n := 2; taken[s.kind][s.full] && !s.env.file.entry; n++ {
			s.full = prefix[s.env.file] + s.name + "_" + strconv.Itoa(n)
		}
		taken[s.kind][s.full] = true
	}
}

// prefixes finds the prefix of each file, breadth first: from the files with flows that were named, then from libraries that were.
func (c *checker) prefixes() map[*file]string {
	prefix := map[*file]string{}
	for _, library := range []bool{false, true} {
		var queue []*file
		for _, f := range c.files {
			if _, ok := prefix[f]; !ok && f.entry && f.library == library {
				prefix[f] = ""
				queue = append(queue, f)
			}
		}
		for ; len(queue) > 0; queue = queue[1:] {
			for _, imp := range queue[0].imports {
				if imp.file == nil {
					continue
				}
				if _, ok := prefix[imp.file]; ok {
					continue
				}
				prefix[imp.file] = prefix[queue[0]]
				if imp.alias != "" {
					prefix[imp.file] += imp.alias + "."
				}
				queue = append(queue, imp.file)
			}
		}
	}
	return prefix
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
