package machine_test

import (
	"flowc/validate/model"
	"flowc/validate/value"
	"pgregory.net/rapid"
)

var intList = value.ListOf(value.TypeInt)

// A grower draws random expressions of a type.
type grower struct {
	t      *rapid.T
	locals []model.Local // local 0 is the lambdas' parameter
	inside int           // lambdas around the expression
}

func typed(t *value.Type) model.Typed { return model.Typed{T: t} }

func (g *grower) pick(n int) int { return rapid.IntRange(0, n-1).Draw(g.t, "pick") }

func (g *grower) expr(t *value.Type, depth int) model.Expr {
	if depth == 0 {
		return g.leaf(t)
	}
	depth--
	if g.pick(6) == 0 {
		return &model.Cond{Typed: typed(t), If: g.expr(value.TypeBool, depth), X: g.expr(t, depth), Y: g.expr(t, depth)}
	}
	switch t.Kind {
	case value.Int:
		return g.int(depth)
	case value.Decimal:
		return g.decimal(depth)
	case value.Bool:
		return g.bool(depth)
	case value.String:
		return g.string(depth)
	case value.List:
		return g.list(depth)
	}
	from := []*value.Type{value.TypeInt, value.TypeString, intList}[g.pick(3)]
	return &model.Convert{Typed: typed(t), X: g.expr(from, depth)}
}

func (g *grower) leaf(t *value.Type) model.Expr {
	c := func(v value.Value) model.Expr { return &model.Const{Typed: typed(t), Value: v} }
	switch t.Kind {
	case value.Int:
		switch {
		case g.inside > 0 && g.pick(2) == 0:
			return &model.LocalRef{Typed: typed(t)}
		case g.pick(3) == 0:
			return &model.DataRef{Typed: typed(t)}
		case g.pick(3) == 0:
			return &model.InputRef{Typed: typed(t)}
		}
		return c(value.OfInt(rapid.Int64Range(-5, 5).Draw(g.t, "int")))
	case value.Decimal:
		return &model.Convert{Typed: typed(t), X: g.leaf(value.TypeInt)}
	case value.Bool:
		return c(value.OfBool(rapid.Bool().Draw(g.t, "bool")))
	case value.String:
		return c(value.OfString(rapid.StringMatching("[a-c]{0,3}").Draw(g.t, "string")))
	case value.JSON:
		return &model.Convert{Typed: typed(t), X: g.leaf(value.TypeInt)}
	}
	return &model.ListLit{Typed: typed(t), Items: []model.Expr{g.leaf(value.TypeInt)}}
}

func (g *grower) int(depth int) model.Expr {
	t := typed(value.TypeInt)
	sub := func() model.Expr { return g.expr(value.TypeInt, depth) }
	switch g.pick(8) {
	case 0:
		return &model.Unary{Typed: t, Op: model.Neg, X: sub()}
	case 1:
		return &model.Logic{Typed: t, Op: model.Coalesce, X: &model.DataRef{Typed: typed(value.Opt(value.TypeInt)), Index: 1}, Y: sub()}
	case 2:
		return &model.Must{Typed: t, X: sub()}
	case 3:
		record := &model.RecordLit{Typed: typed(value.RecordOf(point)), Fields: []model.Expr{sub(), sub()}}
		return &model.FieldRef{Typed: t, X: record, Index: g.pick(2)}
	case 4:
		return &model.IndexRef{Typed: t, X: g.expr(intList, depth), I: sub()}
	case 5:
		return &model.CallFunc{Typed: t, Func: addition, Args: []model.Expr{sub(), sub()}}
	case 6:
		return &model.CallBuiltin{Typed: t, Name: "len", Args: []model.Expr{g.expr(intList, depth)}}
	}
	op := []model.BinaryOp{model.Add, model.Sub, model.Mul, model.Div, model.Rem}[g.pick(5)]
	return &model.Binary{Typed: t, Op: op, X: sub(), Y: sub()}
}

// addition is fn(a, b) = a + b.
var addition = &model.Func{
	Name:   "addition",
	Params: []model.Local{{Name: "a", Type: value.TypeInt}, {Name: "b", Type: value.TypeInt}},
	Locals: []model.Local{{Name: "a", Type: value.TypeInt}, {Name: "b", Type: value.TypeInt}},
	Result: value.TypeInt,
	Body: &model.Binary{
		Typed: typed(value.TypeInt), Op: model.Add,
		X: &model.LocalRef{Typed: typed(value.TypeInt)}, Y: &model.LocalRef{Typed: typed(value.TypeInt), Index: 1},
	},
}

func (g *grower) decimal(depth int) model.Expr {
	t := typed(value.TypeDecimal)
	if g.pick(3) == 0 {
		return &model.Convert{Typed: t, X: g.expr(value.TypeInt, depth)}
	}
	op := []model.BinaryOp{model.Add, model.Sub, model.Mul, model.Div}[g.pick(4)]
	return &model.Binary{Typed: t, Op: op, X: g.expr(value.TypeDecimal, depth), Y: g.expr(value.TypeDecimal, depth)}
}

func (g *grower) bool(depth int) model.Expr {
	t := typed(value.TypeBool)
	switch g.pick(4) {
	case 0:
		return &model.Unary{Typed: t, Op: model.Not, X: g.expr(value.TypeBool, depth)}
	case 1:
		op := []model.LogicOp{model.And, model.Or}[g.pick(2)]
		return &model.Logic{Typed: t, Op: op, X: g.expr(value.TypeBool, depth), Y: g.expr(value.TypeBool, depth)}
	case 2:
		return &model.In{Typed: t, X: g.expr(value.TypeInt, depth), L: g.expr(intList, depth), Not: g.pick(2) == 0}
	}
	of := []*value.Type{value.TypeInt, value.TypeDecimal, value.TypeString}[g.pick(3)]
	op := []model.BinaryOp{model.Eq, model.Ne, model.Lt, model.Le, model.Gt, model.Ge}[g.pick(6)]
	return &model.Binary{Typed: t, Op: op, X: g.expr(of, depth), Y: g.expr(of, depth)}
}

func (g *grower) string(depth int) model.Expr {
	t := typed(value.TypeString)
	if g.pick(2) == 0 {
		return &model.Binary{Typed: t, Op: model.Add, X: g.expr(value.TypeString, depth), Y: g.expr(value.TypeString, depth)}
	}
	parts := []model.Expr{g.expr(value.TypeString, depth), g.expr(value.TypeInt, depth), g.expr(intList, depth)}
	return &model.Interp{Typed: t, Parts: parts}
}

func (g *grower) list(depth int) model.Expr {
	t := typed(intList)
	switch g.pick(4) {
	case 0:
		return &model.Binary{Typed: t, Op: model.Add, X: g.expr(intList, depth), Y: g.expr(intList, depth)}
	case 1:
		return g.lambda("map", value.TypeInt, depth)
	case 2:
		return g.lambda("filter", value.TypeBool, depth)
	}
	lit := &model.ListLit{Typed: t}
	for range g.pick(4) {
		lit.Items = append(lit.Items, g.expr(value.TypeInt, depth))
	}
	return lit
}

func (g *grower) lambda(name string, body *value.Type, depth int) model.Expr {
	list := g.expr(intList, depth)
	if g.inside > 0 { // a lambda in a lambda would have a parameter of its own
		return list
	}
	g.inside++
	defer func() { g.inside-- }()
	return &model.CallBuiltin{
		Typed: typed(intList), Name: name, Args: []model.Expr{list}, Lambda: &model.Lambda{Body: g.expr(body, depth)},
	}
}
