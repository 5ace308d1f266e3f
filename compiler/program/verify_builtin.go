package program

import (
	"fmt"

	"flowc/validate/builtin"
	"flowc/validate/value"
)

// Link verifies a program that was made by hand and looks its built-ins up. Decode and the compiler do so themselves.
func Link(p *Program) error {
	if err := Verify(p); err != nil {
		return err
	}
	p.link()
	return nil
}

func (p *Program) link() {
	p.funcs = make([]*builtin.Func, len(p.Builtins))
	for i, name := range p.Builtins {
		p.funcs[i], _ = builtin.Lookup(name)
	}
}

// Builtin returns the built-in with an index in Builtins. The program must be linked.
func (p *Program) Builtin(i int32) *builtin.Func { return p.funcs[i] }

// builtins checks that there are all built-ins that the program names.
func (v *verifier) builtins() error {
	for _, name := range v.p.Builtins {
		f, ok := builtin.Lookup(name)
		if !ok || f.State {
			return fmt.Errorf("unknown built-in %q", name)
		}
	}
	return nil
}

// arity checks that a built-in takes so many plain arguments, and a lambda. It asks the checker's own table, with arguments of
// types that nobody knows.
func (v *verifier) arity(name string, args int, lambda bool) error {
	f, ok := builtin.Lookup(name)
	if !ok {
		return fmt.Errorf("unknown built-in %q", name)
	}
	if args > maxArgs {
		return fmt.Errorf("%d arguments of %s", args, name)
	}
	given := make([]builtin.Arg, args, args+1)
	for i := range given {
		given[i].Type = value.TypeInvalid
	}
	if lambda {
		given = append(given, builtin.Arg{Lambda: func(*value.Type) *value.Type { return value.TypeInvalid }})
	}
	if _, problem := f.Check(given); problem != nil {
		return fmt.Errorf("%s of %d arguments: %s", name, args, problem.Message)
	}
	return nil
}

// maxArgs is how many arguments a call of min or max may have at most: one for each node of the largest expression.
const maxArgs = 10_000
