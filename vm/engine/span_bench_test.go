package engine

import (
	"testing"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"flowc/vm"
	"flowc/vm/store"
)

// BenchmarkSpan is what the span of one step costs the batch that has been committed, and what it costs when nobody wants spans.
func BenchmarkSpan(b *testing.B) {
	step := vm.Step{Version: 2, Changed: true, Stimulus: vm.Stimulus{Kind: vm.OnEvent, Event: "pay", Actor: "ann"}}
	for name, traces := range map[string]*tracing{
		"off": nil,
		"on":  newTracing(sdk.NewTracerProvider(sdk.WithIDGenerator(SpanIDs{}), sdk.WithBatcher(tracetest.NewNoopExporter()))),
	} {
		b.Run(name, func(b *testing.B) {
			l := &live{row: store.Token{ID: "01a22d44-9da2-73d9-a43e-6bb845848acb", Flow: "order", Key: "A1", Program: "p"}}
			r := &round{e: &Engine{tracing: traces}, order: []*live{l}, bad: map[string]error{}}
			j := &job{from: pointer("other", spanID("other", 1, 1))}
			b.ReportAllocs()
			for b.Loop() {
				r.because(j)
				if traces != nil {
					l.traced = append(l.traced[:0], tracedStep{step: step, line: 1, began: time.Now(), states: []string{"paid"}, status: vm.Running, links: r.causes})
				}
				r.spans()
			}
		})
	}
}
