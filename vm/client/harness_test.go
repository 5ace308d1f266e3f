package client_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"testing"
	"time"

	"flowc/vm/api"
	"flowc/vm/client"
	"flowc/vm/engine"
	"flowc/vm/store"
)

// patience is how long a test waits for a condition; no test sleeps to hope.
const patience = 60 * time.Second

const jobFlow = `
event add(n: int)
event begin
event later(text: string)
event instead(text: string)
task charge(n: int) -> (receipt: string) fails "declined" retry 2 backoff 1s
task mail(n: int) -> (sent: bool) retry 1 backoff 1s

flow job(n: int, label: string = "x") -> (receipt: string, why: string, count: int) {
  data {
    receipt: string = ""
    why: string = ""
    count: int = 0
  }
  on cancel -> cancelled
  initial waiting
  state waiting {
    timeout 1d
    on add {
      count = count + event.n
    }
    on begin -> charging
    on timeout -> late
  }
  state charging {
    timeout 1d
    do charge(n: n) may instead, later
    on completed -> mailing {
      receipt = event.receipt
    }
    on instead -> done {
      why = event.text
    }
    on error -> refused {
      why = "{event.code}: {event.message}"
    }
    on timeout -> late
  }
  state mailing {
    timeout 1d
    do mail(n: n)
    on completed -> done
    on later -> done {
      why = event.text
    }
    on error -> broken
    on timeout -> late
  }
  state broken {
    timeout 1d
    entry {
      fail "no mail"
    }
    on timeout -> late
  }
  final done
  final refused as failure
  final late as failure
  final cancelled as cancelled
}
`

// A server is the real thing on SQLite in memory, with jobFlow deployed, behind a proxy that loses what it is told to.
type server struct {
	t     testing.TB
	proxy *proxy
	c     *client.Client // through the proxy
	ctx   context.Context
}

func serve(t testing.TB) *server { return serveFlow(t, jobFlow) }

func serveFlow(t testing.TB, flow string) *server {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	t.Cleanup(cancel)
	url, stop, err := listen(ctx, flow)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	s := &server{t: t, proxy: newProxy(t, url), ctx: ctx}
	if s.c, err = client.New(client.Options{Server: s.proxy.URL}); err != nil {
		t.Fatal(err)
	}
	return s
}

// listen serves a flow until it is stopped.
func listen(ctx context.Context, flow string) (url string, stop func(), err error) {
	db, err := store.Open(ctx, ":memory:", store.Options{})
	if err != nil {
		return "", nil, err
	}
	eng, err := engine.New(ctx, engine.Options{Store: db})
	if err != nil {
		return "", nil, err
	}
	if err := eng.Start(ctx); err != nil {
		return "", nil, err
	}
	handler := api.New(eng, api.Options{})
	srv := httptest.NewServer(handler)
	stop = func() {
		handler.Close()
		srv.Close()
		_ = eng.Stop(context.WithoutCancel(ctx))
		_ = db.Close()
	}
	c, err := client.New(client.Options{Server: srv.URL})
	if err == nil {
		_, err = c.Deploy(ctx, client.Deploy{Files: map[string]string{"test.flow": flow}})
	}
	if err != nil {
		stop()
		return "", nil, err
	}
	return srv.URL, stop, nil
}

type object map[string]any

// start starts a job that waits.
func (s *server) start(key string) client.Token {
	s.t.Helper()
	started, err := s.c.Start(s.ctx, "job", client.Start{Key: key, Input: object{"n": 7}})
	if err != nil {
		s.t.Fatalf("start %s: %v", key, err)
	}
	return started.Token
}

// begin starts a job whose charge is offered.
func (s *server) begin(key string) client.Token {
	s.t.Helper()
	s.start(key)
	moved, err := s.c.Send(s.ctx, "job:"+key, client.Event{Name: "begin"})
	if err != nil {
		s.t.Fatalf("begin %s: %v", key, err)
	}
	return moved.Token
}

func (s *server) token(key string) client.Token {
	s.t.Helper()
	token, err := s.c.Token(s.ctx, "job:"+key)
	if err != nil {
		s.t.Fatal(err)
	}
	return token
}

// field is a field of a token's data.
func (s *server) field(key, name string) any {
	s.t.Helper()
	var data map[string]any
	if err := json.Unmarshal(s.token(key).Data, &data); err != nil {
		s.t.Fatal(err)
	}
	return data[name]
}

// task gives the first task of that name, over or not.
func (s *server) task(token client.Token, name string) client.TaskInfo {
	s.t.Helper()
	for _, status := range []string{"", "done", "failed", "withdrawn"} {
		for task, err := range s.c.Tasks(s.ctx, client.TaskFilter{Token: token.ID, Task: name, Status: status}) {
			if err != nil {
				s.t.Fatal(err)
			}
			return task
		}
	}
	s.t.Fatalf("%s has no task %s", token.ID, name)
	return client.TaskInfo{}
}

// until watches a token until a line of its history is what is looked for. Lines of attempts are not seen by this.
func (s *server) until(token string, is func(client.Line) bool) client.Line {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	for line, err := range s.c.Watch(ctx, token, "") {
		if err != nil {
			s.t.Fatalf("watch %s: %v", token, err)
		}
		if is(line) {
			return line
		}
	}
	s.t.Fatalf("%s ended before it came", token)
	return client.Line{}
}

func entered(state string) func(client.Line) bool {
	return func(l client.Line) bool { return l.Kind == "entered" && l.State == state }
}

// wait waits for a token's end or failure.
func (s *server) wait(key string) client.Token {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	token, err := s.c.Wait(ctx, "job:"+key)
	if err != nil {
		s.t.Fatalf("wait for %s, last seen %s in %v: %v", key, token.Status, token.States, err)
	}
	return token
}

// work runs a worker until the returned function is called, which gives what Work returned.
func (s *server) work(o client.WorkerOptions, do client.Handler) (stop func() error) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.ctx)
	done := make(chan error, 1)
	go func() { done <- s.c.Work(ctx, o, do) }()
	stopped := false
	stop = func() error {
		cancel()
		if stopped {
			return nil
		}
		stopped = true
		select {
		case err := <-done:
			return err
		case <-time.After(patience):
			s.t.Error("the worker does not stop")
			return nil
		}
	}
	s.t.Cleanup(func() { _ = stop() })
	return stop
}

// get takes from a channel.
func get[T any](t testing.TB, what string, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		t.Fatalf("%s did not come", what)
	}
	var none T
	return none
}
