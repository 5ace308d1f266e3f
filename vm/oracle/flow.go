// Package oracle is a small model of how tokens run, written from runtime.md and language.md alone: it knows nothing of the step, and
// imports nothing of the project. It makes random flows and says what a token of one must do, so that tests can hold the step, under
// the virtual clock and in a real database, to something other than itself.
//
// Generate makes a flow and Text writes it in the language. A World holds the model's tokens under its own clock; what a test does to
// the real token it does to the model's, and compares. Instants and durations are whole microseconds.
//
// It covers regions, joins, history, guards, deferred events, every kind of timer, routines that sleep and wait, tasks with their
// attempts, child tokens, pause, resume, cancel, fail, retry, and timers fired and moved by hand. It leaves out expressions,
// messages, fan-outs and run-time errors, which tests of their own hold.
package oracle

import "fmt"

// Units of durations, in microseconds.
const (
	Second = int64(1_000_000)
	Minute = 60 * Second
	Hour   = 60 * Minute
	Day    = 24 * Hour
)

// A Flow is a random flow. Kid is the flow of its children, nil without; it has none of its own.
type Flow struct {
	Name   string
	Root   *State
	States []*State // in the order of the file
	Kid    *Flow
}

// Kind is what a state is.
type Kind int

// The kinds. The flow itself and a region are composites.
const (
	Composite Kind = iota
	Parallel
	Leaf
	Final
)

// A State is a state of a flow.
type State struct {
	Name   string
	Kind   Kind
	Parent *State // nil: it is the flow
	Kids   []*State

	order   int     // in the file
	history string  // of a composite: "", history, history deep
	join    string  // of a parallel: all, any, race
	outcome string  // of a final: success, failure, cancelled
	clocks  []clock // timers, in the order of the file, a timeout last
	on      []handler
	entry   []act
	run     []segment
	defers  string
	work    *work
	child   bool // it invokes a child
}

// A clock is a timer that a state declares.
type clock struct {
	kind   string // timeout, after, at, every, calendar, idle
	name   string
	dur    int64
	limit  int64 // of `every … for`
	times  int
	when   *guard
	target *State // of after: nil is an action
	acts   []act
	zone   string // of calendar
	minute int    // likewise: of the day
}

// A handler takes an event. Without target it keeps the state; with its own state that is entered again.
type handler struct {
	event  string
	when   *guard
	target *State
	acts   []act
}

// A guard asks whether the field n, or a payload's k, leaves a rest.
type guard struct {
	payload   bool
	mod, rest int
}

func (g *guard) holds(n, k int) bool {
	if g == nil {
		return true
	}
	if g.payload {
		n = k
	}
	return n%g.mod == g.rest
}

func (g *guard) String() string {
	if g == nil {
		return ""
	}
	name := "n"
	if g.payload {
		name = "event.k"
	}
	return fmt.Sprintf(" when %s %% %d == %d", name, g.mod, g.rest)
}

// An act is a statement of a block.
type act struct {
	verb string // add, take, aim, schedule, unschedule, rearm, fail
	n    int    // of add
	name string // of an event or a timer
	dur  int64  // of schedule
}

func (a act) String() string {
	switch a.verb {
	case "add":
		return fmt.Sprintf("n = n + %d", a.n)
	case "take":
		return "n = n + event.k"
	case "aim":
		return "due = event.t"
	case "schedule":
		return fmt.Sprintf("schedule %s after %s", a.name, span(a.dur))
	case "fail":
		return `fail "asked to"`
	}
	return a.verb + " " + a.name
}

// A segment of a routine is a sleep, or a wait for an event with a limit.
type segment struct {
	event string // "": a sleep
	dur   int64
}

// A work is a leaf's task with its policy.
type work struct {
	retries int
	backoff int64
	may     string // the event with which a worker may end it, or ""
}

// Path is the state's path; the flow's own is "".
func (s *State) Path() string {
	if s.Parent == nil {
		return ""
	}
	if up := s.Parent.Path(); up != "" {
		return up + "." + s.Name
	}
	return s.Name
}

// inside says that s is t or below it.
func (s *State) inside(t *State) bool {
	for ; s != nil; s = s.Parent {
		if s == t {
			return true
		}
	}
	return false
}

func (s *State) isRegion() bool { return s.Parent != nil && s.Parent.Kind == Parallel }

// InRegion says that the state is a region or below one.
func (s *State) InRegion() bool {
	for ; s != nil; s = s.Parent {
		if s.isRegion() {
			return true
		}
	}
	return false
}

func span(d int64) string {
	if d%Minute == 0 && d > 0 {
		return fmt.Sprintf("%dm", d/Minute)
	}
	return fmt.Sprintf("%ds", d/Second)
}
