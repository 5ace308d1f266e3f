package vm

import (
	"fmt"
	"math"

	"flowc/compiler/program"
	"flowc/validate/value"
	"flowc/vm/machine"
)

// DecodeToken reads a token back: its two parts and the hash of its program. What does not fit the program or itself is an error,
// so that no stored text can make a step misbehave.
func DecodeToken(p *program.Program, hash string, snapshot, data []byte) (*Token, error) {
	var in snapshotJSON
	if err := readSnapshot(snapshot, &in); err != nil {
		return nil, fmt.Errorf("decode a token: %w", err)
	}
	f := flowOf(p, in.Flow)
	if f == nil || in.Form != codecVersion {
		return nil, fmt.Errorf("decode token %s: no flow %q in form %d", in.ID, in.Flow, in.Form)
	}
	t := &Token{
		ID: in.ID, Flow: in.Flow, Key: in.Key, Program: hash, Version: in.Version, Status: in.Status, Visits: in.Visits,
		SeenCount: in.Seen, seenAll: in.Seen == 0,
		Outcome: in.Outcome, Error: in.Error, Reason: in.Reason, Parent: in.Parent, RestartOf: in.RestartOf, Final: -1,
	}
	d := decoder{p: p, f: f, t: t}
	d.numbers(&in)
	d.timers(in.Timers)
	d.visits(&in)
	d.frames(in.Frames)
	d.waiting(&in)
	d.data(data)
	for i := range in.Fans {
		d.fan(row(in.Fans[i]))
	}
	if d.err == nil {
		d.check()
	}
	if d.err != nil {
		return nil, fmt.Errorf("decode token %s: %w", in.ID, d.err)
	}
	return t, nil
}

type decoder struct {
	p   *program.Program
	f   *program.Flow
	t   *Token
	err error
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
}

// row gives access to a row of numbers; what was left out is zero.
type row []int64

func (r row) at(i int) int64 {
	if i < len(r) {
		return r[i]
	}
	return 0
}

func (d *decoder) int(n int64) int {
	if n < math.MinInt32 || n > math.MaxInt32 {
		d.fail("the number %d is out of range", n)
		return 0
	}
	return int(n)
}

// state checks the number of a state.
func (d *decoder) state(n int64) int {
	if n < 0 || n >= int64(len(d.f.States)) {
		d.fail("there is no state %d", n)
		return 0
	}
	return int(n)
}

func (d *decoder) instant(n int64) {
	if n < value.MinTime || n > value.MaxTime {
		d.fail("%d is no instant", n)
	}
}

func (d *decoder) numbers(in *snapshotJSON) {
	t, at := d.t, row(in.Times)
	t.LastAt, t.CreatedAt, t.StartAt, t.StartedAt, t.EndedAt, t.PausedAt = at.at(0), at.at(1), at.at(2), at.at(3), at.at(4), at.at(5)
	t.Cancelling, t.ParentGone, t.Reported = in.Flags&flagCancelling != 0, in.Flags&flagParentGone != 0, in.Flags&flagReported != 0
	for _, n := range in.Times {
		d.instant(n)
	}
	t.PausedSelf, t.PausedByParent = in.Flags&flagPausedSelf != 0, in.Flags&flagPausedByParent != 0
	for _, n := range in.Active {
		r := row(n)
		d.instant(r.at(2))
		t.Active = append(t.Active, Visit{State: d.state(r.at(0)), Visit: r.at(1), EnteredAt: r.at(2), Need: d.int(r.at(3)), Joined: r.at(4) != 0})
	}
	for _, n := range in.Memories {
		m := Memory{State: d.state(row(n).at(0))}
		for _, in := range n[min(1, len(n)):] {
			m.Inside = append(m.Inside, d.state(in))
			if !inside(d.f, m.Inside[len(m.Inside)-1], m.State) {
				d.fail("state %d is not inside state %d", in, m.State)
			}
		}
		t.Memories = append(t.Memories, m)
	}
	if in.Final != nil {
		t.Final = d.state(int64(*in.Final))
	}
	if len(in.Totals) == 4 {
		t.Totals = ChildTotals{in.Totals[0], in.Totals[1], in.Totals[2], in.Totals[3]}
	}
	if e := in.Error; e != nil && (e.State < -1 || e.State >= len(d.f.States)) {
		d.fail("there is no state %d", e.State)
	}
	if in.Seen < 0 {
		d.fail("%d event ids", in.Seen)
	}
}

func (d *decoder) timers(in []timerJSON) {
	for i := range in {
		r := row(in[i].N)
		t := Timer{
			State: d.state(r.at(0)), Visit: r.at(1), Decl: d.int(r.at(2)), Due: r.at(3), Instant: r.at(4)&1 != 0, Off: r.at(4)&2 != 0,
			Period: r.at(5), Fires: d.int(r.at(6)), Fired: r.at(7), Kind: TimerKind(r.at(8)), Event: d.int(r.at(9)) - 1, Left: r.at(10),
			Times: d.int(r.at(11)), Until: r.at(12), Zone: in[i].Zone,
			Dated: r.at(4)&4 != 0, Deadline: r.at(13),
		}
		d.timer(&t, r.at(8))
		if d.err == nil && len(in[i].Payload) > 0 && t.Event >= 0 && t.Event < len(d.p.Events) {
			t.Payload, d.err = value.DecodeStored(in[i].Payload, value.RecordOf(d.p.Events[t.Event].Payload))
		}
		d.t.Timers = append(d.t.Timers, t)
	}
}

func (d *decoder) timer(t *Timer, kind int64) {
	switch {
	case d.err != nil:
	case t.Due < value.MinTime || t.Due > value.MaxTime || t.Until < value.MinTime || t.Until > value.MaxTime:
		d.fail("a timer of state %d is due at no instant", t.State)
	case t.Decl >= len(d.f.States[t.State].Timers) || t.Decl < -1:
		d.fail("state %d has no timer %d", t.State, t.Decl)
	case t.Decl >= 0 && (kind != 0 || d.f.States[t.State].Timers[t.Decl].Kind == program.Every && t.Period <= 0):
		d.fail("timer %d of state %d is damaged", t.Decl, t.State)
	case t.Decl < 0 && (kind < int64(ScheduledEvent) || kind > int64(StartTimer)):
		d.fail("there is no kind %d of timers", kind)
	case t.Decl < 0 && t.Kind == ScheduledEvent && (t.Event < 0 || t.Event >= len(d.p.Events)):
		d.fail("there is no event %d", t.Event)
	}
}

func (d *decoder) visits(in *snapshotJSON) {
	for _, w := range in.Work {
		d.t.Work = append(d.t.Work, Work{Task: w.ID, State: d.state(int64(w.State)), Visit: w.Visit})
	}
	for _, c := range in.Children {
		d.t.Children = append(d.t.Children, Child{Token: c.ID, Flow: c.Flow, State: d.state(int64(c.State)), Visit: c.Visit, Failed: c.Failed})
	}
}

func (d *decoder) frames(in []frameJSON) {
	for i := range in {
		fr := Frame{State: d.state(int64(in[i].State)), Visit: in[i].Visit}
		f, err := machine.DecodeFrame(d.p, in[i].Frame)
		if err != nil {
			d.fail("%w", err)
			return
		}
		work := d.f.States[fr.State].Work
		if work == nil || work.Kind != program.Run || work.Routine != f.Code {
			d.fail("state %d has no such routine", fr.State)
			return
		}
		fr.Frame = *f
		if fr.Wait = suspensionAt(d.p, f); fr.Wait == nil {
			d.fail("the routine of state %d does not wait", fr.State)
			return
		}
		d.t.Frames = append(d.t.Frames, fr)
	}
}

// suspensionAt is what a saved frame waits for, as far as the program says it; what it began with is no longer needed.
func suspensionAt(p *program.Program, f *machine.Frame) *machine.Suspension {
	c := &p.Codes[f.Code]
	if f.PC >= len(c.Ins) {
		return nil
	}
	in := c.Ins[f.PC]
	w := &machine.Suspension{Task: -1, Flow: -1}
	switch in.Op {
	case program.OpCallTask, program.OpCallTasks, program.OpCallFlow:
		call := &c.Calls[in.A]
		w.Task, w.Flow, w.Policy, w.Result = call.Task, call.Flow, call.Policy, call.Result
		w.Kind = map[program.Op]machine.SuspendKind{
			program.OpCallTask: machine.CallTask, program.OpCallTasks: machine.CallTasks, program.OpCallFlow: machine.CallFlow,
		}[in.Op]
	case program.OpSleep:
		w.Kind = machine.Sleep
	case program.OpWait, program.OpWaitCases:
		w.Kind = machine.Wait
		for _, k := range c.Waits[in.A].Cases {
			w.Cases = append(w.Cases, machine.WaitCase{Events: k.Events, Guard: k.Guard})
		}
	default:
		return nil
	}
	return w
}

func (d *decoder) waiting(in *snapshotJSON) {
	for i := range in.Deferred {
		d.t.Deferred = append(d.t.Deferred, Kept{in.Deferred[i].At, in.Deferred[i].Stimulus})
	}
	for i := range in.Kept {
		d.t.Kept = append(d.t.Kept, Kept{in.Kept[i].At, in.Kept[i].Stimulus})
	}
}

func (d *decoder) data(raw []byte) {
	var in dataJSON
	if err := readData(raw, &in); err != nil {
		d.fail("its data: %w", err)
		return
	}
	input, err := value.DecodeStored(in.Input, value.RecordOf(d.f.Input))
	if err != nil {
		d.fail("its input: %w", err)
		return
	}
	d.t.Input = input
	record, err := value.DecodeStored(in.Data, value.RecordOf(dataDecl(d.f)))
	if err != nil || record.IsNull() {
		d.fail("its data: %w", err)
		return
	}
	d.t.Data = make([]value.Value, len(d.f.Data))
	for i, v := range record.All() {
		d.t.Data[i] = v
	}
}

// fanNumbers is how many numbers come before the bits of what has ended.
const fanNumbers = 10

func (d *decoder) fan(r row) {
	fan := Fan{
		State: d.state(r.at(0)), Visit: r.at(1), Begun: r.at(2), Total: d.int(r.at(3)), Next: d.int(r.at(4)), Limit: d.int(r.at(5)),
		Need: d.int(r.at(6)), Succeeded: d.int(r.at(7)), Failed: d.int(r.at(8)), Bytes: d.int(r.at(9)),
	}
	for i := fanNumbers; i < len(r); i++ {
		fan.Ended = append(fan.Ended, uint64(r[i]))
	}
	work := d.f.States[fan.State].Work
	if fan.Total < 0 || fan.Total > MaxItems || fan.Next < 0 || fan.Next > fan.Total || fan.Bytes < 0 || work == nil ||
		fan.Succeeded < 0 || fan.Failed < 0 || fan.Succeeded+fan.Failed != fan.endedCount() || fan.highest() >= fan.Next {
		d.fail("the fan-out of state %d is damaged", fan.State)
		return
	}
	if work.Kind == program.Invoke {
		fan.Flow = d.p.Flows[work.Flow].Name
	}
	d.t.Fans = append(d.t.Fans, fan)
}
