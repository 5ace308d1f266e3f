package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"flowc/compiler/program"
	"flowc/vm/store"
)

// programs keeps decoded programs. A program never changes, so one that was read once is right for ever.
type programs struct {
	mu     sync.Mutex
	limit  int
	loaded map[string]*loadedProgram
	order  []string // from the oldest
}

type loadedProgram struct {
	program *program.Program
	source  *program.Source // nil without
	err     error           // why it cannot be run here
}

func newPrograms(limit int) *programs {
	return &programs{limit: limit, loaded: map[string]*loadedProgram{}}
}

// load reads those of the programs that are not in memory, in one statement.
func (p *programs) load(tx *store.Tx, need map[string]bool) error {
	var missing []string
	p.mu.Lock()
	for hash := range need {
		if p.loaded[hash] == nil {
			missing = append(missing, hash)
		}
	}
	p.mu.Unlock()
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	rows, err := tx.Programs(missing)
	if err != nil {
		return err
	}
	for i := range rows {
		p.add(rows[i])
	}
	return nil
}

func (p *programs) add(row store.Program) *loadedProgram {
	l := &loadedProgram{}
	l.program, l.err = program.Decode(row.Code)
	if len(row.Source) > 0 {
		l.source = sourceOf(row)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.loaded[row.Hash] == nil {
		p.order = append(p.order, row.Hash)
	}
	p.loaded[row.Hash] = l
	for len(p.order) > p.limit {
		delete(p.loaded, p.order[0])
		p.order = slices.Delete(p.order, 0, 1)
	}
	return l
}

// sourceOf reads the positions; without them errors have no place, which stops nothing.
func sourceOf(row store.Program) *program.Source {
	s, err := program.DecodeSource(row.Source)
	if err != nil {
		return nil
	}
	var files map[string]string
	if json.Unmarshal([]byte(row.Files), &files) == nil {
		s.SetText(func(name string) string { return files[name] })
	}
	return s
}

// get gives a program that load has read. ErrNotFound: no server has deployed it.
func (p *programs) get(hash string) (*program.Program, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.loaded[hash]
	if l == nil {
		return nil, fmt.Errorf("program %s: %w", hash, store.ErrNotFound)
	}
	if l.err != nil {
		return nil, fmt.Errorf("program %s: %w", hash, l.err)
	}
	return l.program, nil
}

// unsupported names the programs that this server cannot run, so that its loops leave their tokens to others (R62).
func (p *programs) unsupported() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []string
	for hash, l := range p.loaded {
		var other *program.VersionError
		if errors.As(l.err, &other) {
			out = append(out, hash)
		}
	}
	return out
}

// read gives a program outside a batch.
func (e *Engine) readProgram(ctx context.Context, hash string) (*loadedProgram, error) {
	e.programs.mu.Lock()
	l := e.programs.loaded[hash]
	e.programs.mu.Unlock()
	if l == nil {
		row, err := e.store.Program(ctx, hash)
		if err != nil {
			return nil, err
		}
		l = e.programs.add(row)
	}
	return l, l.err
}

// source gives a program's positions, nil when there are none.
func (p *programs) source(hash string) *program.Source {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l := p.loaded[hash]; l != nil {
		return l.source
	}
	return nil
}
