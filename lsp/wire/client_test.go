package wire

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"

	"go.lsp.dev/uri"
)

// A peer is an editor at the other end of a pipe. It writes and reads messages itself, so that a test decides on their order.
type peer struct {
	t      *testing.T
	server *Server
	conn   net.Conn
	log    *strings.Builder

	nextID  int
	replies chan envelope
	notes   chan envelope // notifications and requests of the server
	ended   chan int      // the exit code
}

type envelope struct {
	ID     *json.RawMessage `json:"id,omitempty"`
	Method string           `json:"method,omitempty"`
	Params json.RawMessage  `json:"params,omitempty"`
	Result json.RawMessage  `json:"result,omitempty"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

type lockedLog struct {
	mu sync.Mutex
	*strings.Builder
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.Builder.Write(p)
}

// connect starts a server on a pipe.
func connect(t *testing.T) *peer {
	t.Helper()
	near, far := net.Pipe()
	log := &lockedLog{Builder: &strings.Builder{}}
	p := &peer{t: t, conn: near, log: log.Builder, replies: make(chan envelope, 10_000), notes: make(chan envelope, 10_000), ended: make(chan int, 1)}
	p.server = New(Options{Log: slog.New(slog.NewTextHandler(log, nil)), Version: "test"})
	go func() {
		code, _ := p.server.Serve(context.Background(), far)
		p.ended <- code
	}()
	go p.read()
	t.Cleanup(func() { near.Close() })
	return p
}

func (p *peer) read() {
	r := bufio.NewReader(p.conn)
	for {
		size := 0
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				close(p.replies)
				close(p.notes)
				return
			}
			line = strings.TrimSpace(line)
			if line == "" {
				break
			}
			if n, ok := strings.CutPrefix(line, "Content-Length: "); ok {
				size, _ = strconv.Atoi(n)
			}
		}
		body := make([]byte, size)
		if _, err := io.ReadFull(r, body); err != nil {
			return
		}
		var m envelope
		if err := json.Unmarshal(body, &m); err != nil {
			p.t.Errorf("the server sent %s: %v", body, err)
			continue
		}
		if m.Method != "" {
			p.notes <- m
		} else {
			p.replies <- m
		}
	}
}

// send writes a message as it is.
func (p *peer) send(body string) {
	p.t.Helper()
	if _, err := fmt.Fprintf(p.conn, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		p.t.Fatalf("send %s: %v", body, err)
	}
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

// notify sends a notification.
func (p *peer) notify(method string, params any) {
	p.t.Helper()
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, encoded(p.t, params)))
}

// ask sends a request and gives its id.
func (p *peer) ask(method string, params any) int {
	p.t.Helper()
	p.nextID++
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, p.nextID, method, encoded(p.t, params)))
	return p.nextID
}

// reply waits for the next answer.
func (p *peer) reply() (id int, m envelope) {
	p.t.Helper()
	m, ok := <-p.replies
	if !ok {
		p.t.Fatal("the server closed the connection")
	}
	if m.ID == nil {
		return 0, m
	}
	id, _ = strconv.Atoi(string(*m.ID))
	return id, m
}

// call sends a request and waits for its answer, which must be the next one.
func (p *peer) call(method string, params, result any) envelope {
	p.t.Helper()
	want := p.ask(method, params)
	id, m := p.reply()
	if id != want {
		p.t.Fatalf("%s: got the answer to %d, want that to %d", method, id, want)
	}
	if result != nil {
		if m.Error != nil {
			p.t.Fatalf("%s: %d %s", method, m.Error.Code, m.Error.Message)
		}
		if err := json.Unmarshal(m.Result, result); err != nil {
			p.t.Fatalf("%s: %s: %v", method, m.Result, err)
		}
	}
	return m
}

// note waits for the next notification or request of the server.
func (p *peer) note() envelope {
	p.t.Helper()
	m, ok := <-p.notes
	if !ok {
		p.t.Fatal("the server closed the connection")
	}
	return m
}

// object is JSON written by hand.
type object = map[string]any

// start initializes the server with capabilities in JSON.
func (p *peer) start(capabilities string) object {
	p.t.Helper()
	var result object
	p.call("initialize", json.RawMessage(`{"processId":null,"rootUri":null,"capabilities":`+capabilities+`}`), &result)
	p.notify("initialized", object{})
	return result
}

const (
	pushes    = `{"textDocument":{"publishDiagnostics":{"relatedInformation":true,"tagSupport":{"valueSet":[1,2]},"codeDescriptionSupport":true}}}`
	pulls     = `{"textDocument":{"diagnostic":{"relatedInformation":true,"tagSupport":{"valueSet":[1,2]}},"completion":{"completionItem":{"snippetSupport":true}},"documentSymbol":{"hierarchicalDocumentSymbolSupport":true}},"workspace":{"workspaceEdit":{"documentChanges":true}}}`
	pullsUTF8 = `{"general":{"positionEncodings":["utf-8","utf-16"]},"textDocument":{"diagnostic":{}}}`
)

const fileURI = "file:///w/a.flow"

func (p *peer) open(text string) { p.openAs(fileURI, text) }

func (p *peer) openAs(uri, text string) {
	p.t.Helper()
	p.notify("textDocument/didOpen", object{"textDocument": object{"uri": uri, "languageId": "flow", "version": 1, "text": text}})
}

func position(line, character int) object { return object{"line": line, "character": character} }

func at(line, character int) object {
	return object{"textDocument": object{"uri": fileURI}, "position": position(line, character)}
}

func ofFile() object { return object{"textDocument": object{"uri": fileURI}} }

// name is how the server calls a file.
func name(u string) string { return pathOf(uri.URI(u)) }
