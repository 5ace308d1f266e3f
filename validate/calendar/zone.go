// Package calendar turns local times into instants and back, by the rules of the flow language for clock changes: a local time
// that a change skips is the instant of the jump, one that occurs twice is the first (runtime.md R19).
//
// Instants are microseconds from 1970-01-01T00:00:00Z. The zone data is part of the program, so that two servers, or a server and
// a replay, never differ by what their machines have installed; it is Go's copy of the IANA database, release 2025c. Nothing here
// reads a clock or the machine's own zone.
//
//	berlin, err := calendar.Load("Europe/Berlin")
//	fire, ok := berlin.Next(9*3600, calendar.EveryDay, now)
package calendar

import (
	"archive/zip"
	"bytes"
	_ "embed" // for the zone data
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"flowc/validate/diag"
)

// zoneinfo is lib/time/zoneinfo.zip of the Go distribution.
//
//go:embed zoneinfo.zip
var zoneinfo []byte

// A Zone is a time zone of the IANA database. It may be used by many at once.
type Zone struct {
	name string
	loc  *time.Location
}

// Name returns the zone's name, as in Europe/Berlin.
func (z *Zone) Name() string { return z.name }

// UTC is the zone without clock changes.
var UTC = &Zone{name: "UTC", loc: time.UTC}

// An UnknownZone is the error for a name that no zone has.
type UnknownZone struct {
	Name    string
	Nearest string // what was most likely meant, "" when nothing is near
}

// Error names the zone and the nearest one.
func (e *UnknownZone) Error() string {
	if e.Nearest == "" {
		return fmt.Sprintf("there is no time zone %q; zones have names such as Europe/Berlin or UTC", e.Name)
	}
	return fmt.Sprintf("there is no time zone %q; is %q meant?", e.Name, e.Nearest)
}

// files is the index of the embedded archive: the zones by name.
var files = sync.OnceValues(func() (map[string]*zip.File, error) {
	archive, err := zip.NewReader(bytes.NewReader(zoneinfo), int64(len(zoneinfo)))
	if err != nil {
		return nil, fmt.Errorf("read the embedded zone data: %w", err)
	}
	byName := make(map[string]*zip.File, len(archive.File))
	for _, f := range archive.File {
		if !strings.HasSuffix(f.Name, "/") && f.Name != "Factory" {
			byName[f.Name] = f
		}
	}
	return byName, nil
})

var names = sync.OnceValue(func() []string {
	byName, _ := files()
	all := make([]string, 0, len(byName))
	for name := range byName {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
})

// Names returns the names of all zones in order, for completion. The caller must not change it.
func Names() []string { return names() }

var loaded sync.Map // name → *Zone

// Load returns the zone of that name, spelt as in the IANA database, or an *UnknownZone.
func Load(name string) (*Zone, error) {
	if z, ok := loaded.Load(name); ok {
		return z.(*Zone), nil
	}
	byName, err := files()
	if err != nil {
		return nil, err
	}
	f, ok := byName[name]
	if !ok {
		return nil, &UnknownZone{Name: name, Nearest: nearest(name)}
	}
	z, err := read(f)
	if err != nil {
		return nil, fmt.Errorf("load the time zone %s: %w", name, err)
	}
	kept, _ := loaded.LoadOrStore(name, z)
	return kept.(*Zone), nil
}

func read(f *zip.File) (*Zone, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	loc, err := time.LoadLocationFromTZData(f.Name, data)
	if err != nil {
		return nil, err
	}
	return &Zone{name: f.Name, loc: loc}, r.Close()
}

// nearest looks for a zone that is spelt alike, then for one whose city is.
func nearest(name string) string {
	name = strings.TrimSpace(strings.ReplaceAll(name, " ", "_"))
	if name == "" {
		return ""
	}
	if same := sameLetters(name); same != "" {
		return same
	}
	if near := diag.Nearest(name, Names()); near != "" && !short(name) {
		return near
	}
	cities := make([]string, 0, len(Names()))
	for _, n := range Names() {
		if city := cityOf(n); city != n {
			cities = append(cities, city)
		}
	}
	city := cityOf(name)
	if near := diag.Nearest(city, cities); near != "" && !short(city) && strings.EqualFold(near[:1], city[:1]) {
		return sameLetters(near)
	}
	return ""
}

// short names have too many neighbours for one of them to be what was meant.
func short(name string) bool { return len(name) < 5 }

// sameLetters returns the zone that has this name or this city in other letter case.
func sameLetters(name string) string {
	for _, n := range Names() {
		if strings.EqualFold(n, name) {
			return n
		}
	}
	for _, n := range Names() {
		if n != cityOf(n) && strings.EqualFold(cityOf(n), name) {
			return n
		}
	}
	return ""
}

func cityOf(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }
