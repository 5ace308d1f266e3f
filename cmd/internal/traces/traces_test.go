package traces_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"flowc/cmd/internal/traces"
	"flowc/vm/api"
	"flowc/vm/engine"
	"flowc/vm/store"
)

const orderFlow = `
event pay
flow order() {
  initial waiting
  state waiting {
    timeout 1d
    on pay -> paid
    on timeout -> late
  }
  final paid
  final late as failure
}
`

// A receiver is a collector: it keeps what it is sent.
type receiver struct {
	*httptest.Server
	mu       sync.Mutex
	spans    []*otlp.Span
	resource map[string]string
	headers  http.Header
	path     string
}

func receive(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{resource: map[string]string{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if err := r.take(req); err != nil {
			t.Error(err)
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) take(req *http.Request) error {
	body := io.Reader(req.Body)
	if req.Header.Get("Content-Encoding") == "gzip" {
		var err error
		if body, err = gzip.NewReader(body); err != nil {
			return err
		}
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	var export collector.ExportTraceServiceRequest
	if err := proto.Unmarshal(text, &export); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.headers, r.path = req.Header, req.URL.Path
	for _, of := range export.ResourceSpans {
		for name, value := range attributes(of.Resource.Attributes) {
			r.resource[name] = value
		}
		for _, scope := range of.ScopeSpans {
			r.spans = append(r.spans, scope.Spans...)
		}
	}
	return nil
}

func attributes(all []*common.KeyValue) map[string]string {
	out := map[string]string{}
	for _, a := range all {
		switch v := a.Value.Value.(type) {
		case *common.AnyValue_StringValue:
			out[a.Key] = v.StringValue
		case *common.AnyValue_IntValue:
			out[a.Key] = fmt.Sprint(v.IntValue)
		}
	}
	return out
}

// environment gives the OTEL_ variables to the test's process, where the exporter reads its own.
func environment(t *testing.T, pairs ...string) func(string) string {
	t.Helper()
	given := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		t.Setenv(pairs[i], pairs[i+1])
		given[pairs[i]] = pairs[i+1]
	}
	return func(name string) string { return given[name] }
}

func open(t *testing.T, getenv func(string) string) (*traces.Sender, *strings.Builder) {
	t.Helper()
	log := &strings.Builder{}
	s, err := traces.Open(t.Context(), traces.Options{Getenv: getenv, Version: "v1", Log: slog.New(slog.NewTextHandler(log, nil)), Patience: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return s, log
}

// serve runs the API over an engine with the sender's provider, and gives how to ask it.
func serve(t *testing.T, s *traces.Sender) func(method, path, body string, headers ...string) string {
	t.Helper()
	db, err := store.Open(t.Context(), ":memory:", store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	eng, err := engine.New(t.Context(), engine.Options{Store: db, Traces: s.Provider()})
	if err != nil {
		t.Fatal(err)
	}
	if err := eng.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(api.New(eng, api.Options{}))
	t.Cleanup(func() {
		server.Close()
		if err := eng.Stop(context.Background()); err != nil {
			t.Error(err)
		}
		db.Close()
	})
	ask := func(method, path, body string, headers ...string) string {
		t.Helper()
		req, err := http.NewRequest(method, server.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		for i := 0; i < len(headers); i += 2 {
			req.Header.Set(headers[i], headers[i+1])
		}
		res, err := server.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode >= 300 {
			t.Fatalf("%s %s: %d %s %v", method, path, res.StatusCode, text, err)
		}
		return string(text)
	}
	files, err := json.Marshal(map[string]any{"files": map[string]string{"order.flow": orderFlow}})
	if err != nil {
		t.Fatal(err)
	}
	ask("POST", "/v1/flows", string(files))
	return ask
}

// The spans of a token arrive at a collector, in one trace, with a link to the span of whoever asked.
func TestSpansArriveAtACollector(t *testing.T) {
	r := receive(t)
	s, _ := open(t, environment(t, "OTEL_EXPORTER_OTLP_ENDPOINT", r.URL, "OTEL_EXPORTER_OTLP_HEADERS", "x-team=orders",
		"OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test", "OTEL_SERVICE_NAME", "shop"))
	ask := serve(t, s)
	const from = "00-0102030405060708090a0b0c0d0e0f10-0102030405060708-01"
	var token struct{ ID string }
	if err := json.Unmarshal([]byte(ask("POST", "/v1/flows/order/tokens", `{"key":"A"}`, "Traceparent", from)), &token); err != nil {
		t.Fatal(err)
	}
	ask("POST", "/v1/tokens/order:A/events", `{"event":"pay"}`)
	s.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.spans) != 2 {
		t.Fatalf("%d spans arrived", len(r.spans))
	}
	start, pay := r.spans[0], r.spans[1]
	trace := engine.TraceID(token.ID)
	for _, span := range r.spans {
		got := attributes(span.Attributes)
		if string(span.TraceId) != string(trace[:]) || got["flowc.token"] != token.ID || got["flowc.flow"] != "order" || got["flowc.key"] != "A" {
			t.Errorf("%s: %x %v", span.Name, span.TraceId, got)
		}
	}
	if start.Name != "order start" || len(start.ParentSpanId) != 0 || len(start.Links) != 1 ||
		fmt.Sprintf("%x-%x", start.Links[0].TraceId, start.Links[0].SpanId) != from[3:52] {
		t.Errorf("got %v", start)
	}
	if got := attributes(pay.Attributes); pay.Name != "order event pay" || string(pay.ParentSpanId) != string(start.SpanId) ||
		got["flowc.stimulus"] != "event" || got["flowc.version"] != "2" || got["flowc.status"] != "completed" {
		t.Errorf("got %v", pay)
	}
	if r.path != "/v1/traces" || r.headers.Get("X-Team") != "orders" || r.resource["service.name"] != "shop" || r.resource["service.version"] != "v1" ||
		r.resource["deployment.environment.name"] != "test" {
		t.Errorf("%s %v %v", r.path, r.headers, r.resource)
	}
}

// A collector that takes the connection and never answers, and one that is not there, slow no step: each is answered, and the stop
// does not wait longer than its patience.
func TestACollectorThatIsAwaySlowsNothing(t *testing.T) {
	let := make(chan struct{})
	asked := make(chan struct{}, 1000)
	hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		asked <- struct{}{}
		select {
		case <-let:
		case <-req.Context().Done():
		}
	}))
	defer hangs.Close()
	defer close(let)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for name, url := range map[string]string{"never answers": hangs.URL, "is not there": gone.URL} {
		t.Run(name, func(t *testing.T) {
			s, log := open(t, environment(t, "OTEL_EXPORTER_OTLP_ENDPOINT", url, "OTEL_BSP_MAX_QUEUE_SIZE", "4", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "2",
				"OTEL_BSP_SCHEDULE_DELAY", "1", "OTEL_EXPORTER_OTLP_TIMEOUT", "60000"))
			ask := serve(t, s)
			ask("POST", "/v1/flows/order/tokens", `{"key":"first"}`)
			if url == hangs.URL {
				<-asked // from here on the exporter stands still
			}
			for i := range 50 { // far more than the queue holds
				key := fmt.Sprint(i)
				ask("POST", "/v1/flows/order/tokens", `{"key":"`+key+`"}`)
				if got := ask("POST", "/v1/tokens/order:"+key+"/events", `{"event":"pay"}`); !strings.Contains(got, `"outcome":"accepted"`) {
					t.Fatal(got)
				}
			}
			began := time.Now()
			s.Close()
			if took := time.Since(began); took > 10*time.Second {
				t.Errorf("the stop took %s", took)
			}
			if !strings.Contains(log.String(), "not taken") {
				t.Errorf("nobody is told: %s", log)
			}
		})
	}
}

// Without an endpoint there is nothing; what this server cannot do it says.
func TestTheEnvironmentIsUnderstood(t *testing.T) {
	const at = "http://127.0.0.1:4318"
	for _, test := range []struct {
		name string
		env  map[string]string
		on   bool
		err  string
	}{
		{name: "nothing"},
		{name: "endpoint", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": at}, on: true},
		{name: "of traces only", env: map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": at + "/v1/traces"}, on: true},
		{name: "disabled", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": at, "OTEL_SDK_DISABLED": "true"}},
		{name: "no exporter", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": at, "OTEL_TRACES_EXPORTER": "none"}},
		{name: "another exporter", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": at, "OTEL_TRACES_EXPORTER": "zipkin"}, err: "otlp and none"},
		{name: "another protocol", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": at, "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, err: "http/protobuf"},
		{name: "sampler", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": at, "OTEL_TRACES_SAMPLER": "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.5"}, on: true},
		{name: "odd sampler", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": at, "OTEL_TRACES_SAMPLER": "jaeger_remote"}, err: "always_on"},
		{name: "odd ratio", env: map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": at, "OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": "2"}, err: "from 0 to 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := traces.Open(t.Context(), traces.Options{Getenv: func(n string) string { return test.env[n] }, Log: slog.New(slog.DiscardHandler)})
			switch {
			case test.err != "":
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("got %v", err)
				}
				return
			case err != nil:
				t.Fatal(err)
			case (s.Provider() != nil) != test.on:
				t.Errorf("on: %v", !test.on)
			}
			s.Close()
		})
	}
}

// A sampler takes all steps of a token or none.
func TestASamplerKeepsTokensWhole(t *testing.T) {
	r := receive(t)
	s, _ := open(t, environment(t, "OTEL_EXPORTER_OTLP_ENDPOINT", r.URL, "OTEL_TRACES_SAMPLER", "parentbased_traceidratio", "OTEL_TRACES_SAMPLER_ARG", "0.5"))
	ask := serve(t, s)
	const tokens = 40
	for i := range tokens {
		ask("POST", "/v1/flows/order/tokens", fmt.Sprintf(`{"key":"%d"}`, i))
		ask("POST", fmt.Sprintf("/v1/tokens/order:%d/events", i), `{"event":"pay"}`)
	}
	s.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	steps := map[string]int{}
	for _, span := range r.spans {
		steps[string(span.TraceId)]++
	}
	for id, n := range steps {
		if n != 2 {
			t.Errorf("of %x %d steps were sent", id, n)
		}
	}
	if len(steps) == 0 || len(steps) == tokens {
		t.Errorf("%d of %d tokens were sent", len(steps), tokens)
	}
}
