package program

import (
	"fmt"

	"flowc/validate/value"
)

// Limits of one code.
const (
	maxStack = 1 << 16 // values at once
	maxCalls = 1_000   // functions calling functions
	maxCases = 1 << 12
)

// codes checks every code on its own, after the roles of those that other codes name are known.
func (v *verifier) codes() error {
	for i := range v.p.Codes {
		if err := v.tablesOf(i); err != nil {
			return fmt.Errorf("code %d: %w", i, err)
		}
	}
	for i := range v.p.Codes {
		err := v.operands(i)
		if err == nil {
			err = v.depths(i)
		}
		if err != nil {
			return fmt.Errorf("code %d: %w", i, err)
		}
	}
	return nil
}

// tablesOf checks where a code stands, its locals, and what its instructions refer to.
func (v *verifier) tablesOf(at int) error {
	c := &v.p.Codes[at]
	if c.Flow == -1 {
		if c.State != -1 {
			return fmt.Errorf("state %d of no flow", c.State)
		}
	} else if err := inside("flow", c.Flow, len(v.p.Flows)); err != nil {
		return err
	} else if err := inside("state", c.State, len(v.p.Flows[c.Flow].States)); err != nil {
		return err
	}
	if c.Params < 0 || c.Params > len(c.Locals) {
		return fmt.Errorf("%d parameters of %d locals", c.Params, len(c.Locals))
	}
	for _, l := range c.Locals {
		if err := checkType(l.Type, maxTypeDepth); err != nil {
			return fmt.Errorf("local %s: %w", l.Name, err)
		}
	}
	for _, t := range c.Tries {
		if err := v.try(c, t); err != nil {
			return err
		}
	}
	return first(v.lambdas(at, c), v.callsOf(c), v.waits(at, c))
}

func (v *verifier) try(c *Code, t Try) error {
	if t.From < 0 || t.To < t.From || t.To > len(c.Ins) {
		return fmt.Errorf("a try from %d to %d", t.From, t.To)
	}
	if t.Var >= 0 && t.Var < len(c.Locals) {
		if l := c.Locals[t.Var].Type; l.Kind != value.Record {
			return fmt.Errorf("an error is caught into a %s", l)
		}
	}
	return first(inside("handler", t.Handler, len(c.Ins)), optional("local", t.Var, len(c.Locals)))
}

func (v *verifier) lambdas(at int, c *Code) error {
	for _, l := range c.Lambdas {
		err := first(v.piece(at, l.Code), inside("local", l.Param, len(c.Locals)), inside("arguments", l.Args, maxStack))
		if err != nil {
			return fmt.Errorf("lambda: %w", err)
		}
	}
	return nil
}

// piece checks that a code runs on the locals of another one.
func (v *verifier) piece(of, code int) error {
	if v.pieces[[2]int{of, code}] {
		return nil
	}
	v.pieces[[2]int{of, code}] = true
	if err := v.need(code); err != nil {
		return err
	}
	c, owner := &v.p.Codes[code], &v.p.Codes[of]
	if c.Flow != owner.Flow || c.State != owner.State || c.Params != 0 || len(c.Locals) != len(owner.Locals) {
		return fmt.Errorf("code %d does not have the locals of code %d", code, of)
	}
	for i, l := range c.Locals {
		if !sameType(l.Type, owner.Locals[i].Type) {
			return fmt.Errorf("code %d has another local %s than code %d", code, l.Name, of)
		}
	}
	return v.play(code, shared)
}

// sameType is Type.Equal with declarations by pointer: within one program a declaration is there once.
func sameType(t, u *value.Type) bool {
	for t != nil && u != nil && t != u {
		if t.Kind != u.Kind || t.Optional != u.Optional || t.Decl != u.Decl {
			return false
		}
		if t.Elem == nil || u.Elem == nil {
			return t.Elem == u.Elem
		}
		t, u = t.Elem, u.Elem
	}
	return t == u
}

func (v *verifier) callsOf(c *Code) error {
	for _, k := range c.Calls {
		err := checkPolicy(k.Policy)
		if k.Task == -1 {
			err = first(err, inside("flow", k.Flow, len(v.p.Flows)))
		} else {
			err = first(err, inside("task", k.Task, len(v.p.Tasks)), when(k.Flow != -1 || k.Keyed, "a task with a flow or a key"))
		}
		if k.Result != nil {
			err = first(err, checkType(k.Result, maxTypeDepth))
		}
		if err != nil {
			return fmt.Errorf("call: %w", err)
		}
	}
	return nil
}

func (v *verifier) waits(at int, c *Code) error {
	for _, w := range c.Waits {
		err := first(
			when(w.Limit > LimitUntil, "unknown limit %d", w.Limit),
			when(len(w.Cases) == 0 && w.Limit == NoLimit || len(w.Cases) > maxCases, "%d cases", len(w.Cases)),
			when(w.Limit != NoLimit && (w.Target < 0 || w.Target >= len(c.Ins)), "target %d", w.Target),
		)
		for _, k := range w.Cases {
			err = first(err, all("event", k.Events, len(v.p.Events)), inside("target", k.Target, len(c.Ins)))
			if k.Guard != -1 && err == nil {
				err = v.piece(at, k.Guard)
			}
		}
		if err != nil {
			return fmt.Errorf("wait: %w", err)
		}
	}
	return nil
}

// operands checks each instruction on its own.
func (v *verifier) operands(at int) error {
	c := &v.p.Codes[at]
	for pc, in := range c.Ins {
		if in.Op >= opCount {
			return fmt.Errorf("%d: unknown operation %d", pc, in.Op)
		}
		o := &ops[in.Op]
		err := first(v.operand(c, in, o.a, int(in.A)), v.operand(c, in, o.b, int(in.B)), v.allowed(at, in.Op, o))
		if err == nil {
			err = v.pair(c, in)
		}
		if err != nil {
			return fmt.Errorf("%d: %s: %w", pc, in.Op, err)
		}
	}
	return nil
}

// allowed checks that the operation goes with the code's role.
func (v *verifier) allowed(at int, op Op, o *info) error {
	r := v.roles[at]
	runs := r == block || r == routine
	switch {
	case op == OpReturn:
		return when(runs, "not in %s", r)
	case op.Suspends() || op == OpGo || op == OpUnwind:
		return when(r != routine, "not in %s", r)
	}
	return when(!o.pure && !runs, "not in %s", r)
}

// pair checks what one operand alone does not say.
func (v *verifier) pair(c *Code, in Ins) error {
	switch in.Op {
	case OpRecord:
		d := v.p.Types[in.A]
		return when(len(d.Members) > 0 || int(in.B) != len(d.Fields), "%d fields of %s", in.B, d.Name)
	case OpBuiltin:
		return v.arity(v.p.Builtins[in.A], int(in.B), false)
	case OpLambda:
		return v.arity(v.p.Builtins[in.A], c.Lambdas[in.B].Args, true)
	case OpGo:
		return checkTarget(v.p.Flows[c.Flow], Target{Kind: TargetKind(in.A), State: int(in.B)})
	case OpCallTask, OpCallTasks:
		return when(c.Calls[in.A].Task < 0, "no task")
	case OpCallFlow:
		return when(c.Calls[in.A].Flow < 0, "no flow")
	case OpWait:
		return when(len(c.Waits[in.A].Cases) != 1 || c.Waits[in.A].Cases[0].Guard != -1, "not one case without a guard")
	case OpStart:
		return when(in.B&StartAfter != 0 && in.B&StartAt != 0, "both after and at")
	}
	return nil
}

func (v *verifier) operand(c *Code, in Ins, kind operand, x int) error {
	p := v.p
	f := &Flow{Input: &value.Decl{}}
	if c.Flow >= 0 {
		f = p.Flows[c.Flow]
	}
	switch kind {
	case aNumber:
		return nil
	case aConst:
		return inside("constant", x, len(p.Consts))
	case aText, aParentOrText:
		return v.text(x, kind == aParentOrText)
	case aFlag:
		return inside("flag", x, 2)
	case aCount, aDepth, aField:
		return inside("number", x, maxStack)
	case anInput:
		return inside("input", x, len(f.Input.Fields))
	case aDataField:
		return inside("data field", x, len(f.Data))
	case aLocal:
		return inside("local", x, len(c.Locals))
	case anEvent:
		return inside("event", x, len(p.Events))
	case aState:
		return inside("state", x, len(f.States))
	case aTimer:
		if err := inside("state", int(in.A), len(f.States)); err != nil {
			return err
		}
		return inside("timer", x, len(f.States[in.A].Timers))
	case aType:
		return inside("type", x, len(p.Types))
	case anOperator:
		return inside("operator", x, int(value.OpGe)+1)
	case aFunction:
		return v.function(x)
	case aBuiltin:
		return inside("built-in", x, len(p.Builtins))
	case aLambda:
		return inside("lambda", x, len(c.Lambdas))
	case aTask:
		return inside("task", x, len(p.Tasks))
	case aFlow:
		return inside("flow", x, len(p.Flows))
	case aPolicy:
		return inside("policy", x, len(p.Policies))
	case aCall:
		return inside("call", x, len(c.Calls))
	case aWait:
		return inside("wait", x, len(c.Waits))
	case aJump:
		return inside("instruction", x, len(c.Ins))
	case aTargetKind:
		return inside("kind of target", x, int(ToSelf)+1)
	case aStartFlags:
		return inside("flags", x, StartAt<<1)
	}
	return when(x != 0, "operand %d where there is none", x)
}

func (v *verifier) text(x int, parent bool) error {
	if parent && x == -1 {
		return nil
	}
	if err := inside("constant", x, len(v.p.Consts)); err != nil {
		return err
	}
	return when(v.p.Consts[x].Kind() != value.String, "constant %d is no string", x)
}

func (v *verifier) function(x int) error {
	if err := v.need(x); err != nil {
		return err
	}
	return first(when(v.p.Codes[x].Flow != -1, "code %d belongs to a flow", x), v.play(x, function))
}
