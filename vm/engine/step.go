package engine

import (
	"fmt"

	"flowc/compiler/program"
	"flowc/vm"
	"flowc/vm/store"
)

// decodeToken reads a token's snapshot from its row.
func decodeToken(p *program.Program, row store.Token) (*vm.Token, error) {
	t, err := vm.DecodeToken(p, row.Program, row.Snapshot, row.Data)
	if err != nil {
		return nil, fmt.Errorf("read the snapshot: %w", err)
	}
	if t.ID != row.ID || t.Version != row.Version {
		return nil, fmt.Errorf("the snapshot is of token %s at version %d, its row says %s at %d", t.ID, t.Version, row.ID, row.Version)
	}
	return t, nil
}

// nextDue is the row's next_due: 0 when no timer is armed.
func nextDue(t *vm.Token) int64 {
	due, ok := vm.NextDue(t)
	if !ok {
		return 0
	}
	return max(due, 1) // 0 is none in the row; an instant at or before the epoch is due all the same
}

func flowOf(p *program.Program, name string) *program.Flow {
	for _, f := range p.Flows {
		if f.Name == name {
			return f
		}
	}
	return nil
}
