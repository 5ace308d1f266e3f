package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/google/uuid"

	"flowc/vm"
	"flowc/vm/store"
)

// beginning is the start of a token by a caller.
type beginning struct {
	token      vm.NewToken // Program "": the flow's current one
	onConflict OnConflict
	actor      string
}

// maxKey is the longest key in bytes.
const maxKey = 200

// StartToken is described at Service.
func (e *Engine) StartToken(ctx context.Context, req StartRequest) (Answer, error) {
	if fault := req.check(e.limits); fault != nil {
		return Answer{}, fault
	}
	id, fault := newID()
	if fault != nil {
		return Answer{}, fault
	}
	b := &beginning{onConflict: req.OnConflict, actor: req.Actor, token: vm.NewToken{
		ID: id, Flow: req.Flow, Key: req.Key, Program: req.Program, Input: req.Input,
		StartAt: req.StartAt, Delay: req.Delay.Microseconds()}}
	return e.begin(ctx, b, req.Idempotency)
}

// newID makes an id that sorts by when it was made.
func newID() (string, *Error) {
	id, err := uuid.NewV7()
	if err != nil {
		return "", unavailable(err, "no id could be made")
	}
	return id.String(), nil
}

func (e *Engine) begin(ctx context.Context, b *beginning, idem *Idempotency) (Answer, error) {
	a, err := e.do(ctx, &job{begin: b, idem: idem, decode: decodeInto[Answer]})
	return answerOf[Answer](a, err)
}

func (req StartRequest) check(l Limits) *Error {
	switch {
	case req.Flow == "":
		return failure(Malformed, "no flow is named")
	case len(req.Key) > maxKey:
		return failure(Invalid, "the key is longer than %d bytes", maxKey).at("/key", "at most 200 bytes")
	case !utf8.ValidString(req.Key):
		return failure(Malformed, "the key is not UTF-8").at("/key", "not UTF-8")
	case req.Delay != 0 && req.StartAt != 0:
		return failure(Malformed, "delay and startAt are both given").at("/startAt", "not together with delay")
	case req.Delay < 0:
		return failure(Invalid, "the delay is negative").at("/delay", "negative")
	case len(req.Input) > l.Payload:
		return failure(TooLarge, "the input is larger than %d bytes", l.Payload).at("/input", "too large")
	case req.OnConflict != "" && req.OnConflict != FailOnConflict && req.OnConflict != ReturnOnConflict:
		return failure(Malformed, "onConflict is %q", req.OnConflict).at("/onConflict", "fail or return")
	}
	return nil
}

func (e *Error) at(pointer, detail string) *Error {
	e.Fields = append(e.Fields, vm.FieldError{Pointer: pointer, Detail: detail})
	return e
}

// currentPrograms finds what new tokens are to run on, and adds it to the programs to be read.
func (r *round) currentPrograms(need map[string]bool) error {
	var flows []string
	for _, j := range r.work.jobs {
		if j.begin == nil {
			continue
		}
		if p := j.begin.token.Program; p != "" {
			need[p] = true
		} else {
			flows = append(flows, j.begin.token.Flow)
		}
	}
	if len(flows) == 0 {
		return nil
	}
	var err error
	if r.current, err = r.tx.Current(flows); err != nil {
		return err
	}
	for _, p := range r.current {
		need[p] = true
	}
	return nil
}

// takeKeys takes the first steps of new tokens in memory, and then the keys of those whose input is right: a start that is
// refused leaves its key free.
func (r *round) takeKeys() error {
	var want []store.Key
	for _, j := range r.work.jobs {
		if j.begin == nil || r.isAnswered(j) {
			continue
		}
		r.because(j)
		l, fault := r.make(j.begin)
		if fault != nil {
			r.faults[j] = fault
			continue
		}
		r.fresh[j] = l
		if k := j.begin.token.Key; k != "" {
			want = append(want, store.Key{Flow: l.row.Flow, Key: k, Token: l.row.ID, At: r.now})
		}
	}
	return r.reserve(want)
}

func (r *round) reserve(want []store.Key) error {
	if len(want) == 0 {
		return nil
	}
	if err := r.tx.ReserveKeys(want); err != nil {
		return err
	}
	held, err := r.tx.Keys(want)
	if err != nil {
		return err
	}
	for _, k := range held {
		r.keys[[2]string{k.Flow, k.Key}] = k
	}
	return nil
}

// make makes a token in memory.
func (r *round) make(b *beginning) (*live, *Error) {
	n := b.token
	if n.Program == "" {
		if n.Program = r.current[n.Flow]; n.Program == "" {
			return nil, failure(NotFound, "there is no flow %s", n.Flow)
		}
	}
	p, err := r.e.programs.get(n.Program)
	if err != nil {
		return nil, noProgram(n, err)
	}
	if flowOf(p, n.Flow) == nil {
		return nil, failure(NotFound, "program %s has no flow %s", n.Program, n.Flow)
	}
	l := &live{fresh: true, program: p, row: store.Token{ID: n.ID, Flow: n.Flow, Key: n.Key, Program: n.Program,
		RestartOf: n.RestartOf}}
	a := r.apply(l, vm.Stimulus{Kind: vm.OnStart, Actor: b.actor, Start: &n})
	if cause := r.bad[n.ID]; cause != nil { // there is no row yet that could be set aside
		delete(r.bad, n.ID)
		return nil, unavailable(cause, "the flow cannot be started; see the log")
	}
	if l.tok == nil {
		return nil, refusal(a)
	}
	return l, nil
}

func noProgram(n vm.NewToken, err error) *Error {
	e := failure(NotFound, "there is no program %s", n.Program)
	if e.cause = err; !isNotFound(err) {
		e = unavailable(err, "program %s cannot be run by this server", n.Program)
	}
	return e
}

func jsonOr(raw json.RawMessage, otherwise string) []byte {
	if len(raw) == 0 {
		return []byte(otherwise)
	}
	return raw
}

// start answers a start: with the token that was made, or by who holds the key.
func (r *round) start(j *job) (any, *Error) {
	if fault := r.faults[j]; fault != nil {
		return nil, fault
	}
	l := r.fresh[j]
	n := j.begin.token
	if k, held := r.keys[[2]string{n.Flow, n.Key}]; n.Key != "" && held && k.Token != n.ID {
		return r.taken(j, k)
	}
	r.live[n.ID] = l
	r.order = append(r.order, l)
	a := &Answer{Outcome: vm.Accepted, Created: true}
	r.show(l, a)
	return a, nil
}

// taken answers a start whose key another token holds.
func (r *round) taken(j *job, k store.Key) (any, *Error) {
	if k.PurgedAt != 0 {
		e := failure(Purged, "the token of %s:%s has been purged; its key stays taken", k.Flow, k.Key)
		e.PurgedAt = k.PurgedAt
		return nil, e
	}
	if j.begin.onConflict == ReturnOnConflict {
		a := &Answer{Outcome: vm.Accepted}
		r.showStored(k.Token, a)
		return a, nil
	}
	e := failure(Conflict, "the key %s:%s is taken since %s", k.Flow, k.Key, instant(k.At).Format("2006-01-02T15:04:05.999999Z07:00"))
	e.Existing = k.Token
	return nil, e
}

// refusal turns the step's answer into an error, nil when it was taken.
func refusal(a vm.Answer) *Error {
	codes := map[vm.AnswerOutcome]Code{vm.Refused: Refused, vm.Invalid: Invalid, vm.LeaseLost: LeaseLost, vm.Full: Full}
	code, ok := codes[a.Outcome]
	if !ok {
		return nil
	}
	if a.Code == vm.UnknownTimer { // the caller names it beside the token, and what is named there and missing is not found
		code = NotFound
	}
	e := &Error{Code: code, Detail: a.Reason, Refusal: a.Code, State: a.State, Accepts: a.Accepts, Fields: a.Errors}
	if code == Full {
		e.RetryAfter = store.PostponedFor
	}
	if e.Detail == "" {
		e.Detail = fmt.Sprintf("the token answers %s", a.Code)
	}
	return e
}
