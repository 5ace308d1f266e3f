package store

import "flowc/vm/task"

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

// TasksOf loads the tasks of tokens that are not over.
func (t *Tx) TasksOf(tokens []string) ([]task.Row, error) {
	if len(tokens) == 0 {
		return nil, nil
	}
	var found []taskRow
	if err := t.query(&found, "tasks_of", set{tokens}); err != nil {
		return nil, err
	}
	return taskRows(found)
}
