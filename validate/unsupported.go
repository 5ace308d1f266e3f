package validate

import (
	"flowc/validate/diag"
	"flowc/validate/model"
)

// Unsupported names the constructs of a checked flow that this release cannot run yet; nil when there are none. It is the one
// place to change when the machine learns one.
var Unsupported = func(fl *model.Flow) []Construct { return nil }

// A Construct is a part of the language that stands somewhere in a flow.
type Construct struct {
	Name string // as messages call it: "`parallel`"
	Pos  model.Pos
}

func (c *checker) unsupported() {
	for _, s := range c.findings {
		if s.Severity == diag.Error {
			return
		}
	}
	for _, fl := range c.prog.Flows {
		for _, k := range Unsupported(fl) {
			f := c.files[k.Pos.File]
			n := diag.NewAt(diag.NotSupportedYet, f.name, diag.RangeOf(f.ast, k.Pos.Start, k.Pos.End), "%s is part of the language, but this release cannot run it", k.Name)
			c.findings = append(c.findings, &n)
		}
	}
}
