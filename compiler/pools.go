package compiler

import (
	"flowc/compiler/program"
	"flowc/validate/model"
	"flowc/validate/value"
)

// none is the index of what there is not.
const none = -1

// pools hold the index of everything that is in the program once, however often it is used.
type pools struct {
	consts   map[constKey]int
	types    map[*value.Decl]int
	events   map[string]*model.Event
	eventAt  map[string]int
	tasks    map[string]*model.Task
	taskAt   map[string]int
	policies map[program.Policy]int
	builtins map[string]int
	funcs    map[*model.Func]int // codes
	flows    map[*model.Flow]int
	files    map[int]int
}

// A constKey is what makes two constants the same. Lists, maps and records are not pooled.
type constKey struct {
	kind value.Kind
	decl *value.Decl
	text string
}

func (p *pools) init() {
	p.consts = map[constKey]int{}
	p.types = map[*value.Decl]int{}
	p.events = map[string]*model.Event{}
	p.eventAt = map[string]int{}
	p.tasks = map[string]*model.Task{}
	p.taskAt = map[string]int{}
	p.policies = map[program.Policy]int{}
	p.builtins = map[string]int{}
	p.funcs = map[*model.Func]int{}
	p.flows = map[*model.Flow]int{}
	p.files = map[int]int{}
}

// index returns the index of a key in a table, which add extends when the key is new.
func index[K comparable](at map[K]int, key K, next int, add func()) int {
	i, ok := at[key]
	if !ok {
		i = next
		at[key] = i
		add()
	}
	return i
}

func (c *compiler) constant(v value.Value) int {
	add := func() { c.p.Consts = append(c.p.Consts, v) }
	switch v.Kind() {
	case value.Record, value.List, value.Map:
		add()
		return len(c.p.Consts) - 1
	}
	key := constKey{kind: v.Kind(), decl: v.Decl(), text: string(value.AppendText(nil, v))}
	return index(c.pools.consts, key, len(c.p.Consts), add)
}

func (c *compiler) text(s string) int { return c.constant(value.OfString(s)) }

func (c *compiler) typ(d *value.Decl) int {
	return index(c.pools.types, d, len(c.p.Types), func() { c.p.Types = append(c.p.Types, d) })
}

func (c *compiler) builtin(name string) int {
	return index(c.pools.builtins, name, len(c.p.Builtins), func() { c.p.Builtins = append(c.p.Builtins, name) })
}

func (c *compiler) policy(q program.Policy) int {
	return index(c.pools.policies, q, len(c.p.Policies), func() { c.p.Policies = append(c.p.Policies, q) })
}

// event returns the index of an event. Senders and timers know events by name, so in one program a name means one event.
func (c *compiler) event(e *model.Event) int {
	if was, ok := c.pools.events[e.Name]; ok && was != e && !sameEvent(was, e) {
		c.fail("two events are called %s in what flow %s reaches; import one of them with `as`", e.Name, c.p.Flow)
	}
	return index(c.pools.eventAt, e.Name, len(c.p.Events), func() {
		c.pools.events[e.Name] = e
		c.p.Events = append(c.p.Events, program.Event{Name: e.Name, Payload: orEmpty(e.Payload), Internal: e.Internal})
	})
}

func sameEvent(a, b *model.Event) bool {
	return a.Internal == b.Internal && sameDecl(a.Payload, b.Payload)
}

func sameDecl(a, b *value.Decl) bool {
	return value.RecordOf(orEmpty(a)).Equal(value.RecordOf(orEmpty(b)))
}

// orEmpty is a record's declaration, one without fields where nothing was declared.
func orEmpty(d *value.Decl) *value.Decl {
	if d == nil {
		return &value.Decl{}
	}
	return d
}

func (c *compiler) events(es []*model.Event) []int {
	var is []int
	for _, e := range es {
		is = append(is, c.event(e))
	}
	return is
}

// task returns the index of a task, which workers know by its name.
func (c *compiler) task(t *model.Task) int {
	if was, ok := c.pools.tasks[t.Name]; ok && was != t && !(sameDecl(was.Params, t.Params) && sameDecl(was.Result, t.Result)) {
		c.fail("two tasks are called %s in what flow %s reaches; import one of them with `as`", t.Name, c.p.Flow)
	}
	return index(c.pools.taskAt, t.Name, len(c.p.Tasks), func() {
		c.pools.tasks[t.Name] = t
		c.p.Tasks = append(c.p.Tasks, program.Task{
			Name: t.Name, Params: orEmpty(t.Params), Result: orEmpty(t.Result), Fails: t.Fails, Policy: policyOf(t, nil),
		})
	})
}

// defaultQueue is the queue of a task without one.
const defaultQueue = "default"

// policyOf is a task's policy with what a use says otherwise. A use that gives a backoff gives all of it: one duration is a
// fixed one, whatever the declaration's doubles up to.
func policyOf(t *model.Task, use *model.PolicyOverride) program.Policy {
	q := program.Policy{
		Within: t.Policy.Within, Retries: t.Policy.Retries, Backoff: t.Policy.Backoff, BackoffMax: t.Policy.BackoffMax,
		Queue: t.Policy.Queue,
	}
	if use != nil {
		if use.Backoff != nil {
			q.Backoff, q.BackoffMax = *use.Backoff, 0
		}
		set(&q.Within, use.Within)
		set(&q.Retries, use.Retries)
		set(&q.BackoffMax, use.BackoffMax)
		set(&q.Queue, use.Queue)
	}
	if q.Queue == "" {
		q.Queue = defaultQueue
	}
	return q
}

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}
