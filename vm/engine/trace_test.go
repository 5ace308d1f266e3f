package engine_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"flowc/vm/engine"
	"flowc/vm/store"
)

// spans collects what a server makes.
func spans(t *testing.T) (engine.Options, *tracetest.SpanRecorder) {
	t.Helper()
	seen := tracetest.NewSpanRecorder()
	p := sdk.NewTracerProvider(sdk.WithSpanProcessor(seen), sdk.WithIDGenerator(engine.SpanIDs{}))
	return engine.Options{Traces: p}, seen
}

// written is a span in one line: its name, its attributes in order without ids, and what it points to.
func written(s sdk.ReadOnlySpan, names map[string]string) string {
	var attrs []string
	for _, a := range s.Attributes() {
		switch a.Key {
		case engine.AttrProgram, engine.AttrTaskID, engine.AttrLate, engine.AttrFlow: // made up, or in the name
		case engine.AttrToken:
			attrs = append(attrs, fmt.Sprintf("%s=%s", a.Key, names[a.Value.AsString()]))
		default:
			attrs = append(attrs, fmt.Sprintf("%s=%s", a.Key, a.Value.String()))
		}
	}
	slices.Sort(attrs)
	for _, l := range s.Links() {
		to := "outside"
		for id, name := range names {
			if engine.TraceID(id) == l.SpanContext.TraceID() {
				to = name
			}
		}
		attrs = append(attrs, "→"+l.Attributes[0].Value.String()+":"+to)
	}
	return s.Name() + " " + strings.Join(attrs, " ")
}

const traced = `
event go
event pay(n: int)
task charge() -> (receipt: string) retry 1 backoff 1s
flow kid() {
  initial k
  state k { on go -> good }
  final good
}
flow order() {
  initial waiting
  state waiting {
    timeout 1h
    on pay -> charging
    on timeout -> late
  }
  state charging {
    do charge()
    on completed -> parent
    on error -> late
  }
  state parent {
    invoke kid()
    on completed -> done { fail "no luck" }
    on error -> done
  }
  final done
  final late as failure
}
`

// caller is the span of a request.
var caller = trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: trace.FlagsSampled, Remote: true})

func TestTracesHaveASpanForEachStep(t *testing.T) {
	for back, url := range backs(t) {
		t.Run(back, func(t *testing.T) {
			o, seen := spans(t)
			s := serveWith(t, url(t), store.Options{}, o, traced)
			ctx := trace.ContextWithRemoteSpanContext(s.ctx, caller)
			a, err := s.StartToken(ctx, engine.StartRequest{Mutation: engine.Mutation{Actor: "ann"}, Flow: "order", Key: "A", Input: []byte(`{}`)})
			if err != nil {
				t.Fatal(err)
			}
			id := a.Token.ID
			if _, err := s.send(id, "go", ""); engine.CodeOf(err) != engine.Refused {
				t.Fatal(err)
			}
			if _, err := s.send(id, "pay", `{"n": 12345}`); err != nil {
				t.Fatal(err)
			}
			claims, err := s.Claim(ctx, engine.ClaimRequest{Worker: "w", Tasks: []engine.ClaimTask{{Name: "charge", Max: 1}}, Wait: patience})
			if err != nil || len(claims) != 1 {
				t.Fatal(err)
			}
			c := claims[0]
			if c.Traceparent[:36] != "00-"+engine.TraceID(id).String()+"-" {
				t.Errorf("the worker is told %q", c.Traceparent)
			}
			if _, err := s.Complete(ctx, engine.CompleteRequest{Task: c.ID, Lease: c.Lease, Result: []byte(`{"receipt": "secret"}`)}); err != nil {
				t.Fatal(err)
			}
			var kid string
			s.eventually("the child is there", func() bool {
				page, err := s.List(s.ctx, engine.ListRequest{Flow: "kid", Status: "running"})
				if err == nil && len(page.Items) == 1 {
					kid = page.Items[0].ID
				}
				return kid != ""
			})
			if _, err := s.send(kid, "go", ""); err != nil {
				t.Fatal(err)
			}
			s.await(id, "it has failed", func(v engine.TokenView) bool { return v.Status == "failed" })
			s.eventually("all steps are seen", func() bool { return len(seen.Ended()) == 8 })
			names := map[string]string{id: "A", kid: "kid"}
			var got []string
			ids := map[trace.SpanID]bool{}
			for _, span := range seen.Ended() {
				got = append(got, written(span, names))
				ids[span.SpanContext().SpanID()] = true
				if strings.Contains(fmt.Sprint(span.Attributes()), "secret") || strings.Contains(fmt.Sprint(span.Attributes()), "12345") {
					t.Errorf("a span carries data: %v", span.Attributes())
				}
				root := span.Parent().SpanID()
				if first := strings.Contains(span.Name(), " start"); first == root.IsValid() {
					t.Errorf("%s has the parent %s", span.Name(), root)
				}
			}
			for _, span := range seen.Ended() { // what is pointed to is there
				for _, l := range span.Links() {
					if to := l.SpanContext; to.TraceID() != caller.TraceID() && !ids[to.SpanID()] {
						t.Errorf("%s points to a span that nobody made: %v", span.Name(), l.Attributes)
					}
				}
				if p := span.Parent(); p.IsValid() && (!ids[p.SpanID()] || p.TraceID() != span.SpanContext().TraceID()) {
					t.Errorf("%s has a parent that nobody made", span.Name())
				}
			}
			slices.Sort(got)
			want := []string{
				`kid event go flowc.event=go flowc.state=["good"] flowc.status=completed flowc.stimulus=event flowc.token=kid flowc.version=2`,
				`kid start flowc.state=["k"] flowc.status=running flowc.stimulus=start flowc.token=kid flowc.version=1 →sender:A`,
				`order child kid flowc.key=A flowc.state=["parent"] flowc.status=failed flowc.stimulus=child flowc.token=A flowc.version=4 →sender:kid`,
				`order claim charge flowc.attempt=1 flowc.stimulus=claim flowc.task=charge flowc.token=A flowc.worker=w →caller:outside`,
				`order event go flowc.event=go flowc.key=A flowc.refused=true flowc.state=["waiting"] flowc.status=running flowc.stimulus=event flowc.token=A flowc.version=1`,
				`order event pay flowc.event=pay flowc.key=A flowc.state=["charging"] flowc.status=running flowc.stimulus=event flowc.token=A flowc.version=2`,
				`order start flowc.actor=ann flowc.key=A flowc.state=["waiting"] flowc.status=running flowc.stimulus=start flowc.token=A flowc.version=1 →caller:outside`,
				`order task charge flowc.key=A flowc.state=["parent"] flowc.status=running flowc.stimulus=task flowc.task=charge flowc.token=A flowc.version=3 →caller:outside →claim:A`,
			}
			if !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			for _, span := range seen.Ended() {
				failed := strings.HasPrefix(span.Name(), "order child")
				if status := span.Status(); (status.Code == codes.Error) != failed || failed && !strings.Contains(status.Description, "no luck") {
					t.Errorf("%s has the status %+v", span.Name(), status)
				}
				if span.EndTime().Before(span.StartTime()) {
					t.Errorf("%s ends before it begins", span.Name())
				}
			}
		})
	}
}

// A step on another server is of the same trace, below the same root; a timer's says how late it was.
func TestTracesGoOnAfterARestart(t *testing.T) {
	url := filepath.Join(t.TempDir(), "flow.db")
	o, before := spans(t)
	s := serveWith(t, url, store.Options{}, o, traced)
	id := s.start("order", "", `{}`).ID
	s.stop()
	o, after := spans(t)
	s = serveWith(t, url, store.Options{}, o, "")
	if _, err := s.Control(s.ctx, engine.ControlRequest{Token: engine.Ref{ID: id}, Action: engine.MoveTimer, Timer: "waiting.timeout", Due: 1}); err != nil {
		t.Fatal(err)
	}
	s.awaitFinal(id, "late")
	s.eventually("both are seen", func() bool { return len(after.Ended()) == 2 })
	root := before.Ended()[0].SpanContext()
	for _, span := range after.Ended() {
		if span.SpanContext().TraceID() != root.TraceID() || span.Parent().SpanID() != root.SpanID() {
			t.Errorf("%s is not below the token's first step", span.Name())
		}
	}
	timer := after.Ended()[1]
	attrs := attribute.NewSet(timer.Attributes()...)
	late, ok := attrs.Value(engine.AttrLate)
	if timer.Name() != "order timer waiting.timeout" || !ok || late.AsInt64() <= 0 {
		t.Errorf("%s, late by %v", timer.Name(), late)
	}
}

// A restarted token points to the one that it restarts.
func TestTracesLinkARestartedTokenToTheOldOne(t *testing.T) {
	o, seen := spans(t)
	s := serveWith(t, filepath.Join(t.TempDir(), "flow.db"), store.Options{}, o, traced)
	id := s.start("order", "", `{}`).ID
	again, err := s.Control(s.ctx, engine.ControlRequest{Token: engine.Ref{ID: id}, Action: engine.Restart})
	if err != nil {
		t.Fatal(err)
	}
	span := seen.Ended()[1]
	if links := span.Links(); span.SpanContext().TraceID() != engine.TraceID(again.Token.ID) || len(links) != 1 ||
		links[0].SpanContext.SpanID() != seen.Ended()[0].SpanContext().SpanID() {
		t.Errorf("%s points to %+v", span.Name(), span.Links())
	}
}

// Spans of others get ids that are none of a token's.
func TestSpanIDsOfOthersAreRandom(t *testing.T) {
	var ids engine.SpanIDs
	a, b := ids.NewIDs(context.Background())
	c, d := ids.NewIDs(context.Background())
	if !a.IsValid() || !b.IsValid() || a == c || b == d || b == ids.NewSpanID(context.Background(), a) {
		t.Errorf("%s %s %s %s", a, b, c, d)
	}
}

// What a span costs the batcher, for docs/performance.md; without a provider it is one comparison for each step.
func BenchmarkTraces(b *testing.B) {
	for name, p := range map[string]trace.TracerProvider{
		"off": nil, "on": sdk.NewTracerProvider(sdk.WithIDGenerator(engine.SpanIDs{}), sdk.WithBatcher(tracetest.NewNoopExporter())),
	} {
		b.Run(name, func(b *testing.B) {
			s := serveWith(b, ":memory:", store.Options{}, engine.Options{Traces: p}, counting)
			var ids []string
			for range 100 {
				ids = append(ids, s.start("counter", "", `{}`).ID)
			}
			concurrently(b, func(i int) error {
				_, err := s.SendEvent(b.Context(), engine.EventRequest{Token: engine.Ref{ID: ids[i%len(ids)]}, Event: "add", Payload: []byte(`{"n": 1}`)})
				return err
			})
		})
	}
}
