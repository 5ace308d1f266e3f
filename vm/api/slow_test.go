package api

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"flowc/vm/engine"
	"flowc/vm/store"
	"flowc/vm/store/pgtest"
)

const heavyFlow = `
event add(text: string)
event stop
flow heavy(text: string = "") {
  initial open
  state open {
    timeout 30d
    on add {}
    on stop, timeout -> over
  }
  final over
}
`

// Who reads an answer slowly, a stream or a list, holds no connection to the database, of which there is one here, and no more than a
// page, which is bounded in bytes.
func TestASlowReaderHoldsNothing(t *testing.T) {
	n := &nodes{t: t, url: pgtest.Reused(t)}
	n.up = []*node{newNode(t, n.url, store.Options{Pool: 1}, n.opts)}
	t.Cleanup(n.stop)
	if status, text := n.post("/v1/flows", fmt.Sprintf(`{"files":{"heavy.flow":%q}}`, heavyFlow)); status != http.StatusOK {
		t.Fatal(text)
	}
	large := strings.Repeat("x", 500_000)
	var token string
	for range 30 {
		token = n.start("heavy", `{"input":{"text":"`+large+`"}}`)
	}
	for range 30 {
		n.post("/v1/tokens/"+token+"/events", `{"event":"add","payload":{"text":"`+large+`"}}`)
	}
	page, err := n.up[0].eng.History(t.Context(), engine.HistoryRequest{Token: engine.Ref{ID: token}, Limit: 1000})
	if err != nil || page.Next == "" || len(page.Items) > 20 {
		t.Fatalf("a page of a history of 15 MB has %d lines, %v", len(page.Items), err)
	}
	tokens, pages := 0, 0
	for req := (engine.ListRequest{Limit: 1000}); ; pages++ {
		list, err := n.up[0].eng.List(t.Context(), req)
		if err != nil || len(list.Items) > 20 {
			t.Fatalf("a page of a list of 15 MB has %d tokens, %v", len(list.Items), err)
		}
		if tokens += len(list.Items); list.Next == "" {
			break
		}
		req.Cursor = list.Next
	}
	if tokens != 30 || pages == 0 {
		t.Errorf("%d tokens of 30 on %d pages", tokens, pages+1)
	}
	var slow []net.Conn
	for _, path := range []string{"/v1/tokens/" + token + "/watch", "/v1/tokens?limit=1000", "/v1/tokens/" + token + "/watch"} {
		conn, err := net.Dial("tcp", n.up[0].http.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if err := conn.(*net.TCPConn).SetReadBuffer(4096); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		in := bufio.NewReaderSize(conn, 16)
		if line, err := in.ReadString('\n'); err != nil || !strings.Contains(line, "200") {
			t.Fatalf("%s: %q, %v", path, line, err)
		}
		slow = append(slow, conn)
	}
	for range 20 { // while they read nothing the one connection serves others
		if status, text := n.post("/v1/tokens/"+token+"/events", `{"event":"add","payload":{"text":"y"}}`); status != http.StatusOK {
			t.Fatal(text)
		}
	}
	w := &watching{n: n, token: token}
	n.post("/v1/tokens/"+token+"/events", `{"event":"stop"}`)
	w.run()
	if want := n.history(token, "1000"); difference(w.lines, want) != "none" {
		t.Errorf("one who reads at once: %s", difference(w.lines, want)[:200])
	}
	for _, conn := range slow {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}
}
