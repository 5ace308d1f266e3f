package vm

import (
	"flowc/compiler/program"
	"flowc/validate/value"
	"flowc/vm/machine"
)

// A halt says that nothing more happens in a step.
type halt uint8

const (
	going    halt = iota
	ended         // the token has ended
	failing       // the token has failed; what the step did stays
	raised        // a run-time error: the step's changes are undone (R8)
	refusing      // `refuse`: the move is undone
	limited       // a limit is exceeded: the step is undone and the token fails (R7)
	waiting       // the step needs rows that are not loaded: it is not made
)

// A step is one step while it is made. t is its own copy of the token: the struct may be written, the slices in it are replaced
// or appended to, but no element that the snapshot before has is written. So undoing is putting an older copy of the struct back.
type step struct {
	p     *program.Program
	f     *program.Flow
	t     *Token
	now   int64
	cause *Stimulus
	effects

	halt   halt
	fault  *Failure // of raised, limited and failing
	reason string   // of refusing

	here    place
	clock   int64     // what now() says to code
	ran     []int     // the order of each handler, timer and automatic transition that ran, also of those that an undo takes back
	trail   []int     // sources of the transitions made, from which an error's state is chosen
	basis   mark      // the token once the stimulus was taken from it: what an error undoes to (R8)
	inner   *Stimulus // what was kept or deferred and is handed on now
	same    bool      // the stimulus changes nothing
	budget  *machine.Budget
	moves   int
	filling []int // parallels whose regions are being entered
	owned   bool  // t.Data is the step's own
	grown   int64 // the visit whose fan-out has slices of the step's own
	errors  bool  // the step handles `error` (R8)
	missing *Unloaded
}

// effects is what a step gathers besides the token; it is undone with it.
type effects struct {
	lines    []Line
	offers   []Offer
	withdraw []string
	messages []Message
	rows     []FanRow
	over     []FanRef
	queue    []happening // raised events, `completed` and `joined`, in their order
	starts   []Visit     // routines whose first segment is still to be run
	failures []Failure   // errors of routines: each is a step of its own, after this one
	pending  []pending   // what a transition's block scheduled for the state that is entered
	entered  int         // the state that the last transition entered, -1
	n        int         // of the last task, child or message made
	bytes    int         // what the effects take
	dirty    fieldSet    // data fields changed since timers were last looked at
	data     bool        // EncodeToken's data part has changed
}

// place is where running code stands.
type place struct {
	state   int
	entered int64 // when the state was entered
	owner   int   // the state whose visit gets what is scheduled
	later   bool  // the owner is not entered yet
	event   *payload
}

// pending is an event scheduled for a state that is about to be entered (R14).
type pending struct {
	owner   int
	event   int
	payload value.Value
	when    int64
	at      bool
}

func newStep(p *program.Program, f *program.Flow, t *Token, cause *Stimulus, now int64) *step {
	own := *t
	clip(&own)
	own.LastAt = now
	own.Version++
	s := &step{p: p, f: f, t: &own, now: now, clock: now, cause: cause, budget: machine.NewBudget()}
	s.here.state = -1
	s.entered = -1
	return s
}

// clip takes the spare room from the slices, so that appending to them writes nothing that the snapshot before can reach.
func clip(t *Token) {
	t.Active = t.Active[:len(t.Active):len(t.Active)]
	t.Memories = t.Memories[:len(t.Memories):len(t.Memories)]
	t.Timers = t.Timers[:len(t.Timers):len(t.Timers)]
	t.Work = t.Work[:len(t.Work):len(t.Work)]
	t.Frames = t.Frames[:len(t.Frames):len(t.Frames)]
	t.Children = t.Children[:len(t.Children):len(t.Children)]
	t.Fans = t.Fans[:len(t.Fans):len(t.Fans)]
	t.Deferred = t.Deferred[:len(t.Deferred):len(t.Deferred)]
	t.Kept = t.Kept[:len(t.Kept):len(t.Kept)]
}

// A mark is a point to which a step can be undone.
type mark struct {
	t Token
	e effects
}

func (s *step) mark() mark {
	s.owned, s.grown = false, 0
	return mark{*s.t, s.effects}
}

func (s *step) undo(m *mark) {
	*s.t = m.t
	s.effects = m.e
	s.owned, s.grown = false, 0
	s.halt = going
	s.filling = s.filling[:0]
}

func (s *step) line(l Line) {
	if s.lines == nil {
		s.lines = make([]Line, 0, 12) // a transition has about ten
	}
	s.lines = append(s.lines, l)
}

// path returns a state's path for lines, "" for none.
func (s *step) path(state int) string {
	if state < 0 {
		return ""
	}
	return s.f.States[state].Path
}

// id makes the id of the next task or child (R1).
func (s *step) id() string {
	s.n++
	return DeriveID(s.t.ID, s.t.Version, s.n)
}

// send queues a message for another token (R5).
func (s *step) send(m Message) {
	s.n++
	m.N, m.Version = s.n, s.t.Version
	s.messages = append(s.messages, m)
	s.spend(len(m.Stimulus.Payload))
}

// fieldSet is a set of data fields. Those from 63 on share a bit, which makes timers be looked at in vain and nothing worse.
type fieldSet uint64

func (f *fieldSet) add(i int) { *f |= 1 << min(i, 63) }

func (f fieldSet) holds(fields []int) bool {
	for _, i := range fields {
		if f&(1<<min(i, 63)) != 0 {
			return true
		}
	}
	return false
}
