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

	// farthest is more than any zone is or was away from UTC (Manila by 15:56 until 1844). No zone ever changed its clocks twice
	// within twice that.
	farthest = 16 * 3600
)

// offset returns the seconds by which the wall clock is ahead of UTC at a second since 1970-01-01T00:00:00Z.
func (z *Zone) offset(sec int64) int64 {
	_, offset := time.Unix(sec, 0).In(z.loc).Zone()
	return int64(offset)
}

// floor is us / unit, rounded down also before 1970.
func floor(us, unit int64) int64 {
	n := us / unit
	if us%unit < 0 {
		n--
	}
	return n
}

// local returns the wall clock's microseconds at an instant, counted as if the wall were in UTC.
func (z *Zone) local(us int64) int64 { return us + z.offset(floor(us, second))*second }

// resolve returns the first instant at which the wall clock shows local, or the jump that skipped it; skipped says which. It is
// the first instant at which the wall clock shows local or later, and so never goes back when local goes on.
//
// It asks for offsets only: the bounds that time.Time.ZoneBounds gives are no clock changes at the turn of a year, and in leap
// years it gives one that lies before the instant asked for.
func (z *Zone) resolve(local int64) (us int64, skipped bool) {
	first, last := floor(local, second)-farthest, floor(local, second)+farthest
	before, after := z.offset(first), z.offset(last)
	us = local - before*second
	if before == after {
		return us, false
	}
	jump := z.jump(first, last, before) * second
	if us < jump {
		return us, false
	}
	if us = local - after*second; us < jump {
		return jump, true
	}
	return us, false
}

// jump returns the second at which the offset changes from before, between first and last.
func (z *Zone) jump(first, last, before int64) int64 {
	for last-first > 1 {
		if middle := first + (last-first)/2; z.offset(middle) == before {
			first = middle
		} else {
			last = middle
		}
	}
	return last
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
	for date := floor(z.local(after), day) - 2; ; date++ {
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

// weekday returns the weekday of a day counted from 1970-01-01, a Thursday: Monday 0 to Sunday 6.
func weekday(date int64) int { return int(((date+3)%7 + 7) % 7) }
