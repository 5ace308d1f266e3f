package validate

import (
	"strconv"
	"strings"

	"flowc/grammar"
	"flowc/validate/diag"
	"flowc/validate/model"
	"flowc/validate/value"
)

// A tester checks one test block.
type tester struct {
	c       *checker
	env     *env
	m       *model.Test
	labels  map[string]*token
	last    *token // the one started last
	plain   *token // the one started last without a label
	started bool
}

// A token is one that a test has started.
type token struct {
	flow *flow // nil when it is not known
	at   place
}

// checkTests checks the test blocks of a file.
func (c *checker) checkTests(f *file) {
	e := &env{file: f}
	first := map[string]*grammar.StringLit{}
	for _, d := range f.ast.Decls {
		n, ok := d.(*grammar.TestDecl)
		if !ok || n.Body == nil {
			continue
		}
		t := &tester{c: c, env: e, labels: map[string]*token{}, m: &model.Test{Pos: e.pos(n.Span())}}
		if n.Name != nil {
			t.m.Name, t.m.Pos = plainText(n.Name), e.pos(n.Name.Span())
			if before := first[t.m.Name]; before != nil {
				c.report(e.of(n.Name), diag.DuplicateTest, "there is a test of this name already, so a report could not say which it means").
					related(e.of(before), "the first one").help("give one of them another name")
			} else {
				first[t.m.Name] = n.Name
			}
		}
		for _, line := range n.Body.Lines {
			t.line(line)
		}
		c.prog.Tests = append(c.prog.Tests, t.m)
	}
}

func (t *tester) add(s model.TestStmt) { t.m.Stmts = append(t.m.Stmts, s) }

func (t *tester) placed(n grammar.Node) model.Placed {
	return model.Placed{Pos: t.env.pos(n.Span())}
}

// A subject is a token that a line is about, with the flow whose data its expressions read.
type subject struct {
	m    model.Subject
	flow *flow
	open bool // it is not known which
}

func (t *tester) line(line *grammar.TestLine) {
	if line == nil || line.Stmt == nil {
		return
	}
	s := t.subjectOf(line)
	switch n := line.Stmt.(type) {
	case *grammar.TestAt:
		if t.started {
			t.c.report(t.env.at(wordSpan(n, "at")), diag.Syntax, "the clock's start is set before the first `start`").help("to move the clock write `advance to TIME`")
		}
		t.add(&model.TestAt{Placed: t.placed(n), Time: t.time(s, n.Time)})
	case *grammar.TestMock:
		t.mock(n)
	case *grammar.TestStart:
		t.start(n)
	case *grammar.TestSend:
		t.send(s, n)
	case *grammar.TestAdvance:
		t.advance(s, n)
	case *grammar.TestClaim:
		if sym := t.c.findTask(t.env, pathRef(n.Task)); sym != nil {
			t.add(&model.TestTask{Placed: t.placed(n), Subject: t.about(s, n), Op: model.ClaimTask, Task: sym.task})
		}
	case *grammar.TestComplete:
		t.complete(s, n)
	case *grammar.TestFail:
		t.fail(s, n)
	case *grammar.TestPause:
		t.control(s, n, model.Pause)
	case *grammar.TestResume:
		t.control(s, n, model.Resume)
	case *grammar.TestCancel:
		m := t.control(s, n, model.Cancel)
		m.Reason = plainText(n.Reason)
	case *grammar.TestRetry:
		m := t.control(s, n, model.Retry)
		if n.State != nil {
			if st := t.state(s.flow, pathRef(n.State)); st != nil {
				m.State = st.m.Index
			}
		}
	case *grammar.TestServer:
		op := map[string]model.ServerOp{"restart": model.RestartServer, "stop": model.StopServer, "start": model.StartServer}[n.Action]
		t.add(&model.TestServer{Placed: t.placed(n), Op: op})
	case *grammar.TestExpect:
		t.expect(s, n)
	}
}

// subjectOf finds the token that a line is about.
func (t *tester) subjectOf(line *grammar.TestLine) subject {
	var s subject
	tok := t.plain
	if tok == nil {
		tok = t.last
	}
	if line.Label != nil {
		s.m.Label = line.Label.Text
		tok = t.labels[line.Label.Text]
		if tok == nil {
			s.open = true
			t.c.report(t.env.of(line.Label), diag.UnknownFlow, "no token of this test is called `%s`", line.Label.Text).
				didYouMean(line.Label.Span(), line.Label.Text, sortedKeys(t.labels))
			return s
		}
		t.c.info.refer(t.env.file, line.Label.Span(), t.c.info.placedDef(t.env.file, tok.at.span))
	}
	if tok != nil {
		s.open = tok.flow == nil
		if s.flow = tok.flow; tok.flow != nil {
			s.m.Flow = tok.flow.m
		}
	}
	if line.Child == nil {
		return s
	}
	sym := t.c.findFlow(t.env, pathRef(line.Child.Flow))
	if sym == nil {
		return subject{open: true}
	}
	s.m.Child, s.flow, s.open = sym.flow.m, sym.flow, false
	if n, ok := t.number(line.Child.N, "the number of a child", 1); ok {
		s.m.N = n
	}
	return s
}

// about is the subject of a statement that needs a token.
func (t *tester) about(s subject, n grammar.Node) model.Subject {
	if s.flow == nil && !s.open && t.last == nil {
		t.last = &token{} // one finding is enough
		word := firstWord(t.env, n)
		t.c.report(t.env.at(wordSpan(n, word)), diag.UnknownFlow, "this line is about a token, and the test has started none yet").
			help("write `start FLOW(…)` first")
	}
	return s.m
}

func (t *tester) control(s subject, n grammar.Node, op model.ControlOp) *model.TestControl {
	m := &model.TestControl{Placed: t.placed(n), Subject: t.about(s, n), Op: op, State: -1}
	t.add(m)
	return m
}

// coder begins an expression over the inputs and the data of a flow.
func (t *tester) coder(s subject) *coder {
	if s.flow == nil {
		return t.c.coder(t.env, nil, nil, inTest)
	}
	x := t.c.coder(t.env, s.flow, s.flow.states[0], inTest)
	if s.flow.env.file != t.env.file {
		x.env = &env{file: t.env.file}
	}
	return x
}

func (t *tester) time(s subject, e grammar.Expr) *model.Code {
	x := t.coder(s)
	return x.asCode(x.needTime(e, value.TypeTime, "what stands here"))
}

// number reads a whole number as it is written.
func (t *tester) number(n *grammar.Literal, what string, least int) (int, bool) {
	if n == nil {
		return 0, false
	}
	v, err := strconv.Atoi(strings.ReplaceAll(n.Text, "_", ""))
	if n.Kind != grammar.Int || err != nil || v < least {
		if n.Kind != grammar.BadDuration {
			t.c.report(t.env.of(n), diag.TypeMismatch, "%s is a whole number from %d", what, least)
		}
		return 0, false
	}
	return v, true
}

func (t *tester) times(n *grammar.Count, otherwise int) int {
	if n == nil {
		return otherwise
	}
	if v, ok := t.number(n.N, "the number of times", 1); ok {
		return v
	}
	return otherwise
}

func (t *tester) start(n *grammar.TestStart) {
	t.started = true
	tok := &token{}
	if n.Flow == nil {
		t.last = tok
		return
	}
	tok.at = t.env.ofRef(callRef(n.Flow))
	sym := t.c.findFlow(t.env, callRef(n.Flow))
	x := t.coder(subject{})
	m := &model.TestStart{Placed: t.placed(n)}
	if sym != nil {
		tok.flow, m.Flow = sym.flow, sym.flow.m
		m.Args = x.asCode(x.payload(n.Flow.Args, sym.flow.m.Input, "the flow `"+sym.name+"`", callRef(n.Flow)))
	} else {
		x.looseArgs(n.Flow.Args)
	}
	if n.Key != nil {
		k := t.coder(subject{})
		m.Key = k.asCode(k.need(n.Key, value.TypeString, "a key"))
	}
	if n.After != nil {
		d := t.coder(subject{})
		m.After = d.asCode(d.need(n.After, value.TypeDuration, "the delay"))
	}
	t.last = tok
	if n.As == nil {
		t.plain = tok
	} else {
		t.label(n, tok)
		m.Label = n.As.Text
	}
	if sym != nil {
		t.add(m)
	}
}

func (t *tester) label(n *grammar.TestStart, tok *token) {
	name := n.As.Text
	t.c.info.define(t.env.file, DefLabel, n.As, n)
	tok.at = t.env.of(n.As)
	if before := t.labels[name]; before != nil {
		t.c.report(t.env.of(n.As), diag.DuplicateParameter, "a token of this test is called `%s` already", name).related(before.at, "the first one")
	}
	t.labels[name] = tok
}

func (t *tester) advance(s subject, n *grammar.TestAdvance) {
	m := &model.TestAdvance{Placed: t.placed(n)}
	switch {
	case n.To != nil:
		m.To = t.time(s, n.To)
	case n.Dur != nil:
		x := t.coder(s)
		d := x.need(n.Dur, value.TypeDuration, "what the clock advances by")
		if k, ok := d.(*model.Const); ok && !isBad(k) && k.Value.Micros() < 0 {
			x.notPositive(n.Dur, k, "what the clock advances by")
		}
		m.By = x.asCode(d)
	}
	t.add(m)
}

// state finds a state by its name or its path, wherever it is in the flow.
func (t *tester) state(fl *flow, r ref) *state {
	if fl == nil || len(r) == 0 {
		return nil
	}
	var found []*state
	for _, s := range fl.states[1:] {
		if s.m.Path == r.String() {
			found = []*state{s}
			break
		}
		if s.m.Name == r.last().Text && strings.HasSuffix("."+s.m.Path, "."+r.String()) {
			found = append(found, s)
		}
	}
	switch len(found) {
	case 1:
		t.referPath(found[0], r)
		return found[0]
	case 0:
		t.unknownState(fl, r)
	default:
		paths := make([]string, len(found))
		for i, s := range found {
			paths[i] = s.m.Path
		}
		t.c.report(t.env.ofRef(r), diag.UnknownState, "`%s` is the name of several states", r).help("write one of %s", quote(paths, "or"))
	}
	return nil
}

// referPath notes what each name of a state's path stands for: the last for the state, those before it for the states around it.
func (t *tester) referPath(s *state, r ref) {
	for i := len(r) - 1; i >= 0 && s != nil; i, s = i-1, s.parent {
		if s.ident != nil {
			t.c.info.refer(t.env.file, r[i].Span(), t.c.info.defs[s.ident])
		}
	}
}

func (t *tester) unknownState(fl *flow, r ref) {
	if fl.states[0].hurt || fl.unclear && fl.env.file.faulty {
		return
	}
	var names []string
	for _, s := range fl.states[1:] {
		names = append(names, s.m.Name)
	}
	t.c.report(t.env.ofRef(r), diag.UnknownState, "the flow `%s` has no state `%s`", fl.m.Name, r).didYouMean(r.span(), r.String(), names)
}
