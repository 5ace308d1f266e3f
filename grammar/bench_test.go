package grammar

import (
	"bytes"
	"testing"
)

// benchSource is all cases that parse without fault, several times over.
func benchSource(b *testing.B) []byte {
	var all bytes.Buffer
	for range 4 {
		for _, c := range cases(b, "run") {
			all.Write(c.src)
		}
	}
	b.SetBytes(int64(all.Len()))
	b.ReportAllocs()
	return all.Bytes()
}

func BenchmarkLex(b *testing.B) {
	src := benchSource(b)
	for b.Loop() {
		Lex(src)
	}
}

func BenchmarkParse(b *testing.B) {
	src := benchSource(b)
	for b.Loop() {
		if f := Parse("bench.flow", src); len(f.Faults) > 0 {
			b.Fatal(f.Faults[0])
		}
	}
}

func BenchmarkFirstUse(b *testing.B) {
	for b.Loop() {
		buildRules()
	}
}
