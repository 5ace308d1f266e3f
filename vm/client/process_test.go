package client_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const workers = "../../examples/workers"

// A process is a worker of the examples.
type process struct {
	t      testing.TB
	cmd    *exec.Cmd
	stderr output
	ended  chan error
}

// spawn starts a worker for a server and ends it with the test.
func spawn(t testing.TB, server string, env []string, command ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(command[0], command[1:]...), ended: make(chan error, 1)}
	p.cmd.Env = append(append(os.Environ(), "FLOWC_SERVER="+server, "FLOWC_POLL=20", "TMPDIR="+t.TempDir()), env...)
	p.cmd.Stderr = &p.stderr
	p.cmd.WaitDelay = time.Second // what a killed one has started may hold its standard error open
	if err := p.cmd.Start(); err != nil {
		t.Fatalf("%s cannot be run: %v", command[0], err)
	}
	go func() {
		p.ended <- p.cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.signal(syscall.SIGKILL)
		<-p.ended
		if t.Failed() {
			t.Logf("%s said\n%s", strings.Join(command, " "), p.stderr.String())
		}
	})
	return p
}

// signal sends a signal to the process alone, unless it has ended.
func (p *process) signal(s syscall.Signal) {
	_ = p.cmd.Process.Signal(s) // it may have ended meanwhile
}

// kill ends it without a word.
func (p *process) kill() {
	p.t.Helper()
	p.signal(syscall.SIGKILL)
	get(p.t, "the end of the worker", p.ended)
}

// term asks it to stop, and waits until it has.
func (p *process) term() {
	p.t.Helper()
	p.signal(syscall.SIGTERM)
	if err := get(p.t, "the end of the worker", p.ended); err != nil {
		p.t.Errorf("a worker that is told to stop ended with %v", err)
	}
}

// output keeps what is written to it, and tells who waits.
type output struct {
	mu    sync.Mutex
	text  bytes.Buffer
	waits []wanted
}

type wanted struct {
	text string
	came chan bool
}

// Write implements io.Writer.
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text.Write(b)
	for _, w := range o.waits {
		o.tell(w)
	}
	return len(b), nil
}

func (o *output) tell(w wanted) {
	if strings.Contains(o.text.String(), w.text) {
		select {
		case w.came <- true:
		default:
		}
	}
}

// String is what was written.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// says gives a channel that gets a value when the text has been written.
func (o *output) says(text string) <-chan bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	w := wanted{text, make(chan bool, 1)}
	o.waits = append(o.waits, w)
	o.tell(w)
	return w.came
}

// A gate is what the handlers of testdata/gated ask what to do.
type gate struct {
	*httptest.Server
	calls chan *call
}

// A call is an attempt that has begun and waits for what to do.
type call struct {
	attempt, key string
	answer       chan object
}

func newGate(t testing.TB) *gate {
	g := &gate{calls: make(chan *call, 100)}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &call{r.URL.Query().Get("attempt"), r.URL.Query().Get("key"), make(chan object, 1)}
		g.calls <- c
		select {
		case answer := <-c.answer:
			_ = json.NewEncoder(w).Encode(answer)
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() {
		g.CloseClientConnections()
		g.Close()
	})
	return g
}

// A language is one of the example workers.
type language struct {
	name    string
	command func(t testing.TB, tasks, shellTask string) []string
	gated   string // what does what the gate says
}

func absolute(t testing.TB, path string) string {
	t.Helper()
	full, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return full
}

var languages = []language{
	{"python", func(t testing.TB, tasks, _ string) []string {
		return []string{"python3", workers + "/python/worker.py", tasks}
	}, "testdata/gated.py"},
	{"typescript", func(t testing.TB, tasks, _ string) []string {
		return []string{"node", compiled(t) + "/worker.js", tasks}
	}, "testdata/gated.js"},
	{"shell", func(t testing.TB, tasks, task string) []string {
		return []string{workers + "/shell/worker.sh", task, absolute(t, tasks)}
	}, "testdata/gated.sh"},
}

// work starts a worker whose charge does what the gate says.
func (l language) work(t testing.TB, server string, g *gate, env ...string) *process {
	t.Helper()
	return spawn(t, server, append(env, "GATE="+g.URL), l.command(t, l.gated, "charge")...)
}

// compiled is where the TypeScript worker is as JavaScript, checked by its compiler.
func compiled(t testing.TB) string {
	t.Helper()
	dir, err := compile()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestMain removes what the tests have compiled.
func TestMain(m *testing.M) {
	code := m.Run()
	_ = os.RemoveAll(builds)
	os.Exit(code)
}
