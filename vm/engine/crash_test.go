//go:build crashpoints && unix

package engine_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"flowc/vm/engine"
	"flowc/vm/store"
	"flowc/vm/store/pgtest"
)

// The crash test kills a server before and after every statement of every kind of step, and lets another one go on:
//
//	go test -tags crashpoints ./vm/engine -run TestR4_Crash -crash.every 1 -timeout 30m
var crashEvery = flag.Int("crash.every", 9, "try only every nth point")

const (
	crashURL  = "FLOWC_CRASH_URL"
	crashMove = "FLOWC_CRASH_MOVE"
	crashKey  = "FLOWC_CRASH_KEY"
	crashAt   = "FLOWC_CRASH_AT"
)

// TestCrashingServer is the server that dies; only its parent sets what it needs.
func TestCrashingServer(t *testing.T) {
	url := os.Getenv(crashURL)
	if url == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	st, err := store.Open(ctx, url, store.Options{})
	mustMove(t, err)
	e, err := engine.New(ctx, engine.Options{Store: st})
	mustMove(t, err)
	mustMove(t, e.Start(ctx))
	m := moveNamed(os.Getenv(crashMove))
	key := os.Getenv(crashKey)
	if m.prepare != nil {
		mustMove(t, m.prepare(ctx, e, key))
	}
	if lease, ok := leases.Load(key); ok {
		text, _ := json.Marshal(lease)
		fmt.Printf("lease %s\n", text)
	}
	n, err := strconv.ParseInt(os.Getenv(crashAt), 10, 64)
	mustMove(t, err)
	store.CrashAt(n)
	err = m.do(ctx, e, key)
	left := store.CrashLeft()
	store.CrashAt(0)
	mustMove(t, err)
	fmt.Printf("acknowledged %d\n", left)
}

func moveNamed(name string) move {
	for _, m := range moves {
		if m.name == name {
			return m
		}
	}
	return move{}
}

func TestR4_CrashesLoseAndDoubleNothing(t *testing.T) {
	backs := map[string]func(*testing.T) string{
		"sqlite":   func(t *testing.T) string { return filepath.Join(t.TempDir(), "flow.db") },
		"postgres": func(t *testing.T) string { return pgtest.Reused(t) },
	}
	for back, url := range backs {
		for _, m := range moves {
			t.Run(back+"/"+m.name, func(t *testing.T) { crashEverywhere(t, m, url(t)) })
		}
	}
}

// crashEverywhere crashes at one point after the other, until the move is over before the next would come.
func crashEverywhere(t *testing.T, m move, url string) {
	deployMoving(t, url)
	crashes := 0
	for at := 1; ; at += *crashEvery {
		key := fmt.Sprintf("%s-%d", m.name, at)
		out, crashed := crash(t, url, m, key, at)
		if crashed {
			crashes++
		}
		goOn(t, url, m, key, out, crashed)
		if t.Failed() || !crashed {
			break
		}
	}
	if crashes == 0 {
		t.Error("no server crashed")
	}
	t.Logf("%d crashes", crashes)
}

func deployMoving(t *testing.T, url string) {
	t.Helper()
	s := serve(t, url, store.Options{}, moving)
	s.stop()
}

// crash runs a server of a process of its own that dies at a point.
func crash(t *testing.T, url string, m move, key string, at int) (out string, crashed bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestCrashingServer$")
	c.Env = append(os.Environ(), crashURL+"="+url, crashMove+"="+m.name, crashKey+"="+key, fmt.Sprintf("%s=%d", crashAt, at))
	text, err := c.CombinedOutput()
	switch {
	case err == nil && strings.Contains(string(text), "acknowledged "):
		return string(text), false
	case err != nil && strings.Contains(err.Error(), "killed") && ctx.Err() == nil:
		return string(text), true
	}
	t.Fatalf("%s: %v\n%s", key, err, text)
	return "", false
}

// goOn takes over on another server: what was acknowledged is there, and a repeat of the request leads to one step, not two.
func goOn(t *testing.T, url string, m move, key, out string, crashed bool) {
	t.Helper()
	s := serve(t, url, store.Options{}, "")
	defer s.stop()
	for _, line := range strings.Split(out, "\n") {
		if text, ok := strings.CutPrefix(line, "lease "); ok {
			var c engine.ClaimedTask
			mustMove(t, json.Unmarshal([]byte(text), &c))
			leases.Store(key, c)
		}
	}
	if !crashed {
		if v, err := s.Token(s.ctx, moveRef(key)); err != nil || !m.final(v) {
			t.Errorf("%s: an acknowledged step is not in the database: %v %s", key, err, jsonOf(v))
		}
	}
	if err := m.do(s.ctx, s.Engine, key); err != nil {
		t.Errorf("%s: the repeat: %v", key, err)
	}
	s.verifyMove(m, key)
	s.finish(key)
}
