// Package traces sends the spans of a server to a collector by OTLP over HTTP, when the environment names one.
//
// It is set up by the variables of the OpenTelemetry specification: OTEL_EXPORTER_OTLP_ENDPOINT turns it on, the other OTEL_
// variables say the rest. It promises that no step waits for it: spans go into a queue of bounded length, and when the collector is
// slow or away what does not fit is dropped. Nothing of it is looked at, or even made, while no endpoint is named.
package traces

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"flowc/vm/engine"
)

// Options say where to look and whom to tell.
type Options struct {
	Getenv  func(string) string
	Log     *slog.Logger
	Version string // of the server
	// Patience is how long a stop waits for the last spans to be taken: 5 s.
	Patience time.Duration
}

// A Sender takes spans and sends them. The zero value takes none.
type Sender struct {
	provider *sdk.TracerProvider
	patience time.Duration
	log      *slog.Logger
}

// Open gives a sender, one that takes no spans when the environment names no collector. An error is a variable that asks for
// something that this server cannot do; the collector need not be there.
func Open(ctx context.Context, o Options) (*Sender, error) {
	on, err := enabled(o.Getenv)
	if err != nil || !on {
		return &Sender{}, err
	}
	sampler, err := samplerOf(o.Getenv("OTEL_TRACES_SAMPLER"), o.Getenv("OTEL_TRACES_SAMPLER_ARG"))
	if err != nil {
		return nil, err
	}
	exporter, err := otlptracehttp.New(ctx) // it reads the rest of its variables itself
	if err != nil {
		return nil, fmt.Errorf("set up the traces by the OTEL_ variables: %w", err)
	}
	of, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithAttributes(
		attribute.String("service.name", "flowc"), attribute.String("service.version", o.Version)), resource.WithFromEnv())
	if err != nil && !errors.Is(err, resource.ErrPartialResource) {
		return nil, fmt.Errorf("read OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	if o.Patience == 0 {
		o.Patience = 5 * time.Second
	}
	otel.SetErrorHandler(&complaints{log: o.Log})
	o.Log.Info("traces are sent by OTLP", "endpoint", endpoint(o.Getenv))
	return &Sender{log: o.Log, patience: o.Patience, provider: sdk.NewTracerProvider(
		sdk.WithBatcher(exporter), sdk.WithResource(of), sdk.WithSampler(sampler), sdk.WithIDGenerator(engine.SpanIDs{}))}, nil
}

// Provider is what an engine makes its spans with, nil when there are to be none.
func (s *Sender) Provider() trace.TracerProvider {
	if s.provider == nil {
		return nil
	}
	return s.provider
}

// Close sends what waits, as far as the collector takes it within the patience, and loses the rest.
func (s *Sender) Close() {
	if s.provider == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.patience)
	defer cancel()
	if err := s.provider.Shutdown(ctx); err != nil {
		s.log.Warn("the last traces were not taken", "error", err)
	}
}

func endpoint(getenv func(string) string) string {
	if at := getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"); at != "" {
		return at
	}
	return getenv("OTEL_EXPORTER_OTLP_ENDPOINT")
}

// enabled says whether the environment names a collector, and refuses what would not work.
func enabled(getenv func(string) string) (bool, error) {
	if endpoint(getenv) == "" || strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") {
		return false, nil
	}
	switch exporter := getenv("OTEL_TRACES_EXPORTER"); exporter {
	case "", "otlp":
	case "none":
		return false, nil
	default:
		return false, fmt.Errorf("OTEL_TRACES_EXPORTER is %q; this server knows otlp and none", exporter)
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		if protocol := getenv(name); protocol != "" && protocol != "http/protobuf" {
			return false, fmt.Errorf("%s is %q; this server speaks http/protobuf, on port 4318 of most collectors", name, protocol)
		}
	}
	return true, nil
}

// samplerOf chooses by the trace, which is the token: of a token all steps are sent or none, on every server. A parent decides
// nothing, since no span has one of another trace.
func samplerOf(name, arg string) (sdk.Sampler, error) {
	switch strings.TrimPrefix(name, "parentbased_") {
	case "", "always_on":
		return sdk.AlwaysSample(), nil
	case "always_off":
		return sdk.NeverSample(), nil
	case "traceidratio":
		ratio := 1.0
		if arg != "" {
			var err error
			if ratio, err = strconv.ParseFloat(arg, 64); err != nil || ratio < 0 || ratio > 1 {
				return nil, fmt.Errorf("OTEL_TRACES_SAMPLER_ARG is %q; it must be a number from 0 to 1", arg)
			}
		}
		return sdk.TraceIDRatioBased(ratio), nil
	}
	return nil, fmt.Errorf("OTEL_TRACES_SAMPLER is %q; it must be always_on, always_off, traceidratio, or one of them after parentbased_", name)
}

// complaints are the SDK's errors, such as a collector that is away: one line a minute at most.
type complaints struct {
	log  *slog.Logger
	last atomic.Int64 // seconds
}

// Handle implements otel.ErrorHandler.
func (c *complaints) Handle(err error) {
	now, last := time.Now().Unix(), c.last.Load()
	if now-last >= 60 && c.last.CompareAndSwap(last, now) {
		c.log.Warn("traces are not taken; steps go on without them", "error", err)
	}
}
