package program

import (
	"fmt"

	"flowc/validate/builtin"
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

// arity checks that a built-in takes so many plain arguments, and a lambda.
func (v *verifier) arity(name string, args int, lambda bool) error {
	f, ok := builtin.Lookup(name)
	if !ok {
		return fmt.Errorf("unknown built-in %q", name)
	}
	return when(!f.Takes(args, lambda), "%s of %d arguments, lambda %t", name, args, lambda)
}
