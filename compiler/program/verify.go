package program

import (
	"fmt"

	"flowc/validate/value"
)

// Verify checks that the program keeps all that the machine and the step rely on: every index is within its table, states form
// trees in pre-order, jumps stay in their code, the operand stack has one depth at each instruction whatever the way there, only
// routines suspend and only with an empty stack, and no function calls itself. It does not infer the types of operands: a value
// of another kind than an operation expects gives a wrong result or a run-time error, never a crash.
func Verify(p *Program) error {
	v := &verifier{
		p: p, roles: make([]role, len(p.Codes)),
		decls: map[*value.Decl]bool{}, pieces: map[[2]int]bool{},
	}
	for _, check := range []func() error{v.tables, v.flows, v.codes, v.calls} {
		if err := check(); err != nil {
			return fmt.Errorf("program %s: %w", p.Flow, err)
		}
	}
	return nil
}

// role says who refers to a code, and so what it may do.
type role uint8

const (
	unused role = iota // by nothing in the program: an expression, as those of tests
	expression
	function
	shared
	block
	routine
)

var roleNames = [...]string{"an expression", "an expression", "a function", "a shared piece", "a block", "a routine"}

// String returns the role's name for messages.
func (r role) String() string { return roleNames[r] }

type verifier struct {
	p     *Program
	roles []role

	// What was found right already, so that the work grows with the size of the program and not faster.
	decls  map[*value.Decl]bool
	pieces map[[2]int]bool // the code and whose locals it runs on
}

// inside reports an index that is not within 0 to n-1.
func inside(what string, i, n int) error {
	if i < 0 || i >= n {
		return fmt.Errorf("%s %d of %d", what, i, n)
	}
	return nil
}

// optional is inside, where -1 stands for none.
func optional(what string, i, n int) error {
	if i == -1 {
		return nil
	}
	return inside(what, i, n)
}

// all checks a list of indexes.
func all(what string, is []int, n int) error {
	for _, i := range is {
		if err := inside(what, i, n); err != nil {
			return err
		}
	}
	return nil
}

// first returns the first error. Its arguments are all evaluated, so it is for checks that do not build on one another.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// when returns an error with the text if the condition holds.
func when(wrong bool, format string, args ...any) error {
	if wrong {
		return fmt.Errorf(format, args...)
	}
	return nil
}

// tables checks what flows and codes refer to.
func (v *verifier) tables() error {
	p := v.p
	if len(p.Flows) == 0 || p.Flows[0].Name != p.Flow {
		return fmt.Errorf("its flow does not come first")
	}
	for i, d := range p.Types {
		if err := v.decl(d); err != nil {
			return fmt.Errorf("type %d: %w", i, err)
		}
	}
	names := map[string]bool{}
	for _, e := range p.Events {
		if err := first(v.record(e.Payload), unique(names, "event "+e.Name)); err != nil {
			return fmt.Errorf("event %s: %w", e.Name, err)
		}
	}
	for _, t := range p.Tasks {
		err := first(v.record(t.Params), v.record(t.Result), checkPolicy(t.Policy), unique(names, "task "+t.Name))
		if err != nil {
			return fmt.Errorf("task %s: %w", t.Name, err)
		}
	}
	for i, q := range p.Policies {
		if err := checkPolicy(q); err != nil {
			return fmt.Errorf("policy %d: %w", i, err)
		}
	}
	return v.builtins()
}

func unique(names map[string]bool, name string) error {
	if names[name] {
		return fmt.Errorf("%s occurs twice", name)
	}
	names[name] = true
	return nil
}

func checkPolicy(q Policy) error {
	return when(q.Within < 0 || q.Retries < 0 || q.Backoff < 0 || q.BackoffMax < 0, "a part of the policy is negative")
}

// decl checks a declaration once, however many places name it. What it refers to in turn is among the declarations that the
// decoder has read, and so is checked there.
func (v *verifier) decl(d *value.Decl) error {
	if v.decls[d] {
		return nil
	}
	v.decls[d] = true
	return checkDecl(d)
}

func checkDecl(d *value.Decl) error {
	if d == nil {
		return fmt.Errorf("no declaration")
	}
	for _, f := range d.Fields {
		if err := checkType(f.Type, maxTypeDepth); err != nil {
			return fmt.Errorf("field %s: %w", f.Name, err)
		}
	}
	return when(len(d.Members) > 0 && len(d.Fields) > 0, "%s is both an enum and a record", d.Name)
}

func (v *verifier) record(d *value.Decl) error {
	if err := v.decl(d); err != nil {
		return err
	}
	return when(len(d.Members) > 0, "%s is no record", d.Name)
}

// maxTypeDepth is how many lists and maps may be nested in a type.
const maxTypeDepth = value.MaxDepth

func checkType(t *value.Type, depth int) error {
	switch {
	case t == nil:
		return fmt.Errorf("no type")
	case depth == 0:
		return fmt.Errorf("a type is nested deeper than %d", maxTypeDepth)
	case t.Kind > value.Map:
		return fmt.Errorf("unknown kind of type %d", t.Kind)
	case t.Kind == value.List || t.Kind == value.Map:
		return checkType(t.Elem, depth-1)
	case t.Kind == value.Enum || t.Kind == value.Record:
		return when(t.Decl == nil, "a type without its declaration")
	}
	return nil
}
