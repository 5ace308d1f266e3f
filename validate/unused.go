package validate

import (
	"flowc/grammar"
	"flowc/validate/diag"
)

// checkUnused warns of what is declared and mentioned nowhere, and of events that are made and handled nowhere. When a file has
// faults, what is missing may be what mentions it.
func (c *checker) checkUnused() {
	for _, f := range c.files {
		if f.faulty || f.partial {
			return
		}
	}
	c.mentionInUnusedFragments()
	for _, s := range c.skipped {
		c.mentionAll(s.file, s.decl)
	}
	c.eachSymbol(func(s *symbol) { c.checkSymbolUsed(s) })
	for _, fl := range c.flows {
		c.checkDataUsed(fl)
	}
	for _, f := range c.files {
		if !f.library {
			c.checkImportsUsed(f)
		}
	}
}

func (c *checker) checkSymbolUsed(s *symbol) {
	e := s.env
	if s.kind == symEvent && s.used && !s.handled && len(s.emitted) > 0 {
		c.report(e.of(s.ident), diag.EventNeverHandled, "`%s` is raised, scheduled or sent, and no flow handles it", s.name).
			related(s.emitted[0], "made here").
			help("add `on %s`, or remove the event", s.name)
	}
	if s.used || e.file.library {
		return
	}
	var id diag.ID
	switch s.kind {
	case symEvent:
		id = diag.UnusedEvent
	case symTask:
		id = diag.UnusedTask
	case symFunc:
		id = diag.UnusedFunction
	case symConst:
		id = diag.UnusedConstant
	default:
		return
	}
	c.report(e.of(s.ident), id, "the %s `%s` is mentioned nowhere", kinds[s.kind].word, s.name).help("use it, or remove it")
}

func (c *checker) checkDataUsed(fl *flow) {
	for _, d := range fl.data {
		if d.used || d.decl == nil || d.env.use != nil || fl.states[0].hurt {
			continue
		}
		c.report(d.env.of(d.decl.Name), diag.UnusedData, "the data field `%s` is mentioned nowhere", d.decl.Name.Text).
			help("use it, or remove it; what others read through the API belongs into the flow's result")
	}
}

func (c *checker) checkImportsUsed(f *file) {
	e := &env{file: f}
	for _, imp := range f.imports {
		if imp.file != nil && !imp.used {
			c.report(e.of(imp.decl.Path), diag.UnusedImport, "nothing of `%s` is mentioned in this file", plainText(imp.decl.Path)).help("remove the import")
		}
	}
}

// mentionInUnusedFragments marks what fragments mention that no flow uses, since their bodies are not checked.
func (c *checker) mentionInUnusedFragments() {
	c.eachSymbol(func(s *symbol) {
		d, ok := s.node.(*grammar.FragmentDecl)
		if !ok || c.usedFragments[s] && !s.recursed {
			return
		}
		c.mentionAll(s.env.file, d)
	})
}

// mentionAll marks whatever is named below a node that is not checked.
func (c *checker) mentionAll(f *file, n grammar.Node) {
	grammar.Walk(n, func(n grammar.Node) bool {
		var names []string
		switch n := n.(type) {
		case *grammar.Path:
			names = pathRef(n).names()
		case *grammar.NameExpr:
			names = ref(chain(n)).names()
		case *grammar.SelectExpr:
			names = ref(chain(n)).names()
		}
		for k := range kinds {
			if sym := f.lookup(symKind(k), names); sym != nil {
				sym.used, sym.handled = true, true
				for _, imp := range f.imports {
					imp.used = imp.used || imp.file == sym.env.file
				}
			}
		}
		return true
	})
}
