package program

import "fmt"

// depths follows every way through a code and checks that the operand stack has the same depth wherever ways meet.
func (v *verifier) depths(at int) error {
	c := &v.p.Codes[at]
	if len(c.Ins) == 0 {
		return fmt.Errorf("it is empty")
	}
	w := walk{p: v.p, c: c, at: make([]int, len(c.Ins))}
	for i := range w.at {
		w.at[i] = -1
	}
	if err := w.reach(0, 0); err != nil {
		return err
	}
	for _, t := range c.Tries {
		if err := w.reach(t.Handler, 0); err != nil {
			return err
		}
	}
	for len(w.todo) > 0 {
		pc := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		if err := w.step(pc); err != nil {
			return fmt.Errorf("%d: %s: %w", pc, c.Ins[pc].Op, err)
		}
	}
	return nil
}

// A walk is one abstract run of a code: at is the depth before each instruction, -1 where no way has led yet.
type walk struct {
	p    *Program
	c    *Code
	at   []int
	todo []int
}

func (w *walk) reach(pc, depth int) error {
	switch {
	case pc >= len(w.at):
		return fmt.Errorf("the code does not end")
	case depth > maxStack:
		return fmt.Errorf("more than %d operands", maxStack)
	case w.at[pc] == -1:
		w.at[pc] = depth
		w.todo = append(w.todo, pc)
	case w.at[pc] != depth:
		return fmt.Errorf("%d operands at %d, and %d by another way", depth, pc, w.at[pc])
	}
	return nil
}

func (w *walk) step(pc int) error {
	in := w.c.Ins[pc]
	pops, pushes := w.p.effect(w.c, in)
	depth := w.at[pc] - pops
	if depth < 0 {
		return fmt.Errorf("%d operands of %d", w.at[pc], pops)
	}
	if rest := in.Op.Suspends() || in.Op == OpReturn || in.Op == OpEnd; rest && depth != 0 {
		return fmt.Errorf("%d operands are left", depth)
	}
	switch in.Op {
	case OpJump, OpJumpNot:
		if err := w.reach(int(in.A), depth); err != nil {
			return err
		}
	case OpAnd, OpOr, OpElse:
		if err := w.reach(int(in.A), depth+1); err != nil {
			return err
		}
	case OpWaitCases:
		return w.cases(&w.c.Waits[in.A])
	}
	if ops[in.Op].ends {
		return nil
	}
	return w.reach(pc+1, depth+pushes)
}

func (w *walk) cases(wait *Wait) error {
	for _, k := range wait.Cases {
		if err := w.reach(k.Target, 0); err != nil {
			return err
		}
	}
	if wait.Limit == NoLimit {
		return nil
	}
	return w.reach(wait.Target, 0)
}

// calls checks that no code runs itself, through however many others: expressions always end.
func (v *verifier) calls() error {
	g := graph{p: v.p, height: make([]int, len(v.p.Codes))}
	for i := range v.p.Codes {
		if _, err := g.visit(i, 0); err != nil {
			return err
		}
	}
	return nil
}

// A graph is of codes that run others. height is how many calls are nested below one, plus 1; open while that is being found.
type graph struct {
	p      *Program
	height []int
}

const open = -1

func (g *graph) visit(code, depth int) (int, error) {
	switch h := g.height[code]; {
	case h == open:
		return 0, fmt.Errorf("code %d calls itself", code)
	case h > 0:
		return h, nil
	case depth > maxCalls:
		return 0, tooDeep(code)
	}
	g.height[code] = open
	height := 1
	for _, callee := range g.callees(code) {
		h, err := g.visit(callee, depth+1)
		if err != nil {
			return 0, err
		}
		height = max(height, h+1)
	}
	if height > maxCalls {
		return 0, tooDeep(code)
	}
	g.height[code] = height
	return height, nil
}

func tooDeep(code int) error {
	return fmt.Errorf("code %d: more than %d calls are nested", code, maxCalls)
}

func (g *graph) callees(code int) []int {
	c := &g.p.Codes[code]
	var codes []int
	for _, in := range c.Ins {
		switch in.Op {
		case OpCall:
			codes = append(codes, int(in.A))
		case OpLambda:
			codes = append(codes, c.Lambdas[in.B].Code)
		}
	}
	for _, w := range c.Waits {
		for _, k := range w.Cases {
			if k.Guard >= 0 {
				codes = append(codes, k.Guard)
			}
		}
	}
	return codes
}
