package program_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"flowc/compiler/program"
	"flowc/validate/value"
)

// rich is the valid program with a value of every kind.
func rich(t testing.TB) *program.Program {
	t.Helper()
	p := valid()
	tier := &value.Decl{Name: "tier", Members: []string{"gold", "silver"}}
	unit := value.OfInt(1)
	node := &value.Decl{Name: "node"}
	node.Fields = []value.Field{
		{Name: "n", Type: value.TypeInt, Default: &unit},
		{Name: "kids", Type: value.ListOf(value.RecordOf(node))},
		{Name: "next", Type: value.Opt(value.RecordOf(node))},
		{Name: "level", Type: value.EnumOf(tier)},
	}
	p.Types = append(p.Types, node, tier)
	raw, err := value.OfJSON(`{"a":[1.50,null]}`)
	if err != nil {
		t.Fatal(err)
	}
	small, err := value.Div(value.OfInt64Decimal(-1), value.OfInt64Decimal(3))
	if err != nil {
		t.Fatal(err)
	}
	end := value.OfRecord(node, []value.Value{value.OfInt(-5), value.OfList(nil), value.OfNull(), value.OfEnum(tier, 1)})
	p.Consts = append(p.Consts,
		value.OfNull(), value.OfBool(true), value.OfInt(-1<<63), small, value.OfString("ä\n"), value.OfTime(value.MaxTime), raw,
		value.OfMap([]value.Entry{{Key: "k", Value: end}, {Key: "j", Value: value.OfInt(1)}}),
		value.OfList([]value.Value{end, end}),
	)
	return p
}

func TestAProgramIsReadAsItWasWritten(t *testing.T) {
	p := rich(t)
	b := program.Encode(p)
	again, err := program.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(program.Encode(again), b) {
		t.Error("it is written in another way the second time")
	}
	for i, v := range p.Consts {
		if !v.Equal(again.Consts[i]) || v.Kind() != again.Consts[i].Kind() {
			t.Errorf("constant %d: %s is read as %s", i, v, again.Consts[i])
		}
	}
	if got, want := program.Disassemble(again, nil), program.Disassemble(p, nil); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for i, d := range p.Types {
		if !value.RecordOf(d).Equal(value.RecordOf(again.Types[i])) {
			t.Errorf("type %s is read as %+v", d.Name, again.Types[i])
		}
	}
}

func TestR62AProgramOfAnotherVersionSaysSo(t *testing.T) {
	b := program.Encode(valid())
	b[len("flowc")]++
	var version *program.VersionError
	if _, err := program.Decode(b); !errors.As(err, &version) || version.Found != program.Version+1 || version.Known != program.Version {
		t.Errorf("got %v", err)
	}
	if found, err := program.VersionOf(b); err != nil || found != program.Version+1 {
		t.Errorf("got %d, %v", found, err)
	}
	if _, err := program.VersionOf([]byte("other")); err == nil {
		t.Error("what is no program has a version")
	}
}

func TestWhatIsCutOffOrFollowedByMoreIsNoProgram(t *testing.T) {
	b := program.Encode(rich(t))
	for n := range b {
		if _, err := program.Decode(b[:n]); err == nil {
			t.Errorf("the first %d bytes are a program", n)
		}
	}
	if _, err := program.Decode(append(b, 0)); err == nil || !strings.Contains(err.Error(), "follow") {
		t.Errorf("got %v", err)
	}
}

// The hash is stored with every token: a change of it must be meant, and bumps the version.
func TestTheEncodingOfAVersionStays(t *testing.T) {
	const want = "be301e178b1e809c7eb3a17bbaf50375a348d64b11635585d09768d65c2d175f"
	if got := program.Hash(rich(t)); got != want {
		t.Errorf("the encoding has changed: bump Version; the hash is now %s", got)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(program.Encode(valid()))
	f.Add(program.Encode(rich(f)))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := program.Decode(b)
		if err != nil {
			return
		}
		program.Disassemble(p, nil)
		again, err := program.Decode(program.Encode(p))
		if err != nil {
			t.Fatal(err)
		}
		if program.Hash(again) != program.Hash(p) {
			t.Error("another hash once it is written again")
		}
	})
}
