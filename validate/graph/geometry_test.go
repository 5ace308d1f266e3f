package graph

import (
	"math"
	"testing"
)

type area struct {
	name       string
	x, y, w, h float64
}

func (a area) overlaps(b area) bool {
	const touch = 0.01
	return a.x+touch < b.x+b.w && b.x+touch < a.x+a.w && a.y+touch < b.y+b.h && b.y+touch < a.y+a.h
}

func (a area) holds(b area) bool {
	const touch = 0.01
	return a.x <= b.x+touch && a.y <= b.y+touch && b.x+b.w <= a.x+a.w+touch && b.y+b.h <= a.y+a.h+touch
}

func areaOf(b *box) area {
	name := b.text
	if b.kind == stateBox {
		name = b.state.Path
	}
	return area{name, b.x, b.y, b.w, b.h}
}

func walkBoxes(b *box, visit func(*box)) {
	visit(b)
	for _, c := range b.children {
		walkBoxes(c, visit)
	}
}

// TestNothingOverlaps looks at the drawings of all flows: boxes stand apart and inside what holds them, labels cover neither a box
// without states in it nor each other, and no line goes through a box in which it does not end.
func TestNothingOverlaps(t *testing.T) {
	flows := append(allFlows(t), flowsIn(t, "large", large(200))...)
	flows = append(flows, flowsIn(t, "chain", chain(60))...)
	for _, f := range flows {
		d := newDrawing(f.graph)
		d.layout()
		solid, labels := boxesApart(t, f.name, d), labelAreas(d)
		for i, l := range labels {
			for _, b := range solid {
				if l.overlaps(b) {
					t.Errorf("%s: the label %s covers the box %s", f.name, l.name, b.name)
				}
			}
			for _, m := range labels[:i] {
				if l.overlaps(m) {
					t.Errorf("%s: the labels %s and %s cover each other", f.name, l.name, m.name)
				}
			}
		}
		linesAround(t, f.name, d)
	}
}

// boxesApart checks the boxes and lists those without states in them.
func boxesApart(t *testing.T, name string, d *drawing) []area {
	t.Helper()
	var solid []area
	walkBoxes(d.root, func(b *box) {
		for i, c := range b.children {
			if !areaOf(b).holds(areaOf(c)) {
				t.Errorf("%s: the box %s is not inside %s", name, areaOf(c).name, areaOf(b).name)
			}
			for _, e := range b.children[:i] {
				if areaOf(c).overlaps(areaOf(e)) {
					t.Errorf("%s: the boxes %s and %s cover each other", name, areaOf(c).name, areaOf(e).name)
				}
			}
		}
		if !b.holds() {
			solid = append(solid, areaOf(b))
		} else if w, h := b.headSize(); w+2*padX > b.w+0.01 || h > b.h {
			t.Errorf("%s: the name of %s has no room", name, areaOf(b).name)
		}
	})
	return solid
}

func labelAreas(d *drawing) []area {
	var out []area
	for _, a := range d.arrows {
		if len(a.rows) == 0 {
			continue
		}
		l := area{a.tooltip(), a.label.x, a.label.y, widest(a.rows), float64(len(a.rows)) * textRow}
		if a.from == a.to {
			x, y, h := a.loopAt()
			l.x, l.y = x+loopReach+4, y+(h-l.h)/2
		}
		out = append(out, l)
	}
	return out
}

// linesAround follows every line, its curves included.
func linesAround(t *testing.T, name string, d *drawing) {
	t.Helper()
	for _, a := range d.arrows {
		walkBoxes(d.root, func(b *box) {
			if b.holds() || b == a.from || b == a.to {
				return
			}
			for i := 1; i < len(a.path); i++ {
				if crosses(a.path[i-1], a.path[i], areaOf(b)) {
					t.Errorf("%s: the arrow %s goes through %s", name, a.tooltip(), areaOf(b).name)
					return
				}
			}
		})
	}
}

// crosses follows the line between two points as it is drawn: straight down, or with upright tangents at both ends.
func crosses(p, q point, b area) bool {
	const steps, touch = 24, 0.6
	for i := 1; i < steps; i++ {
		s := float64(i) / steps
		along := 3*s*s - 2*s*s*s
		x := p.x + (q.x-p.x)*along
		y := p.y*(1-s)*(1-s)*(1-s) + 3*(p.y+q.y)/2*s*(1-s) + q.y*s*s*s
		if x > b.x+touch && x < b.x+b.w-touch && y > b.y+touch && y < b.y+b.h-touch {
			return true
		}
	}
	return false
}

// TestArrowsEndAtBorders holds the ends of arrows to the borders of their boxes.
func TestArrowsEndAtBorders(t *testing.T) {
	for _, f := range allFlows(t) {
		d := newDrawing(f.graph)
		d.layout()
		for _, a := range d.arrows {
			if a.from == a.to {
				continue
			}
			first, last := a.path[0], a.path[len(a.path)-1]
			if !atBorder(first, a.from) || !atBorder(last, a.to) {
				t.Errorf("%s: the arrow %s does not go from border to border: %v to %v", f.name, a.tooltip(), first, last)
			}
			for i := 1; i < len(a.path); i++ {
				if math.IsNaN(a.path[i].x) || math.IsNaN(a.path[i].y) {
					t.Errorf("%s: the arrow %s leads nowhere", f.name, a.tooltip())
				}
			}
		}
	}
}

func atBorder(p point, b *box) bool {
	const touch = 0.01
	near := func(a, b float64) bool { return math.Abs(a-b) < touch }
	return p.x >= b.x-touch && p.x <= b.x+b.w+touch && (near(p.y, b.y) || near(p.y, b.y+b.h))
}
