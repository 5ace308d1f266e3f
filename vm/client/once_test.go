package client_test

import (
	"net/http"
	"strings"
	"testing"

	"flowc/vm/client"
)

// losses are what may happen to the first tries of a request.
var losses = map[string][]fate{
	"reply":          {loseReply},
	"replies":        {loseReply, loseReply, loseReply},
	"request":        {loseRequest},
	"half a reply":   {cutReply},
	"all in a row":   {loseRequest, loseReply, cutReply, busy},
	"busy":           {busy},
	"nothing at all": nil,
}

// oneKey fails unless all tries of a request carried the same key, and there were as many as its losses make.
func oneKey(t *testing.T, p *proxy, suffix string, fates []fate) {
	t.Helper()
	tries := p.requests(suffix)
	// The standard client repeats a request with a key by itself when a connection that it had kept turns out to be closed.
	if len(tries) < len(fates)+1 {
		t.Errorf("%s was tried %d times for %d losses", suffix, len(tries), len(fates))
	}
	for _, try := range tries {
		if try.key == "" || try.key != tries[0].key || try.body != tries[0].body {
			t.Errorf("%s was tried with the key %q and %q, the bodies %s and %s", suffix, tries[0].key, try.key, tries[0].body, try.body)
		}
	}
}

// Whatever is lost on the way, a start makes one token, an event counts once, a command is carried out once.
func TestOneEffect(t *testing.T) {
	t.Parallel()
	s := serve(t)
	tokens := int64(0)
	for name, fates := range losses {
		s.proxy.times("/tokens", fates...)
		started, err := s.c.Start(s.ctx, "job", client.Start{Input: object{"n": 7}})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		oneKey(t, s.proxy, "/tokens", fates)
		tokens++
		if n, err := s.c.Count(s.ctx, client.Filter{Flow: "job"}); err != nil || n != tokens {
			t.Fatalf("%s: there are %d tokens, not %d: %v", name, n, tokens, err)
		}
		s.proxy.times("/events", fates...)
		moved, err := s.c.Send(s.ctx, started.ID, client.Event{Name: "add", Payload: object{"n": 1}})
		if err != nil || moved.Outcome != "accepted" {
			t.Fatalf("%s: %+v, %v", name, moved.Outcome, err)
		}
		oneKey(t, s.proxy, "/events", fates)
		s.proxy.times("/restart", fates...)
		if _, err := s.c.Restart(s.ctx, started.ID, "", client.Command{}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		oneKey(t, s.proxy, "/restart", fates)
		tokens++
		now, err := s.c.Token(s.ctx, started.ID)
		if err != nil || string(now.Data) != `{"receipt":"","why":"","count":1}` {
			t.Errorf("%s: the event counted as %s, %v", name, now.Data, err)
		}
		if n, err := s.c.Count(s.ctx, client.Filter{Flow: "job"}); err != nil || n != tokens {
			t.Errorf("%s: there are %d tokens, not %d: %v", name, n, tokens, err)
		}
	}
}

// A refusal is kept, too: the repeat gets the first answer.
func TestRefusalOnce(t *testing.T) {
	t.Parallel()
	s := serve(t)
	token := s.start("A")
	s.proxy.times("/events", loseReply)
	_, err := s.c.Send(s.ctx, token.ID, client.Event{Name: "later", Payload: object{"text": "x"}})
	p := problemOf(t, err, client.EventRefused)
	if !p.Replayed || len(s.proxy.requests("/events")) < 2 {
		t.Errorf("got %+v", p)
	}
}

// The outcome of work counts once, however often its report is sent.
func TestOneOutcome(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for name, fates := range losses {
		token := s.begin(name)
		s.proxy.times("/complete", fates...)
		stop := s.work(client.WorkerOptions{Tasks: []string{"charge"}}, returns(client.Done(object{"receipt": "r"}), nil))
		s.until(token.ID, entered("mailing"))
		if err := stop(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		oneKey(t, s.proxy, "/complete", fates)
		// The worker before, which has just stopped, may have been given the work and given it back.
		if got := strings.TrimLeft(strings.ReplaceAll(s.kinds(token), "released", ""), " "); got != "completed" {
			t.Errorf("%s: the attempts are %s", name, got)
		}
	}
}

func TestGivesUpInTheEnd(t *testing.T) {
	t.Parallel()
	s := serve(t)
	token := s.start("A")
	s.proxy.lose(func(r *http.Request) fate { return loseRequest })
	c, err := client.New(client.Options{Server: s.proxy.URL, Tries: 2})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Pause(s.ctx, token.ID, client.Command{}); !unreachable(err) {
		t.Errorf("got %v", err)
	}
	if n := len(s.proxy.requests("/pause")); n < 2 {
		t.Errorf("it was tried %d times", n)
	}
}
