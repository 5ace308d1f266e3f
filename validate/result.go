package validate

import "flowc/validate/diag"

// result puts together what the check found.
func (c *checker) result() *Result {
	c.unsupported()
	c.silence()
	c.info.finish()
	r := &Result{Partial: c.prog, Info: c.info, Unreadable: c.unreadable}
	for _, f := range c.findings {
		r.Findings = append(r.Findings, *f)
	}
	r.Findings = diag.Normalize(r.Findings)
	for _, f := range c.files {
		r.Sources = append(r.Sources, &Source{Name: f.name, AST: f.ast})
	}
	if len(c.unreadable) == 0 && !hasError(r.Findings) {
		r.Model = c.prog
	}
	return r
}

func hasError(findings []diag.Finding) bool {
	for _, f := range findings {
		if f.Severity == diag.Error {
			return true
		}
	}
	return false
}
