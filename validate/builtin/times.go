package builtin

import (
	"flowc/validate/calendar"
	"flowc/validate/value"
)

var sTime = value.TypeTime

// LocalTime is the record that `local` returns.
var LocalTime = &value.Decl{Name: "local_time", Fields: []value.Field{
	{Name: "year", Type: value.TypeInt},
	{Name: "month", Type: value.TypeInt},
	{Name: "day", Type: value.TypeInt},
	{Name: "weekday", Type: value.TypeString},
	{Name: "hour", Type: value.TypeInt},
	{Name: "minute", Type: value.TypeInt},
	{Name: "second", Type: value.TypeInt},
}}

func timeFuncs() []*Func {
	return []*Func{
		{
			Name: "now", Signature: "now()", min: 0, max: 0, cost: nothing,
			Doc:   "The instant of the step: the same wherever it stands in one step.",
			check: func(*call) *value.Type { return sTime },
			call: func(env Env, _ []value.Value, _ Lambda) (value.Value, error) {
				return value.OfTime(env.Now()), nil
			},
		},
		{
			Name: "time", Signature: `time("2026-03-29T01:00:00Z")`, Foldable: true, min: 1, max: 1,
			Doc:   "The instant that a text in RFC 3339 names, with any offset and at most six places of a second.",
			check: checkTime,
			call: func(_ Env, args []value.Value, _ Lambda) (value.Value, error) {
				return value.ParseTime(args[0].Str())
			},
		},
		{
			Name: "date", Signature: "date(t, zone)", Foldable: true, min: 2, max: 2,
			Doc:   `The local date at an instant in a zone, as "2026-03-29".`,
			check: inZone(sString), call: date,
		},
		{
			Name: "time_at", Signature: `time_at("2026-03-29", "09:00", zone)`, Foldable: true, min: 3, max: 3,
			Doc:   "The instant at which the clocks of a zone show this date and time. A time that a clock change skips is the jump; one that occurs twice is the first.",
			check: checkTimeAt, call: timeAt,
		},
		{
			Name: "next", Signature: `next("09:00", zone)`, min: 2, max: 2,
			Doc:   "The next instant, strictly after now, at which the clocks of a zone show this time; daylight saving as in `time_at`.",
			check: checkNext, call: next,
		},
		{
			Name: "local", Signature: "local(t, zone)", Foldable: true, min: 2, max: 2,
			Doc:   `What clock and calendar show at an instant in a zone: a record of year, month, day, weekday ("mon" to "sun"), hour, minute and second.`,
			check: inZone(value.RecordOf(LocalTime)), call: local,
		},
		{
			Name: "add_months", Signature: "add_months(t, n, zone)", Foldable: true, min: 3, max: 3,
			Doc:   "The instant so many months later at the same local time; a day that the month does not have becomes its last. n may be negative.",
			check: checkAddMonths, call: addMonths,
		},
		{
			Name: "format", Signature: `format(d, "0.00") or format(t, "YYYY-MM-DD HH:mm", zone)`, Foldable: true, min: 2, max: 3,
			Doc:   `A number or an instant as text. For numbers 0 is a digit, # one that may be left out, a comma groups thousands ("#,##0.00"), and halves are rounded away from zero. For instants: YYYY MM M DD D ddd HH H mm ss SSS Z; other letters but T stand in 'single quotes'.`,
			check: checkFormat, call: format,
		},
	}
}

func checkTime(c *call) *value.Type {
	c.want(0, sString)
	if text, ok := c.constant(0); ok {
		if _, err := value.ParseTime(text); err != nil {
			c.fail(0, "not-a-time", "%s", message(err))
		}
	}
	return sTime
}

func message(err error) string {
	if e, ok := err.(*value.Error); ok {
		return e.Message
	}
	return err.Error()
}

// inZone types a call of a time and a zone.
func inZone(result *value.Type) func(*call) *value.Type {
	return func(c *call) *value.Type {
		c.want(0, sTime)
		c.zone(1)
		return result
	}
}

func checkTimeAt(c *call) *value.Type {
	c.date(0)
	c.clock(1)
	c.zone(2)
	return sTime
}

func checkNext(c *call) *value.Type {
	c.clock(0)
	c.zone(1)
	return sTime
}

func checkAddMonths(c *call) *value.Type {
	c.want(0, sTime)
	c.want(1, sInt)
	c.zone(2)
	return sTime
}

func checkFormat(c *call) *value.Type {
	t := c.oneOf(0, "an int, a decimal or a time", value.Int, value.Decimal, value.Time)
	c.want(1, sString)
	pattern, known := c.constant(1)
	switch {
	case t.Kind == value.Time && len(c.sig.Args) < 3:
		c.fail(-1, "missing-argument", "`format` of a time needs a zone: write format(t, \"YYYY-MM-DD HH:mm\", zone)")
	case t.Kind == value.Time:
		c.zone(2)
		if known {
			c.pattern(calendarPattern(pattern))
		}
	case t.Kind != value.Invalid && len(c.sig.Args) > 2:
		c.fail(2, "unknown-argument", "`format` of a number takes no zone: write format(d, \"0.00\")")
	case t.Kind != value.Invalid:
		c.want(0, value.TypeDecimal)
		if known {
			_, err := parseNumberPattern(pattern)
			c.pattern(err)
		}
	}
	return sString
}

func (c *call) pattern(err error) {
	if err != nil {
		c.fail(1, "type-mismatch", "%s", err)
	}
}

func calendarPattern(s string) error {
	_, err := timePattern(s)
	return err
}

func timePattern(s string) (*calendar.Pattern, error) {
	if len(s) > MaxPattern {
		return nil, value.Errorf(value.CodeRange, "a pattern of more than %d characters", MaxPattern)
	}
	return calendar.ParsePattern(s)
}

func format(_ Env, args []value.Value, _ Lambda) (value.Value, error) {
	if args[0].Kind() != value.Time {
		p, err := parseNumberPattern(args[1].Str())
		if err != nil {
			return value.Value{}, outOfRange(err)
		}
		text, err := p.format(args[0])
		return value.OfString(text), err
	}
	p, err := timePattern(args[1].Str())
	if err != nil {
		return value.Value{}, outOfRange(err)
	}
	z, err := calendar.Load(args[2].Str())
	if err != nil {
		return value.Value{}, outOfRange(err)
	}
	return value.OfString(z.Format(args[0].Micros(), p)), nil
}

func date(_ Env, args []value.Value, _ Lambda) (value.Value, error) {
	z, err := calendar.Load(args[1].Str())
	if err != nil {
		return value.Value{}, outOfRange(err)
	}
	return value.OfString(z.Date(args[0].Micros())), nil
}

func timeAt(_ Env, args []value.Value, _ Lambda) (value.Value, error) {
	z, err := calendar.Load(args[2].Str())
	if err != nil {
		return value.Value{}, outOfRange(err)
	}
	return instant(z.TimeAt(args[0].Str(), args[1].Str()))
}

// instant turns the result of calendar arithmetic into a value or the error that the language has for it.
func instant(us int64, err error) (value.Value, error) {
	switch {
	case err == calendar.ErrRange:
		return value.Value{}, value.Errorf(value.CodeOverflow, "%s", err)
	case err != nil:
		return value.Value{}, outOfRange(err)
	}
	return value.OfTime(us), nil
}

func next(env Env, args []value.Value, _ Lambda) (value.Value, error) {
	clock, err := calendar.ParseClock(args[0].Str())
	if err != nil {
		return value.Value{}, outOfRange(err)
	}
	z, err := calendar.Load(args[1].Str())
	if err != nil {
		return value.Value{}, outOfRange(err)
	}
	fire, ok := z.Next(clock, calendar.EveryDay, env.Now())
	if !ok {
		return instant(0, calendar.ErrRange)
	}
	return value.OfTime(fire.At), nil
}

func local(_ Env, args []value.Value, _ Lambda) (value.Value, error) {
	z, err := calendar.Load(args[1].Str())
	if err != nil {
		return value.Value{}, outOfRange(err)
	}
	p := z.Local(args[0].Micros())
	num := func(n int) value.Value { return value.OfInt(int64(n)) }
	return value.OfRecord(LocalTime, []value.Value{
		num(p.Year), num(p.Month), num(p.Day), value.OfString(calendar.WeekdayNames[p.Weekday]), num(p.Hour), num(p.Minute), num(p.Second),
	}), nil
}

func addMonths(_ Env, args []value.Value, _ Lambda) (value.Value, error) {
	z, err := calendar.Load(args[2].Str())
	if err != nil {
		return value.Value{}, outOfRange(err)
	}
	return instant(z.AddMonths(args[0].Micros(), args[1].Int()))
}
