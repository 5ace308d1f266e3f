package calendar

import "time"

const (
	second = int64(1_000_000)
	minute = 60 * second
	hour   = 60 * minute
	day    = 24 * hour

	// The years that an instant can lie in are 1 to 9999; these are their first and last microsecond.
	minInstant = -62135596800 * second
	maxInstant = 253402300800*second - 1

	// farthest is more than any zone was ever away from UTC.
	farthest = 48 * hour
)

// local returns the wall clock's microseconds at an instant, counted as if the wall were in UTC.
func (z *Zone) local(us int64) int64 {
	_, offset := time.UnixMicro(us).In(z.loc).Zone()
	return us + int64(offset)*second
}

// resolve returns the first instant at which the wall clock shows local, or the jump that skipped it; skipped says which. It is
// the first instant at which the wall clock shows local or later, and so never goes back when local goes on.
func (z *Zone) resolve(local int64) (us int64, skipped bool) {
	t := time.UnixMicro(local - farthest).In(z.loc)
	for {
		start, end := t.ZoneBounds()
		_, offset := t.Zone()
		us = local - int64(offset)*second
		if !start.IsZero() && us < start.UnixMicro() {
			return start.UnixMicro(), true
		}
		if end.IsZero() || us < end.UnixMicro() {
			return us, false
		}
		t = end
	}
}

// A Days is a set of weekdays: bit 0 is Monday, bit 6 Sunday.
type Days uint8

// EveryDay has all seven.
const EveryDay Days = 1<<7 - 1

// DaysOf returns the set of these weekdays, Monday 0 to Sunday 6; others are left out.
func DaysOf(weekdays ...int) Days {
	var d Days
	for _, w := range weekdays {
		if w >= 0 && w < 7 {
			d |= 1 << w
		}
	}
	return d
}

// A Fire is one time at which a calendar timer is due.
type Fire struct {
	At      int64 // the instant
	Shifted bool  // the local time was skipped by a clock change, and At is the jump (R19)
}

// Next returns the first fire strictly after an instant: at so many seconds since local midnight, on these weekdays. ok is false
// when there is none before the year 10000 or days is empty.
func (z *Zone) Next(clock int, days Days, after int64) (fire Fire, ok bool) {
	if days&EveryDay == 0 {
		return Fire{}, false
	}
	// Two days back: a jump over a whole day puts the fires of the skipped day after its end.
	for date := floorDay(z.local(after)) - 2; ; date++ {
		if days&(1<<weekday(date)) == 0 {
			continue
		}
		at, shifted := z.resolve(date*day + int64(clock)*second)
		if at > maxInstant {
			return Fire{}, false
		}
		if at > after {
			return Fire{at, shifted}, true
		}
	}
}

// Count returns how many fires lie after one instant and not after another.
func (z *Zone) Count(clock int, days Days, after, until int64) int {
	n := 0
	for {
		fire, ok := z.Next(clock, days, after)
		if !ok || fire.At > until {
			return n
		}
		after = fire.At
		n++
	}
}

func floorDay(local int64) int64 {
	d := local / day
	if local%day < 0 {
		d--
	}
	return d
}

// weekday returns the weekday of a day counted from 1970-01-01, a Thursday: Monday 0 to Sunday 6.
func weekday(date int64) int { return int(((date+3)%7 + 7) % 7) }
