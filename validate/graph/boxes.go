package graph

import "math"

// A boxKind says what a box of the drawing is.
type boxKind uint8

const (
	stateBox boxKind = iota
	dotBox           // where a composite begins
	pillBox          // stands for a state that is elsewhere: "any state in x", "→ x"
)

// A box is what has a place in the drawing.
type box struct {
	kind     boxKind
	state    *State
	text     string // of a pill
	parent   *box
	children []*box
	rows     []row
	w, h     float64
	headH    float64 // of a state with states in it: how much the name and the rows take above what is in it
	x, y     float64 // upper left, absolute once all is placed
	innerX   float64 // where the content begins, from the upper left
	innerY   float64
	loops    []*arrow
	rank     int
	index    int // among the children of its parent

	passing []*passage // arrows that cross this box's border
}

// An arrow is what is drawn for the transitions from one state to another.
type arrow struct {
	from, to    *box
	transitions []*Transition // none: the arrow from a dot
	rows        []row
	parts       []part
	path        []point
	label       point
	labelBox    *box // that the label's place is relative to
}

type point struct{ x, y float64 }

// A part of an arrow's path, relative to the content of a box.
type part struct {
	in   *box
	path []point
}

// A passage is where an arrow crosses the border of a box, on its way to or from a state inside.
type passage struct {
	arrow *arrow
	child *box // the child of the box that the arrow comes from or leads to
	out   bool // it leads out
	top   bool // it crosses the upper border
	at    float64
}

// Distances, in the units of the drawing.
const (
	padX       = 14.0
	padY       = 9.0
	innerPad   = 18.0
	leastW     = 76.0
	leastH     = 34.0
	dotSize    = 12.0
	loopReach  = 26.0
	pillHeight = 22.0
)

// newBox makes the box of a state and of those in it.
func newBox(s *State, parent *box) *box {
	b := &box{kind: stateBox, state: s, parent: parent}
	for _, l := range s.Lines {
		clock := l.Kind == TimerLine
		b.rows = append(b.rows, rowsOf(l.Text, clock, string(l.Kind), boxChars, 0)...)
	}
	if s.Kind == "final" && s.Outcome != "success" {
		b.rows = append([]row{{text: s.Outcome, class: "outcome"}}, b.rows...)
	}
	if s.Kind == "parallel" && s.Join != "all" {
		b.rows = append([]row{{text: "join " + s.Join, class: "outcome"}}, b.rows...)
	}
	for _, c := range s.Children {
		b.adopt(newBox(c, b))
	}
	if s.initial != nil {
		b.adopt(&box{kind: dotBox, parent: b, w: dotSize, h: dotSize})
	}
	return b
}

func (b *box) adopt(c *box) {
	c.parent, c.index = b, len(b.children)
	b.children = append(b.children, c)
}

// title is the name as it stands in the box.
func (b *box) title() string {
	if b.state.Kind == "flow" {
		return "flow " + b.state.Name
	}
	switch b.state.History {
	case "shallow":
		return b.state.Name + " (history)"
	case "deep":
		return b.state.Name + " (deep history)"
	}
	return b.state.Name
}

// headSize is what the name and the rows take, without distances around them.
func (b *box) headSize() (w, h float64) {
	w, h = titleWidth(b.title()), titleRow
	if len(b.rows) > 0 {
		w, h = math.Max(w, widest(b.rows)), h+6+float64(len(b.rows))*textRow
	}
	return w, h
}

func (b *box) holds() bool { return b.kind == stateBox && len(b.state.Children) > 0 }

// sizeAlone gives a box without states in it its size.
func (b *box) sizeAlone() {
	switch b.kind {
	case pillBox:
		b.w, b.h = float64(columns(b.text))*textChar+2*padX, pillHeight
	case stateBox:
		w, h := b.headSize()
		b.w, b.h = math.Max(w+2*padX, leastW), math.Max(h+2*padY, leastH)
	}
	b.fitLoops()
}

// fitLoops makes a box tall enough for the labels of the transitions to itself, which stand at its right side.
func (b *box) fitLoops() {
	need := 2 * padY
	for _, l := range b.loops {
		need += math.Max(float64(len(l.rows))*textRow, loopReach) + padY
	}
	if len(b.loops) > 0 {
		b.h = math.Max(b.h, need-padY)
	}
}

// loopWidth is how far the transitions of a box to itself reach beyond its right side.
func (b *box) loopWidth() float64 {
	w := 0.0
	for _, l := range b.loops {
		w = math.Max(w, loopReach+8+widest(l.rows))
	}
	return w
}

func (b *box) within(around *box) bool {
	for ; b != nil; b = b.parent {
		if b == around {
			return true
		}
	}
	return false
}

// common is the innermost box around two others.
func common(a, b *box) *box {
	for around := a.parent; around != nil; around = around.parent {
		if b != around && b.within(around) {
			return around
		}
	}
	return nil
}

// below is the child of a box that holds another one or is it.
func below(around, b *box) *box {
	for b.parent != around {
		b = b.parent
	}
	return b
}
