package validate

import (
	"strings"

	"flowc/grammar"
	"flowc/validate/diag"
	"flowc/validate/model"
	"flowc/validate/value"
)

// An eventRef is an event that a handler names.
type eventRef struct {
	name     string
	reserved model.Reserved
	sym      *symbol // of a declared event
	at       place
	unknown  bool
}

func (r eventRef) same(o eventRef) bool {
	return !r.unknown && !o.unknown && r.reserved == o.reserved && r.sym == o.sym
}

var reservedEvents = map[string]model.Reserved{
	"timeout": model.OnTimeout, "error": model.OnError, "completed": model.OnCompleted,
	"joined": model.OnJoined, "expired": model.OnExpired, "cancel": model.OnCancel,
}

// handled resolves the events that a handler names.
func (c *checker) handled(e *env, paths []*grammar.Path) []eventRef {
	var out []eventRef
	for _, p := range paths {
		r := pathRef(p)
		if len(r) == 0 {
			continue
		}
		ev := eventRef{name: r.String(), at: e.ofRef(r)}
		if kind := reservedEvents[ev.name]; kind != model.NotReserved && c.eventParam(e, r) == nil {
			ev.reserved = kind
		} else if ev.sym = c.findEvent(e, r); ev.sym == nil {
			ev.unknown = true
		}
		out = append(out, ev)
	}
	return out
}

// eventParam is the event that a fragment's parameter stands for.
func (c *checker) eventParam(e *env, r ref) *symbol {
	if e.use == nil || len(r) != 1 || e.use.kinds[r[0].Text] != "event" {
		return nil
	}
	c.info.refer(e.file, r.span(), e.use.defs[r[0].Text])
	return e.use.events[r[0].Text]
}

// findEvent resolves a declared event.
func (c *checker) findEvent(e *env, r ref) *symbol {
	if len(r) == 0 {
		return nil
	}
	if e.use != nil && len(r) == 1 && e.use.kinds[r[0].Text] == "event" {
		return c.eventParam(e, r)
	}
	if s := c.find(e, symEvent, r); s != nil {
		return s
	}
	if len(r) == 1 && e.file.partial || len(r) > 1 && c.unknownAlias(e, r) {
		return nil
	}
	c.unknownEvent(e, r)
	return nil
}

func (c *checker) unknownEvent(e *env, r ref) {
	name := r.String()
	n := c.report(e.ofRef(r), diag.UnknownEvent, "there is no event `%s`", name)
	declared := e.file.names(symEvent)
	near := diag.Nearest(name, append(declared[:len(declared):len(declared)], sortedKeys(reservedEvents)...))
	if near == "" {
		n.help("declare it: `event %s`", r.last().Text)
		return
	}
	n.didYouMean(r.span(), name, []string{near})
	if s := e.file.lookup(symEvent, strings.Split(near, ".")); s != nil {
		s.used, s.handled = true, true
	}
}

// findDeclaredEvent resolves an event where a reserved one cannot stand.
func (c *checker) findDeclaredEvent(e *env, r ref) *symbol {
	if reserved[r.String()] && c.eventParam(e, r) == nil {
		c.report(e.ofRef(r), diag.UnknownEvent, "`%s` is a reserved event: the engine makes it for handlers, and it cannot stand here", r)
		return nil
	}
	return c.findEvent(e, r)
}

// emittedEvent resolves an event that a statement makes; a reserved one has a finding of its own.
func (c *checker) emittedEvent(e *env, call *grammar.Call, id diag.ID, verb string) *symbol {
	if call == nil {
		return nil
	}
	r := pathRef(call.Name)
	if reserved[r.String()] && c.eventParam(e, r) == nil {
		n := c.report(e.ofRef(r), id, "`%s` is a reserved event: only the engine makes it, and it cannot be %s", r, verb)
		if r.String() == "timeout" {
			n.help("`rearm timeout` starts the state's timeout over; for a time of your own use `after DUR` or an event that you declare")
		} else {
			n.help("declare an event of your own and handle it the same way")
		}
		return nil
	}
	s := c.findEvent(e, r)
	if s != nil {
		s.emitted = append(s.emitted, e.ofRef(r))
	}
	return s
}

// A shape is what `event` is in a piece of code: the fields that all events of a handler have.
type shape struct {
	fields  map[string]*value.Type
	some    map[string]string // fields that not all have, with a sentence on who has them
	defs    map[string]*Def
	what    string         // the events as messages call them
	open    bool           // one of the events is not known, so that every field may be there
	only    model.Reserved // the one event, where it is one that the engine makes
	seen    map[string]bool
	strange bool // a field was read that the event does not have
}

func (s *shape) looked(name string) {
	if s.seen == nil {
		s.seen = map[string]bool{}
	}
	s.seen[name] = true
}

// A payload is the fields of one event.
type payload struct {
	name   string
	fields []value.Field
	defs   map[string]*Def
	open   bool // what it has is not known
}

// shapeOf makes the shape of a handler of these events in a state.
func (c *checker) shapeOf(s *state, events []eventRef) *shape {
	sh := &shape{fields: map[string]*value.Type{}, some: map[string]string{}, defs: map[string]*Def{}}
	var parts []payload
	var names []string
	for _, ev := range events {
		names = append(names, ev.name)
		if ev.unknown {
			sh.open = true
			continue
		}
		parts = append(parts, c.payloads(s, ev)...)
	}
	if len(events) == 1 {
		sh.only = events[0].reserved
	}
	sh.what = "the event " + quote(names, "or")
	for i, p := range parts {
		sh.open = sh.open || p.open
		sh.add(p, i == 0)
	}
	return sh
}

// add narrows the shape to what one more event has too.
func (s *shape) add(p payload, first bool) {
	has := map[string]*value.Type{}
	for _, f := range p.fields {
		has[f.Name] = f.Type
		if p.defs[f.Name] != nil {
			s.defs[f.Name] = p.defs[f.Name]
		}
	}
	if first {
		s.fields = has
		return
	}
	for name, t := range has {
		if s.fields[name] == nil {
			s.some[name] = "`" + p.name + "` has it"
			continue
		}
		if !s.fields[name].Equal(t) {
			if s.fields[name].Base().Equal(t.Base()) {
				s.fields[name] = value.Opt(t)
				continue
			}
			s.some[name] = "its type is not the same in all of them"
			delete(s.fields, name)
		}
	}
	for name := range s.fields {
		if has[name] == nil {
			s.some[name] = "`" + p.name + "` does not have it"
			delete(s.fields, name)
		}
	}
}

var (
	actor        = value.Field{Name: "actor", Type: value.Opt(value.TypeString)}
	finalName    = value.Field{Name: "final", Type: value.TypeString}
	outcomeField = value.Field{Name: "outcome", Type: model.OutcomeType}
)

// payloads are the fields that an event may have for a handler in a state; there is one for each kind of work whose end it takes.
func (c *checker) payloads(s *state, ev eventRef) []payload {
	switch ev.reserved {
	case model.NotReserved:
		fields := ev.sym.event.Payload.Fields
		return []payload{{name: ev.name, fields: append(fields[:len(fields):len(fields)], actor), defs: c.fieldDefs[ev.sym.event.Payload], open: ev.sym.damaged()}}
	case model.OnTimeout:
		return one("timeout", value.Field{Name: "due", Type: value.TypeTime}, value.Field{Name: "state", Type: value.TypeString})
	case model.OnError:
		return one("error", value.Field{Name: "code", Type: value.TypeString}, value.Field{Name: "message", Type: value.TypeString},
			value.Field{Name: "attempts", Type: value.TypeInt}, value.Field{Name: "source", Type: value.Opt(value.TypeString)})
	case model.OnCancel:
		return one("cancel", value.Field{Name: "reason", Type: value.Opt(value.TypeString)})
	case model.OnExpired:
		return one("expired", value.Field{Name: "due", Type: value.TypeTime})
	}
	if out, ok := s.payload[ev.reserved]; ok {
		return out
	}
	var out []payload
	seen := map[any]bool{}
	for _, src := range s.sources(ev.reserved) {
		if what := src.endOf(); !seen[what] {
			seen[what] = true
			out = append(out, src.ended(c, ev.reserved))
		}
	}
	if len(out) == 0 {
		out = one(ev.name)
	}
	if s.payload == nil {
		s.payload = map[model.Reserved][]payload{}
	}
	s.payload[ev.reserved] = out
	return out
}

// endOf says what ends: the task or the flow, or else what kind of state or work; equal ones have equal payloads.
func (s *state) endOf() any {
	switch {
	case s.work == nil:
		return s.m.Kind
	case s.work.task != nil:
		return s.work.task
	case s.work.flow != nil:
		return s.work.flow
	}
	return s.work.m.Kind
}

func one(name string, fields ...value.Field) []payload {
	return []payload{{name: name, fields: fields}}
}

// sources are the states whose `timeout`, or whose end by `completed` or `joined`, a handler in this state may take.
func (s *state) sources(kind model.Reserved) []*state {
	var out []*state
	var visit func(t *state)
	visit = func(t *state) {
		if t != s && t.takesAlways(kind) {
			return
		}
		if t.gives(kind) {
			out = append(out, t)
		}
		for _, k := range t.kids {
			visit(k)
		}
	}
	visit(s)
	return out
}

// takesAlways reports whether the state has an unguarded handler of the event.
func (s *state) takesAlways(kind model.Reserved) bool {
	for _, item := range s.items {
		on, ok := item.(*grammar.On)
		if !ok || on.When != nil {
			continue
		}
		for _, p := range on.Events {
			if reservedEvents[p.String()] == kind {
				return true
			}
		}
	}
	return false
}

// ends reports whether the state itself gets `completed` or `joined` at some time.
func (s *state) ends(kind model.Reserved) bool {
	many := s.m.Kind == model.Parallel || s.work != nil && s.work.each
	if many {
		return kind == model.OnJoined
	}
	if kind != model.OnCompleted {
		return false
	}
	return s.work != nil || s.m.Kind == model.Composite && s.parent != nil && s.hasFinal()
}

func (s *state) hasFinal() bool {
	for _, k := range s.kids {
		if k.isFinal() {
			return true
		}
	}
	return false
}

// finalOutcomes reports whether the state can end in a success, and whether in anything else.
func (s *state) finalOutcomes() (success, failure bool) {
	for _, k := range s.kids {
		if k.isFinal() {
			success = success || k.m.Outcome == model.Success
			failure = failure || k.m.Outcome != model.Success
		}
	}
	return success, failure
}

// ended is the payload of the end of a state's work, or of its states.
func (s *state) ended(c *checker, kind model.Reserved) payload {
	var result, joined *value.Decl
	p := payload{name: "completed"}
	if w := s.work; w != nil {
		p.open = w.unknown || w.task != nil && w.task.damaged()
		switch {
		case w.task != nil:
			result, joined = w.task.task.Result, w.task.task.Joined
		case w.flow != nil:
			result, joined = w.flow.flow.m.Ended, w.flow.flow.m.Joined
		}
	} else if kind == model.OnCompleted {
		p.fields = []value.Field{finalName, outcomeField}
	}
	if kind == model.OnCompleted {
		if result != nil {
			p.fields, p.defs = result.Fields, c.fieldDefs[result]
		}
		return p
	}
	if joined == nil {
		joined = regionsJoined
	}
	p.name, p.fields = "joined", manyEnd(joined)
	return p
}

// manyEnd is the fields of `joined`, of which each result is such a record.
func manyEnd(result *value.Decl) []value.Field {
	return []value.Field{
		{Name: "ok", Type: value.TypeBool}, {Name: "total", Type: value.TypeInt}, {Name: "succeeded", Type: value.TypeInt},
		{Name: "failed", Type: value.TypeInt}, {Name: "results", Type: value.ListOf(value.RecordOf(result))},
	}
}

var (
	regionsJoined = model.JoinedDecl(nil)
	regionsEnd    = manyEnd(regionsJoined)
)
