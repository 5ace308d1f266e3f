package vm

import (
	"flowc/compiler/program"
	"flowc/validate/value"
)

// enterRegions enters all regions of a parallel, in file order, and only then asks whether it is joined already.
func (s *step) enterRegions(v Visit, goals []int) {
	st := &s.f.States[v.State]
	if st.Join == program.JoinCount {
		need, ok := s.eval(st.JoinN, s.at(v.State, nil))
		if !ok {
			return
		}
		v.Need = clampInt(need.Int())
	}
	if v.Joined || v.Need != 0 {
		v.Joined = false // regions that begin anew are joined anew
		s.setVisit(s.visitOf(v.State), v)
	}
	s.filling = append(s.filling, v.State)
	for _, region := range st.Children {
		s.enter(region, s.within(v.State, goals))
	}
	if s.halt != going {
		return
	}
	s.filling = s.filling[:len(s.filling)-1]
	s.checkJoin(v.State)
}

func clampInt(n int64) int { return int(max(min(n, 1<<31), -1<<31)) }

// reached says what a final state that was just entered ends: the token, a region, a composite.
func (s *step) reached(final int) {
	parent := s.f.States[final].Parent
	switch {
	case parent <= 0:
		s.end(final)
	case s.f.States[parent].Kind == program.Region:
		s.checkJoin(s.f.States[parent].Parent)
	default:
		v := s.t.Active[s.visitOf(parent)]
		s.line(Line{Kind: "completed", State: s.path(parent), Visit: v.Visit, Name: s.f.States[final].Name})
		s.happen(happening{owner: v, payload: reservedEvent(program.OnCompleted,
			extra{"final", value.OfString(s.f.States[final].Name)},
			extra{"outcome", value.OfEnum(outcomeDecl, int(s.f.States[final].Outcome))})})
	}
}

// A tally counts how the parts of a parallel or of a fan-out have ended.
type tally struct{ total, succeeded, failed int }

// joined says whether a join is decided and whether its condition was reached (`ok`).
func (t tally) joined(kind program.JoinKind, need int) (decided, ok bool) {
	running := t.total - t.succeeded - t.failed
	if t.total == 0 {
		return true, kind == program.JoinAll
	}
	switch kind {
	case program.JoinAny:
		need = 1
	case program.JoinRace:
		return running < t.total, running < t.total
	case program.JoinAll:
		return running == 0, running == 0
	}
	if t.succeeded >= need {
		return true, true
	}
	return t.succeeded+running < need, false
}

// checkJoin asks whether a parallel's regions decide its join. It gets `joined` once, and what still runs is left (language.md 4).
func (s *step) checkJoin(parallel int) {
	i := s.visitOf(parallel)
	if i < 0 || s.t.Active[i].Joined || s.isFilling(parallel) {
		return
	}
	v := s.t.Active[i]
	st := &s.f.States[parallel]
	ends := make([]int, len(st.Children))
	count := tally{total: len(st.Children)}
	for k, region := range st.Children {
		ends[k] = -1
		if child := s.activeChild(region); child >= 0 && s.f.States[child].Kind == program.Final {
			ends[k] = child
			count.add(s.f.States[child].Outcome == program.Success)
		}
	}
	decided, ok := count.joined(st.Join, v.Need)
	if !decided {
		return
	}
	v.Joined = true
	s.setVisit(i, v)
	s.leaveRunning(st.Children, ends)
	if s.halt != going {
		return
	}
	s.line(Line{Kind: "joined", State: st.Path, Visit: v.Visit})
	s.happen(happening{owner: v, payload: joinedEvent(ok, count, s.regionResults(st.Children, ends))})
}

func (t *tally) add(success bool) {
	if success {
		t.succeeded++
	} else {
		t.failed++
	}
}

func (s *step) isFilling(parallel int) bool {
	for _, p := range s.filling {
		if p == parallel {
			return true
		}
	}
	return false
}

// leaveRunning leaves the regions that have not ended, in reverse file order.
func (s *step) leaveRunning(regions, ends []int) {
	for k := len(regions) - 1; k >= 0; k-- {
		if ends[k] < 0 {
			s.exit(regions[k], s.f.States[regions[k]].Last)
		}
	}
}

func (s *step) regionResults(regions, ends []int) []value.Value {
	results := make([]value.Value, len(regions))
	for k, region := range regions {
		fields := make([]value.Value, 6)
		fields[0] = value.OfInt(int64(k))
		fields[1] = value.OfString(s.f.States[region].Name)
		if ends[k] >= 0 {
			fields[2] = value.OfString(s.f.States[ends[k]].Name)
			fields[3] = value.OfEnum(outcomeDecl, int(s.f.States[ends[k]].Outcome))
		}
		results[k] = value.OfRecord(resultDecl, fields)
	}
	return results
}

func joinedEvent(ok bool, count tally, results []value.Value) *payload {
	return reservedEvent(program.OnJoined,
		extra{"ok", value.OfBool(ok)},
		extra{"total", value.OfInt(int64(count.total))},
		extra{"succeeded", value.OfInt(int64(count.succeeded))},
		extra{"failed", value.OfInt(int64(count.failed))},
		extra{"results", value.OfList(results)})
}
