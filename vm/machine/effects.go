package machine

import (
	"flowc/compiler/program"
	"flowc/validate/value"
)

// effect hands to the host what a statement does to the token.
func (r *run) effect(in program.Ins) error {
	a := int(in.A)
	switch in.Op {
	case program.OpRaise:
		r.host.Raise(a, r.pop())
	case program.OpSchedule:
		return r.schedule(a, in.B == 1)
	case program.OpUnschedule:
		r.host.Unschedule(a)
	case program.OpRearm:
		return plain(r.host.Rearm(a, int(in.B), -1))
	case program.OpRearmEvent:
		return plain(r.host.Rearm(-1, -1, a))
	case program.OpDispatch:
		r.host.Dispatch(a, r.pop(), r.p.Policies[in.B])
	case program.OpStart:
		return r.start(a, int(in.B))
	case program.OpSend:
		return r.send(a, int(in.B))
	case program.OpNote:
		r.host.Note(r.pop().Str())
	}
	return nil
}

// plain keeps a nil *value.Error from becoming an error that is not nil.
func plain(err *value.Error) error {
	if err == nil {
		return nil
	}
	return err
}

func (r *run) schedule(event int, at bool) error {
	when, payload := r.pop(), r.pop()
	if err := checkWhen(when, at); err != nil {
		return err
	}
	return plain(r.host.Schedule(event, payload, when.Micros(), at))
}

func (r *run) start(flow, flags int) error {
	s := Start{Flow: flow, Keep: flags&program.StartKeep != 0, At: flags&program.StartAt != 0}
	if flags&(program.StartAfter|program.StartAt) != 0 {
		when := r.pop()
		if err := checkWhen(when, s.At); err != nil {
			return err
		}
		s.Later, s.When = true, when.Micros()
	}
	if flags&program.StartKeyed != 0 {
		key, err := keyText(r.pop())
		if err != nil {
			return err
		}
		s.Keyed, s.Key = true, key
	}
	s.Args = r.pop()
	r.host.Start(s)
	return nil
}

func (r *run) send(event, flow int) error {
	s := Send{Event: event, Parent: flow < 0}
	if !s.Parent {
		key, err := keyText(r.pop())
		if err != nil {
			return err
		}
		s.Flow, s.Key = r.p.Consts[flow].Str(), key
	}
	s.Payload = r.pop()
	r.host.Send(s)
	return nil
}

// keyText is a key as text: keys of other types than string are written as they stand in a string.
func keyText(v value.Value) (string, error) {
	if v.IsNull() {
		return "", value.Errorf(value.CodeNull, "the key is null")
	}
	return value.Text(v)
}

// checkWhen refuses what no timer can be armed with: null, and a duration over the longest one (R21).
func checkWhen(v value.Value, at bool) error {
	switch {
	case v.IsNull() && at:
		return value.Errorf(value.CodeNull, "the time is null")
	case v.IsNull():
		return value.Errorf(value.CodeNull, "the duration is null")
	case !at && v.Micros() > value.MaxWait:
		return value.Errorf(value.CodeTooLong, "%s is longer than 3650d", v)
	}
	return nil
}
