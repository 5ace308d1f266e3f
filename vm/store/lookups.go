package store

import (
	"context"
	"fmt"

	"flowc/vm/task"
)

// Current gives the programs that new tokens of the flows use, by flow.
func (t *Tx) Current(flows []string) (map[string]string, error) {
	current := map[string]string{}
	var rows []Flow
	if err := t.query(&rows, "current", set{flows}); err != nil {
		return nil, err
	}
	for _, f := range rows {
		current[f.Name] = f.Program
	}
	return current, nil
}

// Programs loads programs by their hashes; unknown ones are left out.
func (t *Tx) Programs(hashes []string) ([]Program, error) {
	var rows []Program
	err := t.query(&rows, "programs", set{hashes})
	return rows, err
}

// Tokens loads tokens as they are, without a lock.
func (t *Tx) Tokens(ids []string) ([]Token, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var rows []Token
	err := t.query(&rows, "tokens", set{ids})
	return rows, err
}

// TasksOf is described at Store.
func (t *Tx) TasksOf(tokens []string, each int) ([]task.Row, error) {
	if len(tokens) == 0 {
		return nil, nil
	}
	var found []taskRow
	if err := t.query(&found, "tasks_of", set{tokens}, each); err != nil {
		return nil, err
	}
	return taskRows(found)
}

// TasksOf is described at Store.
func (d *db) TasksOf(ctx context.Context, tokens []string, each int) ([]task.Row, error) {
	if len(tokens) == 0 {
		return nil, nil
	}
	named, err := d.setArg(tokens)
	if err != nil {
		return nil, err
	}
	var found []taskRow
	if err := d.read.SelectContext(ctx, &found, d.sql["tasks_of"], named, each); err != nil {
		return nil, fmt.Errorf("read the tasks of tokens: %w", readFault(err))
	}
	return taskRows(found)
}

// Working gives those of the tokens of which some work is not over, dispatched work too.
func (t *Tx) Working(tokens []string) (map[string]bool, error) {
	working := map[string]bool{}
	if len(tokens) == 0 {
		return working, nil
	}
	var rows []string
	if err := t.query(&rows, "working", set{tokens}); err != nil {
		return nil, err
	}
	for _, id := range rows {
		working[id] = true
	}
	return working, nil
}
