package validate

import (
	"flowc/grammar"
	"flowc/validate/diag"
	"flowc/validate/model"
	"flowc/validate/value"
)

// A Source is one file that was read.
type Source struct {
	Name string
	AST  *grammar.File
}

// A checker holds what one check knows.
type checker struct {
	opts          Options
	rearms        []rearmed
	files         []*file
	byName        map[string]*file
	unreadable    map[string]error
	findings      []*diag.Finding
	prog          *model.Program
	info          *Info
	flows         []*flow
	symbols       []*symbol // in the order of files and declarations
	skipped       []skipped
	usedFragments map[*symbol]bool
	styled        map[*grammar.Ident]bool
	fieldDefs     map[*value.Decl]map[string]*Def
}

func newChecker(opts Options) *checker {
	return &checker{
		opts:          opts,
		byName:        map[string]*file{},
		unreadable:    map[string]error{},
		prog:          &model.Program{},
		info:          newInfo(),
		usedFragments: map[*symbol]bool{},
		styled:        map[*grammar.Ident]bool{},
		fieldDefs:     map[*value.Decl]map[string]*Def{},
	}
}

// A file is a file that was read, with the names that can be used in it.
type file struct {
	index   int
	name    string
	ast     *grammar.File
	entry   bool                           // named in Options.Files
	faulty  bool                           // has faults of the text: what follows from missing parts is not reported
	faults  []int                          // where those of the syntax begin, in order
	syntax  map[grammar.Span]*diag.Finding // the findings for the faults of the text, where a name may make the help better
	library bool                           // declares no flow
	imports []*importRef
	scope   map[symKind]map[string]*symbol
	aliases map[string]*importRef
	allows  []*allow
	partial bool // an import without a name of its own could not be read, so that names may be missing
}

// A skipped is a declaration that has a finding and is not checked further.
type skipped struct {
	file *file
	decl grammar.Decl
}

// An importRef is an import of a file.
type importRef struct {
	decl  *grammar.ImportDecl
	file  *file // nil when it could not be loaded
	alias string
	used  bool
}

// An env is where the names in a piece of code are looked up: in a file, and in the use of a fragment when the code is its body.
type env struct {
	file *file
	use  *use // nil outside fragments
}

// A place is a stretch of a file, with the env that says where a finding about it belongs.
type place struct {
	env  *env
	span grammar.Span
}

func (e *env) at(span grammar.Span) place      { return place{e, span} }
func (e *env) of(n grammar.Node) place         { return place{e, n.Span()} }
func (e *env) pos(span grammar.Span) model.Pos { return e.file.pos(span) }

func (f *file) pos(span grammar.Span) model.Pos {
	return model.Pos{File: f.index, Start: span.Start, End: span.End}
}

func (f *file) rng(span grammar.Span) diag.Range {
	return diag.RangeOf(f.ast, span.Start, span.End)
}

// A note is a finding that is being made.
type note struct {
	f    *diag.Finding
	file *file
	env  *env
}

// report makes a finding. One about the body of a fragment stands at the use in the flow, with the inner places as related.
func (c *checker) report(at place, id diag.ID, format string, args ...any) *note {
	e, span := at.env, at.span
	if e.use == nil || e.use.trial {
		f := diag.NewAt(id, e.file.name, e.file.rng(span), format, args...)
		c.findings = append(c.findings, &f)
		return &note{&f, e.file, e}
	}
	outer := e.use
	for outer.outer.use != nil && !outer.outer.use.trial {
		outer = outer.outer.use
	}
	f := diag.NewAt(id, outer.outer.file.name, outer.outer.file.rng(outer.span), format, args...)
	f.Message = "in fragment `" + outer.name + "`: " + f.Message
	f = f.WithRelated(e.file.name, e.file.rng(span), "here in the fragment")
	for u := e.use; u != outer; u = u.outer.use {
		f = f.WithRelated(u.outer.file.name, u.outer.file.rng(u.span), "used here")
	}
	c.findings = append(c.findings, &f)
	return &note{&f, outer.outer.file, e}
}

func (n *note) help(format string, args ...any) *note {
	*n.f = n.f.WithHelp(format, args...)
	return n
}

// related adds a place; a nil env is left out.
func (n *note) related(at place, format string, args ...any) *note {
	if at.env != nil && at.span.Len() > 0 {
		*n.f = n.f.WithRelated(at.env.file.name, at.env.file.rng(at.span), format, args...)
	}
	return n
}

// fix offers to replace a span of the finding's file. Inside a fragment nothing is certain, since other uses share the text.
func (n *note) fix(title string, span grammar.Span, text string) *note {
	if n.env.use == nil || n.env.use.trial {
		*n.f = n.f.WithFix(title, diag.Edit{Range: n.file.rng(span), Text: text})
	}
	return n
}

// orHelp adds a help where there is none yet.
func (n *note) orHelp(format string, args ...any) *note {
	if n.f.Help == "" {
		n.help(format, args...)
	}
	return n
}

// ticked puts every name between back-ticks.
func ticked(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = "`" + n + "`"
	}
	return out
}

// didYouMean adds the nearest of the names as help and as a fix.
func (n *note) didYouMean(span grammar.Span, name string, candidates []string) *note {
	if near := diag.Nearest(name, candidates); near != "" {
		return n.help("did you mean `%s`?", near).fix("Write `"+near+"`", span, near)
	}
	return n
}

// quote joins names for a message: `a`, `b` or `c`; at most five of them.
func quote(names []string, last string) string {
	const most = 5
	var out string
	for i, n := range names {
		switch {
		case i == most:
			return out + " and others"
		case i > 0 && i == len(names)-1:
			out += " " + last + " "
		case i > 0:
			out += ", "
		}
		out += "`" + n + "`"
	}
	return out
}
