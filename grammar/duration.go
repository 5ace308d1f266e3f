package grammar

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// unitNames are the words for units, in lower case, with the seconds that one
// of them has. Months and years have none, milliseconds less than one.
var unitNames = map[string]*big.Rat{}

func init() {
	for seconds, names := range map[int64]string{
		1:          "s sec secs second seconds",
		60:         "m min mins minute minutes",
		3600:       "h hr hrs hour hours",
		86400:      "d day days",
		7 * 86400:  "w wk wks week weeks",
		0:          "mo month months y yr yrs year years",
		-1_000:     "ms msec msecs millis millisecond milliseconds",
		-1_000_000: "us",
	} {
		for _, name := range strings.Fields(names) {
			if seconds < 0 {
				unitNames[name] = big.NewRat(1, -seconds)
			} else {
				unitNames[name] = big.NewRat(seconds, 1)
			}
		}
	}
}

// Seconds is the length of a duration literal; for a [BadDuration] it is what
// the literal certainly means. It reports false when the literal is no duration
// or has more seconds than an int64 holds.
func (l *Literal) Seconds() (int64, bool) {
	if l.Kind != Duration && l.Kind != BadDuration || l.Meant == "" {
		return 0, false
	}
	digits := strings.ReplaceAll(l.Meant[:len(l.Meant)-1], "_", "")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, false
	}
	unit := map[byte]int64{'s': 1, 'm': 60, 'h': 3600, 'd': 86400}[l.Meant[len(l.Meant)-1]]
	if unit == 0 || n > (1<<63-1)/unit {
		return 0, false
	}
	return n * unit, true
}

// part is one number with its unit in something like a duration.
type part struct{ number, unit string }

// splitDuration cuts `1h30m` or `6 hours` into its parts; it reports false for
// what is no list of numbers with units.
func splitDuration(text string) (parts []part, ok bool) {
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		n := strings.IndexFunc(text, func(r rune) bool { return r != '.' && r != '_' && (r < '0' || r > '9') })
		if n <= 0 {
			return nil, false
		}
		number := text[:n]
		text = strings.TrimLeft(text[n:], " \t")
		n = strings.IndexFunc(text, func(r rune) bool { return r >= '0' && r <= '9' || r == ' ' || r == '.' })
		if n < 0 {
			n = len(text)
		}
		parts = append(parts, part{number, text[:n]})
		text = text[n:]
	}
	return parts, len(parts) > 0
}

// meantDuration finds the duration that a malformed one certainly means, or
// gives "".
func meantDuration(text string) string {
	text = plainText(text)
	if seconds, ok := isoSeconds(text); ok {
		return FormatSeconds(seconds)
	}
	parts, ok := splitDuration(text)
	if !ok || len(text) > 64 {
		return ""
	}
	total := new(big.Rat)
	for _, p := range parts {
		seconds, known := unitNames[strings.ToLower(p.unit)]
		number, valid := new(big.Rat).SetString(strings.ReplaceAll(p.number, "_", ""))
		if !known || !valid || p.unit == "M" || seconds.Sign() == 0 {
			return ""
		}
		total.Add(total, number.Mul(number, seconds))
	}
	if !total.IsInt() || !total.Num().IsInt64() {
		return ""
	}
	if len(parts) == 1 {
		if kept := keepUnit(parts[0]); kept != "" {
			return kept
		}
	}
	return FormatSeconds(total.Num().Int64())
}

// MeantDuration is the duration that a text such as `1h30m`, `2 hours` or `PT90M` certainly means, as the language writes it, or "".
func MeantDuration(text string) string { return meantDuration(text) }

// keepUnit writes a whole number of a unit that the language has as it stands.
func keepUnit(p part) string {
	unit := strings.ToLower(p.unit)[:1]
	seconds := unitNames[strings.ToLower(p.unit)]
	if strings.ContainsAny(p.number, "._") || seconds.Cmp(unitNames[unit]) != 0 || !isUnit(unit[0]) {
		return ""
	}
	return p.number + unit
}

// FormatSeconds writes a duration in the largest whole unit: 5400 is `90m`.
func FormatSeconds(seconds int64) string {
	for _, u := range []struct {
		seconds int64
		name    string
	}{{86400, "d"}, {3600, "h"}, {60, "m"}} {
		if seconds != 0 && seconds%u.seconds == 0 {
			return strconv.FormatInt(seconds/u.seconds, 10) + u.name
		}
	}
	return strconv.FormatInt(seconds, 10) + "s"
}

// durationFault words the mistake in a malformed number or duration.
func durationFault(text string, span Span) Fault {
	f := Fault{ID: IDSyntax, Span: span}
	plain := plainText(text)
	if meant, why := respeltNumber(text, plain); meant != "" {
		f.Message = fmt.Sprintf("`%s` is written `%s`: %s", text, meant, why)
		f.Fixes = []Fix{replace(span, meant)}
		return f
	}
	_, iso := isoSeconds(plain)
	if _, ok := splitDuration(plain); !ok && !iso || isHex(plain) {
		f.Message = fmt.Sprintf("`%s` is neither a number nor a duration", text)
		f.Help = "write a number as `12` or `12.50`, a duration as `30s`, `10m`, `6h` or `2d`"
		return f
	}
	f.ID = IDDurationSyntax
	f.Message, f.Help = wordDuration(text)
	if meant := meantDuration(text); meant != "" {
		f.Help = fmt.Sprintf("write `%s`", meant)
		f.Fixes = []Fix{{Title: f.Help, Edits: []Edit{{span, meant}}}}
	}
	return f
}

// respeltNumber is the number or duration that only foreign letters, or a point without digits beside it, keep from being one.
func respeltNumber(text, plain string) (meant, why string) {
	if wasPoint := strings.HasSuffix(plain, "."); wasPoint || strings.HasPrefix(plain, ".") {
		meant, why = "0"+plain, "a point has digits on both sides"
		if wasPoint {
			meant = plain + "0"
		}
	} else if plain != text {
		meant, why = plain, "digits are 0 to 9, and letters a to z"
	}
	if tokens := Lex([]byte(meant)); len(tokens) != 1 || tokens[0].Kind == BadNumber || tokens[0].Kind == Duration_ && why[0] == 'a' {
		return "", ""
	}
	return meant, why
}

func isHex(text string) bool {
	return len(text) > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')
}

// wordDuration says what is wrong with a malformed duration and what to write.
func wordDuration(text string) (message, help string) {
	const form = "write a whole number and one unit: `30s`, `10m`, `6h` or `2d`"
	parts, _ := splitDuration(plainText(text))
	if len(parts) == 0 {
		return fmt.Sprintf("`%s` is written as ISO 8601 has it; a duration is a whole number and one unit", text), form
	}
	unit := parts[0].unit
	lower := strings.ToLower(unit)
	seconds, known := unitNames[lower]
	switch {
	case len(parts) > 1:
		return fmt.Sprintf("`%s` has more than one unit; a duration is a whole number and one unit", text), form
	case !known:
		return fmt.Sprintf("`%s` is not a duration: there is no unit `%s`", text, unit), form
	case unit == "M":
		return fmt.Sprintf("`%s` may mean minutes or months; units are written in small letters", text), "write `m` for minutes; a month is not a duration, use add_months(t, n, zone)"
	case seconds.Sign() == 0:
		return fmt.Sprintf("`%s`: months and years differ in length, so they are no unit", text), "count days, or compute the time with add_months(t, n, zone)"
	case seconds.Cmp(big.NewRat(1, 1)) < 0:
		return fmt.Sprintf("`%s`: the smallest unit is the second", text), form
	case strings.ContainsAny(text, " \t"):
		return fmt.Sprintf("`%s` is written in one word", text), form
	case strings.Contains(parts[0].number, "."):
		return fmt.Sprintf("`%s` is not a whole number of its unit", text), form
	case lower == "w":
		return fmt.Sprintf("`%s`: there is no unit for weeks", text), "write days: a week is `7d`"
	case len(unit) == 1:
		return fmt.Sprintf("`%s`: units are written in small letters", text), form
	}
	return fmt.Sprintf("`%s` is not a duration: the unit is written as one letter", text), form
}
