package wire

import (
	"context"
	"fmt"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// requests are those that are being answered.
type requests struct {
	mu  sync.Mutex
	all map[jsonrpc2.ID]context.CancelFunc
}

func (r *requests) add(id jsonrpc2.ID, cancel context.CancelFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil {
		r.all = map[jsonrpc2.ID]context.CancelFunc{}
	}
	r.all[id] = cancel
}

func (r *requests) done(id jsonrpc2.ID) {
	r.mu.Lock()
	cancel := r.all[id]
	delete(r.all, id)
	r.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// cancel ends the request that the parameters name; one that is answered already is left alone.
func (r *requests) cancel(raw []byte) error {
	var p protocol.CancelParams
	if err := protocol.Unmarshal(raw, &p); err != nil {
		return err
	}
	var id jsonrpc2.ID
	switch n := p.ID.(type) {
	case protocol.Integer:
		id = jsonrpc2.NewNumberID(int64(n))
	case protocol.String:
		id = jsonrpc2.NewStringID(string(n))
	default:
		return fmt.Errorf("cancel a request without a name")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if cancel := r.all[id]; cancel != nil {
		cancel()
	}
	return nil
}
