package engine_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"flowc/vm/engine"
	"flowc/vm/store"
)

// The fleet tests run many tokens on several servers over one Postgres and hold them to what is left in the end: nothing lost,
// nothing twice, nobody told of an error. Servers that are killed are processes of their own and get SIGKILL. Small by default;
// the full size of all of them:
//
//	go test ./vm/engine -run TestFleet -timeout 30m -fleet.full -v
var fleetFull = flag.Bool("fleet.full", false, "run the fleet tests in full size")

// sized is a number of the fleet tests in the small and in the full size.
func sized(small, full int) int {
	if *fleetFull {
		return full
	}
	return small
}

func fleetPatience() time.Duration { return time.Duration(sized(2, 15)) * time.Minute }

const (
	fleetURL  = "FLOWC_FLEET_URL"
	fleetRole = "FLOWC_FLEET_ROLE" // what a server's process does besides serving, a name of fleetRoles
	fleetSize = "FLOWC_FLEET_SIZE"
)

// fleetRoles are what the callers in a server's process do, again from the start after every kill.
var fleetRoles = map[string]func(ctx context.Context, e *engine.Engine, size int){
	"": func(context.Context, *engine.Engine, int) {}, "families": makeFamilies, "weigh": weighAll,
}

// fleetServer is the process of one server: it plays its role, follows the orders of its parent, and ends with it.
func fleetServer(url string) int {
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	ctx := context.Background()
	st, err := store.Open(ctx, url, store.Options{Logger: log})
	if err != nil {
		log.Error("open", "cause", err)
		return 1
	}
	e, err := engine.New(ctx, engine.Options{Store: st, Logger: log})
	if err == nil {
		err = e.Start(ctx)
	}
	if err != nil {
		log.Error("start", "cause", err)
		return 1
	}
	size := 0
	_, _ = fmt.Sscan(os.Getenv(fleetSize), &size) // 0 when the role needs none
	fmt.Println("ready")
	go fleetRoles[os.Getenv(fleetRole)](ctx, e, size)
	obey(ctx, e, os.Stdin, os.Stdout)
	return 0
}

// A member is a server's process as its parent sees it.
type member struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	log *strings.Builder
}

func spawn(url, role string, size int) (*member, error) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fleetURL+"="+url, fleetRole+"="+role, fmt.Sprintf("%s=%d", fleetSize, size))
	m := &member{cmd: cmd, log: &strings.Builder{}}
	cmd.Stderr = m.log
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	m.in, m.out = in, bufio.NewReader(out)
	if _, err := m.out.ReadString('\n'); err != nil {
		m.kill()
		return nil, fmt.Errorf("the server did not start: %w\n%s", err, m.log)
	}
	return m, nil
}

// kill ends the process as a power cut would.
func (m *member) kill() {
	_ = m.cmd.Process.Kill()
	_ = m.cmd.Wait() // it was killed, which is an error of its own
	_ = m.in.Close()
}

// A fleet is servers that are killed and started again, each so many times, after which they run on until done.
type fleet struct {
	url, role     string
	size          int
	servers       int
	kills         int
	shortest, max time.Duration // how long a server lives
}

// run keeps the servers running and dying until done is closed, and reports what they said that they must not say.
func (f fleet) run(t *testing.T, done <-chan struct{}) *sync.WaitGroup {
	var all sync.WaitGroup
	for range f.servers {
		all.Go(func() {
			for kill := 0; ; kill++ {
				m, err := spawn(f.url, f.role, f.size)
				if err != nil {
					t.Error(err)
					return
				}
				over := f.live(kill, done)
				m.kill()
				if strings.Contains(m.log.String(), "set aside") {
					t.Errorf("a token was set aside:\n%s", m.log)
				}
				if over {
					return
				}
			}
		})
	}
	return &all
}

// live waits for the end of a server's life and says whether it was the last.
func (f fleet) live(kill int, done <-chan struct{}) (over bool) {
	if kill >= f.kills {
		<-done
		return true
	}
	select {
	case <-done:
		return true
	case <-time.After(f.shortest + time.Duration(rand.Int64N(int64(f.max-f.shortest)))):
		return false
	}
}

// until runs the fleet until a query gives a number, and at most as long as the tests have patience.
func (f fleet) until(t *testing.T, query string, want int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), fleetPatience())
	defer cancel()
	done := make(chan struct{})
	all := f.run(t, done)
	defer func() { close(done); all.Wait() }()
	look, err := peek(ctx, f.url)
	if err != nil {
		t.Fatal(err)
	}
	defer look.Close()
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for n := -1; n != want; {
		if err := look.QueryRowContext(ctx, query).Scan(&n); err != nil {
			t.Errorf("%s: %v; it was %d of %d", query, err, n, want)
			return
		}
		<-tick.C
	}
}

// number is the answer of a query that gives one.
func number(t *testing.T, url, query string, args ...any) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	look, err := peek(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer look.Close()
	var n int
	if err := look.QueryRowContext(ctx, query, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

// reader is an engine that is not started: it deploys, reads and replays, and moves nothing.
func reader(t *testing.T, url, flow string) *server {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), fleetPatience()+patience)
	t.Cleanup(cancel)
	st, err := store.Open(ctx, url, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	e, err := engine.New(ctx, engine.Options{Store: st})
	if err != nil {
		t.Fatal(err)
	}
	s := &server{Engine: e, t: t, store: st, ctx: ctx}
	if flow != "" {
		s.deploy(flow)
	}
	return s
}

// everyToken reads all tokens of a flow.
func (s *server) everyToken(flow string) []engine.TokenView {
	s.t.Helper()
	var all []engine.TokenView
	req := engine.ListRequest{Flow: flow, Limit: 500}
	for {
		page, err := s.List(s.ctx, req)
		if err != nil {
			s.t.Fatal(err)
		}
		all = append(all, page.Items...)
		if page.Next == "" {
			return all
		}
		req.Cursor = page.Next
	}
}

// kinds counts the lines of a token's history by kind and, of those with one, by kind and name or text.
func (s *server) kinds(id string) map[string]int {
	s.t.Helper()
	n := map[string]int{}
	for _, l := range s.history(id) {
		n[l.Kind]++
		for _, more := range []string{l.Name, l.Text} {
			if more != "" {
				n[l.Kind+" "+more]++
			}
		}
	}
	return n
}

// replayed holds a token to its history (R71).
func (s *server) replayed(id string) {
	s.t.Helper()
	r, err := s.Replay(s.ctx, engine.Ref{ID: id})
	if err != nil || !r.Same {
		s.t.Errorf("token %s is not what its history makes of it: %s, %v", id, jsonOf(r), err)
	}
}

// An order is what a parent tells a server's process to do, and a reply what came of it.
type order struct {
	Do    string          `json:"do"` // start, send, claim, complete, fail, get
	Name  string          `json:"name"`
	Token string          `json:"token"`
	Task  string          `json:"task"`
	Lease string          `json:"lease"`
	Body  json.RawMessage `json:"body"`
}

type reply struct {
	Error string              `json:"error,omitempty"`
	Token *engine.TokenView   `json:"token,omitempty"`
	Task  *engine.ClaimedTask `json:"task,omitempty"`
}

// obey follows orders until its parent is gone.
func obey(ctx context.Context, e *engine.Engine, from io.Reader, to io.Writer) {
	in, out := json.NewDecoder(from), json.NewEncoder(to)
	for {
		var o order
		if in.Decode(&o) != nil {
			return
		}
		r, err := follow(ctx, e, o)
		if err != nil {
			r.Error = err.Error()
		}
		if out.Encode(r) != nil {
			return
		}
	}
}

func follow(ctx context.Context, e *engine.Engine, o order) (reply, error) {
	switch o.Do {
	case "start":
		a, err := e.StartToken(ctx, engine.StartRequest{Flow: o.Name, Input: o.Body})
		return reply{Token: a.Token}, err
	case "send":
		a, err := e.SendEvent(ctx, engine.EventRequest{Token: engine.Ref{ID: o.Token}, Event: o.Name, Payload: o.Body})
		return reply{Token: a.Token}, err
	case "claim":
		got, err := e.Claim(ctx, engine.ClaimRequest{Worker: "w", Tasks: []engine.ClaimTask{{Name: o.Name, Max: 1}}, Wait: patience})
		if err != nil || len(got) != 1 {
			return reply{}, fmt.Errorf("claim %s: %d tasks, %w", o.Name, len(got), err)
		}
		return reply{Task: &got[0]}, nil
	case "complete":
		_, err := e.Complete(ctx, engine.CompleteRequest{Task: o.Task, Lease: o.Lease, Result: o.Body})
		return reply{}, err
	case "fail":
		_, err := e.Fail(ctx, engine.FailRequest{Task: o.Task, Lease: o.Lease, Code: o.Name, Message: o.Name})
		return reply{}, err
	default:
		v, err := e.Token(ctx, engine.Ref{ID: o.Token})
		return reply{Token: &v}, err
	}
}

// tell gives one order and waits for the reply.
func (m *member) tell(o order) (reply, error) {
	line, err := json.Marshal(o)
	if err != nil {
		return reply{}, err
	}
	if _, err := m.in.Write(append(line, '\n')); err != nil {
		return reply{}, err
	}
	text, err := m.out.ReadString('\n')
	if err != nil {
		return reply{}, fmt.Errorf("no reply to %s: %w\n%s", line, err, m.log)
	}
	var r reply
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return r, err
	}
	if r.Error != "" {
		return r, fmt.Errorf("%s: %s", line, r.Error)
	}
	return r, nil
}
