package vm

import (
	"encoding/json"
	"fmt"
	"sync"

	"flowc/compiler/program"
	"flowc/validate/value"
	"flowc/vm/machine"
)

// A token is stored in two parts, both compact JSON. The snapshot is written with every step. The data part, an object
// {"input", "data", "fans"}, holds what changes seldom: the input, which never changes after the start, the data fields by name,
// and the items and results of fan-outs; it is written when Result.DataChanged says so. What a program numbers (states, timers,
// events, codes) is stored by number, since a token stays on the program that it started with (R60).

// codecVersion is the version of the snapshot's form. Every change of it bumps it.
const codecVersion = 1

// snapshotJSON is the form of the snapshot. Numbers stand in rows, trailing zeros left out.
type snapshotJSON struct {
	Form      int          `json:"v"`
	ID        string       `json:"id"`
	Flow      string       `json:"flow"`
	Key       string       `json:"key,omitempty"`
	Version   int64        `json:"n"`
	Status    Status       `json:"status"`
	Active    [][]int64    `json:"active,omitempty"`
	Visits    int64        `json:"visits,omitempty"`
	Times     []int64      `json:"at"` // last, created, startAt, started, ended, paused
	Flags     uint         `json:"flags,omitempty"`
	Memories  [][]int64    `json:"mem,omitempty"`
	Timers    []timerJSON  `json:"timers,omitempty"`
	Work      []visitsJSON `json:"work,omitempty"`
	Children  []visitsJSON `json:"kids,omitempty"`
	Frames    []frameJSON  `json:"frames,omitempty"`
	Fans      [][]int64    `json:"fans,omitempty"`
	Deferred  []keptJSON   `json:"deferred,omitempty"`
	Kept      []keptJSON   `json:"kept,omitempty"`
	Seen      string       `json:"seen,omitempty"`
	Final     *int         `json:"final,omitempty"`
	Outcome   string       `json:"outcome,omitempty"`
	Error     *Failure     `json:"error,omitempty"`
	Reason    string       `json:"reason,omitempty"`
	Parent    *ParentRef   `json:"parent,omitempty"`
	RestartOf string       `json:"restartOf,omitempty"`
	Totals    []int        `json:"totals,omitempty"`
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
	N       []int64         `json:"n"`
	Zone    string          `json:"z,omitempty"`
	Payload json.RawMessage `json:"p,omitempty"`
}

type visitsJSON struct {
	ID     string `json:"id"`
	Flow   string `json:"flow,omitempty"`
	State  int    `json:"s"`
	Visit  int64  `json:"v"`
	Failed bool   `json:"failed,omitempty"`
}

type frameJSON struct {
	State int             `json:"s"`
	Visit int64           `json:"v"`
	Frame json.RawMessage `json:"f"`
}

type keptJSON struct {
	At       int64    `json:"at"`
	Stimulus Stimulus `json:"s"`
}

// dataJSON is the form of the data part.
type dataJSON struct {
	Input json.RawMessage `json:"input"`
	Data  json.RawMessage `json:"data"`
	Fans  []fanJSON       `json:"fans,omitempty"`
}

type fanJSON struct {
	Flow    string      `json:"flow,omitempty"`
	Bytes   int         `json:"bytes,omitempty"`
	Items   []FanItem   `json:"items,omitempty"`
	Results []FanResult `json:"results,omitempty"`
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
	out := snapshotJSON{
		Form: codecVersion, ID: t.ID, Flow: t.Flow, Key: t.Key, Version: t.Version, Status: t.Status, Visits: t.Visits,
		Times: trimmed(t.LastAt, t.CreatedAt, t.StartAt, t.StartedAt, t.EndedAt, t.PausedAt), Flags: flagsOf(t), Seen: t.Seen, Outcome: t.Outcome,
		Error: t.Error, Reason: t.Reason, Parent: t.Parent, RestartOf: t.RestartOf,
	}
	for _, v := range t.Active {
		out.Active = append(out.Active, trimmed(int64(v.State), v.Visit, v.EnteredAt, int64(v.Need), bit(v.Joined)))
	}
	for _, m := range t.Memories {
		row := []int64{int64(m.State)}
		for _, in := range m.Inside {
			row = append(row, int64(in))
		}
		out.Memories = append(out.Memories, row)
	}
	for i := range t.Timers {
		out.Timers = append(out.Timers, encodeTimer(&t.Timers[i]))
	}
	for _, w := range t.Work {
		out.Work = append(out.Work, visitsJSON{ID: w.Task, State: w.State, Visit: w.Visit})
	}
	for _, c := range t.Children {
		out.Children = append(out.Children, visitsJSON{ID: c.Token, Flow: c.Flow, State: c.State, Visit: c.Visit, Failed: c.Failed})
	}
	for i := range t.Frames {
		raw, err := machine.EncodeFrame(p, &t.Frames[i].Frame)
		if err != nil {
			return nil, fmt.Errorf("encode token %s: %w", t.ID, err)
		}
		out.Frames = append(out.Frames, frameJSON{t.Frames[i].State, t.Frames[i].Visit, raw})
	}
	for i := range t.Fans {
		fan := &t.Fans[i]
		out.Fans = append(out.Fans, trimmed(int64(fan.State), fan.Visit, fan.Begun, int64(fan.Total), int64(fan.Next), int64(fan.Limit),
			int64(fan.Need), int64(fan.Succeeded), int64(fan.Failed)))
	}
	out.Deferred, out.Kept = encodeKept(t.Deferred), encodeKept(t.Kept)
	if t.Final >= 0 {
		out.Final = &t.Final
	}
	if n := t.Totals; n != (ChildTotals{}) {
		out.Totals = []int{n.Running, n.Completed, n.Failed, n.Cancelled}
	}
	raw, err := json.Marshal(&out)
	if err != nil {
		return nil, fmt.Errorf("encode token %s: %w", t.ID, err)
	}
	return raw, nil
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// trimmed is a row of numbers without the zeros at its end.
func trimmed(row ...int64) []int64 {
	for len(row) > 0 && row[len(row)-1] == 0 {
		row = row[:len(row)-1]
	}
	return row
}

func flagsOf(t *Token) uint {
	var flags uint
	for i, set := range [...]bool{t.Cancelling, t.ParentGone, t.Reported, t.PausedSelf, t.PausedByParent} {
		if set {
			flags |= 1 << i
		}
	}
	return flags
}

func encodeTimer(t *Timer) timerJSON {
	out := timerJSON{Zone: t.Zone, N: trimmed(int64(t.State), t.Visit, int64(t.Decl), t.Due, bit(t.Instant)+2*bit(t.Off), t.Period,
		int64(t.Fires), t.Fired, int64(t.Kind), int64(t.Event), t.Left, int64(t.Times), t.Until)}
	if !t.Payload.IsNull() {
		out.Payload = encode(t.Payload)
	}
	return out
}

func encodeKept(kept []Kept) []keptJSON {
	var out []keptJSON
	for i := range kept {
		out = append(out, keptJSON{kept[i].At, kept[i].Stimulus})
	}
	return out
}

// EncodeData returns the part that is rewritten only when Result.DataChanged says so.
func EncodeData(p *program.Program, t *Token) ([]byte, error) {
	f := flowOf(p, t.Flow)
	if f == nil || len(t.Data) != len(f.Data) {
		return nil, fmt.Errorf("encode token %s: its data do not belong to flow %q", t.ID, t.Flow)
	}
	out := dataJSON{Input: encode(t.Input), Data: encode(value.OfRecord(dataDecl(f), t.Data))}
	for i := range t.Fans {
		fan := &t.Fans[i]
		out.Fans = append(out.Fans, fanJSON{fan.Flow, fan.Bytes, fan.Items, fan.Results})
	}
	raw, err := json.Marshal(&out)
	if err != nil {
		return nil, fmt.Errorf("encode token %s: %w", t.ID, err)
	}
	return raw, nil
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
	bare.Seen, bare.Input = "", value.Value{}
	bare.Fans = nil
	snapshot, data, err := EncodeToken(p, &bare)
	return len(snapshot) + len(data), err
}
