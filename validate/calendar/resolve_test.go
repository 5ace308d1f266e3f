package calendar

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func at(t *testing.T, s string) int64 {
	t.Helper()
	u, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return u.UnixMicro()
}

func show(us int64) string { return time.UnixMicro(us).UTC().Format("2006-01-02T15:04:05.999999Z") }

func zone(t *testing.T, name string) *Zone {
	t.Helper()
	z, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// The instants are worked out by hand from the rules of each zone; `!` marks a fire that a clock change shifted.
func TestR19_SkippedTimeFiresAtTheJumpAndADoubledOneOnce(t *testing.T) {
	for _, c := range []struct {
		name, zone string
		clock      int // minutes
		days       Days
		after      string
		want       []string
	}{
		{"Berlin, spring: 02:00 becomes 03:00", "Europe/Berlin", 150, EveryDay, "2026-03-27T22:00:00Z",
			[]string{"2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z!", "2026-03-30T00:30:00Z"}},
		{"Berlin, spring: 03:00 is the first instant after", "Europe/Berlin", 180, EveryDay, "2026-03-28T22:00:00Z",
			[]string{"2026-03-29T01:00:00Z", "2026-03-30T01:00:00Z"}},
		{"Berlin, autumn: 03:00 becomes 02:00", "Europe/Berlin", 150, EveryDay, "2026-10-24T00:00:00Z",
			[]string{"2026-10-24T00:30:00Z", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"}},
		{"Berlin, autumn: between the two 02:30", "Europe/Berlin", 150, EveryDay, "2026-10-25T01:00:00Z", []string{"2026-10-26T01:30:00Z"}},
		{"New York, spring", "America/New_York", 150, EveryDay, "2026-03-07T00:00:00Z",
			[]string{"2026-03-07T07:30:00Z", "2026-03-08T07:00:00Z!", "2026-03-09T06:30:00Z"}},
		{"New York, autumn: 02:00 becomes 01:00", "America/New_York", 90, EveryDay, "2026-10-31T12:00:00Z",
			[]string{"2026-11-01T05:30:00Z", "2026-11-02T06:30:00Z"}},
		{"Lord Howe, autumn: half an hour back", "Australia/Lord_Howe", 105, EveryDay, "2026-04-04T00:00:00Z",
			[]string{"2026-04-04T14:45:00Z", "2026-04-05T15:15:00Z"}},
		{"Lord Howe, spring: half an hour on", "Australia/Lord_Howe", 135, EveryDay, "2026-10-03T00:00:00Z",
			[]string{"2026-10-03T15:30:00Z!", "2026-10-04T15:15:00Z"}},
		{"Kathmandu: 5:45 ahead, no changes", "Asia/Kathmandu", 540, EveryDay, "2026-01-01T00:00:00Z",
			[]string{"2026-01-01T03:15:00Z", "2026-01-02T03:15:00Z"}},
		{"Apia skips 30 December 2011", "Pacific/Apia", 540, EveryDay, "2011-12-29T00:00:00Z",
			[]string{"2011-12-29T19:00:00Z", "2011-12-30T10:00:00Z!", "2011-12-30T19:00:00Z", "2011-12-31T19:00:00Z"}},
		{"Apia: the skipped day is a Friday", "Pacific/Apia", 540, DaysOf(4), "2011-12-25T00:00:00Z",
			[]string{"2011-12-30T10:00:00Z!", "2012-01-05T19:00:00Z"}},
		{"UTC, Mondays and Thursdays", "UTC", 0, DaysOf(0, 3), "2026-01-01T00:00:00Z", // a Thursday
			[]string{"2026-01-05T00:00:00Z", "2026-01-08T00:00:00Z", "2026-01-12T00:00:00Z"}},
		{"the last microsecond before", "UTC", 540, EveryDay, "2026-01-01T08:59:59.999999Z", []string{"2026-01-01T09:00:00Z"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			z, after := zone(t, c.zone), at(t, c.after)
			for _, want := range c.want {
				fire, ok := z.Next(c.clock*60, c.days, after)
				got := show(fire.At)
				if fire.Shifted {
					got += "!"
				}
				if !ok || got != want {
					t.Fatalf("after %s: got %s, want %s", show(after), got, want)
				}
				after = fire.At
			}
		})
	}
}

func TestNoFire(t *testing.T) {
	if _, ok := UTC.Next(0, 0, 0); ok {
		t.Error("on no day")
	}
	if _, ok := UTC.Next(0, EveryDay, maxInstant); ok {
		t.Error("in the year 10000")
	}
}

func TestR17_CountOfMissedFires(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	from, to := at(t, "2026-03-27T08:00:00Z"), at(t, "2026-04-03T07:00:00Z") // 09:00 is 08:00Z, then 07:00Z
	if n := berlin.Count(9*3600, EveryDay, from, to); n != 7 {
		t.Error(n)
	}
	if n := berlin.Count(9*3600, EveryDay, from, to-1); n != 6 {
		t.Error(n)
	}
}

const from2020, to2040 = 1577836800 * second, 2208988800 * second

// TIM-06: in all zones from 2020 to 2040 the next fire is after now, and nothing lies between.
func TestTIM06_NextIsAlwaysLater(t *testing.T) {
	for _, name := range Names() {
		z := zone(t, name)
		for i := range int64(8) {
			// A spread of instants that differs from zone to zone.
			after := from2020 + (i*7919+int64(len(name))*104729+int64(name[0]))*86_413*second%(to2040-from2020)
			clock := int(after / second % 86400)
			fire, ok := z.Next(clock, EveryDay, after)
			if !ok || fire.At <= after || fire.At > after+50*hour {
				t.Fatalf("%s after %s: %s", name, show(after), show(fire.At))
			}
			if again, _ := z.Next(clock, EveryDay, fire.At-1); again != fire {
				t.Fatalf("%s just before %s: %s", name, show(fire.At), show(again.At))
			}
		}
	}
}

func TestResolveIsTheFirstInstantThatShowsTheTimeOrLater(t *testing.T) {
	names := Names()
	rapid.Check(t, func(t *rapid.T) {
		z, err := Load(rapid.SampledFrom(names).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		local := rapid.Int64Range(from2020, to2040).Draw(t, "local")
		if rapid.Bool().Draw(t, "close to a change") {
			first, last := local/second-200*86400, local/second
			if before := z.offset(first); before != z.offset(last) {
				local = z.local(z.jump(first, last, before)*second) + rapid.Int64Range(-2*hour, 2*hour).Draw(t, "off")
			}
		}
		us, skipped := z.resolve(local)
		if shown := z.local(us); shown < local || !skipped && shown != local {
			t.Fatalf("%s: %s shows %s", show(local), show(us), show(shown))
		}
		for _, back := range []int64{1, second, 17 * minute, 31 * minute, hour, 90 * minute, 2 * hour, 25 * hour} {
			if shown := z.local(us - back); shown >= local {
				t.Fatalf("%s: %s shows %s already", show(local), show(us-back), show(shown))
			}
		}
		later, _ := z.resolve(local + rapid.Int64Range(0, 3*day).Draw(t, "on"))
		if later < us {
			t.Fatalf("%s goes back", show(local))
		}
	})
}

func BenchmarkNext(b *testing.B) {
	z, err := Load("Europe/Berlin")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		z.Next(9*3600, EveryDay, from2020)
	}
}
