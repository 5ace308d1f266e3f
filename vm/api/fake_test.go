package api

import (
	"context"
	"encoding/json"
	"time"

	"flowc/vm"
	"flowc/vm/engine"
)

// A fake is an engine that answers what a test says, and remembers what it was asked. What a test does not set answers with
// the zero value.
type fake struct {
	asked []any
	err   error

	answer     engine.Answer
	token      engine.TokenView
	page       engine.TokenPage
	history    engine.HistoryPage
	claimed    []engine.ClaimedTask
	unknown    []engine.UnknownName
	taskAnswer engine.TaskAnswer
	health     engine.Health
	deployed   engine.DeployResult
	changed    func(version int64) int64

	credentials []engine.Credential
}

var now = time.Date(2026, 3, 28, 22, 0, 0, 0, time.UTC)

// sample is a token with every field that can be set.
func sample() engine.TokenView {
	text, line, ms := "x", 3, int64(1500)
	return engine.TokenView{
		ID: "t1", Flow: "order", Key: &text, Program: "p1", Status: "running", Version: 7, States: []string{"waiting"},
		Input: json.RawMessage(`{"amount":12345678901234567890.10}`), Data: json.RawMessage(`{"n":9007199254740993}`),
		Error:     &engine.ErrorView{Code: "x", Message: "m", Line: &line, At: &now},
		CreatedAt: now, StartedAt: &now, Parent: &engine.ParentView{ID: "t0", Flow: "parent", Index: 1},
		Timers:     []engine.TimerView{{ID: "waiting.timeout", Kind: "timeout", State: "waiting", Visit: 1, Due: &now, RemainingMs: &ms}},
		Tasks:      []engine.TokenTaskView{{ID: "k1", Task: "charge", State: "paying", Status: "open", Attempt: 1, MaxAttempts: 5}},
		Accepts:    []vm.Accept{{Event: "go"}},
		WaitingFor: []string{"event go"},
	}
}

func newFake() *fake {
	token := sample()
	return &fake{token: token, answer: engine.Answer{Outcome: vm.Accepted, Created: true, Token: &token}, health: engine.Health{Ready: true}}
}

func (f *fake) ask(req any) { f.asked = append(f.asked, req) }

func (f *fake) last() any {
	if len(f.asked) == 0 {
		return nil
	}
	return f.asked[len(f.asked)-1]
}

func (f *fake) Deploy(_ context.Context, r engine.DeployRequest) (engine.DeployResult, error) {
	f.ask(r)
	return f.deployed, f.err
}
func (f *fake) Flows(context.Context) ([]engine.FlowView, error) {
	return []engine.FlowView{{Name: "order", Current: "p1", Since: now, Versions: 1}}, f.err
}
func (f *fake) Flow(_ context.Context, name string) (engine.FlowView, error) {
	return engine.FlowView{Name: name, Since: now}, f.err
}
func (f *fake) Versions(context.Context, string) ([]engine.VersionView, error) {
	return []engine.VersionView{{Program: "p1", Current: true, DeployedAt: now, Files: json.RawMessage(`{"a.flow":"x"}`)}}, f.err
}
func (f *fake) StartToken(_ context.Context, r engine.StartRequest) (engine.Answer, error) {
	f.ask(r)
	return f.answer, f.err
}
func (f *fake) SendEvent(_ context.Context, r engine.EventRequest) (engine.Answer, error) {
	f.ask(r)
	return f.answer, f.err
}
func (f *fake) Control(_ context.Context, r engine.ControlRequest) (engine.Answer, error) {
	f.ask(r)
	return f.answer, f.err
}
func (f *fake) Token(_ context.Context, r engine.Ref) (engine.TokenView, error) {
	f.ask(r)
	return f.token, f.err
}
func (f *fake) TokenAt(_ context.Context, r engine.Ref, version int64) (engine.TokenView, error) {
	f.ask(r)
	view := f.token
	view.Version = version
	return view, f.err
}
func (f *fake) Why(_ context.Context, r engine.WhyRequest) (engine.WhyView, error) {
	f.ask(r)
	return engine.WhyView{Token: r.Token.ID, Flow: "order", At: now, Kind: vm.WhyEvent, Summary: "s",
		Waits: []engine.WhyWaitView{{Kind: "event", Name: "go", Due: &now}}, Next: &engine.WhyNextView{At: now, States: []string{}},
		Refused: &engine.WhyRefusalView{At: now, Event: "go"}}, f.err
}
func (f *fake) Replay(_ context.Context, r engine.Ref) (engine.ReplayResult, error) {
	f.ask(r)
	return engine.ReplayResult{Steps: 1, Same: true}, f.err
}
func (f *fake) List(_ context.Context, r engine.ListRequest) (engine.TokenPage, error) {
	f.ask(r)
	return f.page, f.err
}
func (f *fake) Count(_ context.Context, r engine.ListRequest) (int64, error) {
	f.ask(r)
	return 3, f.err
}
func (f *fake) History(_ context.Context, r engine.HistoryRequest) (engine.HistoryPage, error) {
	f.ask(r)
	h := f.history
	if r.After != "" {
		h = engine.HistoryPage{}
	}
	h.Status = vm.Status(f.token.Status)
	return h, f.err
}
func (f *fake) Grown(ctx context.Context, _ engine.Ref, since engine.Mark) (engine.Mark, error) {
	<-ctx.Done()
	return since, nil
}
func (f *fake) Changed(ctx context.Context, _ engine.Ref, version int64) (int64, error) {
	if f.changed != nil {
		return f.changed(version), nil
	}
	<-ctx.Done()
	return version, nil
}
func (f *fake) Timers(_ context.Context, r engine.TimersRequest) (engine.TimerPage, error) {
	f.ask(r)
	return engine.TimerPage{Items: []engine.TokenTimerView{{TimerView: f.token.Timers[0], Token: "t1", Flow: "order"}}}, f.err
}
func (f *fake) Tasks(_ context.Context, r engine.TasksRequest) (engine.TaskPage, error) {
	f.ask(r)
	return engine.TaskPage{Items: []engine.TaskView{{TokenTaskView: f.token.Tasks[0], Token: "t1", OfferedAt: now, Input: json.RawMessage(`{}`)}}}, f.err
}
func (f *fake) Unknown(context.Context, engine.Names) ([]engine.UnknownName, error) {
	return f.unknown, f.err
}
func (f *fake) Claim(_ context.Context, r engine.ClaimRequest) ([]engine.ClaimedTask, error) {
	f.ask(r)
	return f.claimed, f.err
}
func (f *fake) Heartbeat(_ context.Context, r engine.HeartbeatRequest) (engine.HeartbeatResult, error) {
	f.ask(r)
	return engine.HeartbeatResult{LeaseUntil: &now}, f.err
}
func (f *fake) Complete(_ context.Context, r engine.CompleteRequest) (engine.TaskAnswer, error) {
	f.ask(r)
	return f.taskAnswer, f.err
}
func (f *fake) Fail(_ context.Context, r engine.FailRequest) (engine.TaskAnswer, error) {
	f.ask(r)
	return f.taskAnswer, f.err
}
func (f *fake) Release(_ context.Context, r engine.ReleaseRequest) (engine.TaskAnswer, error) {
	f.ask(r)
	return f.taskAnswer, f.err
}
func (f *fake) OperateTask(_ context.Context, r engine.OperateTaskRequest) (engine.TaskAnswer, error) {
	f.ask(r)
	return f.taskAnswer, f.err
}
func (f *fake) Stats(context.Context) (engine.Stats, error) {
	return engine.Stats{Tokens: map[string]int64{"running": 2}, Tasks: map[string]int64{"open": 1}, Steps: 5}, f.err
}
func (f *fake) Health(context.Context) engine.Health { return f.health }
