package vm_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"flowc/vm"
)

// calendars is a state with every kind of timer that the calendar can set, all for one local time of one Sunday.
const calendars = `
event ping
event never_comes
flow f(zone: string, date: string, long_before: string) {
  data { pings: int = 0 }
  initial waiting
  parallel waiting join all {
    timeout at time_at(date, "%[1]s", zone)
    on timeout -> over
    every day at "%[1]s" in zone as daily {}
    every sun at "%[1]s" in zone as weekly {}
    at next("%[1]s", zone) as upcoming {}
    at time_at(date, "%[1]s", zone) as named {}
    at add_months(time_at(long_before, "%[1]s", zone), 2, zone) as months {}
    after 1h from time_at(date, "%[1]s", zone) - 1h as counted {}
    entry { schedule ping at next("%[1]s", zone) }
    on ping { pings = pings + 1 }
    region sleeps {
      initial asleep
      state asleep {
        run { sleep until next("%[1]s", zone) }
        on completed -> awake
      }
      final awake
    }
    region waits {
      initial listening
      state listening {
        run { wait never_comes until time_at(date, "%[1]s", zone) }
        on completed -> done
      }
      final done
    }
    region forever {
      initial open
      state open {
        on never_comes -> closed
      }
      final closed
    }
    on joined -> over
  }
  final over
}`

// R19 (TIM-06): the instants are worked out by hand from the rules of each zone.
func TestR19_EveryTimerThatUsesTheCalendar(t *testing.T) {
	for _, c := range []struct {
		name, zone, clock, date, longBefore string
		start, first, second, weekLater     string
	}{
		{"02:00 becomes 03:00", "Europe/Berlin", "02:30", "2026-03-29", "2026-01-29",
			"2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z", "2026-04-05T00:30:00Z"},
		{"03:00 becomes 02:00", "Europe/Berlin", "02:30", "2026-10-25", "2026-08-25",
			"2026-10-24T12:00:00Z", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z", "2026-11-01T01:30:00Z"},
		{"02:00 becomes 03:00", "America/New_York", "02:30", "2026-03-08", "2026-01-08",
			"2026-03-07T12:00:00Z", "2026-03-08T07:00:00Z", "2026-03-09T06:30:00Z", "2026-03-15T06:30:00Z"},
		{"02:00 becomes 01:00", "America/New_York", "01:30", "2026-11-01", "2026-09-01",
			"2026-10-31T12:00:00Z", "2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z", "2026-11-08T06:30:00Z"},
		{"02:00 becomes 02:30", "Australia/Lord_Howe", "02:15", "2026-10-04", "2026-08-04",
			"2026-10-03T02:00:00Z", "2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z", "2026-10-10T15:15:00Z"},
		{"02:00 becomes 01:30", "Australia/Lord_Howe", "01:45", "2026-04-05", "2026-02-05",
			"2026-04-04T02:00:00Z", "2026-04-04T14:45:00Z", "2026-04-05T15:15:00Z", "2026-04-11T15:15:00Z"},
		{"no change, 5:45 ahead", "Asia/Kathmandu", "09:00", "2026-07-05", "2026-05-05",
			"2026-07-04T12:00:00Z", "2026-07-05T03:15:00Z", "2026-07-06T03:15:00Z", "2026-07-12T03:15:00Z"},
	} {
		t.Run(c.zone+", "+c.name, func(t *testing.T) {
			w := check(t, "calendar.flow", fmt.Sprintf(calendars, c.clock))
			w.down(instant(t, c.start))
			e, a := w.start("f", "", fmt.Appendf(nil, `{"zone":%q,"date":%q,"long_before":%q}`, c.zone, c.date, c.longBefore), 0)
			if e == nil {
				t.Fatal(a)
			}
			first := instant(t, c.first)
			all := []string{"waiting.daily", "waiting.weekly", "waiting.upcoming", "waiting.named", "waiting.months", "waiting.counted",
				"waiting.ping", "waiting.sleeps.asleep.sleep", "waiting.waits.listening.wait", "waiting.timeout"}
			for _, id := range all {
				if due := dueOf(e, id); due != first {
					t.Errorf("%s is due at %s", id, utc(due))
				}
			}
			w.advance(first - 1)
			if fired := linesOf(e, "timer-fired"); len(fired) != 0 {
				t.Fatalf("%v fired a microsecond early", fired)
			}
			// The timeout comes last; what repeats goes on beside it when a hand has moved it out of the way.
			w.give(e, &vm.Stimulus{Kind: vm.OnMove, Timer: &vm.TimerRef{ID: "waiting.timeout"}, Due: instant(t, c.second) + 1})
			w.advance(first)
			if fired := firesOf(e); len(fired) != len(all)-1 {
				t.Errorf("fired %v", fired)
			}
			w.wantData(e, "pings", 1)
			for id, want := range map[string]string{"waiting.daily": c.second, "waiting.weekly": c.weekLater} {
				if due := dueOf(e, id); due != instant(t, want) {
					t.Errorf("then %s is due at %s", id, utc(due))
				}
			}
			w.advance(instant(t, c.second))
			if n := len(slices.DeleteFunc(linesOf(e, "timer-fired"), func(l string) bool { return l != "waiting daily" })); n != 2 {
				t.Errorf("the daily one fired %d times", n)
			}
			w.advance(w.Now() + 1)
			w.wantStatus(e, vm.Completed)
			w.replay()
		})
	}
}

func instant(t *testing.T, text string) int64 {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at.UnixMicro()
}

func utc(us int64) string { return time.UnixMicro(us).UTC().Format(time.RFC3339Nano) }
