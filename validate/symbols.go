package validate

import (
	"strings"

	"flowc/grammar"
	"flowc/validate/diag"
	"flowc/validate/model"
	"flowc/validate/value"
)

// symKind is a name space of declarations.
type symKind uint8

const (
	symConst symKind = iota
	symType          // enums and records
	symEvent
	symTask
	symFunc
	symFragment
	symFlow
)

// kinds says, for each name space, what it is called and which findings belong to it.
var kinds = [...]struct {
	word               string
	unknown, duplicate diag.ID
	def                DefKind
}{
	symConst:    {"constant", diag.UnknownConstant, diag.DuplicateConstant, DefConst},
	symType:     {"type", diag.UnknownType, diag.DuplicateType, DefType},
	symEvent:    {"event", diag.UnknownEvent, diag.DuplicateEvent, DefEvent},
	symTask:     {"task", diag.UnknownTask, diag.DuplicateTask, DefTask},
	symFunc:     {"function", diag.UnknownFunction, diag.DuplicateFunction, DefFunc},
	symFragment: {"fragment", diag.UnknownFragment, diag.DuplicateFragment, DefFragment},
	symFlow:     {"flow", diag.UnknownFlow, diag.DuplicateFlow, DefFlow},
}

// A symbol is a declaration at the top of a file.
type symbol struct {
	kind  symKind
	name  string // as written at the declaration
	full  string // with the import's prefix
	env   *env   // the file that it stands in
	ident *grammar.Ident
	node  grammar.Decl
	def   *Def
	used  bool // mentioned anywhere

	enum     *value.Decl
	record   *value.Decl
	constant *constant
	event    *model.Event
	task     *model.Task
	fn       *function
	flow     *flow

	handled  bool    // of an event: some flow handles it
	emitted  []place // of an event: where it is raised, scheduled or sent
	recursed bool    // of a fragment: it uses itself
}

// damaged reports whether the declaration of an event or a task has a fault of the text, so that fields of it may be missing.
func (s *symbol) damaged() bool {
	return s.node.Broken() || s.env.file.faultsIn(s.node.Span()) > 0
}

// lookup finds a declaration by a path of one name, or of an import's name and another. It does not report anything.
func (f *file) lookup(kind symKind, names []string) *symbol {
	switch len(names) {
	case 1:
		return f.scope[kind][names[0]]
	case 2:
		if imp := f.aliases[names[0]]; imp != nil && imp.file != nil {
			return imp.file.own(kind, names[1])
		}
	}
	return nil
}

// own finds a declaration of the file itself.
func (f *file) own(kind symKind, name string) *symbol {
	if s := f.scope[kind][name]; s != nil && s.env.file == f {
		return s
	}
	return nil
}

// names lists what a path could say, for the nearest name.
func (f *file) names(kind symKind) []string {
	out := sortedKeys(f.scope[kind])
	for _, alias := range sortedKeys(f.aliases) {
		if imp := f.aliases[alias]; imp.file != nil {
			for _, n := range sortedKeys(imp.file.scope[kind]) {
				if imp.file.own(kind, n) != nil {
					out = append(out, alias+"."+n)
				}
			}
		}
	}
	return out
}

// find finds a declaration and marks it as mentioned.
func (c *checker) find(e *env, kind symKind, r ref) *symbol {
	if len(r) == 0 {
		return nil
	}
	s := e.file.lookup(kind, r.names())
	if s == nil {
		return nil
	}
	c.mention(e, s, r)
	return s
}

// mention marks a symbol, and the import that it came through, as used.
func (c *checker) mention(e *env, s *symbol, r ref) {
	s.used = true
	for _, imp := range e.file.imports {
		if imp.file == s.env.file && (imp.alias == "" && len(r) == 1 || len(r) == 2 && imp.alias == r[0].Text) {
			imp.used = true
			if len(r) == 2 && imp.decl.As != nil {
				c.info.refer(e.file, r[0].Span(), c.info.defs[imp.decl.As])
			}
		}
	}
	c.info.refer(e.file, r.last().Span(), s.def)
}

// mentionName is mention for a bare name.
func (c *checker) mentionName(e *env, s *symbol, span grammar.Span) {
	c.useOf(e, s)
	c.info.refer(e.file, span, s.def)
}

// useOf marks a symbol and the imports of its file as used.
func (c *checker) useOf(e *env, s *symbol) {
	s.used = true
	for _, imp := range e.file.imports {
		if imp.file == s.env.file {
			imp.used = true
		}
	}
}

// resolve finds a declaration and reports one that is missing.
func (c *checker) resolve(e *env, kind symKind, r ref) *symbol {
	if len(r) == 0 {
		return nil
	}
	if s := c.find(e, kind, r); s != nil {
		return s
	}
	c.unknown(e, kind, r)
	return nil
}

func (c *checker) unknown(e *env, kind symKind, r ref) {
	k := kinds[kind]
	if len(r) == 1 && e.file.partial || len(r) > 1 && c.unknownAlias(e, r) {
		return
	}
	n := c.report(e.ofRef(r), k.unknown, "there is no %s `%s`", k.word, r)
	if near := diag.Nearest(r.String(), e.file.names(kind)); near != "" {
		n.didYouMean(r.span(), r.String(), []string{near})
		if s := e.file.lookup(kind, strings.Split(near, ".")); s != nil {
			s.handled = true // it was meant, so it is not unused besides
			c.useOf(e, s)
		}
		return
	}
	if alias := e.file.behindAlias(kind, r.last().Text); alias != "" {
		n.help("it is behind the name of its import: `%s`", alias).fix("Write `"+alias+"`", r.span(), alias)
		if s := e.file.lookup(kind, strings.Split(alias, ".")); s != nil {
			s.handled = true
			c.useOf(e, s)
		}
		return
	}
	n.help("declare it with `%s %s`, or import the file that does", declWord(kind), r.last().Text)
}

// behindAlias finds an imported name that only lacks the import's; "" when there is none.
func (f *file) behindAlias(kind symKind, name string) string {
	for _, alias := range sortedKeys(f.aliases) {
		if f.lookup(kind, []string{alias, name}) != nil {
			return alias + "." + name
		}
	}
	return ""
}

func declWord(kind symKind) string {
	switch kind {
	case symFunc:
		return "fn"
	case symConst:
		return "const"
	}
	return kinds[kind].word
}

// unknownAlias reports a path whose first name should be an import and is none.
func (c *checker) unknownAlias(e *env, r ref) bool {
	first := r[0]
	if imp := e.file.aliases[first.Text]; imp != nil {
		imp.used = true
		return imp.file == nil // its import is reported already
	}
	c.report(e.of(first), diag.UnknownImport, "no import goes by the name `%s`", first.Text).
		didYouMean(first.Span(), first.Text, sortedKeys(e.file.aliases))
	return true
}
