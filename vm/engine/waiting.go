package engine

import (
	"context"
	"slices"

	"flowc/vm"
	"flowc/vm/store"
)

// A WaitingCount is how many tokens of a flow wait for a reason.
type WaitingCount struct {
	Flow    string     `json:"flow"`
	Waiting vm.WhyKind `json:"waiting"`
	Count   int64      `json:"count"`
}

// Waiting is described at Service.
func (e *Engine) Waiting(ctx context.Context, req ListRequest) ([]WaitingCount, error) {
	rows, err := e.store.Waiting(ctx, e.filter(req))
	if err != nil {
		return nil, readFault(err, Ref{})
	}
	out := make([]WaitingCount, len(rows))
	for i, r := range rows {
		out[i] = WaitingCount{Flow: r.Flow, Waiting: vm.WhyKind(r.Reason), Count: r.N}
	}
	return out, nil
}

// filter is what a request asks of the store. Tokens of programs that this server cannot run wait for another server.
func (e *Engine) filter(req ListRequest) store.Filter {
	f := req.filter()
	f.Unrunnable = e.programs.unsupported()
	return f
}

// waiting is the row's column: "" leaves it as it is.
func (l *live) waiting(now int64) string {
	if !l.moved && !l.refused {
		return ""
	}
	if w := vm.Waiting(l.program, l.tok, l.refused, now); w != "" {
		return w
	}
	return "ended"
}

func refuses(lines []vm.Line) bool {
	return slices.ContainsFunc(lines, func(l vm.Line) bool { return l.Kind == "event-refused" })
}
