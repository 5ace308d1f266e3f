package client_test

import (
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"flowc/vm/client"
)

// A change goes its whole way through workers in three languages: code that is written in Python, checked in TypeScript, sent
// back, checked again, approved, merged by a shell.
func TestAChangeInThreeLanguages(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../examples/change.flow")
	if err != nil {
		t.Fatal(err)
	}
	s := serveFlow(t, string(text))
	workplace := t.TempDir()
	env := []string{"FLOWC_WORKPLACE=" + workplace}
	all := []*process{
		spawn(t, s.proxy.URL, env, languages[0].command(t, workers+"/python/tasks.py", "")...),
		spawn(t, s.proxy.URL, env, languages[1].command(t, compiled(t)+"/tasks.js", "")...),
		spawn(t, s.proxy.URL, env, languages[2].command(t, workers+"/shell/merge.sh", "merge")...),
		spawn(t, s.proxy.URL, env, languages[2].command(t, workers+"/shell/notify.sh", "notify")...),
	}
	change := func(key, repository, request string) client.Token {
		started, err := s.c.Start(s.ctx, "change", client.Start{Key: key, Input: object{"repository": repository, "request": request, "reviewer": "ann"}})
		if err != nil {
			t.Fatal(err)
		}
		return started.Token
	}
	dark := change("dark", "shop", "Dark mode")
	s.until(dark.ID, entered("reviewing"))
	if _, err := s.c.Send(s.ctx, dark.ID, client.Event{Name: "approve", Payload: object{"by": "ann"}}); err != nil {
		t.Fatal(err)
	}
	end, err := s.c.Wait(s.ctx, dark.ID)
	var result struct {
		Branch, Commit string
		Rounds         int
	}
	if err != nil || end.Final != "merged" || end.DecodeResult(&result) != nil || result.Branch != "dark-mode" || result.Rounds != 2 || len(result.Commit) != 12 {
		t.Errorf("got %s in %v with %s, %v", end.Final, end.States, end.Result, err)
	}
	if files, err := os.ReadDir(filepath.Join(workplace, "dark-mode")); err != nil || len(files) != 2 {
		t.Errorf("the branch has %v, %v", files, err)
	}
	s.until(change("ask", "shop", "Dark mode?").ID, entered("asking"))
	secret := change("secret", "secret", "Dark mode")
	s.until(secret.ID, entered("stuck"))
	if token, err := s.c.Token(s.ctx, secret.ID); err != nil || !strings.Contains(string(token.Data), `"why":"no_access"`) {
		t.Errorf("got %s, %v", token.Data, err)
	}
	for _, p := range all {
		p.term()
	}
}

// everyLanguage runs a test for each worker, all at once.
func everyLanguage(t *testing.T, test func(t *testing.T, l language, s *server, g *gate)) {
	t.Parallel()
	for _, l := range languages {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			test(t, l, serveFlow(t, jobFlow), newGate(t))
		})
	}
}

// endsWith fails unless the job ended in the state, after attempts of these kinds.
func (s *server) endsWith(key, final, kinds string) {
	s.t.Helper()
	end := s.wait(key)
	if got := s.kinds(end); end.Final != final || got != kinds {
		s.t.Errorf("%s ended in %s after the attempts %s", key, end.Final, got)
	}
}

// A worker that is killed in the middle is replaced within its lease; the attempt is counted, the key is the same.
func TestKilledWorker(t *testing.T) {
	everyLanguage(t, func(t *testing.T, l language, s *server, g *gate) {
		s.begin("A")
		first := l.work(t, s.proxy.URL, g, "FLOWC_LEASE=5")
		one := get(t, "the first attempt", g.calls)
		second := l.work(t, s.proxy.URL, g, "FLOWC_LEASE=60")
		first.kill()
		killed := time.Now()
		two := get(t, "the second attempt", g.calls)
		// the lease, the backoff of one second, and time for a busy machine
		if d := time.Since(killed); d > (5+1+10)*time.Second {
			t.Errorf("the second attempt came after %s", d)
		}
		if one.attempt != "1" || two.attempt != "2" || one.key != two.key {
			t.Errorf("got %+v and %+v", one, two)
		}
		two.answer <- object{"receipt": "r"}
		s.until(s.token("A").ID, entered("mailing"))
		if got := s.kinds(s.token("A")); got != "lease-lost completed" {
			t.Errorf("the attempts %s", got)
		}
		second.term()
	})
}

// Three lost attempts end in an error, and nobody has the work again.
func TestThreeKilledWorkers(t *testing.T) {
	everyLanguage(t, func(t *testing.T, l language, s *server, g *gate) {
		s.begin("A")
		over := make(chan bool)
		go func() {
			defer close(over)
			_, _ = s.c.Wait(s.ctx, "job:A") // what it ended in is looked at below
		}()
		// On a busy machine a lease may run out before the work has begun; then there are fewer to kill.
		kills := 0
		for goes := true; goes && kills < 4; {
			p := l.work(t, s.proxy.URL, g, "FLOWC_LEASE=2")
			select {
			case <-g.calls:
				kills++
			case <-over:
				goes = false
			}
			p.kill()
		}
		if kills == 0 || kills > 3 {
			t.Errorf("%d workers had the work", kills)
		}
		s.endsWith("A", "refused", "lease-lost lease-lost lease-lost")
		if why, _ := s.field("A", "why").(string); !strings.HasPrefix(why, "lease_lost: ") {
			t.Errorf("it ended because of %s", why)
		}
	})
}

// A worker that is told to stop gives its work back, which uses up no attempt.
func TestWorkerIsToldToStop(t *testing.T) {
	everyLanguage(t, func(t *testing.T, l language, s *server, g *gate) {
		s.begin("A")
		for range 4 { // more often than there are attempts
			p := l.work(t, s.proxy.URL, g, "FLOWC_GRACE=0")
			if c := get(t, "an attempt", g.calls); c.attempt != "1" {
				t.Errorf("it is attempt %s", c.attempt)
			}
			p.term()
		}
		last := l.work(t, s.proxy.URL, g)
		get(t, "the last attempt", g.calls).answer <- object{"fail": "declined"}
		s.endsWith("A", "refused", "released released released released failed")
		if why := s.field("A", "why"); why != "declined: as told" {
			t.Errorf("it ended because of %s", why)
		}
		last.term()
	})
}

// Whatever is lost on the way, an outcome counts once; heartbeats keep the lease for longer than it is.
func TestWorkerKeepsAndReportsOnce(t *testing.T) {
	everyLanguage(t, func(t *testing.T, l language, s *server, g *gate) {
		token := s.begin("A")
		beats, fates := make(chan bool, 100), slices.Clone(losses["all in a row"])
		s.proxy.lose(func(r *http.Request) fate {
			switch {
			case strings.HasSuffix(r.URL.Path, "/heartbeat"):
				beats <- true
			case strings.HasSuffix(r.URL.Path, "/complete") && len(fates) > 0:
				next := fates[0]
				fates = fates[1:]
				return next
			}
			return through
		})
		p := l.work(t, s.proxy.URL, g, "FLOWC_LEASE=6")
		c := get(t, "the attempt", g.calls)
		for range 4 { // eight seconds
			get(t, "a heartbeat", beats)
		}
		c.answer <- object{"receipt": "r"}
		s.until(token.ID, entered("mailing"))
		get(t, "the answer to the report", p.stderr.says(`complete"`))
		oneKey(t, s.proxy, "/complete", losses["all in a row"])
		if got := s.kinds(token); got != "completed" {
			t.Errorf("the attempts %s", got)
		}
	})
}

// A command that fails without a word, or cannot be run at all, fails the attempt with a code of the worker's own.
func TestShellCommandThatSaysNothing(t *testing.T) {
	t.Parallel()
	mute := filepath.Join(t.TempDir(), "mute.sh")
	if err := os.WriteFile(mute, []byte("#!/bin/sh\nexit 2\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for command, want := range map[string]string{
		mute:                "command_failed: the command ended with exit code 2",
		mute + ".not-there": "command_failed: ",
	} {
		s := serveFlow(t, jobFlow)
		token := s.begin("A")
		w := spawn(t, s.proxy.URL, nil, languages[2].command(t, command, "charge")...)
		get(t, "the reason", w.stderr.says(`"code":"command_failed"`))
		get(t, "the report", w.stderr.says(`"msg":"fail"`))
		attempts := s.task(token, "charge").Attempts
		if len(attempts) == 0 {
			t.Fatalf("%s: no attempt has ended", command)
		}
		if got := attempts[0].Code + ": " + attempts[0].Message; !strings.HasPrefix(got, want) {
			t.Errorf("%s ended as %q", command, got)
		}
	}
}

// A worker that stood still for too long has lost its lease: its late answer is refused, and the other's counts.
func TestLateAnswer(t *testing.T) {
	t.Parallel()
	for _, l := range languages[:2] { // the shell worker is several processes, of which stopping one stops not all
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			s, g := serveFlow(t, jobFlow), newGate(t)
			token := s.begin("A")
			slow := l.work(t, s.proxy.URL, g, "FLOWC_LEASE=4")
			one := get(t, "the first attempt", g.calls)
			slow.signal(syscall.SIGSTOP)
			l.work(t, s.proxy.URL, g)
			two := get(t, "the second attempt", g.calls)
			two.answer <- object{"receipt": "in time"}
			s.until(token.ID, entered("mailing"))
			one.answer <- object{"receipt": "late"}
			slow.signal(syscall.SIGCONT)
			get(t, "the refusal", slow.stderr.says(`"lease-lost"`))
			if got := s.kinds(token); got != "lease-lost completed" || s.field("A", "receipt") != "in time" {
				t.Errorf("the attempts %s, %v", got, s.field("A", "receipt"))
			}
		})
	}
}
