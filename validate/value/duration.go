package value

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// A DurationFault says what is wrong with a duration literal and, where it is certain, what to write instead.
type DurationFault struct {
	Code    string // "duration-syntax", "duration-missing-unit" or "duration-too-long"
	Message string
	Fix     string // the literal to write, "" when it is not certain
}

// Error returns the message.
func (f *DurationFault) Error() string { return f.Message }

// ParseDuration parses a duration literal: a whole number and one of the units s, m, h, d, up to 3650d. For anything else that
// looks like one the fault names the mistake.
func ParseDuration(s string) (Value, *DurationFault) {
	n, unit, ok := plainDuration(s)
	switch {
	case !ok:
		return Value{}, durationFault(s)
	case n > MaxWait/unit:
		return Value{}, tooLong(s)
	}
	return OfDuration(n * unit), nil
}

// plainDuration takes apart digits and a unit; a number over 63 bits is the largest one.
func plainDuration(s string) (n, unit int64, ok bool) {
	if len(s) < 2 || strings.ContainsFunc(s[:len(s)-1], notDigit) {
		return 0, 0, false
	}
	unit, ok = unitOf(s[len(s)-1])
	n, _ = strconv.ParseInt(s[:len(s)-1], 10, 64) // of too many digits the largest int
	return n, unit, ok
}

func unitOf(c byte) (micros int64, ok bool) {
	for _, u := range units {
		if u.name == c {
			return u.micros, true
		}
	}
	return 0, false
}

func tooLong(s string) *DurationFault {
	return &DurationFault{Code: "duration-too-long", Message: fmt.Sprintf("`%s` is too long: the longest duration is 3650d", cut(s, 40))}
}

// longUnits are the names of units that people write, in seconds; 0 where their length varies or is under a second.
var longUnits = map[string]int64{
	"s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1,
	"m": 60, "min": 60, "mins": 60, "minute": 60, "minutes": 60,
	"h": 3600, "hr": 3600, "hrs": 3600, "hour": 3600, "hours": 3600,
	"d": 86400, "day": 86400, "days": 86400,
	"w": 604800, "wk": 604800, "wks": 604800, "week": 604800, "weeks": 604800,
}

var varyingUnits = map[string]string{
	"mo": "month", "mon": "month", "mos": "month", "month": "month", "months": "month",
	"y": "year", "yr": "year", "yrs": "year", "year": "year", "years": "year",
	"ms": "millisecond", "us": "microsecond", "µs": "microsecond", "ns": "nanosecond",
}

// durationFault names the mistake in what looks like a duration.
func durationFault(s string) *DurationFault {
	f := &DurationFault{Code: "duration-syntax"}
	rest := strings.TrimSpace(s)
	if strings.HasPrefix(rest, "P") {
		rest = strings.Replace(rest[1:], "T", "", 1)
	}
	if rest != "" && !strings.ContainsFunc(rest, func(r rune) bool { return notDigit(r) && r != '.' && r != '_' }) {
		f.Code = "duration-missing-unit"
		if n, unit, ok := plainDuration(rest + "s"); ok && n <= MaxWait/unit {
			f.Fix = rest + "s"
		}
		f.Message = fmt.Sprintf("`%s` has no unit: a duration is a whole number and one of s, m, h, d, such as `30s` or `6h`", cut(s, 40))
		return f
	}
	micros, parts, why := sumParts(rest)
	switch {
	case why != "":
		f.Message = fmt.Sprintf("`%s` is no duration: %s", cut(s, 40), why)
	case micros > MaxWait:
		return tooLong(s)
	default:
		if rest != "" && micros%second == 0 {
			f.Fix = string(appendDuration(nil, micros))
		}
		f.Message = fmt.Sprintf("`%s` is no duration: %s", cut(s, 40), mistake(rest, parts))
		if f.Fix != "" {
			f.Message += fmt.Sprintf("; write `%s`", f.Fix)
		}
	}
	return f
}

func mistake(s string, parts int) string {
	switch {
	case strings.Contains(s, "."):
		return "it is a whole number and one unit"
	case parts > 1:
		return "it has one unit only"
	}
	return "the unit is one of s, m, h, d, directly after the number"
}

// sumParts adds up `1h30m`, `1.5h`, `6 hours`; why says what cannot be added up.
func sumParts(s string) (micros int64, parts int, why string) {
	for rest := strings.TrimSpace(s); rest != ""; parts++ {
		n := strings.IndexFunc(rest, func(r rune) bool { return notDigit(r) && r != '.' && r != '_' })
		if n <= 0 {
			return 0, parts, "write a whole number and one of the units s, m, h, d, such as `30s` or `6h`"
		}
		number, tail := rest[:n], strings.TrimSpace(rest[n:])
		end := strings.IndexFunc(tail, func(r rune) bool { return !unicode.IsLetter(r) })
		if end < 0 {
			end = len(tail)
		}
		part, why := partMicros(number, tail[:end])
		if why != "" {
			return 0, parts, why
		}
		if micros += part; micros > MaxWait {
			return micros, parts, ""
		}
		rest = strings.TrimSpace(tail[end:])
	}
	return micros, parts, ""
}

func partMicros(number, unit string) (int64, string) {
	if unit == "M" {
		return 0, "`M` could be months or minutes; months vary, so write days, or `m` for minutes"
	}
	lower := strings.ToLower(unit)
	switch long := varyingUnits[lower]; long {
	case "":
	case "month", "year":
		return 0, "a " + long + " has no fixed length; write days, or use `add_months`"
	default:
		return 0, "the smallest unit is `s`"
	}
	seconds, ok := longUnits[lower]
	if !ok {
		return 0, "the unit is one of s, m, h, d"
	}
	n, err := ParseDecimal(number)
	if err != nil {
		return 0, "its number is not a whole number"
	}
	product, err := mulDecimal(n, OfInt64Decimal(seconds*second))
	if err != nil || compareDecimal(product, OfInt64Decimal(MaxWait)) > 0 {
		return MaxWait + 1, ""
	}
	whole, err := Round(product, 0)
	if err != nil {
		return MaxWait + 1, ""
	}
	micros, err := whole.Decimal().Int64()
	if err != nil {
		return MaxWait + 1, ""
	}
	return micros, ""
}

// parseDurationText parses what appendDuration writes: also of any length, negative, and with a fraction of seconds.
func parseDurationText(s string) (Value, error) {
	text, negative := strings.CutPrefix(s, "-")
	if len(text) < 2 {
		return Value{}, durationFault(s)
	}
	unit, ok := unitOf(text[len(text)-1])
	whole, places, fraction := strings.Cut(text[:len(text)-1], ".")
	if !ok || whole == "" || strings.ContainsFunc(whole+places, notDigit) ||
		fraction && (unit != second || places == "" || len(places) > 6) {
		return Value{}, durationFault(s)
	}
	us, ok := addParts(whole, (places + "000000")[:6], unit, negative)
	if !ok {
		return Value{}, tooLong(s)
	}
	return OfDuration(us), nil
}

// addParts adds the digits of whole units and of microseconds, both negative from the start, since the smallest duration has no
// positive twin.
func addParts(whole, micros string, unit int64, negative bool) (int64, bool) {
	if negative {
		whole, micros = "-"+whole, "-"+micros
	}
	n, err := strconv.ParseInt(whole, 10, 64)
	us, fits := mulInt(n, unit)
	rest, _ := strconv.ParseInt(micros, 10, 64) // six digits
	sum, inside := addInt(us, rest)
	return sum, err == nil && fits && inside
}
