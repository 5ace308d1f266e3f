package calendar

import (
	"errors"
	"testing"
)

func TestEveryZoneLoads(t *testing.T) {
	if n := len(Names()); n < 590 {
		t.Fatalf("%d zones", n)
	}
	for _, name := range Names() {
		z, err := Load(name)
		if err != nil || z.Name() != name {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TIM-06: a wrong zone is an error with a near name, never UTC in silence.
func TestTIM06_UnknownZoneNamesTheNearest(t *testing.T) {
	for name, want := range map[string]string{
		"Europe/Berln": "Europe/Berlin", "europe/berlin": "Europe/Berlin", "Berlin": "Europe/Berlin", "New York": "America/New_York",
		"Katmandu": "Asia/Katmandu", "America/NewYork": "America/New_York", "utc": "UTC", "Local": "", "": "", "Nowhere/Eldorado": "", "Factory": "",
		"Europe/": "", "../etc/passwd": "", "Asia": "",
	} {
		_, err := Load(name)
		var unknown *UnknownZone
		if !errors.As(err, &unknown) {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if unknown.Nearest != want {
			t.Errorf("%q: nearest %q, want %q", name, unknown.Nearest, want)
		}
	}
}
