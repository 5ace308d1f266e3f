package vm

import (
	"encoding/json"
	"strconv"
)

// readSnapshot reads the form of the snapshot.
func readSnapshot(raw []byte, in *snapshotJSON) error {
	s := scanner{b: raw}
	s.object(func(key string) { in.member(&s, key) })
	return s.end()
}

func (in *snapshotJSON) member(s *scanner, key string) {
	switch key {
	case "v":
		in.Form = int(s.number())
	case "id":
		in.ID = s.text()
	case "flow":
		in.Flow = s.text()
	case "key":
		in.Key = s.text()
	case "n":
		in.Version = s.number()
	case "status":
		in.Status = Status(s.text())
	case "active":
		s.array(func() { in.Active = append(in.Active, s.row()) })
	case "visits":
		in.Visits = s.number()
	case "at":
		in.Times = s.row()
	case "flags":
		in.Flags = uint(s.number())
	case "mem":
		s.array(func() { in.Memories = append(in.Memories, s.row()) })
	case "timers":
		s.array(func() { in.Timers = append(in.Timers, readTimer(s)) })
	case "work":
		s.array(func() { in.Work = append(in.Work, readVisits(s)) })
	case "kids":
		s.array(func() { in.Children = append(in.Children, readVisits(s)) })
	case "frames":
		s.array(func() { in.Frames = append(in.Frames, readFrame(s)) })
	case "seen":
		in.Seen = s.number()
	case "final":
		n := int(s.number())
		in.Final = &n
	default:
		in.seldom(s, key)
	}
}

func (in *snapshotJSON) seldom(s *scanner, key string) {
	switch key {
	case "fans":
		s.array(func() { in.Fans = append(in.Fans, s.row()) })
	case "deferred":
		s.rest(&in.Deferred)
	case "kept":
		s.rest(&in.Kept)
	case "outcome":
		in.Outcome = s.text()
	case "error":
		s.rest(&in.Error)
	case "reason":
		in.Reason = s.text()
	case "parent":
		s.rest(&in.Parent)
	case "restartOf":
		in.RestartOf = s.text()
	case "totals":
		s.rest(&in.Totals)
	default:
		s.bad = true
	}
}

func readTimer(s *scanner) (t timerJSON) {
	s.object(func(key string) {
		switch key {
		case "n":
			t.N = s.row()
		case "z":
			t.Zone = s.text()
		case "p":
			t.Payload = s.raw()
		default:
			s.bad = true
		}
	})
	return t
}

func readVisits(s *scanner) (v visitsJSON) {
	s.object(func(key string) {
		switch key {
		case "id":
			v.ID = s.text()
		case "flow":
			v.Flow = s.text()
		case "s":
			v.State = int(s.number())
		case "v":
			v.Visit = s.number()
		case "failed":
			v.Failed = s.truth()
		default:
			s.bad = true
		}
	})
	return v
}

func readFrame(s *scanner) (f frameJSON) {
	s.object(func(key string) {
		switch key {
		case "s":
			f.State = int(s.number())
		case "v":
			f.Visit = s.number()
		case "f":
			f.Frame = s.raw()
		default:
			s.bad = true
		}
	})
	return f
}

// readData reads the form of the data part.
func readData(raw []byte, in *dataJSON) error {
	s := scanner{b: raw}
	s.object(func(key string) {
		switch key {
		case "input":
			in.Input = s.raw()
		case "data":
			in.Data = s.raw()
		default:
			s.bad = true
		}
	})
	return s.end()
}

// A writer writes JSON without reflection.
type writer struct {
	b   []byte
	err error
}

// key begins a member.
func (w *writer) key(name string) {
	if last := w.b[len(w.b)-1]; last != '{' {
		w.b = append(w.b, ',')
	}
	w.b = append(append(append(w.b, '"'), name...), '"', ':')
}

func (w *writer) text(key, v string) {
	if v == "" {
		return
	}
	w.key(key)
	for i := range len(v) {
		if c := v[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			w.any(v)
			return
		}
	}
	w.b = append(append(append(w.b, '"'), v...), '"')
}

func (w *writer) number(key string, n int64) {
	w.key(key)
	w.b = strconv.AppendInt(w.b, n, 10)
}

func (w *writer) count(key string, n int64) {
	if n != 0 {
		w.number(key, n)
	}
}

// row writes a row of numbers without the zeros at its end.
func (w *writer) row(row ...int64) {
	for len(row) > 0 && row[len(row)-1] == 0 {
		row = row[:len(row)-1]
	}
	w.b = append(w.b, '[')
	for i, n := range row {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.b = strconv.AppendInt(w.b, n, 10)
	}
	w.b = append(w.b, ']')
}

// list writes n elements, and nothing at all when there are none.
func (w *writer) list(key string, n int, element func(i int)) {
	if n == 0 {
		return
	}
	w.key(key)
	w.b = append(w.b, '[')
	for i := range n {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		element(i)
	}
	w.b = append(w.b, ']')
}

func (w *writer) raw(key string, raw []byte) {
	w.key(key)
	w.b = append(w.b, raw...)
}

// any hands a value to encoding/json.
func (w *writer) any(v any) {
	raw, err := json.Marshal(v)
	if err != nil && w.err == nil {
		w.err = err
	}
	w.b = append(w.b, raw...)
}
