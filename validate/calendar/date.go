package calendar

import (
	"errors"
	"fmt"
	"time"
)

// Errors of dates, clocks and of arithmetic with them.
var (
	ErrRange = errors.New("the time is not between the years 1 and 9999")
)

// Parts are what the wall clock and the calendar show at an instant.
type Parts struct {
	Year, Month, Day     int // from 1
	Hour, Minute, Second int
	Micros               int
	Weekday              int // Monday 0 to Sunday 6
	Offset               int // seconds east of UTC
}

// WeekdayNames are the names of the weekdays as `local` gives them, Monday first.
var WeekdayNames = [...]string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}

// Local returns what the zone's clocks show at an instant.
func (z *Zone) Local(us int64) Parts {
	t := time.UnixMicro(us).In(z.loc)
	y, m, d := t.Date()
	h, mi, s := t.Clock()
	_, offset := t.Zone()
	return Parts{
		Year: y, Month: int(m), Day: d, Hour: h, Minute: mi, Second: s,
		Micros: t.Nanosecond() / 1000, Weekday: (int(t.Weekday()) + 6) % 7, Offset: offset,
	}
}

// Date returns the local date at an instant as 2026-03-29.
func (z *Zone) Date(us int64) string {
	p := z.Local(us)
	return fmt.Sprintf("%04d-%02d-%02d", p.Year, p.Month, p.Day)
}

// TimeAt returns the instant of a local date and clock, such as "2026-03-29" and "09:00". A time that is skipped gives the jump, one
// that occurs twice the first. Errors: a malformed date or clock, and ErrRange.
func (z *Zone) TimeAt(date, clock string) (int64, error) {
	y, m, d, err := ParseDate(date)
	if err != nil {
		return 0, err
	}
	secs, err := ParseClock(clock)
	if err != nil {
		return 0, err
	}
	return z.instant(midnight(y, m, d) + int64(secs)*second)
}

func (z *Zone) instant(local int64) (int64, error) {
	us, _ := z.resolve(local)
	if us < minInstant || us > maxInstant {
		return 0, ErrRange
	}
	return us, nil
}

// midnight returns the start of a date as microseconds of a wall clock in UTC.
func midnight(y, m, d int) int64 {
	return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC).UnixMicro()
}

// AddMonths moves an instant by so many months, at the same local time of day; a day that the month does not have becomes its last:
// 31 January and one month is 28 or 29 February. Zero months change nothing. Errors: ErrRange.
func (z *Zone) AddMonths(us, months int64) (int64, error) {
	const mostMonths = 12 * 10000
	if months == 0 {
		return us, nil
	}
	if months > mostMonths || months < -mostMonths {
		return 0, ErrRange
	}
	p := z.Local(us)
	total := int64(p.Year)*12 + int64(p.Month-1) + months
	y, m := int(total/12), int(total%12)+1
	if y < 0 || total < 0 || y > 9999 {
		return 0, ErrRange
	}
	d := min(p.Day, daysIn(y, m))
	ofDay := int64(p.Hour)*hour + int64(p.Minute)*minute + int64(p.Second)*second + int64(p.Micros)
	return z.instant(midnight(y, m, d) + ofDay)
}

func daysIn(y, m int) int { return time.Date(y, time.Month(m)+1, 0, 0, 0, 0, 0, time.UTC).Day() }

// ParseDate parses 2026-03-29.
func ParseDate(s string) (y, m, d int, err error) {
	if len(s) == 10 && s[4] == '-' && s[7] == '-' {
		y, m, d = number(s[:4]), number(s[5:7]), number(s[8:])
		if y >= 1 && m >= 1 && m <= 12 && d >= 1 && d <= daysIn(y, m) {
			return y, m, d, nil
		}
	}
	return 0, 0, 0, fmt.Errorf("%q is no date; write one as 2026-03-29", clip(s))
}

// ParseClock parses 09:00 or 09:00:30 and returns the seconds since midnight.
func ParseClock(s string) (int, error) {
	if (len(s) == 5 || len(s) == 8 && s[5] == ':') && s[2] == ':' {
		h, m, sec := number(s[:2]), number(s[3:5]), 0
		if len(s) == 8 {
			sec = number(s[6:])
		}
		if h >= 0 && h < 24 && m >= 0 && m < 60 && sec >= 0 && sec < 60 {
			return h*3600 + m*60 + sec, nil
		}
	}
	return 0, fmt.Errorf("%q is no time of day; write one from 00:00 to 23:59, such as 09:00", clip(s))
}

// number returns a text of digits as a number, -1 for anything else.
func number(s string) int {
	n := 0
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return -1
		}
		n = n*10 + int(c-'0')
	}
	return n
}

func clip(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}
