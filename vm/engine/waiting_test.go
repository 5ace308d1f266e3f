package engine_test

import (
	"path/filepath"
	"testing"

	"flowc/vm"
	"flowc/vm/engine"
	"flowc/vm/store/pgtest"
)

// backs makes a database of each back end.
func backs(t *testing.T) map[string]func(*testing.T) string {
	t.Helper()
	return map[string]func(*testing.T) string{
		"postgres": func(t *testing.T) string { return pgtest.Reused(t) },
		"sqlite":   func(t *testing.T) string { return filepath.Join(t.TempDir(), "flow.db") },
	}
}

// reasons are all words that Why can say of a token that lives.
var reasons = []vm.WhyKind{vm.WhyEvent, vm.WhyTimer, vm.WhyEither, vm.WhyWorking, vm.WhyBackoff, vm.WhyUnclaimed, vm.WhyChild, vm.WhyChildPaused,
	vm.WhyChildFailed, vm.WhyRefused, vm.WhyNoProgram, vm.WhyPaused, vm.WhyFailed, vm.WhyScheduled, vm.WhySetAside, vm.WhyNothing}

// listedBy checks that the lists by reason say of a token what Why says: it is in one of them, and counted there.
func (s *server) listedBy(id string, kind vm.WhyKind) {
	s.t.Helper()
	counts, err := s.Waiting(s.ctx, engine.ListRequest{})
	if err != nil {
		s.t.Fatal(err)
	}
	counted := map[vm.WhyKind]int64{}
	for _, c := range counts {
		counted[c.Waiting] += c.Count
	}
	for _, reason := range reasons {
		req := engine.ListRequest{Waiting: reason}
		page, err := s.List(s.ctx, req)
		if err != nil {
			s.t.Fatal(err)
		}
		found := false
		for _, v := range page.Items {
			found = found || v.ID == id
		}
		if found != (reason == kind) {
			s.t.Errorf("why says %s; in the list of those that wait for %s: %v", kind, reason, found)
		}
		n, err := s.Count(s.ctx, req)
		if err != nil || n != int64(len(page.Items)) || counted[reason] != n {
			s.t.Errorf("%d are listed for %s, %d counted, %d counted by reason; %v", len(page.Items), reason, n, counted[reason], err)
		}
	}
}

// A search by the code of an error finds the tokens that failed with it, as long as they have failed.
func TestTokensAreFoundByTheirError(t *testing.T) {
	onBoth(t, waits+`
flow divide(by: int) {
  initial a
  state a {
    always when 10 / by > 3 -> z
    always -> z
  }
  final z
}`, func(s *server) {
		s.start("divide", "fine", `{"by": 2}`)
		failed := s.start("divide", "", `{"by": 0}`)
		weak := s.start("weak", "", `{}`)
		for code, id := range map[string]string{failed.Error.Code: failed.ID, weak.Error.Code: weak.ID, "": "", "no_such_code": ""} {
			if code == "" {
				continue
			}
			req := engine.ListRequest{Error: code}
			page, err := s.List(s.ctx, req)
			if err != nil || (id == "") != (len(page.Items) == 0) || id != "" && (len(page.Items) != 1 || page.Items[0].ID != id) {
				s.t.Errorf("%s finds %s, %v", code, jsonOf(page.Items), err)
			}
			if n, err := s.Count(s.ctx, req); err != nil || n != int64(len(page.Items)) {
				s.t.Errorf("%s counts %d, %v", code, n, err)
			}
		}
		s.control(weak.ID, engine.Cancel)
		if n, err := s.Count(s.ctx, engine.ListRequest{Error: weak.Error.Code, Status: "failed"}); err != nil || n != 0 {
			s.t.Errorf("%d failed ones are left, %v", n, err)
		}
	})
}
