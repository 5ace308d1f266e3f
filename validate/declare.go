package validate

import (
	"flowc/grammar"
	"flowc/validate/diag"
	"flowc/validate/model"
	"flowc/validate/value"
)

// declare makes the model's declarations: types first, since everything names them, then what carries payloads, then constants,
// defaults, policies and functions.
func (c *checker) declare() {
	c.eachSymbol(func(s *symbol) { c.declareEnum(s) })
	c.eachSymbol(func(s *symbol) { c.openRecord(s) })
	c.eachSymbol(func(s *symbol) { c.declareRecord(s) })
	c.eachSymbol(func(s *symbol) {
		if d, ok := s.node.(*grammar.TypeDecl); ok && s.record != nil {
			c.checkContains(s, d)
		}
	})
	c.eachSymbol(func(s *symbol) { c.declareSignature(s) })
	c.eachSymbol(func(s *symbol) {
		if s.constant != nil {
			c.fold(s.constant)
		}
	})
	c.eachSymbol(func(s *symbol) { c.declareDefaults(s) })
	c.eachSymbol(func(s *symbol) {
		if s.fn != nil {
			c.checkFunction(s.fn)
		}
	})
	c.checkRecursion()
	c.checkFragments()
}

func (c *checker) eachSymbol(do func(*symbol)) {
	for _, s := range c.symbols {
		do(s)
	}
}

func (c *checker) declareEnum(s *symbol) {
	d, ok := s.node.(*grammar.EnumDecl)
	if !ok {
		return
	}
	s.enum = &value.Decl{Name: s.full}
	first := map[string]*grammar.Ident{}
	for _, v := range d.Values() {
		if v == nil {
			continue
		}
		if f := first[v.Text]; f != nil {
			c.report(s.env.of(v), diag.DuplicateField, "`%s` has a value `%s` already", s.name, v.Text).related(s.env.of(f), "first written here")
			continue
		}
		first[v.Text] = v
		c.checkStyle(s.env, v)
		def := c.info.define(s.env.file, DefMember, v, d)
		def.Type = value.EnumOf(s.enum)
		s.enum.Members = append(s.enum.Members, v.Text)
	}
	s.def.Type = value.EnumOf(s.enum)
	c.prog.Enums = append(c.prog.Enums, s.enum)
}

func (c *checker) openRecord(s *symbol) {
	if _, ok := s.node.(*grammar.TypeDecl); ok {
		s.record = &value.Decl{Name: s.full}
		s.def.Type = value.RecordOf(s.record)
		c.prog.Types = append(c.prog.Types, s.record)
	}
}

func (c *checker) declareRecord(s *symbol) {
	if d, ok := s.node.(*grammar.TypeDecl); ok {
		s.record.Fields = c.fields(s.env, d.Fields(), DefField, diag.DuplicateField)
		c.noteFields(s.record, d.Fields())
	}
}

func (c *checker) declareSignature(s *symbol) {
	switch d := s.node.(type) {
	case *grammar.ConstDecl:
		s.constant = &constant{sym: s, decl: d}
	case *grammar.EventDecl:
		s.event = &model.Event{Name: s.full, Internal: d.Internal, Doc: s.def.Doc, Pos: s.env.pos(s.ident.Span())}
		s.event.Payload = &value.Decl{Name: s.full, Fields: c.fields(s.env, d.Params.List(), DefField, diag.DuplicateParameter)}
		c.noteFields(s.event.Payload, d.Params.List())
		c.prog.Events = append(c.prog.Events, s.event)
	case *grammar.TaskDecl:
		s.task = &model.Task{Name: s.full, Doc: s.def.Doc, Pos: s.env.pos(s.ident.Span())}
		s.task.Params = &value.Decl{Name: s.full, Fields: c.fields(s.env, d.Params.List(), DefField, diag.DuplicateParameter)}
		s.task.Result = &value.Decl{Name: s.full + ".result", Fields: c.fields(s.env, d.Results.List(), DefField, diag.DuplicateParameter)}
		c.noteFields(s.task.Params, d.Params.List())
		c.noteFields(s.task.Result, d.Results.List())
		s.task.Joined = model.JoinedDecl(s.task.Result)
		c.prog.Tasks = append(c.prog.Tasks, s.task)
	case *grammar.FnDecl:
		c.declareFunction(s, d)
	case *grammar.FlowDecl:
		c.declareFlow(s, d)
	}
}

func (c *checker) declareDefaults(s *symbol) {
	switch d := s.node.(type) {
	case *grammar.TypeDecl:
		c.defaults(s.env, d.Fields(), s.record.Fields)
	case *grammar.EventDecl:
		c.defaults(s.env, d.Params.List(), s.event.Payload.Fields)
	case *grammar.TaskDecl:
		c.defaults(s.env, d.Params.List(), s.task.Params.Fields)
		c.declarePolicy(s, d)
	case *grammar.FlowDecl:
		c.defaults(s.env, d.Params.List(), s.flow.m.Input.Fields)
	}
}

// declareFlow makes a flow's signature and its data fields, so that other flows can name them.
func (c *checker) declareFlow(s *symbol, d *grammar.FlowDecl) {
	fl := &flow{sym: s, decl: d, env: s.env, dataByName: map[string]int{}, m: &model.Flow{
		Name: s.full, Doc: s.def.Doc, Pos: s.env.pos(s.ident.Span()),
	}}
	s.flow = fl
	fl.m.Input = &value.Decl{Name: s.full, Fields: c.fields(s.env, d.Params.List(), DefInput, diag.DuplicateParameter)}
	c.noteFields(fl.m.Input, d.Params.List())
	c.declareData(fl, d)
	c.declareResults(fl, d)
	c.flows = append(c.flows, fl)
	c.prog.Flows = append(c.prog.Flows, fl.m)
}

func (c *checker) declareData(fl *flow, d *grammar.FlowDecl) {
	if d.Body == nil {
		return
	}
	for _, item := range d.Body.Items {
		data, ok := item.(*grammar.Data)
		if !ok {
			continue
		}
		for _, f := range data.Fields() {
			c.declareDataField(fl, f)
		}
	}
}

func (c *checker) declareDataField(fl *flow, f *grammar.Field) {
	if f == nil || f.Name == nil {
		return
	}
	e, name := fl.env, f.Name.Text
	if first := fl.dataField(name); first != nil {
		c.report(e.of(f.Name), diag.DuplicateField, "there is a data field `%s` already", name).related(e.of(first.decl.Name), "first declared here")
		return
	}
	if fl.m.Input.Field(name) >= 0 {
		c.report(e.of(f.Name), diag.DuplicateField, "`%s` is an input of the flow already", name).
			related(e.of(fieldNamed(fl.decl.Params.List(), name).Name), "the input").
			help("give the data field another name; it may start with the input's value: `%s_now: … = %s`", name, name)
		return
	}
	c.checkStyle(e, f.Name)
	def := c.info.define(e.file, DefData, f.Name, f)
	def.Type, def.Doc = c.typeOf(e, f.Type), e.file.doc(f)
	m := &model.DataField{Name: name, Type: def.Type, Pos: e.pos(f.Name.Span())}
	fl.dataByName[name] = len(fl.m.Data)
	fl.m.Data = append(fl.m.Data, m)
	fl.data = append(fl.data, &dataField{m: m, decl: f, env: e, def: def})
}

// declareResults resolves `-> (…)`, which names data fields with their types.
func (c *checker) declareResults(fl *flow, d *grammar.FlowDecl) {
	fl.m.Output = &value.Decl{Name: fl.m.Name + ".result"}
	seen := map[string]*grammar.Field{}
	for _, f := range d.Results.List() {
		if f == nil || f.Name == nil {
			continue
		}
		name := f.Name.Text
		if first := seen[name]; first != nil {
			c.report(fl.env.of(f.Name), diag.DuplicateParameter, "the result `%s` is named twice", name).related(fl.env.of(first.Name), "first named here")
			continue
		}
		seen[name] = f
		t := c.typeOf(fl.env, f.Type)
		i, ok := fl.dataByName[name]
		if !ok {
			c.unknownResult(fl, f)
			fl.m.Output.Fields = append(fl.m.Output.Fields, value.Field{Name: name, Type: t})
			continue
		}
		field := fl.data[i]
		field.used = true
		c.info.refer(fl.env.file, f.Name.Span(), field.def)
		if t.Kind != value.Invalid && field.m.Type.Kind != value.Invalid && !t.Equal(field.m.Type) {
			c.report(fl.env.of(f.Type), diag.TypeMismatch, "the result `%s` is said to be `%s`, and the data field is `%s`", name, t, field.m.Type).
				related(fl.env.of(field.decl), "the data field").
				help("a result is a data field as it stands: write `%s`", field.m.Type).
				fix("Write `"+field.m.Type.String()+"`", f.Type.Span(), field.m.Type.String())
		}
		fl.m.Result = append(fl.m.Result, i)
		fl.m.Output.Fields = append(fl.m.Output.Fields, value.Field{Name: name, Type: field.m.Type})
	}
	fl.m.Ended = model.EndedDecl(fl.m.Output)
	fl.m.Joined = model.JoinedDecl(fl.m.Output)
}

func (c *checker) unknownResult(fl *flow, f *grammar.Field) {
	n := c.report(fl.env.of(f.Name), diag.UnknownField, "the result `%s` is not a data field, and a flow's results are data fields", f.Name.Text)
	if fl.m.Input.Field(f.Name.Text) >= 0 {
		n.help("`%s` is an input; copy it into a data field to give it back", f.Name.Text)
		return
	}
	if near := diag.Nearest(f.Name.Text, sortedKeys(fl.dataByName)); near != "" {
		fl.data[fl.dataByName[near]].used = true
		n.didYouMean(f.Name.Span(), f.Name.Text, []string{near})
		return
	}
	n.help("declare it: `data { %s: … }`", f.Name.Text)
}

// noteFields remembers where the fields of a declaration stand.
func (c *checker) noteFields(d *value.Decl, list []*grammar.Field) {
	defs := map[string]*Def{}
	for _, f := range list {
		if f != nil && f.Name != nil && defs[f.Name.Text] == nil {
			defs[f.Name.Text] = c.info.defs[f.Name]
		}
	}
	c.fieldDefs[d] = defs
}
