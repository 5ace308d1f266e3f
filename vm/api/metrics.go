package api

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"flowc/vm/engine"
)

// metrics are what /metrics shows: what the engine counts, read when somebody asks, and the requests served here.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.HistogramVec
}

func newMetrics(service engine.Service) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "flowc_http_request_seconds", Help: "Time of HTTP requests by route and status; long polls wait on purpose.",
			Buckets: []float64{.001, .003, .01, .03, .1, .3, 1, 3, 10, 30, 60},
		}, []string{"route", "status"}),
	}
	m.registry.MustRegister(m.requests, &engineCollector{service: service},
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// served counts one request. Requests to no route share one label, so that a scanner cannot make thousands.
func (m *metrics) served(r *http.Request, status int, took time.Duration) {
	route := r.Pattern
	if route == "" {
		route = "none"
	}
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Observe(took.Seconds())
}

// An engineCollector asks the engine for its numbers at each scrape.
type engineCollector struct{ service engine.Service }

// scrapeTime is how long a scrape may ask the engine.
const scrapeTime = 5 * time.Second

func gauge(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("flowc_"+name, help, labels, nil)
}

var (
	descUp          = gauge("up", "1 when the engine could be asked.")
	descReady       = gauge("ready", "1 when the server is ready.")
	descLoopRunning = gauge("loop_running", "1 while a loop runs.", "loop")
	descLoopLate    = gauge("loop_late", "1 when a loop has made no full round in three of its intervals.", "loop")
	descLoopRound   = gauge("loop_last_round_timestamp_seconds", "When a loop ended its last round.", "loop")
	descTokens      = gauge("tokens", "Tokens by status.", "status")
	descTasks       = gauge("tasks", "Tasks by status.", "status")
	descInbox       = gauge("inbox_messages", "Messages between tokens that wait.")
	descQuarantined = gauge("quarantined_tokens", "Tokens set aside because they cannot be stepped.")
	descOldestDue   = gauge("oldest_due_seconds", "How long the most overdue timer has waited.")
	descOldestOffer = gauge("oldest_offer_seconds", "Age of the oldest offer that nobody took.", "task")
	descLastPoll    = gauge("last_poll_seconds", "Time since a worker last asked this server for a task.", "task")
	descSteps       = gauge("steps_total", "Steps since the start.")
	descBatches     = gauge("batches_total", "Transactions of steps since the start; steps over batches is the batch size.")
	descRetries     = gauge("batch_retries_total", "Transactions that had to be tried again.")
	descReconnects  = gauge("database_reconnects_total", "Lost connections to the database.")
	descUndelivered = gauge("undeliverable_total", "Sends and starts of tokens that found no taker.")
	descFired       = gauge("timers_fired_total", "Timers fired since the start.")
	descTimerLate   = gauge("timer_late_seconds", "How late the latest timers fired, the worst of their batch.")
	descStepTime    = gauge("step_seconds", "Time of a step in memory.")
	descBatchTime   = gauge("batch_seconds", "Time of a transaction of steps, repeats included.")
	descBatchSize   = gauge("batch_steps", "Steps of a transaction.")
	descLateness    = gauge("timer_lateness_seconds", "How late timers fired.")
	descHeld        = gauge("held_task", "1 for each task of which nothing is claimed.", "task")
	descOldestInbox = gauge("oldest_message_seconds", "How long the oldest message between tokens has waited.")
	descOverdue     = gauge("overdue_paused_tokens", "Paused tokens of which an instant has passed.")
	descDispatches  = gauge("failed_dispatches", "Dispatched work that was given up.")
)

// Describe implements prometheus.Collector. Nothing is promised: without an engine only flowc_up is there.
func (c *engineCollector) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (c *engineCollector) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTime)
	defer cancel()
	send := func(kind prometheus.ValueType, desc *prometheus.Desc, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(desc, kind, value, labels...)
	}
	c.health(ctx, send)
	stats, err := c.service.Stats(ctx)
	if err != nil {
		send(prometheus.GaugeValue, descUp, 0)
		return
	}
	send(prometheus.GaugeValue, descUp, 1)
	byLabel(send, descTokens, stats.Tokens, 1)
	byLabel(send, descTasks, stats.Tasks, 1)
	byLabel(send, descOldestOffer, stats.OldestOffer, perSecond)
	byLabel(send, descLastPoll, stats.LastPoll, perSecond)
	for _, h := range stats.HeldTasks {
		send(prometheus.GaugeValue, descHeld, 1, h.Task)
	}
	send(prometheus.GaugeValue, descOldestInbox, float64(stats.OldestInboxMs)/perSecond)
	send(prometheus.GaugeValue, descOverdue, float64(stats.OverduePaused))
	send(prometheus.GaugeValue, descDispatches, float64(stats.FailedDispatches))
	histograms(out, stats)
	send(prometheus.GaugeValue, descInbox, float64(stats.Inbox))
	send(prometheus.GaugeValue, descQuarantined, float64(stats.Quarantined))
	send(prometheus.GaugeValue, descOldestDue, float64(stats.OldestDueMs)/perSecond)
	send(prometheus.GaugeValue, descTimerLate, float64(stats.TimerLateMs)/perSecond)
	send(prometheus.CounterValue, descSteps, float64(stats.Steps))
	send(prometheus.CounterValue, descBatches, float64(stats.Batches))
	send(prometheus.CounterValue, descRetries, float64(stats.BatchRetries))
	send(prometheus.CounterValue, descReconnects, float64(stats.Reconnects))
	send(prometheus.CounterValue, descUndelivered, float64(stats.Undeliverable))
	send(prometheus.CounterValue, descFired, float64(stats.TimersFired))
}

func histograms(out chan<- prometheus.Metric, stats engine.Stats) {
	for _, h := range []struct {
		desc *prometheus.Desc
		of   engine.Histogram
	}{{descStepTime, stats.StepTime}, {descBatchTime, stats.BatchTime}, {descBatchSize, stats.BatchSize}, {descLateness, stats.TimerLate}} {
		buckets := map[float64]uint64{}
		for i, bound := range h.of.Bounds {
			buckets[bound] = h.of.Counts[i]
		}
		out <- prometheus.MustNewConstHistogram(h.desc, h.of.Count, h.of.Sum, buckets)
	}
}

// perSecond turns milliseconds into seconds.
const perSecond = 1000

type sender func(kind prometheus.ValueType, desc *prometheus.Desc, value float64, labels ...string)

func byLabel(send sender, desc *prometheus.Desc, values map[string]int64, unit float64) {
	for label, v := range values {
		send(prometheus.GaugeValue, desc, float64(v)/unit, label)
	}
}

func (c *engineCollector) health(ctx context.Context, send sender) {
	health := c.service.Health(ctx)
	send(prometheus.GaugeValue, descReady, truth(health.Ready))
	for _, l := range health.Loops {
		send(prometheus.GaugeValue, descLoopRunning, truth(l.Running), l.Name)
		send(prometheus.GaugeValue, descLoopLate, truth(l.Late), l.Name)
		if l.LastRound != nil {
			send(prometheus.GaugeValue, descLoopRound, float64(l.LastRound.UnixMilli())/perSecond, l.Name)
		}
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
