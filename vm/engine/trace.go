package engine

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"flowc/vm"
	"flowc/vm/store"
)

// One trace a token, one span a step, made when the step is saved. The ids of traces and spans are derived: the trace's from the
// token, a span's from the token, its version and the line. So every server adds to the same trace, also after a restart, a span
// made again has the same id, and a step can be pointed to from another without anything kept about it. A provider has to take
// its ids from SpanIDs.

// The attributes of spans, in the words of the API. Payloads, inputs and data are in none: they may be anybody's secrets.
const (
	AttrToken    = attribute.Key("flowc.token")    // the token's id
	AttrFlow     = attribute.Key("flowc.flow")     // the flow's name
	AttrKey      = attribute.Key("flowc.key")      // the token's key, where it has one
	AttrProgram  = attribute.Key("flowc.program")  // the program's hash
	AttrVersion  = attribute.Key("flowc.version")  // the token's version after the step
	AttrStatus   = attribute.Key("flowc.status")   // its status then
	AttrState    = attribute.Key("flowc.state")    // its active states then, by their paths
	AttrStimulus = attribute.Key("flowc.stimulus") // what made the step: start, event, timer, task …
	AttrEvent    = attribute.Key("flowc.event")    // the event's name
	AttrTimer    = attribute.Key("flowc.timer")    // the timer's id
	AttrLate     = attribute.Key("flowc.late_ms")  // by how much the timer fired after it was due
	AttrTask     = attribute.Key("flowc.task")     // the task's name
	AttrTaskID   = attribute.Key("flowc.task_id")
	AttrAttempt  = attribute.Key("flowc.attempt") // of a claim
	AttrWorker   = attribute.Key("flowc.worker")  // of a claim
	AttrActor    = attribute.Key("flowc.actor")   // who sent it, as the history says
	AttrRefused  = attribute.Key("flowc.refused") // the step changed nothing
	AttrLink     = attribute.Key("flowc.link")    // of a link: caller, claim, sender, restart-of
)

// tracing makes spans. nil: nobody wants them, and nothing is done for them.
type tracing struct{ tracer trace.Tracer }

func newTracing(p trace.TracerProvider) *tracing {
	if p == nil {
		return nil
	}
	return &tracing{p.Tracer("flowc/vm/engine")}
}

// TraceID is the trace of a token.
func TraceID(token string) trace.TraceID {
	sum := sha256.Sum256([]byte("trace " + token))
	return trace.TraceID(sum[:16])
}

// spanID names a step by its token, version and first line, or an attempt by its lease.
func spanID(of string, version int64, line int) trace.SpanID {
	sum := sha256.Sum256([]byte("span " + of + " " + strconv.FormatInt(version, 10) + "." + strconv.Itoa(line)))
	return trace.SpanID(sum[:8])
}

// pointer is a span of a token, made or to be made, here or elsewhere.
func pointer(token string, span trace.SpanID) trace.SpanContext {
	return trace.NewSpanContext(trace.SpanContextConfig{TraceID: TraceID(token), SpanID: span, TraceFlags: trace.FlagsSampled, Remote: true})
}

func link(kind string, to trace.SpanContext) trace.Link {
	return trace.Link{SpanContext: to, Attributes: []attribute.KeyValue{AttrLink.String(kind)}}
}

// SpanIDs gives the spans of an engine their ids, and all others random ones. It is the SDK's IDGenerator.
type SpanIDs struct{}

type spanIDKey struct{}

// NewIDs gives the ids of a span without a parent.
func (s SpanIDs) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	if own, ok := ctx.Value(spanIDKey{}).(trace.SpanContext); ok {
		return own.TraceID(), own.SpanID()
	}
	var id trace.TraceID
	binary.LittleEndian.PutUint64(id[:8], rand.Uint64())
	binary.LittleEndian.PutUint64(id[8:], rand.Uint64()|1) // an id is never all zeros
	return id, s.NewSpanID(ctx, id)
}

// NewSpanID gives the id of a span with a parent.
func (SpanIDs) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	if own, ok := ctx.Value(spanIDKey{}).(trace.SpanContext); ok {
		return own.SpanID()
	}
	var id trace.SpanID
	binary.LittleEndian.PutUint64(id[:], rand.Uint64()|1)
	return id
}

// span starts a span of a token with its derived id. The token's first step is the trace's root.
func (t *tracing) span(own trace.SpanContext, token, name string, o ...trace.SpanStartOption) trace.Span {
	ctx := context.WithValue(context.Background(), spanIDKey{}, own)
	if root := spanID(token, 1, 1); own.SpanID() != root {
		ctx = trace.ContextWithRemoteSpanContext(ctx, pointer(token, root))
	}
	_, s := t.tracer.Start(ctx, name, o...)
	return s
}

// A tracedStep is a step whose span is made once it is saved.
type tracedStep struct {
	step   vm.Step
	line   int
	began  time.Time
	states []string
	status vm.Status
	failed *vm.Failure // it failed the token
	links  []trace.Link
}

// because notes what the following steps come of: requests, with the workers' claims of the tasks that they report on. Without any
// it is time.
func (r *round) because(jobs ...*job) {
	if r.e.tracing == nil {
		return
	}
	r.causes = nil
	for _, j := range jobs {
		if j.from.IsValid() {
			r.causes = append(r.causes, link("caller", j.from))
		}
		if t := r.tasks[j.task]; t != nil && t.locked && t.row.Lease != "" {
			r.causes = append(r.causes, link("claim", pointer(t.row.Token, spanID(t.row.Lease, 0, 0))))
		}
		if j.begin != nil && j.begin.token.RestartOf != "" {
			old := j.begin.token.RestartOf
			r.causes = append(r.causes, link("restart-of", pointer(old, spanID(old, 1, 1))))
		}
	}
}

// sentBy notes that the following steps come of messages of other tokens.
func (r *round) sentBy(box []store.Inbox) {
	if r.e.tracing == nil {
		return
	}
	r.causes = nil
	for _, m := range box {
		r.causes = append(r.causes, link("sender", pointer(m.Sender, spanID(m.Sender, m.SenderVersion, 1))))
	}
}

// trace keeps what a span needs to know of the steps that were just taken, the last ones of the token's history.
func (r *round) trace(l *live, steps []vm.Step, began time.Time) {
	if r.e.tracing == nil || l.tok == nil {
		return
	}
	for i, s := range steps {
		t := tracedStep{step: s, line: l.history[len(l.history)-len(steps)+i].Line, began: began}
		if i == len(steps)-1 { // those before it are timers that fired on the way, and what followed of them
			t.links, t.states, t.status = r.causes, vm.Leaves(l.program, l.tok), l.tok.Status
			if s.Changed && l.tok.Status == vm.Failed {
				t.failed = l.tok.Error
			}
		}
		l.traced = append(l.traced, t)
	}
}

// spans makes the spans of the steps of a batch that has been committed. It never waits for whoever takes them.
func (r *round) spans() {
	t := r.e.tracing
	if t == nil {
		return
	}
	now := time.Now()
	for _, l := range r.order {
		if r.bad[l.row.ID] != nil {
			continue
		}
		for i := range l.traced {
			t.step(l, &l.traced[i], now)
		}
	}
}

func (t *tracing) step(l *live, s *tracedStep, now time.Time) {
	name, attrs := described(&s.step)
	attrs = append(attrs, AttrToken.String(l.row.ID), AttrFlow.String(l.row.Flow), AttrProgram.String(l.row.Program), AttrVersion.Int64(s.step.Version))
	if l.row.Key != "" {
		attrs = append(attrs, AttrKey.String(l.row.Key))
	}
	if s.status != "" {
		attrs = append(attrs, AttrStatus.String(string(s.status)), AttrState.StringSlice(s.states))
	}
	if !s.step.Changed {
		attrs = append(attrs, AttrRefused.Bool(true))
	}
	span := t.span(pointer(l.row.ID, spanID(l.row.ID, s.step.Version, s.line)), l.row.ID, l.row.Flow+" "+name,
		trace.WithTimestamp(s.began), trace.WithLinks(s.links...), trace.WithAttributes(attrs...))
	if s.failed != nil {
		span.SetStatus(codes.Error, s.failed.Code+": "+s.failed.Message)
	}
	span.End(trace.WithTimestamp(now))
}

// described says what made a step: in the span's name with the name of the event, timer or task, which the flow declares, so that
// there are few of them.
func described(s *vm.Step) (name string, attrs []attribute.KeyValue) {
	st := &s.Stimulus
	name = string(st.Kind)
	attrs = []attribute.KeyValue{AttrStimulus.String(name)}
	if st.Actor != "" {
		attrs = append(attrs, AttrActor.String(st.Actor))
	}
	switch {
	case st.Timer != nil:
		name += " " + st.Timer.ID
		attrs = append(attrs, AttrTimer.String(st.Timer.ID))
		if st.Kind == vm.OnTimer && st.Timer.Due > 0 {
			attrs = append(attrs, AttrLate.Int64(max(0, s.At-st.Timer.Due)/1000))
		}
	case st.Task != nil:
		name += " " + st.Task.Task
		attrs = append(attrs, AttrTask.String(st.Task.Task), AttrTaskID.String(st.Task.ID))
	case st.Child != nil:
		name += " " + st.Child.Flow
	case st.Event != "":
		name += " " + st.Event
	}
	if st.Event != "" {
		attrs = append(attrs, AttrEvent.String(st.Event))
	}
	return name, attrs
}

// claimed makes a span of each attempt that a worker was given, and tells the worker where it stands, so that what he does can be
// shown below it.
func (t *tracing) claimed(ctx context.Context, began time.Time, worker string, tasks []ClaimedTask) {
	if t == nil {
		return
	}
	var links []trace.Link
	if from := trace.SpanContextFromContext(ctx); from.IsValid() {
		links = []trace.Link{link("caller", from)}
	}
	for i := range tasks {
		c := &tasks[i]
		span := t.span(pointer(c.Token, spanID(c.Lease, 0, 0)), c.Token, c.Flow+" claim "+c.Task, trace.WithTimestamp(began), trace.WithLinks(links...),
			trace.WithSpanKind(trace.SpanKindProducer), trace.WithAttributes(AttrStimulus.String("claim"), AttrToken.String(c.Token), AttrFlow.String(c.Flow),
				AttrTask.String(c.Task), AttrTaskID.String(c.ID), AttrAttempt.Int(c.Attempt), AttrWorker.String(worker)))
		span.End()
		if own := span.SpanContext(); own.IsValid() {
			c.Traceparent = "00-" + own.TraceID().String() + "-" + own.SpanID().String() + "-" + own.TraceFlags().String()
		}
	}
}
