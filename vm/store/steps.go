package store

import "fmt"

// LockTokens locks the tokens of these ids, in the order of the ids, and loads them. Those that another
// transaction holds are left out (R6), as are unknown ones; use Exist to tell the two apart.
func (t *Tx) LockTokens(ids []string) ([]Token, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var rows []Token
	err := t.query(&rows, "lock_tokens", set{ids})
	return t.locked(rows), err
}

// ClaimDue locks at most limit tokens whose next timer is due, most overdue first, leaving out the programs named (R62).
func (t *Tx) ClaimDue(limit int, without []string) ([]Token, error) {
	return t.claim("claim_due", limit, without)
}

// ClaimInbox locks at most limit tokens for which a message waits.
func (t *Tx) ClaimInbox(limit int, without []string) ([]Token, error) {
	return t.claim("claim_inbox", limit, without)
}

func (t *Tx) claim(name string, limit int, without []string) ([]Token, error) {
	if without == nil {
		without = []string{}
	}
	more := []any{limit}
	if t.db.sqlite {
		more = append(more, t.db.clock())
	}
	var rows []Token
	if err := t.query(&rows, name, set{without}, more...); err != nil {
		return nil, err
	}
	if len(rows) > limit {
		return nil, fmt.Errorf("%s took %d rows for a limit of %d: %w", name, len(rows), limit, ErrLost)
	}
	return t.locked(rows), nil
}

func (t *Tx) locked(rows []Token) []Token {
	t.saw(0)
	for i := range rows {
		rows[i].Was = rows[i].Version
		t.saw(rows[i].Now)
	}
	return rows
}

// Exist says which of the ids are tokens, locked by someone or not.
func (t *Tx) Exist(ids []string) (map[string]bool, error) {
	found := map[string]bool{}
	if len(ids) == 0 {
		return found, nil
	}
	var rows []string
	if err := t.query(&rows, "exist", set{ids}); err != nil {
		return nil, err
	}
	for _, id := range rows {
		found[id] = true
	}
	return found, nil
}

// Inbox loads the messages that wait for the receivers, in their order, at most limit.
func (t *Tx) Inbox(receivers []string, limit int) ([]Inbox, error) {
	if len(receivers) == 0 {
		return nil, nil
	}
	var rows []Inbox
	err := t.query(&rows, "inbox", set{receivers}, limit)
	return rows, err
}

// ReserveKeys takes the keys that are free. Afterwards Keys tells who holds each.
func (t *Tx) ReserveKeys(keys []Key) error {
	return t.execAny("reserve_keys", set{
		column(keys, func(k *Key) string { return k.Flow }), column(keys, func(k *Key) string { return k.Key }),
		column(keys, func(k *Key) string { return k.Token }), column(keys, func(k *Key) int64 { return k.At })})
}

// Keys loads the rows of those keys that are taken.
func (t *Tx) Keys(keys []Key) ([]Key, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	var rows []Key
	err := t.query(&rows, "keys", set{
		column(keys, func(k *Key) string { return k.Flow }), column(keys, func(k *Key) string { return k.Key })})
	return rows, err
}

// MoveAnswer writes how far a request has come, or its answer, over what its record said before. ErrTransient: it does not say that
// any more, for another transaction was faster.
func (t *Tx) MoveAnswer(a Answered, was string) error {
	n, err := t.exec("move_answer", nil, a.Status, a.Body, a.Credential, a.Route, a.Key, was)
	if err == nil && n != 1 {
		err = fmt.Errorf("a request goes on at the same time elsewhere: %w", ErrTransient)
	}
	return err
}

// Answered loads the records of those idempotency keys that have one.
func (t *Tx) Answered(keys []Answered) ([]Answered, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	var rows []Answered
	err := t.query(&rows, "answered", set{
		column(keys, func(a *Answered) string { return a.Credential }), column(keys, func(a *Answered) string { return a.Route }),
		column(keys, func(a *Answered) string { return a.Key })})
	return rows, err
}
