package vm

import (
	"flowc/compiler/program"
	"flowc/validate/value"
)

// A payload is the event that is being handled: a declared one, or a reserved one with what belongs to it.
type payload struct {
	reserved program.Reserved
	event    int // in Program.Events, -1 when reserved
	record   value.Value
	actor    string // of an event from outside
	extra    []extra
}

// extra is a field that no declaration has.
type extra struct {
	name string
	v    value.Value
}

func (p *payload) field(name string) value.Value {
	for i := range p.extra {
		if p.extra[i].name == name {
			return p.extra[i].v
		}
	}
	if d := p.record.Decl(); d != nil {
		if i := d.Field(name); i >= 0 {
			return p.record.At(i)
		}
	}
	if name == "actor" {
		return optional(p.actor)
	}
	return value.Value{}
}

func (p *payload) takes(t program.Trigger) bool {
	if p.reserved != program.NotReserved {
		return t.Reserved == p.reserved
	}
	return t.Reserved == program.NotReserved && t.Event == p.event
}

// optional is a string?, null for "".
func optional(s string) value.Value {
	if s == "" {
		return value.Value{}
	}
	return value.OfString(s)
}

// outcomeDecl is the built-in enum `outcome`, resultDecl an element of `event.results` (language.md 4).
var (
	outcomeDecl = &value.Decl{Name: "outcome", Members: []string{"success", "failure", "cancelled"}}
	resultDecl  = &value.Decl{Name: "result", Fields: []value.Field{
		{Name: "index", Type: value.TypeInt},
		{Name: "name", Type: value.Opt(value.TypeString)},
		{Name: "final", Type: value.Opt(value.TypeString)},
		{Name: "outcome", Type: value.Opt(value.EnumOf(outcomeDecl))},
		{Name: "code", Type: value.Opt(value.TypeString)},
		{Name: "value", Type: value.Opt(value.TypeJSON)},
	}}
)

// outcomeValue is a member of the enum `outcome`, null for "".
func outcomeValue(name string) value.Value {
	if i := outcomeDecl.Member(name); i >= 0 {
		return value.OfEnum(outcomeDecl, i)
	}
	return value.Value{}
}

func outcomeName(o program.Outcome) string { return outcomeDecl.Members[min(int(o), 2)] }

func timeoutEvent(due int64, state string) *payload {
	return reservedEvent(program.OnTimeout, extra{"due", value.OfTime(due)}, extra{"state", value.OfString(state)})
}

func errorEvent(f *Failure) *payload {
	return reservedEvent(program.OnError,
		extra{"code", value.OfString(f.Code)},
		extra{"message", value.OfString(f.Message)},
		extra{"attempts", value.OfInt(int64(f.Attempts))},
		extra{"source", optional(f.Source)})
}

func reservedEvent(r program.Reserved, fields ...extra) *payload {
	return &payload{reserved: r, event: -1, extra: fields}
}

var reservedNames = map[string]program.Reserved{
	"timeout": program.OnTimeout, "error": program.OnError, "completed": program.OnCompleted,
	"joined": program.OnJoined, "expired": program.OnExpired, "cancel": program.OnCancel,
}

// name returns the event's name for lines.
func (s *step) name(e *payload) string {
	if e.event >= 0 {
		return s.p.Events[e.event].Name
	}
	for name, r := range reservedNames {
		if r == e.reserved {
			return name
		}
	}
	return ""
}
