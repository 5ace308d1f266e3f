package engine

import (
	"encoding/json"
	"errors"
	"fmt"

	"flowc/vm/store"
)

type idemKey struct{ credential, route, key string }

func (i *Idempotency) id() idemKey { return idemKey{i.Credential, i.Route, i.Key} }

// okStatus is the status of a recorded answer that is no error.
const okStatus = "ok"

// A record is an answer to be kept with its key (R55). It is written when its body is whole.
type record struct {
	idem *Idempotency
	body any
	err  *Error
}

// loadAnswers reads the records of the keys that the jobs carry.
func (r *round) loadAnswers() error {
	var keys []store.Answered
	for _, j := range r.work.jobs {
		if j.idem != nil {
			keys = append(keys, store.Answered{Credential: j.idem.Credential, Route: j.idem.Route, Key: j.idem.Key})
		}
	}
	rows, err := r.tx.Answered(keys)
	if err != nil {
		return err
	}
	r.answered = map[idemKey]store.Answered{}
	for _, a := range rows {
		r.answered[idemKey{a.Credential, a.Route, a.Key}] = a
	}
	return nil
}

// isAnswered says that an earlier request with the job's key has been answered.
func (r *round) isAnswered(j *job) bool {
	if j.idem == nil {
		return false
	}
	_, ok := r.answered[j.idem.id()]
	return ok
}

// replay answers a job by the record of its key, from the database or from earlier in this batch.
func (r *round) replay(j *job) (answered, bool) {
	if j.idem == nil {
		return answered{}, false
	}
	if a, ok := r.answered[j.idem.id()]; ok {
		return recorded(j.idem, a, j.decode), true
	}
	for _, rec := range r.records {
		if rec.idem.id() != j.idem.id() {
			continue
		}
		if rec.idem.BodyHash != j.idem.BodyHash {
			return answered{err: mismatch(j.idem)}, true
		}
		return answered{body: rec.body, err: rec.err, replayed: true}, true
	}
	return answered{}, false
}

func mismatch(i *Idempotency) *Error {
	return failure(IdempotencyMismatch, "the idempotency key %q was used for another request", i.Key)
}

// recorded answers a request by the record of its key.
func recorded(i *Idempotency, a store.Answered, decode func([]byte) (any, error)) answered {
	if a.Hash != i.BodyHash {
		return answered{err: mismatch(i)}
	}
	if a.Status != okStatus {
		var e Error
		if err := json.Unmarshal([]byte(a.Body), &e); err != nil {
			return answered{err: unavailable(err, "the first answer cannot be read")}
		}
		return answered{err: &e, replayed: true}
	}
	body, err := decode([]byte(a.Body))
	if err != nil {
		return answered{err: unavailable(err, "the first answer cannot be read")}
	}
	return answered{body: body, replayed: true}
}

// record keeps an answer, where its kind is kept.
func (r *round) record(j *job, body any, fault *Error) {
	if j.idem == nil || !isKept(fault) {
		return
	}
	r.records = append(r.records, &record{idem: j.idem, body: body, err: fault})
}

// answer fills in the views of the tokens as they now are, and writes the records.
func (r *round) answer() error {
	if err := r.fillViews(); err != nil {
		return err
	}
	var rows []store.Answered
	for _, rec := range r.records {
		rows = append(rows, recordOf(rec.idem, rec.body, rec.err, r.now))
	}
	return r.tx.Write(&store.Writes{Answered: rows, At: r.now})
}

// decodeInto reads a recorded answer.
func decodeInto[T any](body []byte) (any, error) {
	v := new(T)
	if err := json.Unmarshal(body, v); err != nil {
		return nil, fmt.Errorf("read a recorded answer: %w", err)
	}
	return v, nil
}

// replayable is an answer that can say that it is the answer of an earlier request.
type replayable[T any] interface {
	*T
	setReplayed(bool)
}

func (a *Answer) setReplayed(r bool)     { a.Replayed = r }
func (a *TaskAnswer) setReplayed(r bool) { a.Replayed = r }

// answerOf unpacks what became of a job.
func answerOf[T any, P replayable[T]](a answered, err error) (T, error) {
	var zero T
	if err != nil {
		return zero, err
	}
	body, ok := a.body.(P)
	if !ok {
		return zero, unavailable(nil, "an answer of the wrong kind: %T", a.body)
	}
	out := *body // a copy: several callers may get the same answer
	P(&out).setReplayed(a.replayed)
	return out, nil
}

func isNotFound(err error) bool { return errors.Is(err, store.ErrNotFound) }
