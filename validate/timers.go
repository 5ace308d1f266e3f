package validate

import (
	"errors"
	"slices"

	"flowc/grammar"
	"flowc/validate/calendar"
	"flowc/validate/diag"
	"flowc/validate/model"
	"flowc/validate/value"
)

// A timer is a timer that a state declares.
type timer struct {
	m       *model.Timer
	st      *state
	word    string // as it is written: timeout, after, at, every, idle
	at      place
	dur     int64 // the constant duration after the entry at which it is due first; 0 when that is not known
	guarded bool
	target  *state
	effects *effects
	rearmed bool // some statement starts it over
	dead    bool
	raced   bool
}

// addTimer begins a timer; its range goes from its first word to the end of what says when.
func (c *checker) addTimer(s *state, n grammar.Node, word string, kind model.TimerKind, until grammar.Node) *timer {
	span := wordSpan(n, word)
	if until != nil && until.Span().Len() > 0 {
		span.End = until.Span().End
	}
	t := &timer{st: s, word: word, at: s.env.at(span), m: &model.Timer{Kind: kind, Order: s.fl.nextOrder(), Pos: s.env.pos(span)}}
	s.timers = append(s.timers, t)
	s.m.Timers = append(s.m.Timers, t.m)
	return t
}

func (c *checker) timeoutItem(s *state, n *grammar.Timeout) {
	if s.timeout != nil || s.m.Never {
		c.report(s.env.at(wordSpan(n, "timeout")), diag.DuplicateTimeout, "%s has a timeout already, and a state has at most one", s.title()).
			help("keep one of them; `after DUR -> STATE` is another way to leave by the clock")
		return
	}
	if n.Never {
		s.m.Never = true
		return
	}
	var until grammar.Node = n
	t := c.addTimer(s, n, "timeout", model.Timeout, until)
	t.m.Name = "timeout"
	s.timeout = t
	switch {
	case n.At != nil:
		c.timeOf(t, n.At)
	case n.Dur != nil:
		c.durationOf(t, n.Dur, n.From, "a timeout")
	}
}

// durationOf checks `DUR [from TIME]`.
func (c *checker) durationOf(t *timer, dur grammar.Expr, from *grammar.From, what string) {
	s := t.st
	x := c.coder(s.env, s.fl, s, inPart)
	m := x.need(dur, value.TypeDuration, what)
	t.m.Dur = x.asCode(m)
	known := x.positiveTimer(dur, m, what)
	if from != nil && from.Time != nil {
		c.timeOf(t, from.Time)
		return
	}
	t.dur = known
}

// positiveTimer reports a constant duration that is zero or less, and returns one that is more.
func (x *coder) positiveTimer(e grammar.Expr, m model.Expr, what string) int64 {
	k, ok := m.(*model.Const)
	if !ok || isBad(k) {
		return 0
	}
	if k.Value.Micros() <= 0 {
		x.notPositive(e, k, what)
		return 0
	}
	return k.Value.Micros()
}

// timeOf checks a TIME: an instant, or null for not armed.
func (c *checker) timeOf(t *timer, e grammar.Expr) {
	s := t.st
	x := c.coder(s.env, s.fl, s, inPart)
	x.reads = map[int]bool{}
	m := x.timeExpr(e)
	t.m.Time = x.asCode(m)
	for i := range x.reads {
		t.m.ReadsData = append(t.m.ReadsData, i)
	}
	slices.Sort(t.m.ReadsData)
}

// timeExpr is an instant that may be null; `T? + DUR` and `T? - DUR` are null when the instant is.
func (x *coder) timeExpr(e grammar.Expr) model.Expr {
	const what = "what stands here"
	if p, ok := e.(*grammar.ParenExpr); ok {
		return x.timeExpr(p.X)
	}
	if b, ok := e.(*grammar.BinaryExpr); ok && (b.Op == "+" || b.Op == "-") {
		if m := x.nullableShift(b); m != nil {
			return m
		}
	}
	return x.needTime(e, value.Opt(value.TypeTime), what)
}

// nullableShift is `T? + DUR`, nil when the operands are others.
func (x *coder) nullableShift(e *grammar.BinaryExpr) model.Expr {
	mark, types := len(x.c.findings), len(x.c.info.Types)
	a := x.timeOperand(e.X)
	if t := a.Type(); t.Kind != value.Time || !t.Optional {
		x.c.findings, x.c.info.Types = x.c.findings[:mark], x.c.info.Types[:types]
		return nil
	}
	b := x.need(e.Y, value.TypeDuration, "what is added to an instant")
	if isBad(b) {
		return x.bad(e.Span())
	}
	op := model.Add
	if e.Op == "-" {
		op = model.Sub
	}
	null := x.constant(a.Type(), value.OfNull(), e.X.Span())
	return &model.Cond{
		Typed: x.typed(a.Type(), e.Span()),
		If:    &model.Binary{Typed: x.typed(value.TypeBool, e.Span()), Op: model.Eq, X: a, Y: null},
		X:     null,
		Y:     &model.Binary{Typed: x.typed(value.TypeTime, e.Span()), Op: op, X: a, Y: b},
	}
}

func (x *coder) timeOperand(e grammar.Expr) model.Expr {
	switch n := e.(type) {
	case *grammar.ParenExpr:
		return x.timeOperand(n.X)
	case *grammar.BinaryExpr:
		if n.Op == "+" || n.Op == "-" {
			if m := x.nullableShift(n); m != nil {
				return m
			}
		}
	}
	return x.expr(e, nil)
}

func (c *checker) afterItem(s *state, n *grammar.After) {
	var until grammar.Node = n.Dur
	if n.Dur == nil {
		until = nil
	}
	if n.From != nil {
		until = n.From
	}
	t := c.addTimer(s, n, "after", model.After, until)
	if n.Dur != nil {
		c.durationOf(t, n.Dur, n.From, "what follows `after`")
	}
	c.transition(t, n.As, n.When, n.Target, n.Block)
}

func (c *checker) atItem(s *state, n *grammar.At) {
	var until grammar.Node
	if n.Time != nil {
		until = n.Time
	}
	t := c.addTimer(s, n, "at", model.At, until)
	if n.Time != nil {
		c.timeOf(t, n.Time)
	}
	c.transition(t, n.As, n.When, n.Target, n.Block)
}

// transition checks what a timer does.
func (c *checker) transition(t *timer, as *grammar.Ident, when *grammar.When, target *grammar.Target, block *grammar.Block) {
	s := t.st
	c.nameTimer(t, as)
	t.target, t.m.Target = c.target(s, target)
	var facts []string
	if when != nil {
		t.guarded = true
		t.m.Guard, facts = c.guard(s, when.Cond, nil, inGuard)
	}
	if block != nil {
		x := c.blockCoder(s, t.m.Target.Kind, t.target, facts)
		t.m.Block = x.blockCode(block)
		t.effects = x.effects
	}
}

func (c *checker) nameTimer(t *timer, as *grammar.Ident) {
	if as == nil {
		return
	}
	c.checkStyle(t.st.env, as)
	t.m.Name = as.Text
	c.info.define(t.st.env.file, DefTimer, as, as)
}

func (c *checker) everyItem(s *state, n *grammar.Every) {
	var until grammar.Node
	switch {
	case n.Calendar != nil:
		until = n.Calendar
	case n.Period != nil:
		until = n.Period
	}
	kind := model.Every
	if n.Calendar != nil {
		kind = model.Calendar
	}
	t := c.addTimer(s, n, "every", kind, until)
	if n.Calendar != nil {
		c.calendarOf(t, n.Calendar)
	} else if n.Period != nil {
		c.durationOf(t, n.Period, nil, "the period of `every`")
	}
	c.everyLimits(t, n)
	c.nameTimer(t, n.As)
	if n.Block != nil {
		x := c.blockCoder(s, model.Stay, nil, nil)
		t.m.Block = x.blockCode(n.Block)
		t.effects = x.effects
	}
}

// everyLimits checks `for DUR` and `times N`.
func (c *checker) everyLimits(t *timer, n *grammar.Every) {
	s := t.st
	if n.For != nil {
		x := c.coder(s.env, s.fl, s, inPart)
		m := x.need(n.For, value.TypeDuration, "the span of `every`")
		t.m.For = x.asCode(m)
		if span := x.positiveTimer(n.For, m, "the span of `every`"); span > 0 && t.dur > 0 && span <= t.dur {
			c.report(t.at, diag.EveryForTooShort, "the first time would be after %s, and `every` ends strictly before %s: it never fires", duration(t.dur), duration(span)).
				help("make the span longer than the period, or the period shorter")
			t.dur = 0
		}
	}
	if n.Times != nil {
		x := c.coder(s.env, s.fl, s, inPart)
		m := x.need(n.Times, value.TypeInt, "the number of times")
		t.m.Times = x.asCode(m)
		if k, ok := m.(*model.Const); ok && !isBad(k) && k.Value.Int() < 1 {
			c.report(s.env.of(n.Times), diag.DeadTimer, "this timer can never fire: it does so %d times", k.Value.Int()).
				help("write at least `times 1`, or remove the timer")
			t.dur = 0
		}
	}
}

func duration(us int64) string { return value.OfDuration(us).String() }

// calendarOf checks `DAYS at "HH:MM" in ZONE`.
func (c *checker) calendarOf(t *timer, n *grammar.Calendar) {
	s := t.st
	days := map[int]bool{}
	for _, d := range n.Days {
		c.calendarDays(s, d, days)
	}
	for d := range days {
		t.m.Days = append(t.m.Days, d)
	}
	slices.Sort(t.m.Days)
	if n.Time != nil {
		clock, err := calendar.ParseClock(plainText(n.Time))
		if err != nil {
			note := c.report(s.env.of(n.Time), diag.NotATime, "%s", err)
			if meant := clockTime(plainText(n.Time)); meant != "" {
				note.help("write `\"%s\"`", meant).fix("Write `\""+meant+"\"`", n.Time.Span(), `"`+meant+`"`)
			} else {
				note.help("write hours and minutes in 24 hours: `\"09:00\"`")
			}
		}
		t.m.Clock = clock
	}
	if n.Zone == nil {
		if !n.Broken() {
			c.report(s.env.of(n), diag.CalendarWithoutZone, "a time of day needs a zone: without one it is not known when it is").
				help("add the zone: `in \"Europe/Berlin\"`, or `in \"UTC\"`")
		}
		return
	}
	x := c.coder(s.env, s.fl, s, inPart)
	m := x.need(n.Zone, value.TypeString, "a time zone")
	t.m.Zone = x.asCode(m)
	if k, ok := m.(*model.Const); ok && !isBad(k) {
		x.checkZone(n.Zone, k.Value.Str())
	}
}

func (x *coder) checkZone(e grammar.Expr, name string) {
	_, err := calendar.Load(name)
	var unknown *calendar.UnknownZone
	if !errors.As(err, &unknown) {
		return
	}
	n := x.c.report(x.env.of(e), diag.ZoneUnknown, "%s", unknown)
	if unknown.Nearest != "" {
		n.help("did you mean `%s`?", unknown.Nearest)
		if _, ok := e.(*grammar.StringLit); ok {
			n.fix("Write `"+unknown.Nearest+"`", e.Span(), `"`+unknown.Nearest+`"`)
		}
	}
}

func (c *checker) calendarDays(s *state, d *grammar.Days, days map[int]bool) {
	if d == nil || d.First == nil {
		return
	}
	if d.First.Text == "day" && d.Last == nil {
		for i := range calendar.WeekdayNames {
			days[i] = true
		}
		return
	}
	first, ok := c.weekday(s, d.First)
	last := first
	if ok && d.Last != nil {
		last, ok = c.weekday(s, d.Last)
	}
	if !ok {
		return
	}
	for i := first; ; i = (i + 1) % 7 {
		days[i] = true
		if i == last {
			return
		}
	}
}

func (c *checker) weekday(s *state, id *grammar.Ident) (int, bool) {
	for i, name := range calendar.WeekdayNames {
		if name == id.Text {
			return i, true
		}
	}
	if id.Text == "day" { // the parser has reported other words
		c.report(s.env.of(id), diag.Syntax, "`day` means every day, so it begins or ends no span").help("write `day` alone, or two weekdays: `mon..fri`")
	}
	return 0, false
}

func (c *checker) idleItem(s *state, n *grammar.Idle) {
	if s.idle != nil {
		c.report(s.env.at(wordSpan(n, "idle")), diag.DuplicateTimer, "%s has an `idle` already", s.title()).related(s.idle.at, "the first one")
		return
	}
	t := c.addTimer(s, n, "idle", model.Idle, n)
	t.m.Name = "idle"
	s.idle = t
	if n.Dur != nil {
		c.durationOf(t, n.Dur, nil, "what follows `idle`")
	}
}

// checkTimerNames reports two timers of a state with one name.
func (c *checker) checkTimerNames(s *state) {
	first := map[string]*timer{}
	for _, t := range s.timers {
		name := t.m.Name
		if name == "" {
			continue
		}
		if before := first[name]; before != nil {
			c.report(t.at, diag.DuplicateTimer, "%s has a timer `%s` already, so `rearm %s` could not say which is meant", s.title(), name, name).
				related(before.at, "the first one").help("give one of them another name")
			continue
		}
		first[name] = t
	}
}

// An always is an automatic transition.
type always struct {
	m       *model.Always
	st      *state
	at      place
	guarded bool
	target  *state
	effects *effects
}

func (c *checker) alwaysItem(s *state, n *grammar.Always) {
	span := n.Span()
	if n.Block != nil {
		span.End = n.Block.Span().Start
	}
	if n.Target != nil && n.Target.Span().Len() > 0 {
		span.End = n.Target.Span().End
	}
	a := &always{st: s, at: s.env.at(span), m: &model.Always{Order: s.fl.nextOrder(), Pos: s.env.pos(span)}}
	a.target, a.m.Target = c.target(s, n.Target)
	var facts []string
	if n.When != nil {
		a.guarded = true
		a.m.Guard, facts = c.guard(s, n.When.Cond, nil, inAlways)
	}
	if n.Block != nil {
		x := c.blockCoder(s, a.m.Target.Kind, a.target, facts)
		a.m.Block = x.blockCode(n.Block)
		a.effects = x.effects
	}
	s.always = append(s.always, a)
	s.m.Always = append(s.m.Always, a.m)
}
