package engine

import (
	"fmt"

	"flowc/vm"
	"flowc/vm/store"
)

// A letter is a message with its sender.
type letter struct {
	from *live
	vm.Message
}

// route turns what the steps send into rows of inboxes (R5). A message that makes a token makes its row too, without a snapshot:
// so the receiver's row is there to be locked, and keys are taken in the sender's transaction. What cannot be delivered goes
// into the sender's own inbox.
func (r *round) route() error {
	var letters []letter
	var starts, sends []store.Key
	for _, l := range r.order {
		if r.bad[l.row.ID] != nil {
			continue
		}
		r.writes.Taken = append(r.writes.Taken, l.took...)
		for _, m := range l.messages {
			letters = append(letters, letter{l, m})
			switch {
			case m.Start != nil && m.Keyed && goodKey(m.Key):
				starts = append(starts, store.Key{Flow: m.Flow, Key: m.Key, Token: m.Start.ID, At: r.now})
			case m.To == "" && m.Keyed:
				sends = append(sends, store.Key{Flow: m.Flow, Key: m.Key})
			}
		}
	}
	if err := r.reserve(starts); err != nil {
		return err
	}
	held, err := r.tx.Keys(sends)
	if err != nil {
		return err
	}
	for _, k := range held {
		r.keys[[2]string{k.Flow, k.Key}] = k
	}
	there, err := r.receivers(letters)
	if err != nil {
		return err
	}
	made := map[string]bool{} // the tokens that letters start, until the letter has been posted
	for i := range letters {
		if n := letters[i].Start; n != nil {
			made[n.ID] = true
		}
	}
	for i := range letters {
		if n := letters[i].Start; n != nil {
			delete(made, n.ID)
		}
		r.post(&letters[i], there, made)
	}
	return nil
}

// receivers says which of the tokens that letters are sent to by id exist: one may have been purged.
func (r *round) receivers(letters []letter) (map[string]bool, error) {
	there := map[string]bool{}
	for i := range letters {
		if n := letters[i].Start; n != nil {
			there[n.ID] = true
		}
	}
	var unknown []string
	for i := range letters {
		if to := letters[i].To; to != "" && !there[to] {
			if r.live[to] != nil {
				there[to] = true
			} else {
				unknown = append(unknown, to)
			}
		}
	}
	found, err := r.tx.Exist(unknown)
	for id := range found {
		there[id] = true
	}
	return there, err
}

// post delivers a letter. later are the tokens that later letters start: to this one they are not there yet, as in a world that
// delivers one after the other, and a start is the first that its token gets.
func (r *round) post(m *letter, there, later map[string]bool) {
	if m.Start != nil {
		r.postStart(m)
		return
	}
	to := m.To
	if to != "" && !there[to] {
		r.undeliverable(m, "the token has been purged")
		return
	}
	if to == "" {
		k, ok := r.keys[[2]string{m.Flow, m.Key}]
		switch {
		case !ok || later[k.Token]:
			r.undeliverable(m, fmt.Sprintf("there is no token %s[%q]", m.Flow, m.Key))
			return
		case k.PurgedAt != 0:
			r.undeliverable(m, fmt.Sprintf("the token %s[%q] has been purged", m.Flow, m.Key))
			return
		}
		to = k.Token
	}
	r.put(m, to, m.Stimulus)
}

func (r *round) postStart(m *letter) {
	n := m.Start
	if m.Keyed {
		switch k := r.keys[[2]string{m.Flow, m.Key}]; {
		case !goodKey(m.Key):
			r.undeliverable(m, fmt.Sprintf("the key of %s is empty or longer than %d bytes", m.Flow, maxKey))
			return
		case k.Token != n.ID:
			r.undeliverable(m, fmt.Sprintf("the key %s[%q] is taken", m.Flow, m.Key))
			return
		}
	}
	row := store.Token{ID: n.ID, Flow: n.Flow, Key: n.Key, Program: n.Program, Status: string(vm.Scheduled),
		Data: []byte(mustJSON(document{Input: jsonOr(n.Input, "{}")})), CreatedAt: r.now, UpdatedAt: r.now}
	if n.Parent != nil {
		row.Parent = n.Parent.Token
	}
	r.writes.NewTokens = append(r.writes.NewTokens, row)
	r.put(m, n.ID, m.Stimulus)
}

// undeliverable tells the sender, in a step of its own.
func (r *round) undeliverable(m *letter, why string) {
	if st, ok := vm.Undelivered(&m.Message, why); ok {
		r.lost++
		r.put(m, m.from.row.ID, st)
	}
}

func (r *round) put(m *letter, to string, st vm.Stimulus) {
	r.writes.Inbox = append(r.writes.Inbox, store.Inbox{Receiver: to, Sender: m.from.row.ID, SenderVersion: m.Version, N: m.N,
		Stimulus: mustJSON(envelope{Stimulus: st}), At: r.now})
}

func goodKey(key string) bool { return key != "" && len(key) <= maxKey }
