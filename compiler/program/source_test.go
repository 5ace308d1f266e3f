package program_test

import (
	"testing"

	"flowc/compiler/program"

	"github.com/google/go-cmp/cmp"
)

func source() *program.Source {
	work := program.Span{File: 0, Start: 3, End: 4}
	return &program.Source{
		Files: []program.File{{Name: "a.flow", Text: "one\ntwö three\n"}, {Name: "b.flow"}},
		Flows: []program.FlowPlaces{{
			Span:   program.Span{File: 0, Start: 0, End: 3},
			States: []program.StatePlaces{{Handlers: []program.Span{{File: 1, Start: 2, End: 3}}, Work: &work}},
		}},
		Codes: []program.CodePlaces{{PCs: []program.PCPlace{
			{PC: 0, Span: program.Span{Start: 0, End: 3}},
			{PC: 3, Span: program.Span{Start: 9, End: 14}},
			{PC: 5, Span: program.Span{File: 1, Start: 9, End: 14}},
		}}},
	}
}

func TestLocateCountsLinesAndBytesFromOne(t *testing.T) {
	s := source()
	for _, c := range []struct {
		code, pc int
		want     string
		ok       bool
	}{
		{0, 0, "a.flow:1:1", true},
		{0, 2, "a.flow:1:1", true},
		{0, 3, "a.flow:2:6", true},
		{0, 5, "b.flow", true}, // its text is not known
		{1, 0, "", false},
		{0, -1, "", false},
		{-1, 0, "", false},
	} {
		if p, ok := s.Locate(c.code, c.pc); ok != c.ok || p.String() != c.want {
			t.Errorf("code %d, pc %d: %+v, %t, want %s", c.code, c.pc, p, ok, c.want)
		}
	}
	p, _ := s.Locate(0, 3)
	if span, _ := s.SpanOf(0, 3); p.EndLine != 2 || p.EndColumn != 11 || s.Text(span) != "three" {
		t.Errorf("%+v, %q", p, s.Text(span))
	}
}

func TestASourceIsReadAsItWasWritten(t *testing.T) {
	b, err := program.EncodeSource(source())
	if err != nil {
		t.Fatal(err)
	}
	again, err := program.DecodeSource(b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(source(), again); diff != "" {
		t.Error(diff)
	}
	if _, err := program.DecodeSource([]byte(`{"codes":[{"span":1}]}`)); err == nil {
		t.Error("what is no source is read as one")
	}
}
