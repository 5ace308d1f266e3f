package grammar

import (
	"fmt"
)

// checker goes through the finished tree: it gathers the faults that the
// regions kept, gives incomplete nodes a place, and reports what reads like the
// language and is not.
type checker struct {
	src    []byte
	faults []Fault
	spelt  int // the end of the last type that was reported
}

func (c *checker) add(span Span, message, help string, fixes ...Fix) {
	c.faults = append(c.faults, Fault{ID: IDSyntax, Span: span, Message: message, Help: help, Fixes: fixes})
}

func (c *checker) text(span Span) string { return string(c.src[span.Start:span.End]) }

// faulty is a region, which keeps the faults inside it.
type faulty interface{ kept() []Fault }

func (n *region) kept() []Fault { return n.faults }

func (c *checker) visit(n Node, parent Node) {
	if b, ok := n.(baser); ok && len(b.base().Tokens) == 0 && parent != nil {
		// A node that was being read when a fault came has no tokens yet.
		own := b.base()
		own.Tokens, own.broken = parent.(baser).base().Tokens, true
	}
	if r, ok := n.(faulty); ok {
		c.faults = append(c.faults, r.kept()...)
	}
	if !n.Broken() {
		c.check(n)
	}
	Children(n, func(child Node) { c.visit(child, n) })
}

func (c *checker) check(n Node) {
	switch n := n.(type) {
	case Decl:
		c.decl(n)
	case StateItem:
		c.item(n)
	case TypeExpr:
		c.typeExpr(n)
	case Expr:
		c.expr(n)
	case Stmt:
		c.stmt(n)
	case TestStmt:
		c.testStmt(n)
	default:
		c.part(n)
	}
}

// named reports a missing name; the range is the word before it.
func (c *checker) named(n Node, name *Ident) {
	if name != nil {
		c.notReserved(name)
		return
	}
	first := n.(baser).base().Tokens[0]
	c.add(tokenSpan(&first), fmt.Sprintf("this `%s` has no name", first.Value), synopsis[first.Value])
}

// notReserved reports a name that would hide `self` or `event`.
func (c *checker) notReserved(name *Ident) {
	if name != nil && (name.Text == "self" || name.Text == "event") {
		c.add(name.Span(), fmt.Sprintf("`%s` is a reserved word and cannot be a name", name.Text), "")
	}
}

func (c *checker) decl(n Decl) {
	switch n := n.(type) {
	case *ImportDecl:
		c.plainText(n.Path, "the path of an import")
		c.notReserved(n.As)
	case *ConstDecl:
		c.notReserved(n.Name)
	case *EnumDecl:
		c.named(n, n.Name)
		for _, v := range n.Values() {
			c.notReserved(v)
		}
	case *TypeDecl:
		c.named(n, n.Name)
	case *EventDecl:
		c.notReserved(n.Name)
	case *TaskDecl:
		c.notReserved(n.Name)
		c.clauses(&n.Clauses, "task", "fails within retry queue")
	case *FnDecl:
		c.notReserved(n.Name)
	case *FragmentDecl:
		c.named(n, n.Name)
		c.placement(n.Body, "fragment")
	case *FlowDecl:
		c.named(n, n.Name)
		c.placement(n.Body, "flow")
	case *TestDecl:
		if n.Name == nil {
			c.named(n, nil)
		}
		c.plainText(n.Name, "the name of a test")
	}
}

// placement reports the items that the body of this kind cannot hold.
func (c *checker) placement(body *StateBody, kind string) {
	if body == nil {
		return
	}
	for _, item := range body.Items {
		word := item.(baser).base().Tokens[0]
		span := tokenSpan(&word)
		switch item.(type) {
		case *Region:
			if kind != "parallel" {
				c.add(span, "a region stands directly inside a `parallel`", "write `parallel NAME { region A { … } region B { … } }`")
			}
		case *Data:
			if kind != "flow" && kind != "fragment" {
				c.add(span, "data stands directly inside a `flow` or a `fragment`", "move it up; a value for one block is a `let`")
			}
		case *State, *Parallel, *Final, *Use, *Initial:
			c.notBesideRegions(word.Value, span, kind)
		}
	}
}

func (c *checker) notBesideRegions(word string, span Span, kind string) {
	switch kind {
	case "parallel":
		c.add(span, fmt.Sprintf("`%s` cannot stand directly inside a `parallel`", word), "put it into a `region NAME { … }`")
	case "final":
		c.add(span, fmt.Sprintf("`%s` cannot stand inside a `final`", word), "a final state may hold an `entry` block")
	}
}

func (c *checker) item(n StateItem) {
	switch n := n.(type) {
	case *State:
		c.named(n, n.Name)
		c.placement(n.Body, "state")
	case *Parallel:
		c.named(n, n.Name)
		c.placement(n.Body, "parallel")
	case *Region:
		c.named(n, n.Name)
		c.placement(n.Body, "region")
	case *Final:
		c.notReserved(n.Name)
		c.placement(n.Body, "final")
	case *Use:
		c.notReserved(n.As)
		c.argNames(n.Call)
	case *Do:
		c.clauses(&n.Clauses, "do", "within retry queue may each concurrency join")
		c.argNames(n.Call)
	case *Invoke:
		c.clauses(&n.Clauses, "invoke", "key each concurrency join")
		c.argNames(n.Call)
	default:
		c.timer(n)
	}
}

func (c *checker) timer(n StateItem) {
	switch n := n.(type) {
	case *After:
		c.leads(n, n.Target, n.Block, "this timer")
	case *At:
		c.leads(n, n.Target, n.Block, "this timer")
	case *On:
		c.leads(n, n.Target, n.Block, "this handler")
	case *Every:
		c.every(n)
	}
}

// leads reports a handler or a timer that says nothing.
func (c *checker) leads(n Node, target *Target, block *Block, what string) {
	if target == nil && block == nil {
		c.faults = append(c.faults, Fault{ID: IDSyntax, Span: n.Span(), rank: weak,
			Message: what + " says neither where to go nor what to do",
			Help:    "write `-> STATE`, a block, or `{}` to take it and do nothing"})
	}
}

func (c *checker) every(n *Every) {
	switch {
	case n.Target != nil:
		c.add(n.Target.Span(), "`every` does not leave the state", "write `after DURATION -> STATE`, or act in a block: `every DURATION { … }`")
	case n.When != nil:
		c.add(n.When.Span(), "`every` has no condition", "write `if` inside its block")
	case n.Block == nil:
		c.add(n.Span(), "this timer does not say what to do", "write `every DURATION { … }`")
	}
}

func (c *checker) stmt(n Stmt) {
	switch n := n.(type) {
	case *LetStmt:
		c.notReserved(n.Name)
	case *ForStmt:
		c.notReserved(n.Var)
	case *IfStmt:
		for i, branch := range n.Else {
			if branch.Cond == nil && i < len(n.Else)-1 {
				c.add(n.Else[i+1].Span(), "nothing can follow the last `else`", "")
				return
			}
		}
	case *RaiseStmt:
		c.argNames(n.Event)
	case *ScheduleStmt:
		c.argNames(n.Event)
	case *DispatchStmt:
		c.clauses(&n.Clauses, "dispatch", "within retry queue")
		c.argNames(n.Call)
	case *StartStmt:
		c.argNames(n.Flow)
	case *SendStmt:
		c.argNames(n.Event)
	}
}

func (c *checker) testStmt(n TestStmt) {
	switch n := n.(type) {
	case *TestMock:
		c.mock(n)
	case *TestStart:
		c.argNames(n.Flow)
	case *TestSend:
		c.argNames(n.Event)
	case *TestComplete:
		c.argNames(n.Task)
		c.argNames(n.Event)
		c.allNamed(n.Results)
	case *TestFail:
		c.argNames(n.Task)
		c.plainText(n.Code, "an error code")
	}
}

func (c *checker) mock(n *TestMock) {
	c.plainText(n.Fails, "an error code")
	c.allNamed(n.Results)
	switch {
	case n.Fails == nil && n.Final == nil && n.Results == nil:
		c.add(n.Span(), "this mock does not say how the work ends", synopsis["mock"])
	case n.Fails != nil && n.Results != nil:
		c.add(n.Results.Span(), "work that fails has no results", synopsis["mock"])
	}
}
