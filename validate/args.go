package validate

import (
	"strings"

	"flowc/grammar"
	"flowc/validate/diag"
	"flowc/validate/model"
	"flowc/validate/value"
)

// payload checks the named arguments of a task, an event or a flow and makes the record of them. owner is what the message calls
// it, at where a missing argument is reported.
func (x *coder) payload(args *grammar.Args, decl *value.Decl, owner string, at ref) model.Expr {
	t := value.RecordOf(decl)
	fields := make([]model.Expr, len(decl.Fields))
	given := map[string]bool{}
	broken := args != nil && args.Broken()
	for _, a := range args.List() {
		if a == nil {
			continue
		}
		i := x.argField(a, decl, owner, given)
		if i < 0 {
			if a.Value != nil {
				x.expr(a.Value, value.TypeInvalid)
			}
			broken = true
			continue
		}
		given[a.Name.Text] = true
		x.c.info.refer(x.env.file, a.Name.Span(), x.c.fieldDefs[decl][a.Name.Text])
		fields[i] = x.need(a.Value, decl.Fields[i].Type, argWord(owner)+" `"+a.Name.Text+"`")
	}
	span := at.span()
	if args != nil {
		span.End = args.Span().End
	}
	m := x.complete(t, fields, given, span, func(names []string) {
		if broken && args.Broken() {
			return // the rest of the list could not be read
		}
		if ofResult(owner) {
			x.c.lacksFields(x.env.ofRef(at), owner, names).help("add `%s`", blanks(names))
			return
		}
		x.c.report(x.env.ofRef(at), diag.MissingArgument, "%s needs %s", owner, counted(names, "an argument", "the arguments")).
			help("write `%s(%s)`", at, blanks(names))
	})
	if broken {
		return x.bad(span)
	}
	return m
}

// lacksFields reports a result without some of its fields.
func (c *checker) lacksFields(at place, owner string, names []string) *note {
	return c.report(at, diag.MissingArgument, "%s lacks %s", owner, counted(names, "the field", "the fields"))
}

// counted names one thing or several: `an argument` and its name, or `the arguments` and theirs.
func counted(names []string, one, many string) string {
	if len(names) == 1 {
		return one + " `" + names[0] + "`"
	}
	return many + " " + quote(names, "and")
}

// blanks writes named arguments whose values are left open.
func blanks(names []string) string {
	return strings.Join(names, ": …, ") + ": …"
}

// argField finds the parameter of an argument, -1 when there is none or the argument is wrong.
func (x *coder) argField(a *grammar.Arg, decl *value.Decl, owner string, given map[string]bool) int {
	if a.Name == nil {
		x.unnamed(decl, given)
		return -1
	}
	i := decl.Field(a.Name.Text)
	if i < 0 {
		names := make([]string, len(decl.Fields))
		for j, f := range decl.Fields {
			names[j] = f.Name
		}
		x.c.unknownArg(x.env, a.Name, owner, names, given)
		return -1
	}
	if given[a.Name.Text] {
		x.c.report(x.env.of(a.Name), diag.DuplicateParameter, "the argument `%s` is given twice", a.Name.Text)
		return -1
	}
	return i
}

// unnamed is an argument without a name, which the parser has reported; the parameter that it may be meant for is not missing besides.
func (x *coder) unnamed(decl *value.Decl, given map[string]bool) {
	for _, f := range decl.Fields {
		if !given[f.Name] {
			given[f.Name] = true
			return
		}
	}
}

// ofResult reports whether named values make a result, whose fields are no arguments.
func ofResult(owner string) bool { return strings.HasPrefix(owner, "the result of ") }

func argWord(owner string) string {
	if ofResult(owner) {
		return "the field"
	}
	return "the argument"
}

// unknownArg reports an argument that there is no parameter for; the one it was meant for is not reported as missing besides.
func (c *checker) unknownArg(e *env, id *grammar.Ident, owner string, names []string, given map[string]bool) {
	kind := "parameter"
	if ofResult(owner) {
		kind = "field"
	}
	n := c.report(e.of(id), diag.UnknownArgument, "%s has no %s `%s`", owner, kind, id.Text)
	var left []string
	for _, name := range names {
		if !given[name] {
			left = append(left, name)
		}
	}
	if near := diag.Nearest(id.Text, left); near != "" {
		given[near] = true
		n.didYouMean(id.Span(), id.Text, []string{near})
		return
	}
	if len(left) == 1 { // what is missing is what was meant
		given[left[0]] = true
		n.help("it takes `%s`", left[0])
		return
	}
	if len(names) == 0 {
		n.help("it takes no arguments")
		return
	}
	n.help("it takes %s", quote(names, "and"))
}
