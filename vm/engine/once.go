package engine

import (
	"context"
	"encoding/json"
	"errors"

	"flowc/vm/store"
)

// Once is how a request is carried out once that is more than one step: its key is taken before anything is done. *Engine is one.
type Once interface {
	// Begin takes the key of a request. It gives the answer of an earlier one that has ended, nil when there is none: then the
	// request is to be carried out, or to go on, which must do no harm to what is done already. Another BodyHash is
	// IdempotencyMismatch.
	Begin(context.Context, Idempotency) (answer json.RawMessage, err error)
	// End keeps the answer of a request that was begun.
	End(ctx context.Context, of Idempotency, answer json.RawMessage) error
}

var _ Once = (*Engine)(nil)

// begunStatus is the status of a record whose request has begun and not ended. Its body is how far it has come.
const begunStatus = "begun"

// recordOf is the record of an answer, as it is written.
func recordOf(i *Idempotency, body any, fault *Error, at int64) store.Answered {
	a := store.Answered{Credential: i.Credential, Route: i.Route, Key: i.Key, Hash: i.BodyHash, Status: okStatus, At: at}
	if fault != nil {
		a.Status, a.Body = string(fault.Code), mustJSON(fault)
	} else {
		a.Body = mustJSON(body)
	}
	return a
}

// isKept says which answers are recorded: 200, 201, 202 and 409.
func isKept(fault *Error) bool { return fault == nil || fault.Code.Status() == 409 }

// earlier looks for the record of a key; ok says that there is one. A record with another hash is a mismatch.
func earlier(tx *store.Tx, i *Idempotency) (a store.Answered, ok bool, fault *Error, err error) {
	if i == nil {
		return a, false, nil, nil
	}
	rows, err := tx.Answered([]store.Answered{{Credential: i.Credential, Route: i.Route, Key: i.Key}})
	switch {
	case err != nil || len(rows) == 0:
		return a, false, nil, err
	case rows[0].Hash != i.BodyHash:
		return a, true, mismatch(i), nil
	}
	return rows[0], true, nil, nil
}

// once carries out a change that is no step of a token in one transaction with the record of its key (R55). A change that is refused
// writes nothing.
func once[T any](ctx context.Context, e *Engine, i *Idempotency, change func(tx *store.Tx, now int64) (T, *Error, error)) (out T, replayed bool, err error) {
	var got answered
	err = e.store.Update(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		var again bool
		var err error
		if got, again, err = repeated[T](tx, i); again || err != nil {
			return err
		}
		now, err := tx.Now()
		if err != nil {
			return err
		}
		body, fault, err := change(tx, now)
		if err != nil {
			return err
		}
		if fault != nil { // the same request may have been carried out elsewhere while this one waited for its rows
			if got, again, err = repeated[T](tx, i); again || err != nil {
				return err
			}
		}
		got = answered{body: body, err: fault}
		if i == nil || !isKept(fault) {
			return nil
		}
		return tx.Write(&store.Writes{At: now, Answered: []store.Answered{recordOf(i, body, fault, now)}})
	})
	switch {
	case err != nil:
		return out, false, unableTo(err)
	case got.err != nil:
		fault := *got.err
		fault.Replayed = got.replayed
		return out, got.replayed, &fault
	}
	out, _ = got.body.(T)
	return out, got.replayed, nil
}

// repeated gives the answer of an earlier request with the key; again says that there is one.
func repeated[T any](tx *store.Tx, i *Idempotency) (got answered, again bool, err error) {
	row, again, fault, err := earlier(tx, i)
	switch {
	case err != nil || !again:
		return answered{}, again, err
	case fault != nil:
		return answered{err: fault}, true, nil
	}
	return recorded(i, row, func(body []byte) (any, error) {
		var out T
		err := json.Unmarshal(body, &out)
		return out, err
	}), true, nil
}

// refusedBy makes what a change answers of an error that a read before it gave: so a repeat is answered by its record, also when what
// it names is no longer there.
func refusedBy(err error) (*Error, error) {
	var fault *Error
	if errors.As(err, &fault) {
		return fault, nil
	}
	return nil, err
}

// Begin is described at Once.
func (e *Engine) Begin(ctx context.Context, i Idempotency) (json.RawMessage, error) {
	var answer json.RawMessage
	var fault *Error
	err := e.store.Update(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		answer = nil
		row, ok, wrong, err := earlier(tx, &i)
		fault = wrong
		switch {
		case err != nil || wrong != nil:
			return err
		case ok && row.Status == okStatus:
			answer = json.RawMessage(row.Body)
			return nil
		case ok:
			return nil
		}
		return begin(tx, &i, struct{}{})
	})
	switch {
	case err != nil:
		return nil, unableTo(err)
	case fault != nil:
		return nil, fault
	}
	return answer, nil
}

// begin takes a key for a request of several transactions.
func begin(tx *store.Tx, i *Idempotency, progress any) error {
	now, err := tx.Now()
	if err != nil {
		return err
	}
	row := recordOf(i, progress, nil, now)
	row.Status = begunStatus
	return tx.Write(&store.Writes{At: now, Answered: []store.Answered{row}})
}

// End is described at Once. Of two that carried it out at once the first to end gives the answer.
func (e *Engine) End(ctx context.Context, i Idempotency, answer json.RawMessage) error {
	err := e.store.Update(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		row, ok, _, err := earlier(tx, &i)
		if err != nil || !ok || row.Status != begunStatus {
			return err
		}
		was := row.Body
		row.Status, row.Body = okStatus, string(answer)
		return tx.MoveAnswer(row, was)
	})
	if err != nil {
		return unableTo(err)
	}
	return nil
}
