package value

import "testing"

func TestTypesAsTheLanguageWritesThem(t *testing.T) {
	for _, c := range []struct {
		t    *Type
		want string
	}{
		{Opt(ListOf(RecordOf(&Decl{Name: "lib.item"}))), "list<lib.item>?"}, {MapOf(ListOf(Opt(TypeInt))), "map<list<int?>>"},
		{TypeNull, "null"}, {ListOf(TypeInvalid), "list"}, {EnumOf(tier), "tier"}, {RecordOf(&Decl{}), "record"}, {nil, "unknown"},
	} {
		if got := c.t.String(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestTypesAreEqualByWhatIsDeclared(t *testing.T) {
	again := &Decl{Name: "tree"}
	again.Fields = []Field{{Name: "name", Type: TypeString}, {Name: "kids", Type: ListOf(RecordOf(again))}, {Name: "other", Type: Opt(RecordOf(again))}}
	if !RecordOf(tree).Equal(RecordOf(again)) {
		t.Error("a record that refers to itself, declared twice")
	}
	again.Fields[2].Type = RecordOf(again)
	if RecordOf(tree).Equal(RecordOf(again)) {
		t.Error("a field differs")
	}
	if ListOf(TypeInt).Equal(ListOf(TypeDecimal)) || TypeInt.Equal(Opt(TypeInt)) || TypeInt.Equal(nil) {
		t.Error("different types are equal")
	}
}

func TestAssignable(t *testing.T) {
	for _, c := range []struct {
		from, to *Type
		want     bool
	}{
		{TypeInt, TypeDecimal, true}, {TypeDecimal, TypeInt, false}, {TypeInt, Opt(TypeDecimal), true}, {Opt(TypeInt), Opt(TypeDecimal), true},
		{TypeInt, Opt(TypeInt), true}, {Opt(TypeInt), TypeInt, false}, {TypeNull, Opt(TypeInt), true}, {TypeNull, TypeInt, false},
		{ListOf(TypeInt), ListOf(TypeDecimal), false}, {ListOf(TypeInt), ListOf(Opt(TypeInt)), true}, {ListOf(Opt(TypeInt)), ListOf(TypeInt), false},
		{ListOf(TypeInvalid), ListOf(TypeInt), true}, {ListOf(TypeNull), ListOf(Opt(TypeInt)), true}, {ListOf(TypeNull), ListOf(TypeInt), false},
		{TypeInt, TypeJSON, false}, {TypeNull, TypeJSON, true}, {Opt(TypeJSON), TypeJSON, true}, {TypeJSON, TypeInt, false},
		{TypeInvalid, TypeInt, true}, {TypeInt, TypeInvalid, true}, {TypeString, TypeInt, false}, {EnumOf(tier), TypeString, false},
		{MapOf(TypeInt), MapOf(Opt(TypeInt)), true}, {MapOf(TypeInt), ListOf(TypeInt), false},
	} {
		if got := Assignable(c.from, c.to); got != c.want {
			t.Errorf("%s for %s: %v", c.from, c.to, got)
		}
	}
}

func TestCommonTypes(t *testing.T) {
	for _, c := range []struct {
		a, b *Type
		want string
	}{
		{TypeInt, TypeInt, "int"}, {TypeInt, TypeDecimal, "decimal"}, {TypeInt, TypeNull, "int?"}, {Opt(TypeInt), TypeDecimal, "decimal?"},
		{ListOf(TypeInvalid), ListOf(TypeInt), "list<int>"}, {ListOf(TypeInt), TypeNull, "list<int>?"}, {TypeNull, TypeNull, "null"},
		{TypeInt, TypeString, ""}, {ListOf(TypeInt), ListOf(TypeDecimal), ""}, {TypeJSON, TypeNull, "json"}, {TypeJSON, TypeInt, ""},
		{Opt(TypeInvalid), TypeInt, "int"}, {ListOf(Opt(TypeInt)), ListOf(TypeInt), "list<int?>"},
	} {
		for range 2 {
			got, ok := Common(c.a, c.b)
			if ok != (c.want != "") || ok && got.String() != c.want {
				t.Errorf("%s and %s: %s, %v, want %s", c.a, c.b, got, ok, c.want)
			}
			c.a, c.b = c.b, c.a
		}
	}
}

func TestOperandTypes(t *testing.T) {
	for _, c := range []struct {
		x    *Type
		op   Op
		y    *Type
		want string // the result, "" for none, "null" when a test for null is missing
	}{
		{TypeInt, OpAdd, TypeInt, "int"}, {TypeInt, OpMul, TypeDecimal, "decimal"}, {TypeDecimal, OpRem, TypeDecimal, ""}, {TypeInt, OpRem, TypeInt, "int"},
		{TypeString, OpAdd, TypeString, "string"}, {TypeString, OpAdd, TypeInt, ""}, {ListOf(TypeInt), OpAdd, ListOf(TypeInvalid), "list<int>"},
		{TypeTime, OpSub, TypeTime, "duration"}, {TypeTime, OpAdd, TypeTime, ""}, {TypeDuration, OpDiv, TypeDuration, "decimal"}, {TypeInt, OpMul, TypeDuration, "duration"},
		{TypeDuration, OpMul, TypeDecimal, ""}, {Opt(TypeInt), OpAdd, TypeInt, "null"}, {Opt(TypeTime), OpAdd, TypeDuration, "null"},
		{TypeInt, OpLt, TypeDecimal, "bool"}, {TypeString, OpLt, TypeString, "bool"}, {TypeBool, OpLt, TypeBool, ""}, {EnumOf(tier), OpLt, EnumOf(tier), "bool"},
		{TypeString, OpLt, TypeInt, ""}, {Opt(TypeInt), OpLt, TypeInt, "null"}, {Opt(TypeInt), OpEq, TypeInt, "bool"}, {Opt(TypeInt), OpEq, TypeNull, "bool"},
		{TypeInt, OpEq, TypeString, ""}, {TypeJSON, OpEq, TypeInt, ""}, {TypeJSON, OpEq, TypeJSON, "bool"}, {TypeJSON, OpNe, TypeNull, "bool"},
		{TypeInvalid, OpAdd, TypeInt, "unknown"}, {TypeInvalid, OpLt, TypeInt, "bool"}, {MapOf(TypeInt), OpEq, MapOf(TypeInt), "bool"}, {TypeJSON, OpLt, TypeJSON, ""},
	} {
		result, _, _, ok, nullable := OperandTypes(c.op, c.x, c.y)
		got := ""
		switch {
		case ok:
			got = result.String()
		case nullable:
			got = "null"
		}
		if got != c.want {
			t.Errorf("%s %s %s: got %q, want %q", c.x, c.op, c.y, got, c.want)
		}
	}
	_, toX, toY, _, _ := OperandTypes(OpEq, TypeInt, Opt(TypeDecimal))
	if toX.Kind != Decimal || toY.Kind != Decimal {
		t.Error("an int compared with a decimal is converted")
	}
}
