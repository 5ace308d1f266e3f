package wire

import (
	"context"

	"go.lsp.dev/protocol"
)

// A publisher tells a client that cannot ask what is wrong. It always looks at the newest text: while it works, any number of
// changes become the next round.
type publisher struct {
	s    *Server
	due  chan struct{}
	sent map[string]report // by file; only run touches it
}

// report is what was last sent for a file.
type report struct {
	version int32
	print   string
}

func newPublisher(s *Server) *publisher {
	return &publisher{s: s, due: make(chan struct{}, 1), sent: map[string]report{}}
}

// wake asks for another round.
func (p *publisher) wake() {
	select {
	case p.due <- struct{}{}:
	default: // one is due already
	}
}

func (p *publisher) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.due:
			p.round(ctx)
		}
	}
}

// round sends what has changed: the findings of the open files, and nothing for those that were closed.
func (p *publisher) round(ctx context.Context) {
	v := view{p.s.session.Snapshot(), p.s}
	for _, file := range v.Open() {
		items := v.diagnostics(file)
		now := report{v.Document(file).Version, fingerprint(items)}
		if p.sent[file] != now {
			p.sent[file] = now
			p.send(ctx, file, protocol.NewOptional(now.version), items)
		}
	}
	for file := range p.sent {
		if !v.IsOpen(file) {
			delete(p.sent, file)
			p.send(ctx, file, protocol.Optional[int32]{}, []protocol.Diagnostic{})
		}
	}
}

func (p *publisher) send(ctx context.Context, file string, version protocol.Optional[int32], items []protocol.Diagnostic) {
	err := p.s.client.PublishDiagnostics(ctx, &protocol.PublishDiagnosticsParams{URI: p.s.uri(file), Version: version, Diagnostics: items})
	if err != nil && ctx.Err() == nil {
		p.s.log.Warn("findings were not sent", "file", file, "reason", err)
	}
}
