package calendar

import (
	"errors"
	"fmt"
	"strings"
)

// A Pattern is a compiled pattern of `format`. Its letters are
//
//	YYYY year      MM M month      DD D day      ddd weekday (mon to sun)
//	HH H hour (0 to 23)      mm minute      ss second      SSS milliseconds      Z offset (+02:00, Z for UTC)
//
// T stands for itself, other letters must stand in single quotes, two quotes for one; everything else stands for itself.
type Pattern struct{ parts []part }

type part struct {
	token string // "" for text
	text  string
}

var tokens = map[string]func(Parts) string{
	"YYYY": func(p Parts) string { return fmt.Sprintf("%04d", p.Year) },
	"MM":   func(p Parts) string { return fmt.Sprintf("%02d", p.Month) },
	"M":    func(p Parts) string { return fmt.Sprint(p.Month) },
	"DD":   func(p Parts) string { return fmt.Sprintf("%02d", p.Day) },
	"D":    func(p Parts) string { return fmt.Sprint(p.Day) },
	"ddd":  func(p Parts) string { return WeekdayNames[p.Weekday] },
	"HH":   func(p Parts) string { return fmt.Sprintf("%02d", p.Hour) },
	"H":    func(p Parts) string { return fmt.Sprint(p.Hour) },
	"mm":   func(p Parts) string { return fmt.Sprintf("%02d", p.Minute) },
	"ss":   func(p Parts) string { return fmt.Sprintf("%02d", p.Second) },
	"SSS":  func(p Parts) string { return fmt.Sprintf("%03d", p.Micros/1000) },
	"Z":    offset,
}

func offset(p Parts) string {
	if p.Offset == 0 {
		return "Z"
	}
	sign, abs := '+', p.Offset
	if abs < 0 {
		sign, abs = '-', -abs
	}
	return fmt.Sprintf("%c%02d:%02d", sign, abs/3600, abs/60%60)
}

// ParsePattern compiles a pattern, or says which letters it does not know.
func ParsePattern(s string) (*Pattern, error) {
	p := &Pattern{}
	for s != "" {
		n, next := 0, part{}
		switch {
		case s[0] == '\'':
			var err error
			if next.text, n, err = quoted(s); err != nil {
				return nil, err
			}
		case letter(s[0]) && s[0] != 'T':
			n = run(s)
			next.token = s[:n]
			if tokens[next.token] == nil {
				return nil, fmt.Errorf("`%s` is no part of a time pattern: there are YYYY MM M DD D ddd HH H mm ss SSS Z; put other letters into 'single quotes'", clip(next.token))
			}
		default:
			n = 1
			next.text = s[:1]
		}
		p.parts, s = append(p.parts, next), s[n:]
	}
	return p, nil
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// run returns how often the first byte is repeated.
func run(s string) int {
	n := 1
	for n < len(s) && s[n] == s[0] {
		n++
	}
	return n
}

// quoted reads 'text' at the start of s, in which two quotes stand for one, and returns the text and the bytes read.
func quoted(s string) (text string, n int, err error) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] != '\'':
			b.WriteByte(s[i])
		case i == 1 && !strings.HasPrefix(s[2:], "'"):
			return "'", 2, nil
		case strings.HasPrefix(s[i+1:], "'"):
			b.WriteByte('\'')
			i++
		default:
			return b.String(), i + 1, nil
		}
	}
	return "", 0, errors.New("a single quote in a time pattern is not closed")
}

// Format returns what the zone's clocks show at an instant, by the pattern.
func (z *Zone) Format(us int64, p *Pattern) string {
	var b strings.Builder
	local := z.Local(us)
	for _, part := range p.parts {
		if part.token == "" {
			b.WriteString(part.text)
		} else {
			b.WriteString(tokens[part.token](local))
		}
	}
	return b.String()
}
