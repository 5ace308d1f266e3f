package graph

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// margin is what stays free around a drawing.
const margin = 16.0

// WriteSVG writes the graph as an SVG with a layout of our own: nested boxes, regions side by side, arrows that go around boxes.
// Its colours follow the reader's preference for light or dark. It holds no script and refers to nothing outside.
func WriteSVG(w io.Writer, g *Graph) error {
	d := newDrawing(g)
	d.layout()
	s := &svgWriter{}
	s.open(d.root)
	s.boxes(d.root, 0)
	for _, a := range d.arrows {
		s.arrow(a)
	}
	s.heads(d.root, 0)
	for _, a := range d.arrows {
		s.label(a)
	}
	s.line("</svg>")
	_, err := io.WriteString(w, s.b.String())
	return err
}

type svgWriter struct{ b strings.Builder }

func (s *svgWriter) line(format string, args ...any) {
	fmt.Fprintf(&s.b, format, args...)
	s.b.WriteByte('\n')
}

// num writes a length with one decimal at most.
func num(f float64) string {
	f = math.Round(f*10) / 10
	if f == 0 {
		f = 0 // no minus sign
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

func escape(s string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(safe(s))); err != nil {
		return ""
	}
	return b.String()
}

func (s *svgWriter) open(root *box) {
	w, h := root.w+root.loopWidth()+2*margin, root.h+2*margin
	s.line(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="%s %s %s %s" width="%s" height="%s" role="img">`,
		num(-margin), num(-margin), num(w), num(h), num(w), num(h))
	s.line(`<title>%s</title>`, escape(root.title()))
	s.b.WriteString(svgStyle)
	s.b.WriteString(svgDefs)
	s.line(`<rect class="page" x="%s" y="%s" width="%s" height="%s"/>`, num(-margin), num(-margin), num(w), num(h))
}

// boxes draws the shapes; names and rows come after the arrows, so that no arrow crosses a letter.
func (s *svgWriter) boxes(b *box, depth int) {
	switch {
	case b.kind == dotBox:
		s.line(`<circle class="dot" cx="%s" cy="%s" r="%s"/>`, num(b.x+b.w/2), num(b.y+b.h/2), num(dotSize/2))
	case b.kind == pillBox:
		s.line(`<rect class="pill" x="%s" y="%s" width="%s" height="%s" rx="%s"/>`, num(b.x), num(b.y), num(b.w), num(b.h), num(b.h/2))
	case b.state.Kind == "final":
		s.line(`<g class="final %s"><title>%s</title>%s%s</g>`, b.state.Outcome, escape(b.tooltip()), s.rect(b, 0, 8), s.rect(b, 3, 6))
	case b.state.Kind == "region":
		s.region(b)
	default:
		s.line(`<g class="%s d%d"><title>%s</title>%s</g>`, b.class(), min(depth, maxDepth), escape(b.tooltip()), s.rect(b, 0, 9))
	}
	if b.kind == stateBox && b.state.Kind != "region" {
		depth++
	}
	for _, c := range b.children {
		s.boxes(c, depth)
	}
}

// maxDepth is how many shades boxes inside boxes have.
const maxDepth = 4

func (b *box) class() string {
	if b.holds() {
		return "box"
	}
	return "leaf"
}

func (b *box) tooltip() string {
	path := b.state.Path
	if b.state.Parent == nil {
		path = "flow " + b.state.Name
	}
	if b.state.Doc == "" {
		return path
	}
	return path + ": " + b.state.Doc
}

func (s *svgWriter) rect(b *box, inset, radius float64) string {
	return fmt.Sprintf(`<rect x="%s" y="%s" width="%s" height="%s" rx="%s"/>`,
		num(b.x+inset), num(b.y+inset), num(b.w-2*inset), num(b.h-2*inset), num(radius))
}

// region draws the dashed line that separates a region from the one before it.
func (s *svgWriter) region(b *box) {
	if b.index > 0 {
		s.line(`<path class="separator" d="M%s %sV%s"/>`, num(b.x), num(b.y), num(b.y+b.h))
	}
}

// heads writes names and rows.
func (s *svgWriter) heads(b *box, depth int) {
	switch b.kind {
	case pillBox:
		s.line(`<text class="pilltext" x="%s" y="%s" text-anchor="middle">%s</text>`, num(b.x+b.w/2), num(b.y+b.h/2+3.8), escape(b.text))
	case stateBox:
		s.head(b, depth)
	}
	if b.kind == stateBox && b.state.Kind != "region" {
		depth++
	}
	for _, c := range b.children {
		s.heads(c, depth)
	}
}

func (s *svgWriter) head(b *box, depth int) {
	w, h := b.headSize()
	x, y := b.x+padX, b.y+padY
	if b.holds() {
		shade := min(depth, maxDepth)
		if b.state.Kind == "region" { // it has the shade of its parallel
			shade = min(max(depth-1, 0), maxDepth)
		}
		s.line(`<rect class="under d%d" x="%s" y="%s" width="%s" height="%s"/>`, shade, num(x-4), num(y-2), num(w+8), num(h+2))
	} else {
		x, y = b.x+(b.w-w)/2, b.y+(b.h-h)/2
	}
	kind := "name"
	if b.state.Kind == "final" {
		kind += " " + b.state.Outcome
	}
	if len(b.rows) == 0 && !b.holds() {
		s.line(`<text class="%s" x="%s" y="%s" text-anchor="middle">%s</text>`, kind, num(b.x+b.w/2), num(y+titleSize), escape(b.title()))
		return
	}
	s.line(`<text class="%s" x="%s" y="%s">%s</text>`, kind, num(x), num(y+titleSize), escape(b.title()))
	s.rows(b.rows, x, y+titleRow+6)
}

// rows writes rows of text below each other, from an upper left corner.
func (s *svgWriter) rows(rows []row, x, y float64) {
	for i, r := range rows {
		left, base := x, y+float64(i)*textRow+textSize
		if r.clock {
			s.line(`<use href="#flowc-clock" class="clock" x="%s" y="%s"/>`, num(left), num(base-9.5))
		}
		if r.clock || r.indent {
			left += iconWidth
		}
		s.line(`<text class="row %s" x="%s" y="%s">%s</text>`, r.class, num(left), num(base), escape(r.text))
	}
}

// arrow draws the line of an arrow.
func (s *svgWriter) arrow(a *arrow) {
	class := a.class()
	if a.from == a.to {
		s.loop(a, class)
		return
	}
	s.line(`<g class="arrow %s"><title>%s</title><path d="%s" marker-end="url(#flowc-%s)"/></g>`, class, escape(a.tooltip()), curve(a.path), class)
}

// class is how an arrow is coloured: by time when only time makes its transitions.
func (a *arrow) class() string {
	timed, auto := 0, 0
	for _, t := range a.transitions {
		if t.timed() {
			timed++
		}
		if t.Kind == ByAlways || t.Kind == ByGo {
			auto++
		}
	}
	switch len(a.transitions) {
	case 0:
		return "event"
	case timed:
		return "time"
	case auto:
		return "auto"
	}
	return "event"
}

func (a *arrow) tooltip() string {
	if len(a.transitions) == 0 {
		return "begins here"
	}
	var parts []string
	for _, t := range a.transitions {
		parts = append(parts, t.Label())
	}
	from, to := a.transitions[0].Source, a.transitions[0].Target
	if from == "" {
		from = "any state"
	}
	return from + " → " + to + ": " + strings.Join(parts, "; ")
}

// curve makes a path of points: straight where it goes up or down, curved where it goes sideways.
func curve(path []point) string {
	var b strings.Builder
	for i, p := range path {
		switch {
		case i == 0:
			fmt.Fprintf(&b, "M%s %s", num(p.x), num(p.y))
		case math.Abs(p.x-path[i-1].x) < 0.5:
			fmt.Fprintf(&b, "L%s %s", num(p.x), num(p.y))
		default:
			q := path[i-1]
			mid := (p.y + q.y) / 2
			fmt.Fprintf(&b, "C%s %s %s %s %s %s", num(q.x), num(mid), num(p.x), num(mid), num(p.x), num(p.y))
		}
	}
	return b.String()
}

// loopAt is where the line of a transition to the state itself leaves the box's right side.
func (a *arrow) loopAt() (x, y, height float64) {
	b := a.from
	y = b.y + padY
	for _, l := range b.loops {
		height = math.Max(float64(len(l.rows))*textRow, loopReach)
		if l == a {
			break
		}
		y += height + padY
	}
	return b.x + b.w, y, height
}

func (s *svgWriter) loop(a *arrow, class string) {
	x, y, h := a.loopAt()
	mid, reach := y+h/2, x+loopReach
	d := fmt.Sprintf("M%s %sC%s %s %s %s %s %s", num(x), num(mid-9), num(reach+6), num(mid-14), num(reach+6), num(mid+14), num(x), num(mid+9))
	s.line(`<g class="arrow %s"><title>%s</title><path d="%s" marker-end="url(#flowc-%s)"/></g>`, class, escape(a.tooltip()), d, class)
}

func (s *svgWriter) label(a *arrow) {
	if len(a.rows) == 0 {
		return
	}
	if a.from == a.to {
		x, y, h := a.loopAt()
		s.rows(a.rows, x+loopReach+4, y+(h-float64(len(a.rows))*textRow)/2)
		return
	}
	s.rows(a.rows, a.label.x, a.label.y)
}
