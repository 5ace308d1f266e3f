package validate

import (
	"cmp"
	"slices"

	"flowc/grammar"
	"flowc/validate/model"
	"flowc/validate/value"
)

// DefKind says what a name stands for.
type DefKind uint8

// The kinds of definitions.
const (
	DefConst DefKind = iota
	DefEnum
	DefMember // a value of an enum
	DefType
	DefField // of a record, a payload or a result
	DefEvent
	DefTask
	DefFunc
	DefFragment
	DefFlow
	DefImport
	DefState
	DefData
	DefInput // a flow's parameter
	DefParam // a parameter of a function or of a fragment
	DefLocal
	DefTimer
	DefLabel // of a token in a test
)

// A Def is where a name is declared.
type Def struct {
	Kind DefKind
	Name string
	File int          // in Result.Sources
	Span grammar.Span // of the name
	Node grammar.Node // the declaration, item or statement that it belongs to
	Type *value.Type  // of what holds a value, otherwise nil
	Doc  string
}

// A Ref is a place where a name is written: where it is declared or where it is used.
type Ref struct {
	File  int
	Span  grammar.Span
	Def   *Def
	Write bool // the place assigns to it
}

// A TypeAt is the type of an expression.
type TypeAt struct {
	File  int
	Span  grammar.Span
	Type  *value.Type
	Const *value.Value // what it folds to, nil when that is only known when a token runs
}

// Info answers what stands at a place of a file. The names in a fragment's body are what they were for its last use.
type Info struct {
	Refs  []Ref    // by file and place
	Types []TypeAt // by file and place; of two at one place the longer one first

	events []eventAt
	defs   map[*grammar.Ident]*Def
	placed map[refKey]int
}

// An eventAt is a place where `event` is written, with what it is there.
type eventAt struct {
	key   refKey
	shape *shape
}

type refKey struct {
	file int
	span grammar.Span
}

func newInfo() *Info {
	return &Info{defs: map[*grammar.Ident]*Def{}, placed: map[refKey]int{}}
}

// define makes the definition of a name, once for each name in the files.
func (in *Info) define(f *file, kind DefKind, id *grammar.Ident, node grammar.Node) *Def {
	if id == nil {
		return nil
	}
	if d := in.defs[id]; d != nil {
		return d
	}
	d := &Def{Kind: kind, Name: id.Text, File: f.index, Span: id.Span(), Node: node}
	in.defs[id] = d
	in.refer(f, id.Span(), d)
	return d
}

// refer notes that a name is written there.
func (in *Info) refer(f *file, span grammar.Span, d *Def) {
	if d == nil || span.Len() == 0 {
		return
	}
	key := refKey{f.index, span}
	if i, ok := in.placed[key]; ok {
		in.Refs[i].Def = d
		return
	}
	in.placed[key] = len(in.Refs)
	in.Refs = append(in.Refs, Ref{File: f.index, Span: span, Def: d})
}

func (in *Info) wrote(f *file, span grammar.Span) {
	if i, ok := in.placed[refKey{f.index, span}]; ok {
		in.Refs[i].Write = true
	}
}

func (in *Info) typed(f *file, span grammar.Span, m model.Expr) {
	t := m.Type()
	if t == nil || t.Kind == value.Invalid {
		return
	}
	at := TypeAt{File: f.index, Span: span, Type: t}
	if k, ok := m.(*model.Const); ok {
		at.Const = &k.Value
	}
	in.Types = append(in.Types, at)
}

func (in *Info) event(f *file, span grammar.Span, sh *shape) {
	in.events = append(in.events, eventAt{refKey{f.index, span}, sh})
}

// EventFields returns the fields of the `event` that is written at the offset, by name: those that all events of the handler
// have.
func (in *Info) EventFields(file, offset int) []value.Field {
	for _, e := range in.events {
		if e.key.file != file || !e.key.span.Contains(offset) {
			continue
		}
		var out []value.Field
		for _, name := range sortedKeys(e.shape.fields) {
			out = append(out, value.Field{Name: name, Type: e.shape.fields[name]})
		}
		return out
	}
	return nil
}

// finish sorts the tables.
func (in *Info) finish() {
	slices.SortStableFunc(in.Refs, func(a, b Ref) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Span.Start, b.Span.Start))
	})
	slices.SortStableFunc(in.Types, func(a, b TypeAt) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Span.Start, b.Span.Start), cmp.Compare(b.Span.End, a.Span.End))
	})
	in.placed = nil
}

// At returns the reference whose letters the offset touches, nil when there is none.
func (in *Info) At(file, offset int) *Ref {
	i, _ := slices.BinarySearchFunc(in.Refs, refKey{file, grammar.Span{Start: offset + 1}}, compareRef)
	for i--; i >= 0 && in.Refs[i].File == file; i-- {
		if in.Refs[i].Span.Contains(offset) {
			return &in.Refs[i]
		}
		if in.Refs[i].Span.End < offset {
			return nil
		}
	}
	return nil
}

func compareRef(r Ref, key refKey) int {
	return cmp.Or(cmp.Compare(r.File, key.file), cmp.Compare(r.Span.Start, key.span.Start))
}

// RefsOf returns all places where the definition's name is written, its declaration among them.
func (in *Info) RefsOf(d *Def) []Ref {
	var out []Ref
	for _, r := range in.Refs {
		if r.Def == d {
			out = append(out, r)
		}
	}
	return out
}

// TypeOf returns the type of the smallest expression around the offset, nil when there is none.
func (in *Info) TypeOf(file, offset int) *value.Type {
	var best *TypeAt
	for i := range in.Types {
		t := &in.Types[i]
		if t.File == file && t.Span.Contains(offset) && (best == nil || t.Span.Len() <= best.Span.Len()) {
			best = t
		}
	}
	if best == nil {
		return nil
	}
	return best.Type
}

// placedDef is the definition whose name stands exactly there.
func (in *Info) placedDef(f *file, span grammar.Span) *Def {
	if i, ok := in.placed[refKey{f.index, span}]; ok {
		return in.Refs[i].Def
	}
	return nil
}
