package model

import "flowc/validate/value"

// OutcomeDecl is the built-in enum `outcome`; its members are in the order of the Outcome constants.
var OutcomeDecl = &value.Decl{Name: "outcome", Members: []string{"success", "failure", "cancelled"}}

// OutcomeType is the type of `event.outcome`.
var OutcomeType = value.EnumOf(OutcomeDecl)

// CaughtDecl is the record of `catch … as e`.
var CaughtDecl = &value.Decl{Name: "error", Fields: []value.Field{
	{Name: "code", Type: value.TypeString},
	{Name: "message", Type: value.TypeString},
}}

// JoinedDecl is the record that stands in the `results` of `joined`: of work that yields records of result, nil for the regions of a
// parallel, whose value is always null.
func JoinedDecl(result *value.Decl) *value.Decl {
	of := value.Opt(value.TypeJSON)
	if result != nil {
		of = value.Opt(value.RecordOf(result))
	}
	return &value.Decl{Name: "result", Fields: []value.Field{
		{Name: "index", Type: value.TypeInt},
		{Name: "name", Type: value.Opt(value.TypeString)},
		{Name: "final", Type: value.Opt(value.TypeString)},
		{Name: "outcome", Type: value.Opt(OutcomeType)},
		{Name: "code", Type: value.Opt(value.TypeString)},
		{Name: "value", Type: of},
	}}
}

// EndedDecl is the record that `call FLOW` yields: the flow's results, then `final` and `outcome`.
func EndedDecl(output *value.Decl) *value.Decl {
	d := &value.Decl{Name: output.Name + ".ended"}
	for _, f := range output.Fields {
		if f.Name != "final" && f.Name != "outcome" {
			d.Fields = append(d.Fields, f)
		}
	}
	d.Fields = append(d.Fields,
		value.Field{Name: "final", Type: value.Opt(value.TypeString)},
		value.Field{Name: "outcome", Type: OutcomeType})
	return d
}
