package validate

import (
	"math"

	"flowc/grammar"
	"flowc/validate/diag"
	"flowc/validate/model"
	"flowc/validate/value"
)

// declarePolicy folds the policy of a task's declaration.
func (c *checker) declarePolicy(s *symbol, d *grammar.TaskDecl) {
	cl := &d.Clauses
	if cl.Fails != nil {
		seen := map[string]bool{}
		for _, code := range cl.Fails.Codes {
			text := plainText(code)
			if seen[text] {
				c.report(s.env.of(code), diag.DuplicateParameter, "the code \"%s\" is listed twice", text)
				continue
			}
			seen[text] = true
			s.task.Fails = append(s.task.Fails, text)
		}
	}
	o := c.policyOf(s.env, cl)
	s.task.Policy = merge(model.Policy{Queue: "default"}, o)
	c.checkBackoffs(s.env, cl, s.task.Policy)
}

// policyOf folds the clauses within, retry and queue; nil when there is none.
func (c *checker) policyOf(e *env, cl *grammar.Clauses) *model.PolicyOverride {
	if cl.Within == nil && cl.Retry == nil && cl.Queue == nil {
		return nil
	}
	x := c.coder(e, nil, nil, inConstant)
	o := &model.PolicyOverride{}
	if cl.Within != nil {
		if d, ok := x.constDuration(cl.Within.Dur, "the limit of an attempt", 1); ok {
			o.Within = &d
		}
	}
	if cl.Queue != nil && cl.Queue.Name != nil {
		o.Queue = &cl.Queue.Name.Text
	}
	if r := cl.Retry; r != nil {
		x.retries(r, o)
	}
	return o
}

func (x *coder) retries(r *grammar.Retry, o *model.PolicyOverride) {
	if n, ok := x.constCount(r.Count, "the number of retries", 0); ok {
		o.Retries = &n
	}
	zero := int64(0)
	if r.Min == nil {
		o.Backoff, o.BackoffMax = &zero, &zero
		return
	}
	first, known := x.constDuration(r.Min, "the backoff", 0)
	if known {
		o.Backoff, o.BackoffMax = &first, &zero
	}
	if r.Max == nil {
		return
	}
	if last, ok := x.constDuration(r.Max, "the longest backoff", 0); ok && known {
		if last < first {
			x.c.report(x.env.of(r.Max), diag.TypeMismatch, "the backoff doubles from the first duration up to the second, and the second is shorter").
				help("write the shorter one first")
			return
		}
		o.BackoffMax = &last
	}
}

// constDuration folds a duration that must be known; least is 1 when it must be positive, 0 when it may be zero.
func (x *coder) constDuration(e grammar.Expr, what string, least int64) (int64, bool) {
	if e == nil {
		return 0, false
	}
	m := x.need(e, value.TypeDuration, what)
	k, ok := m.(*model.Const)
	if !ok {
		x.notConstant(e, what)
		return 0, false
	}
	if isBad(k) {
		return 0, false
	}
	if k.Value.Micros() < least {
		x.notPositive(e, k, what)
		return 0, false
	}
	return k.Value.Micros(), true
}

func (x *coder) notPositive(e grammar.Expr, k *model.Const, what string) {
	how := "zero"
	if k.Value.Micros() < 0 {
		how = "negative"
	}
	x.c.report(x.env.of(e), diag.DurationNotPositive, "%s is `%s`, and a %s duration would be over at once", what, k.Value, how).
		help("write a duration of at least 1s")
}

// constCount folds a whole number that must be known.
func (x *coder) constCount(e grammar.Expr, what string, least int64) (int, bool) {
	if e == nil {
		return 0, false
	}
	m := x.need(e, value.TypeInt, what)
	k, ok := m.(*model.Const)
	if !ok {
		x.notConstant(e, what)
		return 0, false
	}
	if isBad(k) {
		return 0, false
	}
	if n := k.Value.Int(); n < least || n > math.MaxInt32 {
		x.c.report(x.env.of(e), diag.TypeMismatch, "%s is at least %d, and this is %d", what, least, n)
		return 0, false
	}
	return int(k.Value.Int()), true
}

// merge is a task's policy with what a use says otherwise.
func merge(p model.Policy, o *model.PolicyOverride) model.Policy {
	if o == nil {
		return p
	}
	if o.Within != nil {
		p.Within = *o.Within
	}
	if o.Retries != nil {
		p.Retries = *o.Retries
	}
	if o.Backoff != nil {
		p.Backoff = *o.Backoff
	}
	if o.BackoffMax != nil {
		p.BackoffMax = *o.BackoffMax
	}
	if o.Queue != nil {
		p.Queue = *o.Queue
	}
	return p
}

// backoffs adds up the waits between the attempts of a policy, without jitter; more than the longest duration is that and one.
func backoffs(p model.Policy) int64 {
	const most = value.MaxWait
	if p.Backoff <= 0 || p.Retries <= 0 {
		return 0
	}
	if p.BackoffMax == 0 {
		if int64(p.Retries) > most/p.Backoff {
			return most + 1
		}
		return int64(p.Retries) * p.Backoff
	}
	total, wait := int64(0), p.Backoff
	for i := 0; i < p.Retries; i++ {
		if wait >= p.BackoffMax { // from here on all waits are alike
			left := int64(p.Retries - i)
			if p.BackoffMax > 0 && left > (most-min(total, most))/p.BackoffMax {
				return most + 1
			}
			return total + left*p.BackoffMax
		}
		if total += wait; total > most {
			return most + 1
		}
		wait = min(wait*2, p.BackoffMax)
	}
	return total
}

// checkBackoffs reports a policy whose waits add up to more than a duration may be.
func (c *checker) checkBackoffs(e *env, cl *grammar.Clauses, p model.Policy) {
	if cl.Retry == nil || backoffs(p) <= value.MaxWait {
		return
	}
	c.report(e.of(cl.Retry), diag.DurationTooLong, "the waits between %d attempts add up to more than 3650d, the longest duration there is", p.Retries+1).
		help("write fewer retries or shorter waits")
}
