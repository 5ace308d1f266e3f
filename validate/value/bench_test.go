package value

import "testing"

func BenchmarkAddInt(b *testing.B) {
	x, y := OfInt(7), OfInt(5)
	b.ReportAllocs()
	for b.Loop() {
		sink, _ = Add(x, y)
	}
}

func BenchmarkAddDecimal(b *testing.B) {
	x, y := dec(b, "1250.5"), dec(b, "0.25")
	b.ReportAllocs()
	for b.Loop() {
		sink, _ = Add(x, y)
	}
}

func BenchmarkAddLargeDecimal(b *testing.B) {
	x, y := dec(b, "12345678901234567890.5"), dec(b, "0.25")
	b.ReportAllocs()
	for b.Loop() {
		sink, _ = Add(x, y)
	}
}

func BenchmarkDivDecimal(b *testing.B) {
	x, y := dec(b, "100"), dec(b, "7")
	b.ReportAllocs()
	for b.Loop() {
		sink, _ = Div(x, y)
	}
}

func BenchmarkCompareStrings(b *testing.B) {
	x, y := OfString("awaiting_payment"), OfString("awaiting_shipment")
	b.ReportAllocs()
	for b.Loop() {
		sink = OfBool(Equal(x, y))
	}
}

func BenchmarkAppendToList(b *testing.B) {
	l, one := OfList(make([]Value, 1000)), OfList([]Value{OfInt(1)})
	b.ReportAllocs()
	for b.Loop() {
		sink, _ = Add(l, one)
	}
}

func sampleOrder(b *testing.B) Value {
	v, faults := DecodeJSON([]byte(`{"id":"order-4711","amount":1250.50,"pieces":3,"level":"gold","due":"2026-03-29T01:00:00Z","wait":"90m",`+
		`"tags":{"a":1,"b":2},"notes":["first","second"],"extra":{"k":[1,2,3]},"paid":true}`), RecordOf(order))
	if len(faults) > 0 {
		b.Fatal(faults)
	}
	return v
}

func BenchmarkEncodeRecord(b *testing.B) {
	v, buf := sampleOrder(b), []byte(nil)
	b.ReportAllocs()
	for b.Loop() {
		buf = AppendJSON(buf[:0], v)
	}
	b.SetBytes(int64(len(buf)))
}

func BenchmarkDecodeRecord(b *testing.B) {
	raw, t := AppendJSON(nil, sampleOrder(b)), RecordOf(order)
	b.ReportAllocs()
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		sink, _ = DecodeStored(raw, t)
	}
}
