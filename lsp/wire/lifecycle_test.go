package wire

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

func TestEncodingIsTheFirstOfTheClientsThatTheServerKnows(t *testing.T) {
	for _, test := range []struct{ offered, want string }{
		{``, "utf-16"},
		{`[]`, "utf-16"},
		{`["utf-8","utf-16"]`, "utf-8"},
		{`["utf-16","utf-8"]`, "utf-16"},
		{`["utf-32"]`, "utf-16"},
		{`["utf-32","utf-8"]`, "utf-8"},
	} {
		p := connect(t)
		capabilities := `{}`
		if test.offered != "" {
			capabilities = `{"general":{"positionEncodings":` + test.offered + `}}`
		}
		got := p.start(capabilities)["capabilities"].(object)["positionEncoding"]
		if got != test.want {
			t.Errorf("offered %s: got %v, want %s", test.offered, got, test.want)
		}
	}
}

func TestMessagesOutOfTurn(t *testing.T) {
	p := connect(t)
	if m := p.call("textDocument/hover", at(0, 0), nil); m.Error == nil || m.Error.Code != -32002 {
		t.Errorf("a request before initialize got %+v", m.Error)
	}
	p.open("flow f {}") // before initialize: dropped
	p.start(pulls)
	var symbols []any
	p.call("textDocument/documentSymbol", ofFile(), &symbols)
	if len(symbols) != 0 {
		t.Errorf("what was opened before initialize is open: %v", symbols)
	}
	if m := p.call("initialize", json.RawMessage(`{"capabilities":{}}`), nil); m.Error == nil || m.Error.Code != -32600 {
		t.Errorf("a second initialize got %+v", m.Error)
	}
	if m := p.call("shutdown", nil, nil); m.Error != nil || string(m.Result) != "null" {
		t.Errorf("shutdown got %s, %+v", m.Result, m.Error)
	}
	if m := p.call("textDocument/hover", at(0, 0), nil); m.Error == nil || m.Error.Code != -32600 {
		t.Errorf("a request after shutdown got %+v", m.Error)
	}
	p.notify("exit", nil)
	if code := <-p.ended; code != 0 {
		t.Errorf("exit after shutdown ends with %d", code)
	}
}

func TestExitWithoutShutdown(t *testing.T) {
	p := connect(t)
	p.start(pulls)
	p.notify("exit", nil)
	if code := <-p.ended; code != 1 {
		t.Errorf("exit without shutdown ends with %d", code)
	}
	p = connect(t)
	p.start(pulls)
	p.conn.Close()
	if code := <-p.ended; code != 1 {
		t.Errorf("a closed stream ends with %d", code)
	}
}

// TestBadNotificationsKeepTheConnection sends notifications that cannot be handled; requests still get answers.
func TestBadNotificationsKeepTheConnection(t *testing.T) {
	p := connect(t)
	p.start(pulls)
	p.open("flow f { initial a final a }\n")
	change := func(version int, uri string) object {
		return object{"textDocument": object{"uri": uri, "version": version}, "contentChanges": []object{{"text": "changed"}}}
	}
	p.notify("textDocument/didChange", change(2, "file:///w/unknown.flow"))
	p.notify("textDocument/didChange", change(1, fileURI)) // not newer
	p.notify("textDocument/didChange", change(0, fileURI))
	p.notify("textDocument/didChange", object{"textDocument": 7})
	p.notify("textDocument/didChange", "nonsense")
	p.notify("$/cancelRequest", object{"id": []int{1}})
	p.notify("$/unheardOf", object{})
	p.notify("workspace/unheardOf", object{})
	p.notify("textDocument/didClose", object{"textDocument": object{"uri": "file:///w/never-opened.flow"}})
	var symbols []object
	p.call("textDocument/documentSymbol", ofFile(), &symbols)
	if len(symbols) != 1 || symbols[0]["name"] != "f" {
		t.Errorf("the text has changed: %v", symbols)
	}
	if m := p.call("workspace/unheardOf", object{}, nil); m.Error == nil {
		t.Error("an unknown request got an answer")
	}
	if got := p.log.String(); !strings.Contains(got, "it has version 1 already") || !strings.Contains(got, "it is not open") {
		t.Errorf("the log does not say what was ignored:\n%s", got)
	}
}

func TestAPanicFailsOneRequest(t *testing.T) {
	s := New(Options{})
	s.state.Store(started)
	boom := s.guard(func(context.Context, *jsonrpc2.Request) (any, error) { panic("a bug") })
	left, right := jsonrpc2.NewChannelStreamPair(1)
	server, client := jsonrpc2.NewConn(left), jsonrpc2.NewConn(right)
	server.Go(t.Context(), boom)
	client.Go(t.Context(), jsonrpc2.MethodNotFoundHandler)
	defer client.Close()
	for range 2 {
		if _, err := client.Call(t.Context(), "x", nil, nil); err == nil || !strings.Contains(err.Error(), "flowc has a bug") {
			t.Errorf("got %v", err)
		}
		if err := client.Notify(t.Context(), "y", nil); err != nil {
			t.Errorf("got %v", err)
		}
	}
}

// TestCancel cancels a request that would never end.
func TestCancel(t *testing.T) {
	s := New(Options{})
	s.state.Store(started)
	began := make(chan struct{})
	stuck := s.guard(s.ordered(func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		close(began)
		<-ctx.Done()
		return "too late", nil
	}))
	left, right := jsonrpc2.NewChannelStreamPair(1)
	server, client := jsonrpc2.NewConn(left, jsonrpc2.WithCodec(codec{})), jsonrpc2.NewConn(right, jsonrpc2.WithCodec(codec{}))
	server.Go(t.Context(), stuck)
	client.Go(t.Context(), jsonrpc2.MethodNotFoundHandler)
	defer client.Close()
	done := make(chan error, 1)
	go func() {
		_, err := client.Call(context.Background(), "textDocument/hover", at(0, 0), nil)
		done <- err
	}()
	<-began
	if err := client.Notify(t.Context(), "$/cancelRequest", &protocol.CancelParams{ID: protocol.Integer(1)}); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err == nil || !strings.Contains(err.Error(), "cancel") {
		t.Errorf("the cancelled request got %v", err)
	}
}
