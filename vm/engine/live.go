package engine

import (
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"flowc/compiler/program"
	"flowc/vm"
	"flowc/vm/store"
	"flowc/vm/task"
)

// live is one locked token in a round: its row as it was loaded, and its snapshot as the steps of the round leave it.
type live struct {
	row     store.Token
	tok     *vm.Token // nil before its start step
	program *program.Program
	fault   *Error // why it cannot be stepped here, without being bad
	fresh   bool   // the row is to be inserted

	was      vm.Status
	stepped  bool
	data     bool // the data changed
	history  []store.History
	lines    int // of the version
	offers   []task.Row
	withdraw []string
	messages []vm.Message
	fans     fanRows
	seen     []store.EventID
	took     []int64 // messages of its inbox
	moved    bool    // a step changed it
	traced   []tracedStep
	refused  bool // an event was refused, and nothing changed after it
	placed   bool // attempts of its tasks added lines
}

func (l *live) version() int64 {
	if l.tok == nil {
		return l.row.Version
	}
	return l.tok.Version
}

// taskState is one task in a round.
type taskState struct {
	token   string
	row     task.Row
	locked  bool
	changed bool
}

// loadPrograms reads the programs that are not in memory.
func (r *round) loadPrograms() error {
	need := map[string]bool{}
	for _, l := range r.order {
		need[l.row.Program] = true
	}
	if err := r.currentPrograms(need); err != nil {
		return err
	}
	return r.e.programs.load(r.tx, need)
}

// decode turns the rows into snapshots. One that cannot be read is bad; one whose program this server cannot run is left to
// another (R62).
func (r *round) decode() error {
	for _, l := range r.order {
		p, err := r.e.programs.get(l.row.Program)
		var other *program.VersionError
		switch {
		case errors.As(err, &other):
			l.fault = unavailable(err, "the token's program is for another version of the server")
			continue
		case err != nil:
			r.bad[l.row.ID] = err
			continue
		}
		l.program, l.lines = p, l.row.Lines
		if len(l.row.Snapshot) == 0 || l.row.Quarantined {
			continue
		}
		if l.tok, err = decodeToken(p, l.row); err != nil {
			r.bad[l.row.ID] = err
			continue
		}
		l.was = l.tok.Status
	}
	return nil
}

// apply takes one step. A panic, which would be a bug in the machine, makes the token bad and harms no other.
func (r *round) apply(l *live, st vm.Stimulus) vm.Answer {
	return r.step(l, &st)
}

// fire fires what is due.
func (r *round) fire(l *live) {
	r.step(l, nil)
}

func (r *round) step(l *live, st *vm.Stimulus) (a vm.Answer) {
	if r.bad[l.row.ID] != nil {
		return vm.Answer{Outcome: vm.Refused, Code: string(Quarantined)}
	}
	defer func() {
		if p := recover(); p != nil {
			r.bad[l.row.ID] = fmt.Errorf("panic in the step: %v\n%s", p, debug.Stack())
			a = vm.Answer{Outcome: vm.Refused, Code: string(Quarantined)}
		}
	}()
	began := time.Now()
	res, err := r.applied(l, st)
	if r.broken != nil {
		return vm.Answer{Outcome: vm.Refused, Code: string(Unavailable)} // nothing of the round is written
	}
	if err != nil {
		r.bad[l.row.ID] = fmt.Errorf("step: %w", err)
		return vm.Answer{Outcome: vm.Refused, Code: string(Quarantined)}
	}
	r.took(l, res)
	r.trace(l, res.Steps, began)
	return res.Answer
}

// took keeps what a step gave. A step that changed nothing adds a history row to the version as it is (R55).
func (r *round) took(l *live, res *vm.Result) {
	if res.Token != nil {
		l.tok = res.Token
	}
	for _, s := range res.Steps {
		if s.Changed {
			l.lines, l.moved, l.refused = 0, true, false
		}
		l.refused = l.refused || refuses(s.Lines)
		l.history = append(l.history, store.History{Token: l.row.ID, Version: s.Version, Line: l.lines + 1, At: s.At,
			Stimulus: mustJSON(s.Stimulus), Lines: mustJSON(s.Lines)})
		l.lines += max(len(s.Lines), 1)
		l.stepped = true
	}
	l.data = l.data || res.DataChanged
	l.fans.took(res)
	for _, e := range res.Seen {
		l.seen = append(l.seen, store.EventID{Token: l.row.ID, ID: e.Key, Outcome: string(e.Outcome)})
	}
	for _, o := range res.Offers {
		l.offers = append(l.offers, task.New(l.row.ID, l.row.Flow, o, r.now))
	}
	l.withdraw = append(l.withdraw, res.Withdraw...)
	l.messages = append(l.messages, res.Messages...)
	r.steps += len(res.Steps)
}

// collect puts a token's part into the writes.
func (r *round) collect(l *live) error {
	if r.bad[l.row.ID] != nil || l.tok == nil {
		return nil
	}
	if !l.stepped && !r.strayed(l) {
		if l.placed {
			r.writes.Lines = append(r.writes.Lines, store.Mark{Token: l.row.ID, Version: l.version(), Lines: l.lines})
		}
		return nil
	}
	row, w := l.row, &r.writes
	var err error
	if row.Snapshot, err = vm.EncodeSnapshot(l.program, l.tok); err != nil {
		return fmt.Errorf("encode the snapshot of token %s: %w", row.ID, err)
	}
	row.Data = nil
	if l.data || len(l.row.Snapshot) == 0 {
		if row.Data, err = vm.EncodeData(l.program, l.tok); err != nil {
			return fmt.Errorf("encode the data of token %s: %w", row.ID, err)
		}
	}
	row.Program, row.Status, row.Version, row.Lines = l.tok.Program, string(l.tok.Status), l.tok.Version, l.lines
	row.NextDue, row.States, row.UpdatedAt = nextDue(l.tok), mustJSON(vm.Leaves(l.program, l.tok)), r.now
	row.Error, row.HeldDue = searched(l.program, l.tok, r.now)
	row.Waiting = l.waiting(r.now)
	if l.fresh {
		row.CreatedAt = r.now
		w.NewTokens = append(w.NewTokens, row)
	} else {
		w.Tokens = append(w.Tokens, row)
	}
	w.History = append(w.History, l.history...)
	w.NewTasks = append(w.NewTasks, l.offers...)
	w.Withdraw = append(w.Withdraw, l.withdraw...)
	l.fans.collect(row.ID, w)
	w.EventIDs = append(w.EventIDs, l.seen...)
	r.shift(l)
	return nil
}

// strayed tells that the due loop found the token by a due time that none of its timers has: a hand or a restored row wrote it.
// The snapshot holds the one fact (R11), so the row is written again by it; left alone it would be found again at once, for ever.
func (r *round) strayed(l *live) bool {
	stray := r.work.fire && l.row.NextDue != 0 && l.row.NextDue <= r.now && l.row.NextDue != nextDue(l.tok)
	if stray {
		r.e.log.Warn("a token's row named a due time that none of its timers has; it is put right", "token", l.row.ID, "due", instant(l.row.NextDue))
	}
	return stray
}

// searched are what operators look for: the code that a token failed with, and the earliest instant of a paused one.
func searched(p *program.Program, t *vm.Token, now int64) (code string, due int64) {
	if t.Error != nil {
		code = t.Error.Code
	}
	if t.Status != vm.Paused {
		return code, 0
	}
	for _, a := range vm.Timers(p, t, now) {
		if !a.Held && (due == 0 || a.Due < due) {
			due = a.Due
		}
	}
	return code, due
}

// shift holds the tasks of a token that was paused, and lets them go when it no longer is (R46).
func (r *round) shift(l *live) {
	paused, now := l.was == vm.Paused, l.tok.Status == vm.Paused
	switch {
	case now && !paused:
		r.writes.Hold = append(r.writes.Hold, store.Shift{Token: l.row.ID, At: r.now})
	case paused && !now:
		r.writes.Unhold = append(r.writes.Unhold, store.Shift{Token: l.row.ID, At: r.now})
	}
}
