package compiler

import (
	"flowc/compiler/program"
	"flowc/validate/model"
	"flowc/validate/value"
)

// assign compiles `place = value`. Values are immutable, so a part is replaced by making all that it stands in anew: for x.f[i]
// the stack holds x, then x.f and i, then the value, and what contains them is put together on the way out.
func (k *coder) assign(pos model.Pos, p *model.Place, push func()) {
	k.within(p, 0, push)
	k.store(pos, p)
}

// within pushes the place's base with its part below step n replaced by what last pushes.
func (k *coder) within(p *model.Place, n int, last func()) {
	if n == len(p.Path) {
		last()
		return
	}
	step := p.Path[n]
	k.load(p, n)
	if step.Index == nil {
		k.within(p, n+1, last)
		k.emit(step.Pos, program.OpWithField, step.Field, 0)
		return
	}
	k.expr(step.Index)
	k.within(p, n+1, last)
	k.emit(step.Pos, program.OpWithIndex, 0, 0)
}

// load pushes the place as far as its first n steps.
func (k *coder) load(p *model.Place, n int) {
	pos := p.Path[0].Pos
	if p.Local >= 0 {
		k.emit(pos, program.OpLocal, p.Local, 0)
	} else {
		k.emit(pos, program.OpData, p.Data, 0)
	}
	for _, step := range p.Path[:n] {
		if step.Index == nil {
			k.emit(step.Pos, program.OpField, step.Field, 0)
			continue
		}
		k.expr(step.Index)
		k.emit(step.Pos, program.OpIndex, 0, 0)
	}
}

func (k *coder) store(pos model.Pos, p *model.Place) {
	if p.Local >= 0 {
		k.emit(pos, program.OpSetLocal, p.Local, 0)
	} else {
		k.emit(pos, program.OpSetData, p.Data, 0)
	}
}

// unset compiles `unset x["k"]`: as an assignment to the map that holds the key.
func (k *coder) unset(pos model.Pos, p *model.Place) {
	last := len(p.Path) - 1
	if last < 0 || p.Path[last].Index == nil {
		k.fail("`unset` of what is no key")
		return
	}
	holder := *p
	holder.Path = p.Path[:last]
	k.within(&holder, 0, func() {
		k.load(p, last)
		k.expr(p.Path[last].Index)
		k.emit(p.Path[last].Pos, program.OpWithout, 0, 0)
	})
	k.store(pos, p)
}

// keep stores the value on the stack, with which a suspension ended. The parts around a place are read after it: they may have
// changed while the routine waited.
func (k *coder) keep(pos model.Pos, p *model.Place, t *value.Type) {
	switch {
	case p == nil:
		k.emit(pos, program.OpPop, 0, 0)
	case len(p.Path) == 0:
		k.store(pos, p)
	default:
		held := k.hidden(t)
		k.emit(pos, program.OpSetLocal, held, 0)
		k.assign(pos, p, func() { k.emit(pos, program.OpLocal, held, 0) })
		k.emit(pos, program.OpClear, held, 0)
	}
}
