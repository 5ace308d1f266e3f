package vm

import (
	"fmt"
	"sync"

	"flowc/compiler/program"
	"flowc/validate/value"
	"flowc/vm/machine"
)

// A token is stored in two parts, both compact JSON. The snapshot is written with every step. The data part, an object
// {"input", "data"}, holds what changes seldom: the input, which never changes after the start, and the data fields by name; it is
// written when Result.DataChanged says so. Items and results of fan-outs and the ids of events stand beside both (FanRow,
// SeenEvent). What a program numbers (states, timers, events, codes) is stored by number, since a token stays on the program that it
// started with (R60).

// codecVersion is the version of the snapshot's form. Every change of it bumps it.
const codecVersion = 2

// snapshotJSON is the form of the snapshot as it is read (form.go). Numbers stand in rows, the zeros at their end left out.
type snapshotJSON struct {
	Form      int
	ID        string
	Flow      string
	Key       string
	Version   int64
	Status    Status
	Active    [][]int64
	Visits    int64
	Times     []int64 // last, created, startAt, started, ended, paused
	Flags     uint
	Memories  [][]int64
	Timers    []timerJSON
	Work      []visitsJSON
	Children  []visitsJSON
	Frames    []frameJSON
	Fans      [][]int64
	Deferred  []keptJSON
	Kept      []keptJSON
	Seen      int64
	Final     *int
	Outcome   string
	Error     *Failure
	Reason    string
	Parent    *ParentRef
	RestartOf string
	Totals    []int
}

// The flags of a snapshot.
const (
	flagCancelling = 1 << iota
	flagParentGone
	flagReported
	flagPausedSelf
	flagPausedByParent
)

type timerJSON struct {
	N       []int64
	Zone    string
	Payload []byte
}

type visitsJSON struct {
	ID     string
	Flow   string
	State  int
	Visit  int64
	Failed bool
}

type frameJSON struct {
	State int
	Visit int64
	Frame []byte
}

type keptJSON struct {
	At       int64    `json:"at"`
	Stimulus Stimulus `json:"s"`
}

// dataJSON is the form of the data part.
type dataJSON struct {
	Input []byte
	Data  []byte
}

// EncodeToken returns the two parts. Errors: a value that is not of its type, which no verified program makes.
func EncodeToken(p *program.Program, t *Token) (snapshot, data []byte, err error) {
	if snapshot, err = EncodeSnapshot(p, t); err != nil {
		return nil, nil, err
	}
	data, err = EncodeData(p, t)
	return snapshot, data, err
}

// EncodeSnapshot returns the part that every step rewrites.
func EncodeSnapshot(p *program.Program, t *Token) ([]byte, error) {
	w := &writer{b: append(make([]byte, 0, 768), '{')}
	w.number("v", codecVersion)
	w.text("id", t.ID)
	w.text("flow", t.Flow)
	w.text("key", t.Key)
	w.number("n", t.Version)
	w.text("status", string(t.Status))
	w.list("active", len(t.Active), func(i int) {
		v := &t.Active[i]
		w.row(int64(v.State), v.Visit, v.EnteredAt, int64(v.Need), bit(v.Joined))
	})
	w.count("visits", t.Visits)
	w.key("at")
	w.row(t.LastAt, t.CreatedAt, t.StartAt, t.StartedAt, t.EndedAt, t.PausedAt)
	w.count("flags", flagsOf(t))
	w.list("timers", len(t.Timers), func(i int) { w.timer(&t.Timers[i]) })
	w.list("work", len(t.Work), func(i int) { w.visits(visitsJSON{ID: t.Work[i].Task, State: t.Work[i].State, Visit: t.Work[i].Visit}) })
	w.list("kids", len(t.Children), func(i int) {
		c := &t.Children[i]
		w.visits(visitsJSON{c.Token, c.Flow, c.State, c.Visit, c.Failed})
	})
	w.list("frames", len(t.Frames), func(i int) { w.frame(p, &t.Frames[i]) })
	w.seldom(t)
	w.b = append(w.b, '}')
	if w.err != nil {
		return nil, fmt.Errorf("encode token %s: %w", t.ID, w.err)
	}
	return w.b, nil
}

// seldom writes what most tokens do not have.
func (w *writer) seldom(t *Token) {
	w.list("mem", len(t.Memories), func(i int) {
		row := []int64{int64(t.Memories[i].State)}
		for _, in := range t.Memories[i].Inside {
			row = append(row, int64(in))
		}
		w.row(row...)
	})
	w.list("fans", len(t.Fans), func(i int) {
		fan := &t.Fans[i]
		row := []int64{int64(fan.State), fan.Visit, fan.Begun, int64(fan.Total), int64(fan.Next), int64(fan.Limit), int64(fan.Need),
			int64(fan.Succeeded), int64(fan.Failed), int64(fan.Bytes)}
		for _, word := range fan.Ended {
			row = append(row, int64(word)) // where all have ended that is -1, which is short
		}
		w.row(row...)
	})
	w.list("deferred", len(t.Deferred), func(i int) { w.any(keptJSON{t.Deferred[i].At, t.Deferred[i].Stimulus}) })
	w.list("kept", len(t.Kept), func(i int) { w.any(keptJSON{t.Kept[i].At, t.Kept[i].Stimulus}) })
	w.count("seen", t.SeenCount)
	if t.Final >= 0 {
		w.number("final", int64(t.Final))
	}
	w.text("outcome", t.Outcome)
	if t.Error != nil {
		w.key("error")
		w.any(t.Error)
	}
	w.text("reason", t.Reason)
	if t.Parent != nil {
		w.key("parent")
		w.any(t.Parent)
	}
	w.text("restartOf", t.RestartOf)
	if n := t.Totals; n != (ChildTotals{}) {
		w.key("totals")
		w.any([4]int{n.Running, n.Completed, n.Failed, n.Cancelled})
	}
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func flagsOf(t *Token) int64 {
	var flags int64
	for i, set := range [...]bool{t.Cancelling, t.ParentGone, t.Reported, t.PausedSelf, t.PausedByParent} {
		flags |= bit(set) << i
	}
	return flags
}

func (w *writer) timer(t *Timer) {
	w.b = append(w.b, '{')
	w.key("n")
	w.row(int64(t.State), t.Visit, int64(t.Decl), t.Due, bit(t.Instant)+2*bit(t.Off)+4*bit(t.Dated), t.Period, int64(t.Fires), t.Fired, int64(t.Kind),
		int64(t.Event)+1, t.Left, int64(t.Times), t.Until, t.Deadline)
	w.text("z", t.Zone)
	if !t.Payload.IsNull() {
		w.key("p")
		w.b = value.AppendJSON(w.b, t.Payload)
	}
	w.b = append(w.b, '}')
}

func (w *writer) visits(v visitsJSON) {
	w.b = append(w.b, '{')
	w.text("id", v.ID)
	w.text("flow", v.Flow)
	w.number("s", int64(v.State))
	w.number("v", v.Visit)
	if v.Failed {
		w.raw("failed", []byte("true"))
	}
	w.b = append(w.b, '}')
}

func (w *writer) frame(p *program.Program, f *Frame) {
	raw, err := machine.EncodeFrame(p, &f.Frame)
	if err != nil && w.err == nil {
		w.err = err
	}
	w.b = append(w.b, '{')
	w.number("s", int64(f.State))
	w.number("v", f.Visit)
	w.raw("f", raw)
	w.b = append(w.b, '}')
}

// EncodeData returns the part that is rewritten only when Result.DataChanged says so.
func EncodeData(p *program.Program, t *Token) ([]byte, error) {
	f := flowOf(p, t.Flow)
	if f == nil || len(t.Data) != len(f.Data) {
		return nil, fmt.Errorf("encode token %s: its data do not belong to flow %q", t.ID, t.Flow)
	}
	w := &writer{b: append(make([]byte, 0, 512), '{')}
	w.key("input")
	w.b = value.AppendJSON(w.b, t.Input)
	w.key("data")
	w.b = value.AppendJSON(w.b, value.OfRecord(dataDecl(f), t.Data))
	w.b = append(w.b, '}')
	if w.err != nil {
		return nil, fmt.Errorf("encode token %s: %w", t.ID, w.err)
	}
	return w.b, nil
}

var dataDecls sync.Map // *program.Flow → *value.Decl

// dataDecl is the record of a flow's data. Every field may be null: those of a token whose start failed are, and those of a
// fragment that was not entered yet.
func dataDecl(f *program.Flow) *value.Decl {
	if d, ok := dataDecls.Load(f); ok {
		return d.(*value.Decl)
	}
	d := &value.Decl{Name: f.Name}
	for i := range f.Data {
		d.Fields = append(d.Fields, value.Field{Name: f.Data[i].Name, Type: value.Opt(f.Data[i].Type)})
	}
	dataDecls.Store(f, d)
	return d
}

// snapshotSize is the length of what counts towards MaxSnapshot.
func snapshotSize(p *program.Program, t *Token) (int, error) {
	bare := *t
	bare.Input = value.Value{}
	bare.Fans = nil
	snapshot, data, err := EncodeToken(p, &bare)
	return len(snapshot) + len(data), err
}
