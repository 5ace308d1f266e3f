package diag

import (
	"testing"
)

func TestLineTable(t *testing.T) {
	lines := NewLines([]byte("ab\r\nç\n\nx"))
	for offset, want := range map[int][2]int{
		-1: {1, 1}, 0: {1, 1}, 2: {1, 3}, 3: {1, 4}, 4: {2, 1}, 6: {2, 3}, 7: {3, 1}, 8: {4, 1}, 9: {4, 2}, 99: {4, 2},
	} {
		if line, column := lines.Position(offset); line != want[0] || column != want[1] {
			t.Errorf("offset %d: got %d:%d, want %d:%d", offset, line, column, want[0], want[1])
		}
	}
}

func TestNormalizeSortsAndDropsDoubles(t *testing.T) {
	lines := NewLines([]byte("one two\nthree"))
	at := func(id ID, file string, from, to int) Finding { return New(id, file, lines, from, to, "m") }
	got := Normalize([]Finding{
		at(UnknownState, "b.flow", 0, 3), at(UnknownState, "a.flow", 8, 9), at(StyleName, "a.flow", 4, 7),
		at(UnknownEvent, "a.flow", 4, 7), at(UnknownState, "a.flow", 8, 9), at(UnknownState, "a.flow", 8, 10),
	})
	want := []Finding{
		at(UnknownEvent, "a.flow", 4, 7), at(StyleName, "a.flow", 4, 7), at(UnknownState, "a.flow", 8, 9),
		at(UnknownState, "a.flow", 8, 10), at(UnknownState, "b.flow", 0, 3),
	}
	if len(got) != len(want) {
		t.Fatalf("got %d findings, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i].ID != want[i].ID || got[i].File != want[i].File || got[i].Range != want[i].Range {
			t.Errorf("finding %d: got %+v, want %+v", i, got[i], want[i])
		}
	}
}

func TestNewTakesSeverityAndTagsFromTheRegistry(t *testing.T) {
	if f := New(UnusedEvent, "a.flow", nil, 0, 1, "m"); f.Severity != Warning || len(f.Tags) != 1 {
		t.Errorf("got %+v", f)
	}
	if f := New("no-such-id", "a.flow", nil, 0, 1, "100%%"); f.Severity != Error || f.Message != "100%" {
		t.Errorf("got %+v", f)
	}
}

func TestWithDoesNotChangeTheOriginal(t *testing.T) {
	base := New(Syntax, "a.flow", nil, 0, 1, "m").WithFix("one").WithRelated("a.flow", Range{}, "one")
	left := base.WithFix("left").WithRelated("a.flow", Range{}, "left")
	right := base.WithFix("right").WithRelated("a.flow", Range{}, "right")
	if left.Fixes[1].Title != "left" || right.Fixes[1].Title != "right" || len(base.Fixes) != 1 {
		t.Errorf("got %v, %v, %v", base.Fixes, left.Fixes, right.Fixes)
	}
	if left.Related[1].Message != "left" || right.Related[1].Message != "right" {
		t.Errorf("got %v, %v", left.Related, right.Related)
	}
}

func TestApply(t *testing.T) {
	src := []byte("timeout 6 h on go")
	lines := NewLines(src)
	fix := Fix{Title: "both", Edits: []Edit{{RangeOf(lines, 14, 17), "-> x"}, {RangeOf(lines, 9, 10), ""}}}
	got, err := Apply(src, fix)
	if err != nil || string(got) != "timeout 6h on-> x" {
		t.Errorf("got %q, %v", got, err)
	}
	fix.Edits = append(fix.Edits, Edit{RangeOf(lines, 8, 11), "6h"})
	if _, err := Apply(src, fix); err == nil {
		t.Error("overlapping edits were made")
	}
	if _, err := Apply([]byte("x"), fix); err == nil {
		t.Error("edits outside the source were made")
	}
}

func TestNearest(t *testing.T) {
	names := []string{"approve", "reject", "timeout", "at"}
	for name, want := range map[string]string{
		"aproved": "approve", "Approve": "approve", "rejcet": "reject", "tiemout": "timeout", "zzz": "", "xyzzyplugh": "",
	} {
		if got := Nearest(name, names); got != want {
			t.Errorf("nearest to %q: got %q, want %q", name, got, want)
		}
	}
}

func TestReportFailed(t *testing.T) {
	warning := Report{Findings: []Finding{New(UnusedEvent, "a.flow", nil, 0, 1, "m")}}
	if warning.Failed() {
		t.Error("a warning failed the check")
	}
	warning.Strict = true
	if !warning.Failed() {
		t.Error("a warning passed the strict check")
	}
}
