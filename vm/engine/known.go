package engine

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"flowc/compiler/program"
	"flowc/validate/diag"
)

// Names are what a request names that need not exist: a worker may be there before the flow that has work for it.
type Names struct {
	Flows, Events, Tasks []string
	Within               []string // judged by these flows only; nil: by all
	IfDeployed           bool     // nothing is unknown before the first deploy, with which names could be compared
}

// The kinds of names.
const (
	flowNames = iota
	eventNames
	taskNames
)

var kinds = [...]string{flowNames: "flow", eventNames: "event", taskNames: "task"}

func (n Names) byKind() [len(kinds)][]string {
	return [...][]string{flowNames: n.Flows, eventNames: n.Events, taskNames: n.Tasks}
}

// An UnknownName is one that no flow has in the version that is current now: it is misspelt, or comes with a later deploy.
type UnknownName struct {
	Kind    string // flow, event or task
	Name    string
	Nearest string // the name that was probably meant; "" when none is near
}

// Warnings says of each name in a sentence, for people, that it is not known.
func Warnings(unknown []UnknownName) []string {
	var out []string
	for _, u := range unknown {
		out = append(out, u.warning())
	}
	return out
}

func (u UnknownName) warning() string {
	said := fmt.Sprintf("no deployed flow has the %s `%s`", u.Kind, u.Name)
	if u.Kind == "flow" {
		said = fmt.Sprintf("no flow `%s` is deployed", u.Name)
	}
	if u.Nearest != "" {
		return said + "; did you mean `" + u.Nearest + "`?"
	}
	return said
}

// known answers what the current programs declare, from memory. Only a name that is not among them makes it look whether
// something was deployed since, by one statement in each knownFor at most.
type known struct {
	e       *Engine
	deploys atomic.Int64 // by this server
	last    atomic.Pointer[declarations]
	reading sync.Mutex
}

// knownFor is how long an answer about a name that is not known holds: so late is a deploy by another server seen.
const knownFor = time.Second

// declarations are what was current at one instant.
type declarations struct {
	at      time.Time
	deploys int64
	of      map[string]declared // by the hash of the program
	any     [len(kinds)]map[string]bool
	partial bool // some program cannot be read here, so that an event or task may be its
}

// declared are the names that a program has, by kinds.
type declared [len(kinds)][]string

// Unknown is described at Service.
func (e *Engine) Unknown(ctx context.Context, n Names) ([]UnknownName, error) {
	if last := e.known.last.Load(); last != nil && len(last.of) > 0 && len(last.lacks(n)) == 0 {
		return nil, nil
	}
	now, err := e.known.fresh(ctx)
	if err != nil {
		return nil, readFault(err, Ref{})
	}
	unknown := now.lacks(n)
	now.near(unknown, n.Within)
	return unknown, nil
}

func (k *known) fresh(ctx context.Context) (*declarations, error) {
	k.reading.Lock()
	defer k.reading.Unlock()
	last := k.last.Load()
	now := &declarations{at: k.e.clock.Now(), deploys: k.deploys.Load(), of: map[string]declared{}}
	if last != nil && last.deploys == now.deploys && now.at.Sub(last.at) < knownFor {
		return last, nil
	}
	rows, err := k.e.store.Flows(ctx)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if last != nil && !last.partial {
			if d, had := last.of[row.Program]; had {
				now.of[row.Program] = d
				continue
			}
		}
		l, err := k.e.readProgram(ctx, row.Program)
		switch {
		case l == nil:
			return nil, err
		case err != nil: // of a later version: the flow is there, and what else it has is not known
			now.of[row.Program], now.partial = declared{flowNames: {row.Name}}, true
		default:
			now.of[row.Program] = declaredBy(l.program)
		}
	}
	for kind := range kinds {
		now.any[kind] = map[string]bool{}
		for _, d := range now.of {
			for _, name := range d[kind] {
				now.any[kind][name] = true
			}
		}
	}
	k.last.Store(now)
	return now, nil
}

func declaredBy(p *program.Program) declared {
	var d declared
	for _, f := range p.Flows {
		d[flowNames] = append(d[flowNames], f.Name)
	}
	for _, v := range p.Events {
		d[eventNames] = append(d[eventNames], v.Name)
	}
	for _, t := range p.Tasks {
		d[taskNames] = append(d[taskNames], t.Name)
	}
	return d
}

// lacks gives those of the names that nothing current has.
func (d *declarations) lacks(n Names) []UnknownName {
	if n.IfDeployed && len(d.of) == 0 {
		return nil
	}
	var out []UnknownName
	for kind, asked := range n.byKind() {
		for _, name := range asked {
			if !d.has(kind, name, n.Within) {
				out = append(out, UnknownName{Kind: kinds[kind], Name: name})
			}
		}
	}
	return out
}

func (d *declarations) has(kind int, name string, within []string) bool {
	switch {
	case d.partial && kind != flowNames:
		return true
	case !d.any[kind][name]:
		return false
	case within == nil:
		return true
	}
	for _, one := range d.of {
		if one.in(within) && slices.Contains(one[kind], name) {
			return true
		}
	}
	return false
}

// near adds to unknown names those that were probably meant, of those that the sender may see.
func (d *declarations) near(unknown []UnknownName, within []string) {
	for i, u := range unknown {
		kind := slices.Index(kinds[:], u.Kind)
		var names []string
		for _, one := range d.of {
			if one.in(within) {
				names = append(names, one[kind]...)
			}
		}
		slices.Sort(names) // of several equally near ones always the same
		unknown[i].Nearest = diag.Nearest(u.Name, names)
	}
}

func (d declared) in(within []string) bool {
	return within == nil || slices.ContainsFunc(d[flowNames], func(f string) bool { return slices.Contains(within, f) })
}
