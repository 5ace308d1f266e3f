package calendar

import (
	"errors"
	"testing"
)

func TestTimeAt(t *testing.T) {
	for _, c := range []struct{ zone, date, clock, want string }{
		{"Europe/Berlin", "2026-03-29", "02:30", "2026-03-29T01:00:00Z"},
		{"Europe/Berlin", "2026-10-25", "02:30", "2026-10-25T00:30:00Z"},
		{"Europe/Berlin", "2026-07-01", "09:00:30", "2026-07-01T07:00:30Z"},
		{"Asia/Kathmandu", "2026-07-01", "00:00", "2026-06-30T18:15:00Z"},
		{"America/New_York", "2026-03-08", "02:30", "2026-03-08T07:00:00Z"},
		{"America/New_York", "2026-11-01", "01:30", "2026-11-01T05:30:00Z"},
		{"Australia/Lord_Howe", "2026-10-04", "02:15", "2026-10-03T15:30:00Z"},
		{"Australia/Lord_Howe", "2026-04-05", "01:45", "2026-04-04T14:45:00Z"},
		{"Pacific/Apia", "2011-12-30", "12:00", "2011-12-30T10:00:00Z"},
	} {
		got, err := zone(t, c.zone).TimeAt(c.date, c.clock)
		if err != nil || show(got) != c.want {
			t.Errorf("%s %s in %s: got %s, %v, want %s", c.date, c.clock, c.zone, show(got), err, c.want)
		}
	}
	for _, c := range [][2]string{
		{"2026-02-29", "09:00"}, {"2026-2-1", "09:00"}, {"26-02-01", "09:00"}, {"2026-13-01", "09:00"}, {"", ""}, {"0000-01-01", "09:00"},
		{"2026-01-01", "24:00"}, {"2026-01-01", "9:00"}, {"2026-01-01", "09:60"}, {"2026-01-01", "09:00:60"}, {"2026-01-01", "09-00"}, {"2026-01-01", "0９:0"},
	} {
		if got, err := UTC.TimeAt(c[0], c[1]); err == nil {
			t.Errorf("%q %q: %s", c[0], c[1], show(got))
		}
	}
	if _, err := zone(t, "Asia/Kathmandu").TimeAt("0001-01-01", "00:00"); !errors.Is(err, ErrRange) {
		t.Error(err)
	}
}

func TestAddMonths(t *testing.T) {
	for _, c := range []struct {
		zone, from string
		n          int64
		want       string
	}{
		{"UTC", "2026-01-31T10:00:00Z", 1, "2026-02-28T10:00:00Z"}, // clamped (VAL-02: Go says 3 March)
		{"UTC", "2024-01-31T10:00:00Z", 1, "2024-02-29T10:00:00Z"},
		{"UTC", "2026-03-31T10:00:00.5Z", -1, "2026-02-28T10:00:00.5Z"},
		{"UTC", "2026-01-15T00:00:00Z", -13, "2024-12-15T00:00:00Z"},
		{"UTC", "2026-12-31T00:00:00Z", 12, "2027-12-31T00:00:00Z"},
		{"Europe/Berlin", "2026-02-28T08:00:00Z", 1, "2026-03-28T08:00:00Z"},
		{"Europe/Berlin", "2026-03-28T08:00:00Z", 1, "2026-04-28T07:00:00Z"},        // 09:00 stays 09:00
		{"Europe/Berlin", "2026-02-28T23:30:00Z", 1, "2026-03-31T22:30:00Z"},        // 1 March, 00:30 → 1 April
		{"Europe/Berlin", "2026-04-29T00:30:00Z", -1, "2026-03-29T01:00:00Z"},       // 02:30 was skipped
		{"Europe/Berlin", "2026-10-25T01:30:00Z", 0, "2026-10-25T01:30:00Z"},        // the second 02:30 stays
		{"America/New_York", "2026-04-08T06:30:00Z", -1, "2026-03-08T07:00:00Z"},    // 02:30 was skipped
		{"America/New_York", "2026-10-01T05:30:00Z", 1, "2026-11-01T05:30:00Z"},     // the first 01:30
		{"Australia/Lord_Howe", "2026-11-03T15:15:00Z", -1, "2026-10-03T15:30:00Z"}, // 02:15 was skipped
		{"Australia/Lord_Howe", "2026-03-04T14:45:00Z", 1, "2026-04-04T14:45:00Z"},  // the first 01:45
		{"Asia/Kathmandu", "2026-01-31T03:15:00Z", 1, "2026-02-28T03:15:00Z"},
	} {
		got, err := zone(t, c.zone).AddMonths(at(t, c.from), c.n)
		if err != nil || show(got) != c.want {
			t.Errorf("%s and %d months in %s: got %s, %v, want %s", c.from, c.n, c.zone, show(got), err, c.want)
		}
	}
	for _, n := range []int64{12 * 8000, -12 * 2026, 1 << 62, -1 << 63} {
		if got, err := UTC.AddMonths(at(t, "2026-01-01T00:00:00Z"), n); !errors.Is(err, ErrRange) {
			t.Errorf("%d months: %s, %v", n, show(got), err)
		}
	}
}

func TestLocalAndDate(t *testing.T) {
	p := zone(t, "America/New_York").Local(at(t, "2026-03-08T07:00:00.25Z"))
	want := Parts{Year: 2026, Month: 3, Day: 8, Hour: 3, Micros: 250_000, Weekday: 6, Offset: -4 * 3600}
	if p != want {
		t.Errorf("got %+v, want %+v", p, want)
	}
	if d := zone(t, "Pacific/Apia").Date(at(t, "2011-12-30T10:00:00Z")); d != "2011-12-31" {
		t.Error(d)
	}
}

func TestFormat(t *testing.T) {
	us := at(t, "2026-03-05T08:04:09.012345Z")
	for pattern, want := range map[string]string{
		"YYYY-MM-DD HH:mm": "2026-03-05 09:04", "D.M.YYYY, H:mm:ss": "5.3.2026, 9:04:09", "YYYY-MM-DDTHH:mm:ss.SSSZ": "2026-03-05T09:04:09.012+01:00",
		"ddd 'at' HH 'o''clock'": "thu at 09 o'clock", "": "", "é": "é", "''": "'", "''H''": "'9'", "'''tis'": "'tis",
	} {
		p, err := ParsePattern(pattern)
		if err != nil {
			t.Errorf("%q: %v", pattern, err)
		} else if got := zone(t, "Europe/Berlin").Format(us, p); got != want {
			t.Errorf("%q: got %q, want %q", pattern, got, want)
		}
	}
	for _, pattern := range []string{"yyyy-mm-dd", "YY", "hh:mm", "'open", "MMM", "at HH"} {
		if _, err := ParsePattern(pattern); err == nil {
			t.Errorf("%q passed", pattern)
		}
	}
}
