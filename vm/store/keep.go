package store

// Quarantine sets a token aside: nothing steps it until Unquarantine (R6).
func (t *Tx) Quarantine(token, reason string) error {
	now, err := t.Now()
	if err != nil {
		return err
	}
	if _, err := t.exec("quarantine", nil, token, now, reason); err != nil {
		return err
	}
	_, err = t.exec("set_aside", nil, token)
	return err
}

// Unquarantine lets a token go on. It says whether the token was set aside.
func (t *Tx) Unquarantine(token string) (bool, error) {
	if _, err := t.exec("take_back", nil, token); err != nil {
		return false, err
	}
	n, err := t.exec("unquarantine", nil, token)
	return n > 0, err
}

// InsertProgram makes a program known; it says whether it was new.
func (t *Tx) InsertProgram(p Program) (bool, error) {
	n, err := t.exec("insert_program", nil, p.Hash, p.Flow, p.Code, p.Source, p.Files, p.Actor, p.CreatedAt)
	return n > 0, err
}

// SetCurrent makes a program the one that new tokens of the flow use; it says whether that changed anything.
func (t *Tx) SetCurrent(flow, program string, at int64) (bool, error) {
	n, err := t.exec("set_current", nil, flow, program, at)
	return n > 0, err
}

// Forget removes markers and idempotency records older than the instants, at most limit of each; it says whether more are left.
func (t *Tx) Forget(marksBefore, answersBefore int64, limit int) (more bool, err error) {
	marks, err := t.exec("forget_batches", nil, marksBefore, limit)
	if err != nil {
		return false, err
	}
	answers, err := t.exec("forget_answered", nil, answersBefore, limit)
	return marks == int64(limit) || answers == int64(limit), err
}
