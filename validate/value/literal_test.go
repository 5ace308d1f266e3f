package value

import (
	"strings"
	"testing"
)

// VAL-02 with the language's rule: a whole number and one unit.
func TestDurationLiterals(t *testing.T) {
	for _, c := range []struct {
		text, id, fix string // id "" for a literal, whose text fix then is
	}{
		{"6h", "", "6h"}, {"30s", "", "30s"}, {"2d", "", "2d"}, {"1m", "", "1m"}, {"0s", "", "0s"}, {"3650d", "", "3650d"}, {"120m", "", "2h"},
		{"007s", "", "7s"},
		{"2w", "duration-syntax", "14d"}, {"1h30m", "duration-syntax", "90m"}, {"1.5h", "duration-syntax", "90m"},
		{"6H", "duration-syntax", "6h"}, {"6hr", "duration-syntax", "6h"}, {"6 h", "duration-syntax", "6h"}, {"6 hours", "duration-syntax", "6h"},
		{"6hh", "duration-syntax", ""}, {"PT6H", "duration-syntax", "6h"}, {"P1DT12H", "duration-syntax", "36h"},
		{"500ms", "duration-syntax", ""}, {"1M", "duration-syntax", ""}, {"1mo", "duration-syntax", ""}, {"1y", "duration-syntax", ""},
		{"-5m", "duration-syntax", ""}, {"١h", "duration-syntax", ""}, {"0.1s", "duration-syntax", ""}, {"", "duration-syntax", ""},
		{"h", "duration-syntax", ""}, {"1_000s", "duration-syntax", "1000s"}, {"1..5h", "duration-syntax", ""},
		{"90", "duration-missing-unit", "90s"}, {"1.5", "duration-missing-unit", ""},
		{"4000d", "duration-too-long", ""}, {"9999999999h", "duration-too-long", ""}, {"99999999999999999999d", "duration-too-long", ""},
		{"600w", "duration-too-long", ""}, {"9999999999999999999999999999999999999999w", "duration-syntax", ""},
	} {
		v, fault := ParseDuration(c.text)
		if fault == nil {
			if c.id != "" || string(appendDuration(nil, v.Micros())) != c.fix {
				t.Errorf("%q is %s", c.text, v)
			}
			continue
		}
		if fault.Code != c.id || fault.Fix != c.fix || fault.Message == "" {
			t.Errorf("%q: %s, fix %q, want %s, %q (%s)", c.text, fault.Code, fault.Fix, c.id, c.fix, fault.Message)
		}
	}
}

func TestNumberLiterals(t *testing.T) {
	for text, want := range map[string]string{
		"12": "12", "1_000": "1000", "0": "0", "007": "7", "9223372036854775807": "9223372036854775807",
		"9223372036854775808": CodeOverflow, "1__0": CodeRange, "_1": CodeRange, "1_": CodeRange, "": CodeRange, "1.5": CodeRange, "-1": CodeRange,
	} {
		v, err := ParseInt(text)
		if got := textOr(v, err); got != want {
			t.Errorf("int %q: got %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"12.50": "12.5", "1_000.25": "1000.25", "0.000": "0", "1e3": "1000", "12.": CodeRange, ".5": CodeRange, "1._5": CodeRange,
		"0.1234567890123456789012345678901234": "0.1234567890123456789012345678901234", "1.2345678901234567890123456789012345": CodeOverflow,
		"1.00000000000000000000000000000000000000000": "1", "1e6143": "1e6143", "1e6144": CodeOverflow, "1e-6143": "1e-6143", "1e-6144": CodeOverflow,
		"0e99999999999": "0", "1e-99999999999": CodeOverflow,
	} {
		v, err := ParseDecimal(text)
		if got := textOr(v, err); got != want {
			t.Errorf("decimal %q: got %s, want %s", text, got, want)
		}
	}
}

func textOr(v Value, err error) string {
	if err != nil {
		return code(err)
	}
	return v.String()
}

func TestTimeLiterals(t *testing.T) {
	for text, want := range map[string]string{
		"2026-03-29T01:00:00Z": "2026-03-29T01:00:00Z", "2026-03-29 01:00:00Z": "2026-03-29T01:00:00Z",
		"2024-02-29T23:59:59.999999-05:30": "2024-03-01T05:29:59.999999Z", "2026-01-01T00:00:00.1000000Z": "2026-01-01T00:00:00.1Z",
		"0001-01-01T00:00:00Z": "0001-01-01T00:00:00Z", "0001-01-01T00:00:00+01:00": CodeRange, "9999-12-31T23:59:59-01:00": CodeRange,
		"2026-02-29T00:00:00Z": CodeRange, "2026-13-01T00:00:00Z": CodeRange, "2026-01-01T24:00:00Z": CodeRange, "2026-01-01T00:00:60Z": CodeRange,
		"2026-01-01": CodeRange, "2026-01-01T00:00Z": CodeRange, "2026-01-01T00:00:00": CodeRange, "2026-01-01T00:00:00,5Z": CodeRange,
		"2026-01-01T00:00:00.Z": CodeRange, "2026-01-01T00:00:00+24:00": CodeRange, "26-01-01T00:00:00Z": CodeRange, "": CodeRange,
		"2026-01-01T00:00:00Zx": CodeRange, "2026-1-01T00:00:00Z": CodeRange, "２026-01-01T00:00:00Z": CodeRange,
	} {
		v, err := ParseTime(text)
		if got := textOr(v, err); got != want {
			t.Errorf("%q: got %s, want %s (%v)", text, got, want, err)
		}
	}
}

func FuzzLiterals(f *testing.F) {
	for _, seed := range []string{"6h", "1h30m", "1.5h", "1_000", "12.50", "2026-03-29T01:00:00+02:00", "PT6H", "99999999999999999999d"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if v, fault := ParseDuration(s); fault == nil {
			if again, err := parseDurationText(s); err != nil || again.Micros() != v.Micros() || v.Micros() > MaxWait {
				t.Fatalf("%q: %s, %s, %v", s, v, again, err)
			}
		} else if fault.Fix != "" {
			if _, again := ParseDuration(fault.Fix); again != nil {
				t.Fatalf("the fix %q of %q is wrong", fault.Fix, s)
			}
		}
		if v, err := ParseDecimal(s); err == nil {
			if back, err := ParseDecimal(v.String()); err != nil || !Equal(v, back) {
				t.Fatalf("%q: %s, %s, %v", s, v, back, err)
			}
		}
		if v, err := ParseTime(s); err == nil {
			if back, err := ParseTime(string(appendTime(nil, v.Micros()))); err != nil || back.Micros() != v.Micros() {
				t.Fatalf("%q: %s, %s, %v", s, v, back, err)
			}
		}
		if v, err := ParseInt(s); err == nil && strings.Trim(s, "0_") != "" && v.Int() == 0 {
			t.Fatalf("%q is 0", s)
		}
	})
}
