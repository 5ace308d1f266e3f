package wire

import (
	"context"
	"fmt"
	"runtime/debug"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"flowc/lsp"
)

type snapshotKey struct{}

// snapshot is the state of the buffers when the request came.
func (s *Server) snapshot(ctx context.Context) *lsp.Snapshot {
	if snap, ok := ctx.Value(snapshotKey{}).(*lsp.Snapshot); ok {
		return snap
	}
	return s.session.Snapshot()
}

// handler puts together what a message goes through: the guard, the order with cancellation, and the methods.
func (s *Server) handler() jsonrpc2.Handler {
	return s.guard(s.ordered(protocol.ServerHandler(s, jsonrpc2.MethodNotFoundHandler)))
}

// ordered handles notifications, and the two calls that change the server's state, before the next message is read. Any other call
// takes its snapshot at its turn and goes on beside what follows, until it is done or cancelled.
func (s *Server) ordered(next jsonrpc2.Handler) jsonrpc2.Handler {
	return func(ctx context.Context, req *jsonrpc2.Request) (any, error) {
		method := req.Method()
		if err := s.allowed(method, req.IsCall()); err != nil {
			return nil, err
		}
		switch {
		case method == protocol.MethodCancelRequest:
			return nil, s.running.cancel(req.Params())
		case !req.IsCall(), method == protocol.MethodInitialize, method == protocol.MethodShutdown:
			return next(ctx, req)
		}
		// The request's own context is used again for other requests, so that nothing may be derived from it.
		own, cancel := context.WithCancel(context.WithValue(jsonrpc2.DetachContext(ctx), snapshotKey{}, s.session.Snapshot()))
		id := req.ID()
		s.running.add(id, cancel)
		defer s.running.done(id)
		jsonrpc2.Async(ctx)
		result, err := next(own, req)
		if own.Err() != nil {
			return nil, protocol.ErrRequestCancelled
		}
		return result, err
	}
}

// allowed refuses what comes before initialize or after shutdown.
func (s *Server) allowed(method string, call bool) error {
	switch state := s.state.Load(); {
	case method == protocol.MethodExit:
		return nil
	case state == fresh && method != protocol.MethodInitialize:
		return jsonrpc2.NewError(jsonrpc2.ServerNotInitialized, fmt.Sprintf("%s before initialize", method))
	case state == started && method == protocol.MethodInitialize:
		return jsonrpc2.NewError(jsonrpc2.InvalidRequest, "initialize came twice")
	case state == shutDown && call:
		return jsonrpc2.NewError(jsonrpc2.InvalidRequest, fmt.Sprintf("%s after shutdown", method))
	}
	return nil
}

// guard keeps the connection: an error of a notification would close it, and so would a panic.
func (s *Server) guard(next jsonrpc2.Handler) jsonrpc2.Handler {
	return func(ctx context.Context, req *jsonrpc2.Request) (result any, err error) {
		method, call := string([]byte(req.Method())), req.IsCall()
		defer func() {
			if bug := recover(); bug != nil {
				s.log.Error("a handler failed", "method", method, "cause", bug, "stack", string(debug.Stack()))
				result, err = nil, jsonrpc2.NewError(jsonrpc2.InternalError, "flowc has a bug; its log says where")
			}
			if !call {
				if err != nil {
					s.log.Warn("a notification was ignored", "method", method, "reason", err)
				}
				result, err = nil, nil
			}
		}()
		return next(ctx, req)
	}
}
