package api

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"flowc/vm/engine"
)

const busyFlow = `
event add(n: int)
event never
event later
event stop
task job(n: int) -> (m: int) fails "fatal" retry 100 backoff 1s
task aside(n: int) -> (m: int) retry 100 backoff 1s

flow busy() {
  data { n: int = 0  done: int = 0 }
  initial working
  state working {
    timeout 30d
    every 1s { n = n + 1 }
    do job(n: n)
    on add { n = n + event.n  dispatch aside(n: n) }
    on never { refuse "never" }
    defer later
    on completed, error -> resting { done = done + 1 }
    on stop -> over
    on timeout -> over
  }
  state resting {
    timeout 30d
    on timeout -> over
    on add -> working { n = n + event.n }
    on later { n = n + 1 }
    on stop -> over
  }
  final over
}
`

// A watching client reads a stream, loses its connection at random, and comes back with the last id that it saw.
type watching struct {
	n     *nodes
	token string
	lines []string // as they came
	last  string
	cuts  int
	ended bool
}

// run watches until the server says that the token has ended.
func (w *watching) run() {
	for !w.ended && !w.n.t.Failed() {
		w.connection(rand.N(100))
	}
}

// connection reads at most so many lines of one connection.
func (w *watching) connection(most int) {
	ctx, cut := context.WithCancel(context.Background())
	defer cut()
	path := "/v1/tokens/" + w.token + "/watch"
	asHeader := w.last != "" && rand.N(2) == 0
	if !asHeader && w.last != "" {
		path += "?after=" + w.last
	}
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, w.n.any().http.URL+path, nil)
	if asHeader {
		req.Header.Set("Last-Event-ID", w.last)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return // the server is being restarted
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		if res.StatusCode != http.StatusServiceUnavailable {
			w.n.t.Errorf("a watch that goes on after %q was answered %d", w.last, res.StatusCode)
		}
		return
	}
	in := bufio.NewReader(res.Body)
	var id, data, event string
	for most >= 0 {
		text, err := in.ReadString('\n')
		if err != nil {
			return
		}
		text = strings.TrimSuffix(text, "\n")
		switch name, value, _ := strings.Cut(text, ": "); {
		case text == "" && event == "end":
			w.ended = true
			return
		case text == "" && data != "":
			w.lines, w.last, id, data = append(w.lines, data), id, "", ""
			most--
		case name == "id":
			id = value
		case name == "data":
			data = value
		case name == "event":
			event = value
		}
	}
	w.cuts++
}

// What a watch brings over however many connections is the history, whatever happens meanwhile: no line is missing, none comes
// twice, none comes in another order. Lines are of many steps in one transaction, of refusals, of timers, of attempts that fail,
// are given back or complete, of a second server's commits, and a server is restarted between them.
func TestAWatchBringsTheWholeHistory(t *testing.T) {
	onNodes(t, busyFlow, func(n *nodes) {
		const tokens, watchers, writers, each = 2, 3, 3, 20
		var ids []string
		for range tokens {
			ids = append(ids, n.start("busy", "{}"))
		}
		var watched []*watching
		var reading, writing sync.WaitGroup
		for _, id := range ids {
			for range watchers {
				w := &watching{n: n, token: id}
				watched = append(watched, w)
				reading.Go(w.run)
			}
		}
		for range writers {
			writing.Go(func() {
				for range each {
					n.disturb(ids[rand.N(len(ids))])
				}
			})
			writing.Go(func() {
				for range each {
					n.workOn("job", "aside")
				}
			})
		}
		writing.Go(n.restart)
		writing.Wait()
		for _, id := range ids {
			n.post("/v1/tokens/"+id+"/resume", "{}")
			if status, text := n.post("/v1/tokens/"+id+"/events", `{"event":"stop"}`); status != http.StatusOK {
				t.Errorf("stop: %d %s", status, text)
			}
		}
		n.restart()
		reading.Wait()
		kinds, cuts := map[string]int{}, 0
		for i, w := range watched {
			cuts += w.cuts
			want := n.history(w.token, []string{"1000", "5", "100"}[i%watchers])
			end := slices.IndexFunc(want, func(l string) bool { return strings.Contains(l, `"kind":"ended"`) })
			if len(w.lines) < end || !slices.Equal(w.lines, want[:min(len(want), len(w.lines))]) {
				t.Errorf("watched %d lines of %d, cut %d times; first difference: %s", len(w.lines), len(want), w.cuts, difference(w.lines, want))
			}
			for _, l := range want {
				var line engine.HistoryLine
				if err := json.Unmarshal([]byte(l), &line); err != nil {
					t.Fatal(err)
				}
				kinds[line.Kind]++
			}
		}
		for _, kind := range []string{"event-accepted", "event-refused", "event-deferred", "timer-fired", "task-claimed", "attempt-failed",
			"attempt-released", "attempt-completed"} {
			if kinds[kind] == 0 {
				t.Errorf("no line is %s: %v", kind, kinds)
			}
		}
		t.Logf("%d watches over %d connections, lines: %v", len(watched), len(watched)+cuts, kinds)
	})
}

func difference(got, want []string) string {
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			return fmt.Sprintf("line %d: got %s, want %s", i, strings.Join(got[min(i, len(got)):min(i+2, len(got))], "\n"),
				strings.Join(want[min(i, len(want)):min(i+2, len(want))], "\n"))
		}
	}
	return "none"
}

// disturb does one thing to a token, or several at once, which the server takes in one transaction.
func (n *nodes) disturb(token string) {
	at := "/v1/tokens/" + token
	switch rand.N(8) {
	case 0:
		n.post(at+"/events", `{"event":"never"}`)
	case 1:
		n.post(at+"/events", `{"event":"later"}`)
	case 2:
		n.post(at+"/pause", "{}")
		n.post(at+"/events", `{"event":"add","payload":{"n":2}}`)
		n.post(at+"/resume", "{}")
	case 3:
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() { n.post(at+"/events", `{"event":"never"}`) })
			all.Go(func() { n.post(at+"/events", `{"event":"add","payload":{"n":1}}`) })
		}
		all.Wait()
	default:
		n.post(at+"/events", `{"event":"add","payload":{"n":1}}`)
	}
}

// workOn claims some work and ends it in one of the ways in which work ends.
func (n *nodes) workOn(tasks ...string) {
	var names []string
	for _, name := range tasks {
		names = append(names, `{"name":"`+name+`","max":3}`)
	}
	_, text := n.post("/v1/tasks/claim", `{"worker":"w","tasks":[`+strings.Join(names, ",")+`],"lease":"60s","wait":"1s"}`)
	var got Claimed
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		n.t.Errorf("%v: %s", err, text)
	}
	for _, c := range got.Tasks {
		at, lease := "/v1/tasks/"+c.ID, `"lease":"`+c.Lease+`"`
		switch rand.N(5) {
		case 0:
			n.post(at+"/complete", `{`+lease+`,"result":{"m":1}}`)
		case 1:
			n.post(at+"/release", `{`+lease+`}`)
		case 2:
			n.post(at+"/complete", `{`+lease+`,"result":{"m":"no number"}}`)
		default:
			n.post(at+"/fail", `{`+lease+`,"code":"busy","message":"not now"}`)
		}
	}
}
