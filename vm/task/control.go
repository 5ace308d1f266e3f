package task

import "flowc/vm"

// Withdraw ends a task that nobody waits for any more (R46). A running attempt learns it at its next heartbeat.
func Withdraw(r Row, now int64) Row {
	if r.Status.Over() {
		return r
	}
	return r.over(Withdrawn, now)
}

// Hold keeps a task, a dispatched one too, from being claimed while its token is paused; a running attempt may finish (R46).
func Hold(r Row, now int64) Row {
	if r.HeldAt == 0 && !r.Status.Over() {
		r.HeldAt = now
	}
	return r
}

// Unhold lets it be claimed again. A backoff gets the paused time back (R15).
func Unhold(r Row, now int64) Row {
	if r.HeldAt != 0 && r.Status == Backoff {
		r.NextAt += now - r.HeldAt
	}
	r.HeldAt = 0
	return r
}

// OfferNow lets a backing off task be claimed at once, or gives a claimed one to another worker: the running lease is lost. It
// uses up no attempt.
func OfferNow(r Row, now int64) (Row, error) {
	if r.Status.Over() {
		return r, ErrOver
	}
	if r.Status == Claimed {
		r = r.ended("released", "", "by an operator", now)
	}
	r.Status, r.NextAt = Offered, now
	return r, nil
}

// EndByHand ends a task without a lease: well with a result, or badly with a code.
func EndByHand(r Row, o vm.TaskOutcome, now int64) (Row, *vm.Stimulus, error) {
	if r.Status.Over() {
		return r, nil, ErrOver
	}
	kind, status := "completed", Done
	if o.Code != "" {
		kind, status = "failed", Failed
	}
	o.Message = cut(o.Message)
	r = r.ended(kind, o.Code, o.Message, now).over(status, now)
	return r, r.outcome("", nil, o), nil
}
