package model

// A Stmt is a checked statement.
type Stmt interface{ Position() Pos }

// Placed is the part that every statement has.
type Placed struct{ Pos Pos }

// Position returns where the statement stands.
func (s Placed) Position() Pos { return s.Pos }

// A Place is what is assigned to: a data field or a local, or a part of it.
type Place struct {
	Data  int // in Flow.Data, -1 when Local counts
	Local int // in Locals, -1 when Data counts
	Path  []PathStep
}

// A PathStep is `.f` or `[i]` in a Place.
type PathStep struct {
	Field int  // in the record's fields, when Index is nil
	Index Expr // of a list or a map
	Pos   Pos
}

type (
	// An Assign is `place = expr`; a `let` assigns to its local.
	Assign struct {
		Placed
		Place Place
		Value Expr
	}
	// An Unset is `unset x["k"]`: the last step of Place is the key.
	Unset struct {
		Placed
		Place Place
	}
	// An If is one branch and what is done otherwise (`else if` is an If in Else).
	If struct {
		Placed
		Cond       Expr
		Then, Else []Stmt
	}
	// A For runs Body for each item of the list as it was at the start. Iter is a hidden local for the list, Count one for the
	// position, so that a routine may wait in the middle of the loop.
	For struct {
		Placed
		Var, Iter, Count int // in Locals
		List             Expr
		Body             []Stmt
	}
	// A While stands in routines only.
	While struct {
		Placed
		Cond Expr
		Body []Stmt
	}
	// A Break is `break`.
	Break struct{ Placed }
	// A Continue is `continue`.
	Continue struct{ Placed }

	// A Raise queues an event for this token.
	Raise struct {
		Placed
		Event *Event
		Args  Expr // a record of Event.Payload
	}
	// A Schedule arms a named timer; exactly one of After and At is set.
	Schedule struct {
		Placed
		Event     *Event
		Args      Expr
		After, At Expr
	}
	// An Unschedule stops the timer of that event, found from the block's state outwards.
	Unschedule struct {
		Placed
		Event *Event
	}
	// A Rearm starts a declared or scheduled timer over.
	Rearm struct {
		Placed
		State int    // that holds the timer
		Timer int    // in the state's Timers, -1 for a scheduled event
		Event *Event // when Timer is -1: looked for from the block's state outwards
	}
	// A Dispatch offers work that nobody waits for.
	Dispatch struct {
		Placed
		Task   *Task
		Args   Expr
		Policy *PolicyOverride
	}
	// A Start starts a token of its own.
	Start struct {
		Placed
		Flow      *Flow
		Args      Expr
		Key       Expr // nil without
		Keep      bool
		After, At Expr // nil without
	}
	// A Send is `send EVENT(args) to FLOW[KEY] | parent`.
	Send struct {
		Placed
		Event *Event
		Args  Expr
		Flow  *Flow // nil: to the parent
		Key   Expr
	}
	// A Note writes a line in the history.
	Note struct {
		Placed
		Text Expr
	}
	// A Refuse undoes the move.
	Refuse struct {
		Placed
		Text Expr
	}
	// A Fail fails the token.
	Fail struct {
		Placed
		Text Expr
	}
)

// What follows stands in routines only.
type (
	// A CallTask is `[let r =] call TASK(args) [policy] [each x in LIST [concurrency N]]`. Place is nil when the result is not kept.
	CallTask struct {
		Placed
		Place       *Place
		Task        *Task
		Args        Expr // with Each: evaluated for each item, which is the local Item
		Policy      *PolicyOverride
		Each        Expr
		Item        int // in Locals, with Each
		Concurrency Expr
	}
	// A CallFlow is `[let c =] call FLOW(args)`.
	CallFlow struct {
		Placed
		Place *Place
		Flow  *Flow
		Args  Expr
		Key   Expr
	}
	// A Sleep has exactly one of For and Until.
	Sleep struct {
		Placed
		For, Until Expr
	}
	// A Wait is `[let e =] wait EVENT [for DUR | until TIME]`.
	Wait struct {
		Placed
		Place      *Place
		Event      *Event
		For, Until Expr
	}
	// A WaitBlock is `wait { on EVENT [when G] {…} … after DUR {…} }`.
	WaitBlock struct {
		Placed
		Cases []WaitCase
		After Expr // nil without a limit
		Else  []Stmt
	}
	// A Try is `try {…} catch … {…}`.
	Try struct {
		Placed
		Body    []Stmt
		Catches []Catch
	}
	// A Go leaves the routine's state.
	Go struct {
		Placed
		Target Target
	}
)

// A WaitCase is one `on` of a WaitBlock; in its guard and body `event` is the payload.
type WaitCase struct {
	Events []*Event
	Guard  Expr // nil: true
	Body   []Stmt
	Pos    Pos
}

// A Catch takes errors with one of Codes, all of them when Codes is empty. Var is the local of `as e` (a record of code and
// message), -1 without.
type Catch struct {
	Codes []string
	Var   int
	Body  []Stmt
	Pos   Pos
}
