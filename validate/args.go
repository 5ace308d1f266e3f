package validate

import (
	"slices"
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
		i := x.argField(a, args, decl, owner, given)
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
func (x *coder) argField(a *grammar.Arg, args *grammar.Args, decl *value.Decl, owner string, given map[string]bool) int {
	if a.Name == nil {
		x.c.unnamed(x.env, a, args, fieldNames(decl), given)
		return -1
	}
	i := decl.Field(a.Name.Text)
	if i < 0 {
		x.c.unknownArg(x.env, a.Name, owner, fieldNames(decl), given)
		return -1
	}
	if given[a.Name.Text] {
		x.c.report(x.env.of(a.Name), diag.DuplicateParameter, "the argument `%s` is given twice", a.Name.Text)
		return -1
	}
	return i
}

func fieldNames(decl *value.Decl) []string {
	names := make([]string, len(decl.Fields))
	for i, f := range decl.Fields {
		names[i] = f.Name
	}
	return names
}

// unnamed is an argument without a name, which the parser has reported: its help gets the name of the parameter that is most likely
// meant, the one that the value is called like or else the next one that no argument names. That one is not missing besides.
func (c *checker) unnamed(e *env, a *grammar.Arg, args *grammar.Args, params []string, given map[string]bool) {
	var left []string
	for _, name := range params {
		if !given[name] && !hasNamed(args, name) {
			left = append(left, name)
		}
	}
	fault := e.file.syntax[a.Span()]
	delete(e.file.syntax, a.Span()) // code may be looked at more than once
	if len(left) == 0 {
		if fault != nil {
			fault.Help = "remove it: every parameter has its argument"
		}
		return
	}
	meant, alike := left[0], false
	if name, ok := a.Value.(*grammar.NameExpr); ok && name.Name != nil && slices.Contains(left, name.Name.Text) {
		meant, alike = name.Name.Text, true
	}
	given[meant] = true
	if fault == nil {
		return
	}
	fault.Help = strings.Replace(fault.Help, "`name: ", "`"+meant+": ", 1)
	if alike || len(left) == 1 {
		(&note{fault, e.file, e}).fix("Write `"+meant+":`", grammar.Span{Start: a.Span().Start, End: a.Span().Start}, meant+": ")
	}
}

// hasNamed reports whether an argument of the list has the name.
func hasNamed(args *grammar.Args, name string) bool {
	return slices.ContainsFunc(args.List(), func(a *grammar.Arg) bool { return a != nil && a.Name != nil && a.Name.Text == name })
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
