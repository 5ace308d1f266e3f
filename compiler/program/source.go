package program

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A Source is what a program does not hold, so that its hash does not depend on it: the sources and where in them everything
// stands. It is stored beside the program as JSON. Indexes are those of the program.
type Source struct {
	Files []File       `json:"files"`
	Flows []FlowPlaces `json:"flows"`
	Codes []CodePlaces `json:"codes"`
}

// A File is a source file. Text is set by SetText; without it there are no lines and columns.
type File struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// A Span is half-open byte offsets in a file; in JSON `[file, start, end]`.
type Span struct{ File, Start, End int }

// FlowPlaces are the places of a flow and its parts.
type FlowPlaces struct {
	Span   Span          `json:"span"`
	Data   []Span        `json:"data,omitempty"`
	States []StatePlaces `json:"states"`
}

// StatePlaces are the places of a state and its parts.
type StatePlaces struct {
	Span     Span   `json:"span"`
	Handlers []Span `json:"handlers,omitempty"`
	Always   []Span `json:"always,omitempty"`
	Timers   []Span `json:"timers,omitempty"`
	Work     *Span  `json:"work,omitempty"`
}

// CodePlaces are the places of a code and of its instructions: those of PCs[i] hold up to the pc of the next one.
type CodePlaces struct {
	Span Span      `json:"span"`
	PCs  []PCPlace `json:"pcs"`
}

// A PCPlace is the place of the instructions from PC on; in JSON `[pc, file, start, end]`.
type PCPlace struct {
	PC   int
	Span Span
}

// A Place is a span by lines and columns: both from 1, columns in UTF-8 bytes. Line 0: the text is not known.
type Place struct {
	File               string
	Line, Column       int
	EndLine, EndColumn int
}

// String returns FILE:LINE:COLUMN.
func (p Place) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// EncodeSource returns the source as JSON.
func EncodeSource(s *Source) ([]byte, error) {
	b, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("encode source: %w", err)
	}
	return b, nil
}

// DecodeSource reads a source back.
func DecodeSource(b []byte) (*Source, error) {
	s := &Source{}
	if err := json.Unmarshal(b, s); err != nil {
		return nil, fmt.Errorf("decode source: %w", err)
	}
	return s, nil
}

// SetText gives the files their texts.
func (s *Source) SetText(read func(name string) string) {
	for i := range s.Files {
		s.Files[i].Text = read(s.Files[i].Name)
	}
}

// Locate returns where an instruction stands, as in a run-time error's place; false when the source does not know it.
func (s *Source) Locate(code, pc int) (Place, bool) {
	span, ok := s.SpanOf(code, pc)
	if !ok {
		return Place{}, false
	}
	return s.Place(span)
}

// SpanOf is Locate by offsets.
func (s *Source) SpanOf(code, pc int) (Span, bool) {
	if code < 0 || code >= len(s.Codes) || pc < 0 {
		return Span{}, false
	}
	places := s.Codes[code].PCs
	i, found := slices.BinarySearchFunc(places, pc, func(p PCPlace, pc int) int { return p.PC - pc })
	if !found {
		i--
	}
	if i < 0 {
		return Span{}, false
	}
	return places[i].Span, true
}

// Place turns offsets into lines and columns; false when there is no such file.
func (s *Source) Place(at Span) (Place, bool) {
	if at.File < 0 || at.File >= len(s.Files) {
		return Place{}, false
	}
	f := &s.Files[at.File]
	p := Place{File: f.Name}
	if at.Start < 0 || at.End < at.Start || at.End > len(f.Text) || f.Text == "" {
		return p, true
	}
	p.Line, p.Column = lineColumn(f.Text, at.Start)
	p.EndLine, p.EndColumn = lineColumn(f.Text, at.End)
	return p, true
}

// Text returns what stands at a span, "" when the text is not known.
func (s *Source) Text(at Span) string {
	if at.File < 0 || at.File >= len(s.Files) || at.Start < 0 || at.End < at.Start || at.End > len(s.Files[at.File].Text) {
		return ""
	}
	return s.Files[at.File].Text[at.Start:at.End]
}

func lineColumn(text string, offset int) (line, column int) {
	before := text[:offset]
	return strings.Count(before, "\n") + 1, offset - strings.LastIndexByte(before, '\n')
}

// MarshalJSON returns the span as an array.
func (s Span) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "[%d,%d,%d]", s.File, s.Start, s.End), nil
}

// UnmarshalJSON reads what MarshalJSON returned.
func (s *Span) UnmarshalJSON(b []byte) error {
	var a [3]int
	if err := json.Unmarshal(b, &a); err != nil {
		return err
	}
	*s = Span{File: a[0], Start: a[1], End: a[2]}
	return nil
}

// MarshalJSON returns the place as an array.
func (p PCPlace) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "[%d,%d,%d,%d]", p.PC, p.Span.File, p.Span.Start, p.Span.End), nil
}

// UnmarshalJSON reads what MarshalJSON returned.
func (p *PCPlace) UnmarshalJSON(b []byte) error {
	var a [4]int
	if err := json.Unmarshal(b, &a); err != nil {
		return err
	}
	*p = PCPlace{PC: a[0], Span: Span{File: a[1], Start: a[2], End: a[3]}}
	return nil
}
