package compiler_test

import (
	"testing"

	"flowc/compiler"
	"flowc/compiler/program"
	"flowc/validate"
)

// The order of the examples: what a deployment of one flow costs after the check, and what loading it again costs.
func BenchmarkCompile(b *testing.B) {
	files := sources(b)
	r := validate.Check(validate.Options{Files: []string{"../examples/order.flow"}, Loader: validate.Map(files)})
	if !r.OK() {
		b.Fatal("the example has errors")
	}
	p, _, err := compiler.Compile(r.Model, r.Model.Flows[0])
	if err != nil {
		b.Fatal(err)
	}
	code := program.Encode(p)
	b.Run("compile", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := compiler.Compile(r.Model, r.Model.Flows[0]); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encode", func(b *testing.B) {
		b.SetBytes(int64(len(code)))
		for b.Loop() {
			program.Encode(p)
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.SetBytes(int64(len(code)))
		for b.Loop() {
			if _, err := program.Decode(code); err != nil {
				b.Fatal(err)
			}
		}
	})
}
