package lsp

import (
	"flowc/grammar"
	"flowc/validate/value"
)

// afterComma is the next item of a list: an argument, an event, a field.
func (x *completer) afterComma() {
	b := x.openBracket(x.k)
	if b >= 0 {
		switch x.tokens[b].Kind {
		case grammar.LParen:
			if call := x.callAt(b); call.label != "" {
				x.argument(call)
				return
			}
			x.values()
			return
		case grammar.LBrack:
			x.values()
			return
		case grammar.LBrace:
			if x.isLiteralBrace(b) {
				x.recordFields()
				return
			}
		}
	}
	x.listOf(x.listWord())
}

// argument is a place in parentheses: a name that is still missing, or a value.
func (x *completer) argument(c call) {
	if x.declares(c) {
		return
	}
	fields, file, named := x.takes(c)
	if !named {
		x.positional(c, fields, file)
		return
	}
	given := x.given(c.paren)
	for _, f := range fields {
		name := identText(f.Name)
		if name == "" || given[name] {
			continue
		}
		rank := 0
		if f.Default != nil || isOptional(f.Type) {
			rank = 1
		}
		x.add(rank, Item{Label: name + ":", Kind: KindField, Detail: oneLine(text(file, f)), Insert: name + ": ",
			doc: func() string { return fieldDoc(file, f) }})
	}
}

// declares says whether the parentheses are those of a declaration.
func (x *completer) declares(c call) bool {
	return x.isDecl() && c.paren > x.head && (c.word == x.headWord() || x.tokens[max(c.paren-1, 0)].Kind == grammar.Arrow || c.word == "event")
}

// positional is an argument of a function.
func (x *completer) positional(c call, fields []*grammar.Field, file *grammar.File) {
	n := x.position(c.paren)
	if n < len(fields) {
		x.valuesOf(x.checked().fieldType(file, fields[n]))
		return
	}
	x.values()
}

func isOptional(t grammar.TypeExpr) bool {
	_, ok := t.(*grammar.OptionalType)
	return ok
}

// resultsOf gives the results of a task, or the data that a flow ends with.
func (x *completer) resultsOf(label string) ([]*grammar.Field, *grammar.File, bool) {
	if d, s := find[*grammar.TaskDecl](x.all, label); d != nil {
		return d.Results.List(), s.file, true
	}
	if d, s := find[*grammar.FlowDecl](x.all, label); d != nil {
		return d.Results.List(), s.file, true
	}
	return nil, nil, true
}

// afterColon is a type, or the value of an argument or of a record's field.
func (x *completer) afterColon() {
	if x.region() == inTest && x.isLabel(x.k-1) {
		x.starts(inTest)
		return
	}
	b := x.openBracket(x.k)
	switch {
	case b < 0:
		x.types()
	case x.tokens[b].Kind == grammar.LParen:
		c := x.callAt(b)
		if x.declares(c) {
			x.types()
		} else {
			x.argumentValue(c)
		}
	case x.tokens[b].Kind == grammar.LBrack || x.isLiteralBrace(b):
		x.values()
	case x.region() == inFields || x.word(3) == "let":
		x.types()
	default:
		x.values()
	}
}

func (x *completer) argumentValue(c call) {
	f, file := x.argumentField(c)
	if f == nil {
		x.values()
		return
	}
	if t, ok := f.Type.(*grammar.NamedType); ok {
		switch t.Name.String() {
		case "state":
			x.targets()
			return
		case "task":
			declared[*grammar.TaskDecl](x, KindTask, 0)
			return
		case "event":
			declared[*grammar.EventDecl](x, KindEvent, 0)
			return
		case "fn":
			declared[*grammar.FnDecl](x, KindFunction, 0)
			return
		}
	}
	x.valuesOf(x.checked().fieldType(file, f))
}

// argumentField is the parameter whose argument the placeholder is.
func (x *completer) argumentField(c call) (*grammar.Field, *grammar.File) {
	fields, file, _ := x.takes(c)
	for _, f := range fields {
		if identText(f.Name) == c.arg && c.arg != "" {
			return f, file
		}
	}
	return nil, nil
}

// recordFields is the first word in the braces of a record: the fields of the type that the place wants.
func (x *completer) recordFields() {
	t := x.recordWanted()
	if t == nil || t.Decl == nil || t.Kind != value.Record {
		x.values()
		return
	}
	given := x.given(x.openBracket(x.k))
	for _, f := range t.Decl.Fields {
		if !given[f.Name] {
			x.add(0, Item{Label: f.Name + ":", Kind: KindField, Detail: f.Name + ": " + f.Type.String(), Insert: f.Name + ": "})
		}
	}
}

// recordWanted is the type that the place of a record's literal wants, nil when it is not known.
func (x *completer) recordWanted() *value.Type {
	brace := x.openBracket(x.k)
	if brace < 0 {
		return nil
	}
	for b := x.openBracket(brace); b >= 0 && (x.tokens[b].Kind == grammar.LParen || x.tokens[b].Kind == grammar.LBrack); b = x.openBracket(b) {
		if x.tokens[b].Kind == grammar.LParen {
			c := x.callAt(b)
			c.arg = x.argBefore(b, brace)
			if f, file := x.argumentField(c); f != nil {
				return elementOf(x.checked().fieldType(file, f))
			}
			return nil
		}
	}
	if f := innermost[*grammar.Field](x.path); f != nil {
		return elementOf(x.checked().fieldType(x.tree, f))
	}
	return elementOf(x.assigned())
}

// listWord is the word before the list of names that the placeholder goes on with: `on a, b, `.
func (x *completer) listWord() string {
	for i := x.k - 1; i > x.head; i-- {
		switch x.tokens[i].Kind {
		case grammar.Comma, grammar.Dot, grammar.DotDot, grammar.String_:
		case grammar.Ident_:
			if next := x.tokens[i+1].Kind; next == grammar.Ident_ {
				return x.textOf(i)
			}
		default:
			return ""
		}
	}
	return x.headWord()
}

func (x *completer) listOf(word string) {
	switch word {
	case "on", "defer", "may", "accepts":
		x.eventsAfter(word)
	case "state":
		x.statesOfFlows(false)
	case "every":
		x.keywords(0, weekdays...)
	}
}
