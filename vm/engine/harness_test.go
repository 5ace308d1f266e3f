package engine_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"flowc/compiler"
	"flowc/compiler/program"
	"flowc/validate"
	"flowc/vm/engine"
	"flowc/vm/store"
	"flowc/vm/store/pgtest"
)

// patience is how long a test waits for a condition; no test sleeps to hope.
const patience = 30 * time.Second

// server is one engine over a store, with what tests do to it.
type server struct {
	*engine.Engine
	t     testing.TB
	store store.Store
	ctx   context.Context
	once  sync.Once
}

// onBoth runs a test on both back ends.
func onBoth(t *testing.T, flow string, test func(s *server)) {
	t.Run("postgres", func(t *testing.T) { test(serve(t, pgtest.Reused(t), store.Options{}, flow)) })
	t.Run("sqlite", func(t *testing.T) { test(serve(t, filepath.Join(t.TempDir(), "flow.db"), store.Options{}, flow)) })
}

func serve(t testing.TB, url string, o store.Options, flow string) *server {
	t.Helper()
	return serveWith(t, url, o, engine.Options{}, flow)
}

func serveWith(t testing.TB, url string, so store.Options, eo engine.Options, flow string) *server {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	t.Cleanup(cancel)
	so.Logger = slog.New(slog.NewTextHandler(testLog{t}, nil))
	eo.Logger = so.Logger
	st, err := store.Open(ctx, url, so)
	if err != nil {
		t.Fatal(err)
	}
	eo.Store = st
	e, err := engine.New(ctx, eo)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Start(ctx); err != nil {
		t.Fatal(err)
	}
	s := &server{Engine: e, t: t, store: st, ctx: ctx}
	t.Cleanup(s.stop)
	if flow != "" {
		s.deploy(flow)
	}
	return s
}

// longer gives the server's requests more time than those of other tests have, when the test's size is a flag.
func (s *server) longer(d time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience+d)
	s.t.Cleanup(cancel)
	s.ctx = ctx
}

func (s *server) stop() { s.once.Do(s.stopNow) }

func (s *server) stopNow() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := s.Stop(ctx); err != nil {
		s.t.Error(err)
	}
	if err := s.store.Close(); err != nil {
		s.t.Error(err)
	}
}

type testLog struct{ t testing.TB }

func (l testLog) Write(b []byte) (int, error) {
	if testing.Verbose() {
		l.t.Logf("%s", b)
	}
	return len(b), nil
}

// compiled gives the deployments of a source that has no error.
func compiled(t testing.TB, text string) []engine.Deployment {
	t.Helper()
	r := validate.CheckText("test.flow", text)
	if r.Model == nil {
		for _, f := range r.Findings {
			t.Errorf("line %d: %s [%s]", f.Range.Start.Line, f.Message, f.ID)
		}
		t.FailNow()
	}
	units, err := compiler.CompileAll(r.Model)
	if err != nil {
		t.Fatal(err)
	}
	files, _ := json.Marshal(map[string]string{"test.flow": text})
	var out []engine.Deployment
	for _, u := range units {
		source, err := program.EncodeSource(u.Source)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, engine.Deployment{Flow: u.Flow.Name, Hash: program.Hash(u.Program), Code: program.Encode(u.Program),
			Source: source, Files: files})
	}
	return out
}

func (s *server) deploy(text string) {
	s.t.Helper()
	if _, err := s.Deploy(s.ctx, engine.DeployRequest{Programs: compiled(s.t, text)}); err != nil {
		s.t.Fatal(err)
	}
}

func (s *server) start(flow, key, input string) engine.TokenView {
	s.t.Helper()
	a, err := s.StartToken(s.ctx, engine.StartRequest{Flow: flow, Key: key, Input: json.RawMessage(input)})
	if err != nil {
		s.t.Fatalf("start: %v", err)
	}
	return *a.Token
}

func (s *server) send(id, event, payload string) (engine.Answer, error) {
	s.t.Helper()
	return s.SendEvent(s.ctx, engine.EventRequest{Token: engine.Ref{ID: id}, Event: event, Payload: json.RawMessage(payload)})
}

func (s *server) control(id string, a engine.Action) engine.TokenView {
	s.t.Helper()
	got, err := s.Control(s.ctx, engine.ControlRequest{Token: engine.Ref{ID: id}, Action: a})
	if err != nil {
		s.t.Fatalf("%s: %v", a, err)
	}
	return *got.Token
}

func (s *server) token(id string) engine.TokenView {
	s.t.Helper()
	v, err := s.Token(s.ctx, engine.Ref{ID: id})
	if err != nil {
		s.t.Fatal(err)
	}
	return v
}

// await waits until the token is as wanted.
func (s *server) await(id string, what string, want func(engine.TokenView) bool) engine.TokenView {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	for {
		v := s.token(id)
		if want(v) {
			return v
		}
		if ctx.Err() != nil {
			s.t.Fatalf("token %s is not %s after %s: %s", id, what, patience, jsonOf(v))
		}
		if _, err := s.Changed(ctx, engine.Ref{ID: id}, v.Version); err != nil {
			s.t.Fatal(err)
		}
	}
}

func (s *server) awaitFinal(id, final string) engine.TokenView {
	s.t.Helper()
	return s.await(id, "in final "+final, func(v engine.TokenView) bool { return v.Final != nil && *v.Final == final })
}

func (s *server) claim(name string) engine.ClaimedTask {
	s.t.Helper()
	got, err := s.Claim(s.ctx, engine.ClaimRequest{Worker: "w", Tasks: []engine.ClaimTask{{Name: name, Max: 1}}, Wait: patience})
	if err != nil || len(got) != 1 {
		s.t.Fatalf("claim %s: %d, %v", name, len(got), err)
	}
	return got[0]
}

func (s *server) history(id string) []engine.HistoryLine {
	s.t.Helper()
	var all []engine.HistoryLine
	req := engine.HistoryRequest{Token: engine.Ref{ID: id}}
	for {
		page, err := s.History(s.ctx, req)
		if err != nil {
			s.t.Fatal(err)
		}
		all = append(all, page.Items...)
		if page.Next == "" {
			return all
		}
		req.After = page.Next
	}
}

// awaitLines waits until the history has so many lines of a kind; some change no version.
func (s *server) awaitLines(id, kind string, n int) {
	s.t.Helper()
	s.eventually(fmt.Sprintf("%d lines %s", n, kind), func() bool {
		found := 0
		for _, l := range s.history(id) {
			if l.Kind == kind {
				found++
			}
		}
		return found >= n
	})
}

// eventually waits until a condition holds that no signal announces.
func (s *server) eventually(what string, holds func() bool) {
	s.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	end := time.After(patience)
	for !holds() {
		select {
		case <-tick.C:
		case <-end:
			s.t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

func jsonOf(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

func replaceOnce(text, old, with string) string { return strings.Replace(text, old, with, 1) }
