package machine

import (
	"flowc/compiler/program"
	"flowc/validate/value"
)

func (r *run) builtin(name string, args int) error {
	return value.Errorf(CodeInternal, "there is no built-in %s", name)
}

func (r *run) lambda(l *program.Lambda, name string, locals []value.Value) error {
	return value.Errorf(CodeInternal, "there is no built-in %s", name)
}
