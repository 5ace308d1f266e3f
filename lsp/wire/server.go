// Package wire speaks the Language Server Protocol: JSON-RPC over a pair of streams in front of the queries of package lsp. It is
// the only place that knows the protocol's types.
//
//	server := wire.New(wire.Options{Log: log, Version: "1.2"})
//	code, err := server.Serve(ctx, stdio)
//
// # Order
//
// Messages are taken in the order in which they come. Notifications are handled before the next message is read, so that no two
// changes of a text swap places. A request takes its snapshot at its turn and is then answered beside what follows; it sees the
// text as it was when the client asked.
//
// # Errors
//
// What is wrong with a notification is logged and never ends the connection. A request that cannot be answered gets an error; a
// bug that panics in a handler fails that request alone.
package wire

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"flowc/lsp"
)

// Options say how a server runs. The zero value works.
type Options struct {
	Log     *slog.Logger // nil: nothing is logged
	Version string       // told to the client
	// Pages is the address below which the pages of findings can be read, each as ID.md; "" when there is none.
	Pages string
}

// A Server serves one client.
type Server struct {
	protocol.UnimplementedServer

	log     *slog.Logger
	version string
	pages   string
	session *lsp.Session
	client  protocol.Client

	// What the client said in initialize; not changed afterwards.
	enc  lsp.Encoding
	caps abilities

	state    atomic.Int32
	running  requests
	exited   chan struct{}
	exitOnce sync.Once

	mu      sync.Mutex
	uris    map[string]uri.URI // how the client writes the names of files
	folders []string
	tokens  map[string]coloured // the last semantic tokens of each file
	lists   completions

	publish *publisher
}

// The states of a server.
const (
	fresh int32 = iota
	started
	shutDown
)

// New makes a server.
func New(o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Server{
		log: o.Log, version: o.Version, pages: o.Pages, session: lsp.NewSession(lsp.Options{}), exited: make(chan struct{}),
		uris: map[string]uri.URI{}, tokens: map[string]coloured{},
	}
}

// Serve speaks with a client until it says exit, the stream ends or the context does. The code is what the protocol wants the
// process to exit with: 0 when the client shut the server down before, otherwise 1.
func (s *Server) Serve(ctx context.Context, stream io.ReadWriteCloser) (code int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	conn := jsonrpc2.NewConn(jsonrpc2.NewHeaderStream(stream), jsonrpc2.WithCodec(codec{}))
	s.client = protocol.ClientDispatcher(conn)
	s.publish = newPublisher(s)
	go s.publish.run(ctx)
	conn.Go(ctx, s.handler())
	select {
	case <-s.exited:
		go conn.Close() // a reader that waits on standard input ends with the process
	case <-conn.Done():
		err = conn.Err()
	case <-ctx.Done():
		err = ctx.Err()
		go conn.Close()
	}
	if s.state.Load() == shutDown {
		return 0, nil
	}
	if err == nil {
		err = fmt.Errorf("the client went away without shutting the server down")
	}
	return 1, err
}

// codec writes and reads payloads with the protocol's own rules for its unions.
type codec struct{}

// Marshal implements jsonrpc2.Codec.
func (codec) Marshal(v any) ([]byte, error) {
	if raw, ok := v.(jsonrpc2.RawMessage); ok {
		if raw == nil {
			return []byte("null"), nil
		}
		return raw, nil
	}
	return protocol.Marshal(v)
}

// Unmarshal implements jsonrpc2.Codec.
func (codec) Unmarshal(data []byte, v any) error {
	if raw, ok := v.(*jsonrpc2.RawMessage); ok {
		*raw = append((*raw)[:0], data...)
		return nil
	}
	return protocol.Unmarshal(data, v)
}
