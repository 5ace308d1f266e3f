package validate

import (
	"flowc/grammar"
	"flowc/validate/diag"
	"flowc/validate/model"
	"flowc/validate/value"
)

// blockCode checks a block and makes its code.
func (x *coder) blockCode(b *grammar.Block) *model.Code {
	x.effects = &effects{assigns: map[int]bool{}}
	code := &model.Code{State: x.state()}
	if b == nil {
		return code
	}
	code.Pos = x.env.pos(b.Span())
	var falls bool
	code.Stmts, falls = x.stmts(b)
	x.effects.endless = !falls
	code.Locals = x.locals
	return code
}

// stmts checks the statements of a block in a level of names of its own. falls reports whether its end may be reached.
func (x *coder) stmts(b *grammar.Block) (out []model.Stmt, falls bool) {
	if b == nil {
		return nil, true
	}
	x.open()
	defer x.close()
	falls = true
	for _, s := range b.Stmts {
		m, goesOn := x.stmt(s)
		if m != nil {
			out = append(out, m)
		}
		falls = falls && goesOn
	}
	return out, falls
}

// stmt checks one statement; it reports whether the next one may be reached.
func (x *coder) stmt(s grammar.Stmt) (model.Stmt, bool) {
	switch n := s.(type) {
	case *grammar.AssignStmt:
		return x.assign(n), true
	case *grammar.UnsetStmt:
		return x.unset(n), true
	case *grammar.LetStmt:
		return x.let(n), true
	case *grammar.IfStmt:
		return x.ifStmt(n)
	case *grammar.ForStmt:
		return x.forStmt(n), true
	case *grammar.RaiseStmt:
		return x.raise(n), true
	case *grammar.ScheduleStmt:
		return x.schedule(n), true
	case *grammar.UnscheduleStmt:
		return x.unschedule(n), true
	case *grammar.RearmStmt:
		return x.rearm(n), true
	case *grammar.DispatchStmt:
		return x.dispatch(n), true
	case *grammar.StartStmt:
		return x.startStmt(n), true
	case *grammar.SendStmt:
		return x.send(n), true
	case *grammar.NoteStmt:
		return &model.Note{Placed: x.placed(n), Text: x.words(n.Text, "a note")}, true
	case *grammar.RefuseStmt:
		return x.refuse(n), false
	case *grammar.FailStmt:
		x.effects.fails = true
		return &model.Fail{Placed: x.placed(n), Text: x.words(n.Text, "the message")}, false
	}
	return x.routineStmt(s)
}

func (x *coder) placed(n grammar.Node) model.Placed {
	return model.Placed{Pos: x.env.pos(n.Span())}
}

// words is a text for people.
func (x *coder) words(e grammar.Expr, what string) model.Expr {
	return x.value(e, value.TypeString, what)
}

// value is need in a statement: what may go wrong when it runs is noted.
func (x *coder) value(e grammar.Expr, want *value.Type, what string) model.Expr {
	m := x.need(e, want, what)
	x.noteErrors(m)
	return m
}

func (x *coder) noteErrors(m model.Expr) {
	if x.effects != nil && !x.effects.mayErr && mayErr(m) {
		x.effects.mayErr = true
	}
}

func (x *coder) refuse(n *grammar.RefuseStmt) model.Stmt {
	at := x.env.at(wordSpan(n, "refuse"))
	switch {
	case x.takes:
	case x.where == inRoutine && x.event != nil:
		x.c.report(at, diag.RefuseNotInHandler, "`refuse` answers the sender of an event, and the `wait` has taken this one already").
			help("let the case take only what it wants, `on EVENT when …`; a handler of the state, `on EVENT { refuse \"…\" }`, gets the rest")
	default:
		x.c.report(at, diag.RefuseNotInHandler, "`refuse` answers the sender of an event, and here there is none").
			help("it stands in the block of `on EVENT` of declared events; to end the token use `fail \"…\"`")
	}
	return &model.Refuse{Placed: x.placed(n), Text: x.words(n.Text, "the reason")}
}

// ifStmt is `if … else if … else …`; each branch knows what its condition has shown.
func (x *coder) ifStmt(n *grammar.IfStmt) (model.Stmt, bool) {
	type branch struct {
		cond grammar.Expr
		body *grammar.Block
		at   grammar.Node
	}
	branches := []branch{{n.Cond, n.Then, n}}
	for _, e := range n.Else {
		if e != nil {
			branches = append(branches, branch{e.Cond, e.Body, e})
		}
	}
	var first *model.If
	var last *model.If
	var ends [][]string // what is known at the ends that go on
	falls := false
	for _, b := range branches {
		if b.cond == nil {
			if last == nil {
				continue
			}
			before := x.facts
			body, goesOn := x.stmts(b.body)
			last.Else = body
			if goesOn {
				ends, falls = append(ends, x.facts), true
			}
			x.facts = before
			last = nil
			break
		}
		r := x.needBool(b.cond, "a condition")
		x.noteErrors(r.m)
		m := &model.If{Placed: x.placed(b.at), Cond: r.m}
		before := x.facts
		x.learn(r.yes...)
		var goesOn bool
		m.Then, goesOn = x.stmts(b.body)
		if goesOn {
			ends, falls = append(ends, x.facts), true
		}
		x.facts = before
		x.learn(r.no...)
		if first == nil {
			first = m
		} else if last != nil {
			last.Else = []model.Stmt{m}
		}
		last = m
	}
	if last != nil { // no `else`
		ends, falls = append(ends, x.facts), true
	}
	x.facts = meet(ends)
	if first == nil {
		return nil, true
	}
	return first, falls
}

// meet is what is known on all ways.
func meet(ways [][]string) []string {
	if len(ways) == 0 {
		return nil
	}
	out := ways[0]
	for _, w := range ways[1:] {
		out = both(out, w)
	}
	return out
}

// loop checks the body of a loop: what it changes is not known at its beginning, nor after it.
func (x *coder) loop(body *grammar.Block, known []string, before func()) []model.Stmt {
	x.forgetAssigned(body)
	at := x.facts
	if before != nil {
		before()
	}
	x.learn(known...)
	x.loops++
	out, _ := x.stmts(body)
	x.loops--
	x.facts = at
	return out
}

// forgetAssigned drops what is known of what a block may change.
func (x *coder) forgetAssigned(body *grammar.Block) {
	if body == nil || len(x.facts) == 0 {
		return
	}
	for name := range assignedNames(body) {
		if k := x.rootKey(name); k != "" {
			x.forget(k)
		}
	}
	if x.where == inRoutine && suspends(body) {
		x.forgetData()
	}
}

// rootKey is the key of a local or a data field by its name.
func (x *coder) rootKey(name string) string {
	if l := x.local(name); l != nil {
		return "l" + itoa(l.index)
	}
	switch {
	case x.env.use != nil:
		if i, ok := x.env.use.data[name]; ok {
			return "d" + itoa(i)
		}
	case x.fl != nil:
		if i, ok := x.fl.dataByName[name]; ok {
			return "d" + itoa(i)
		}
	}
	return ""
}

func (x *coder) forStmt(n *grammar.ForStmt) model.Stmt {
	m := &model.For{Placed: x.placed(n)}
	before := len(x.c.findings)
	list := x.listOf(n.List, "`for`")
	if n.Broken() { // the parser has reported it, and what is read of the list may not be all of it
		x.c.findings = x.c.findings[:before]
	}
	if list != nil && hollow(list.Type()) && len(x.c.findings) == before {
		x.c.report(x.env.of(n.List), diag.TypeMismatch, "this list is empty, so the loop never turns").help("write the list that is meant, or remove the loop")
		list = nil
	}
	elem := value.TypeInvalid
	if list != nil {
		elem = list.Type().Elem
		x.noteErrors(list)
	} else {
		list = x.bad(n.Span())
	}
	m.List = list
	x.open()
	defer x.close()
	m.Iter = x.hidden("", list.Type())
	m.Count = x.hidden("", value.TypeInt)
	m.Var = x.declare(n.Var, elem, DefLocal, n)
	said := len(x.c.findings)
	m.Body = x.loop(n.Body, nil, nil)
	if n.Broken() && n.Var == nil { // its body may name what the head does not
		x.c.findings = x.c.findings[:said]
	}
	return m
}

func (x *coder) let(n *grammar.LetStmt) model.Stmt {
	var t *value.Type
	if n.Type != nil {
		t = x.c.typeOf(x.env, n.Type)
	}
	if x.isWork(n.Value) {
		return x.letWork(n, t)
	}
	var m model.Expr
	if t != nil {
		m = x.value(n.Value, t, "`"+identText(n.Name)+"`")
	} else {
		before := len(x.c.findings)
		m = x.expr(n.Value, nil)
		x.noteErrors(m)
		t = m.Type()
		if hollow(t) && len(x.c.findings) == before {
			x.untyped(n, t)
			t = value.TypeInvalid
		}
		if isNull(t) {
			x.c.report(x.env.of(n.Value), diag.TypeMismatch, "`null` does not say of what type `%s` is", identText(n.Name)).
				help("write the type: `let %s: T? = null`", identText(n.Name))
			t = value.TypeInvalid
		}
	}
	index := x.newLocal(n.Name, t, n)
	k := "l" + itoa(index)
	if t.Optional && !m.Type().Optional && !isBad(m) {
		x.learn(k)
	}
	return &model.Assign{Placed: x.placed(n), Place: model.Place{Data: -1, Local: index}, Value: m}
}

// hollow reports whether a type is a list or a map of nothing known, as that of `[]` is.
func hollow(t *value.Type) bool {
	for t.Elem != nil && (t.Kind == value.List || t.Kind == value.Map) {
		if t = t.Elem; t.Kind == value.Invalid {
			return true
		}
	}
	return false
}

// untyped reports a `let` of an empty list or map.
func (x *coder) untyped(n *grammar.LetStmt, t *value.Type) {
	what, example := "list", "list<T> = []"
	if t.Kind == value.Map {
		what, example = "map", "map<T> = {}"
	}
	x.c.report(x.env.of(n.Value), diag.TypeMismatch, "this %s is empty and does not say what `%s` will hold", what, identText(n.Name)).
		help("write the type: `let %s: %s`", identText(n.Name), example)
}

// newLocal declares the name of a `let`, which must be new in its block.
func (x *coder) newLocal(id *grammar.Ident, t *value.Type, n grammar.Node) int {
	if id != nil {
		if first := x.block.names[id.Text]; first != nil {
			x.c.report(x.env.of(id), diag.DuplicateField, "there is a `%s` in this block already", id.Text).
				related(x.env.of(first.node), "first declared here").
				help("assign to it without `let`, or choose another name")
		}
	}
	return x.declare(id, t, DefLocal, n)
}

func identText(id *grammar.Ident) string {
	if id == nil {
		return ""
	}
	return id.Text
}
