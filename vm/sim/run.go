package sim

import (
	"encoding/json"
	"fmt"

	"flowc/validate/model"
	"flowc/validate/value"
	"flowc/vm"
	"flowc/vm/task"
)

// A runner is one test block at work.
type runner struct {
	world  *World
	suite  *Suite
	last   *Token // what lines without a label are about
	labels map[string]*Token
	n      int // of started tokens
}

// A failure is a statement that did not come true. It is a finding about the author's flow or test, not a fault of the program.
type failure struct {
	want, got string
	about     *Token
}

func (f *failure) Error() string {
	if f.want == "" {
		return f.got
	}
	return fmt.Sprintf("expected %s, found %s", f.want, f.got)
}

func failf(about *Token, format string, args ...any) error {
	return &failure{got: fmt.Sprintf(format, args...), about: about}
}

// do runs one statement, and lets everything that is due at its instant happen.
func (r *runner) do(s model.TestStmt) error {
	if err := r.statement(s); err != nil {
		return err
	}
	return r.world.Rest()
}

func (r *runner) statement(s model.TestStmt) error {
	switch s := s.(type) {
	case *model.TestAt:
		return r.at(s)
	case *model.TestMock:
		return r.mock(s)
	case *model.TestStart:
		return r.start(s)
	case *model.TestSend:
		return r.send(s)
	case *model.TestAdvance:
		return r.advance(s)
	case *model.TestTask:
		return r.task(s)
	case *model.TestControl:
		return r.control(s)
	case *model.TestServer:
		return r.server(s)
	case *model.Expect:
		return r.expect(s)
	}
	return fmt.Errorf("an unknown statement of a test: %T", s)
}

func (r *runner) at(s *model.TestAt) error {
	v, err := r.eval(s.Time, nil)
	if err != nil {
		return err
	}
	if len(r.world.tokens) > 0 {
		return failf(nil, "`at` sets where the clock begins and stands before the first `start`")
	}
	r.world.now = v.Micros()
	return nil
}

func (r *runner) mock(s *model.TestMock) error {
	m := &mock{fails: s.Fails, code: s.Code, final: s.Final, times: s.Times, result: json.RawMessage("{}")}
	if s.Result != nil {
		v, err := r.eval(s.Result, nil)
		if err != nil {
			return err
		}
		m.result = value.AppendJSON(nil, v)
	}
	if s.Task != nil {
		r.world.mocks.add("task "+s.Task.Name, m)
	} else {
		r.world.mocks.add("flow "+s.Flow.Name, m)
	}
	return nil
}

func (r *runner) start(s *model.TestStart) error {
	if r.world.down {
		return failf(nil, "nothing can be started while the server is stopped")
	}
	args, err := r.eval(s.Args, nil)
	if err != nil {
		return err
	}
	name := ""
	if s.Key != nil {
		v, err := r.eval(s.Key, nil)
		if err != nil {
			return err
		}
		if name, err = value.Text(v); err != nil {
			return err
		}
	}
	delay := int64(0)
	if s.After != nil {
		v, err := r.eval(s.After, nil)
		if err != nil {
			return err
		}
		delay = v.Micros()
	}
	u, err := r.suite.unit(s.Flow)
	if err != nil {
		return err
	}
	r.n++
	t, a, err := r.world.Begin(u.program, vm.NewToken{
		ID: fmt.Sprintf("token-%d", r.n), Flow: s.Flow.Name, Program: u.hash, Key: name, Input: value.AppendJSON(nil, args), Delay: delay,
	}, "")
	if err != nil {
		return err
	}
	if t == nil {
		return &failure{want: s.Flow.Name + " to start", got: refusal(a)}
	}
	r.last = t
	if s.Label != "" {
		r.labels[s.Label] = t
	}
	return nil
}

// subject is the token that a statement is about.
func (r *runner) subject(s model.Subject) (*Token, error) {
	t := r.last
	if s.Label != "" {
		t = r.labels[s.Label]
	}
	if t == nil {
		return nil, failf(nil, "no token has been started yet")
	}
	if s.Child == nil {
		return t, nil
	}
	children := r.world.Children(t, s.Child.Name)
	if s.N < 1 || s.N > len(children) {
		return nil, failf(t, "there is no child %s %d: it has %d of them", s.Child.Name, s.N, len(children))
	}
	return children[s.N-1], nil
}

func (r *runner) send(s *model.TestSend) error {
	t, err := r.subject(s.Subject)
	if err != nil {
		return err
	}
	a, err := r.event(t, s.Event, s.Args, s.Actor)
	if err != nil {
		return err
	}
	if !taken(a) {
		return &failure{want: s.Event.Name + " to be accepted", got: refusal(a), about: t}
	}
	return nil
}

func (r *runner) event(t *Token, e *model.Event, code *model.Code, actor string) (vm.Answer, error) {
	if r.world.down {
		return vm.Answer{}, failf(t, "nothing can be sent while the server is stopped")
	}
	args, err := r.eval(code, t)
	if err != nil {
		return vm.Answer{}, err
	}
	return r.world.Send(t, e.Name, value.AppendJSON(nil, args), actor)
}

func (r *runner) advance(s *model.TestAdvance) error {
	to := r.world.now
	if s.By != nil {
		v, err := r.eval(s.By, r.last)
		if err != nil {
			return err
		}
		to += v.Micros()
	} else {
		v, err := r.eval(s.To, r.last)
		if err != nil {
			return err
		}
		to = v.Micros()
	}
	if to < r.world.now {
		return failf(nil, "the clock cannot go back: it is %s", instant(r.world.now))
	}
	return r.world.Advance(to)
}

// task claims, completes or fails the oldest open attempt that matches: the subject's, or when it has none that of any token.
func (r *runner) task(s *model.TestTask) error {
	t, err := r.subject(s.Subject)
	if err != nil {
		return err
	}
	match, err := r.matcher(s.Match, t)
	if err != nil {
		return err
	}
	free := s.Op == model.ClaimTask
	k := r.world.find(t, s.Task.Name, match, free)
	if k == nil && s.Subject.Label == "" && s.Subject.Child == nil {
		k = r.world.find(nil, s.Task.Name, match, free)
	}
	if k == nil {
		return failf(t, "no open attempt of %s matches%s", s.Task.Name, r.world.openTasks())
	}
	switch s.Op {
	case model.ClaimTask:
		return r.world.Claim(k)
	case model.FailTask:
		return r.world.Fail(k, task.Failing{Code: s.Code, Message: s.Code, NoRetry: s.NoRetry})
	default:
		return r.complete(k, s, t)
	}
}

func (r *runner) complete(k *Work, s *model.TestTask, t *Token) error {
	c := task.Completion{}
	if s.Event != nil {
		v, err := r.eval(s.Args, t)
		if err != nil {
			return err
		}
		c.Event, c.Payload = s.Event.Name, value.AppendJSON(nil, v)
	} else {
		c.Result = json.RawMessage("{}")
		if s.Result != nil {
			v, err := r.eval(s.Result, t)
			if err != nil {
				return err
			}
			c.Result = value.AppendJSON(nil, v)
		}
	}
	a, err := r.world.Complete(k, c)
	if err != nil {
		return err
	}
	if !taken(a) {
		return &failure{want: s.Task.Name + "'s outcome to be accepted", got: refusal(a), about: k.token}
	}
	return nil
}

func (r *runner) control(s *model.TestControl) error {
	t, err := r.subject(s.Subject)
	if err != nil {
		return err
	}
	if r.world.down {
		return failf(t, "nothing can be sent while the server is stopped")
	}
	a, err := r.world.Give(t, r.command(s, t))
	if err != nil {
		return err
	}
	if !taken(a) {
		return &failure{want: controlNames[s.Op] + " to be accepted", got: refusal(a), about: t}
	}
	return nil
}

var controlNames = map[model.ControlOp]string{
	model.Pause: "pause", model.Resume: "resume", model.Cancel: "cancel", model.Retry: "retry",
}

func (r *runner) command(s *model.TestControl, t *Token) *vm.Stimulus {
	switch s.Op {
	case model.Pause:
		return &vm.Stimulus{Kind: vm.OnPause}
	case model.Resume:
		return &vm.Stimulus{Kind: vm.OnResume}
	case model.Cancel:
		return &vm.Stimulus{Kind: vm.OnCancel, Reason: s.Reason}
	default:
		at := ""
		if s.State >= 0 {
			at = t.flow.States[s.State].Path
		}
		return &vm.Stimulus{Kind: vm.OnRetry, State: at}
	}
}

func (r *runner) server(s *model.TestServer) error {
	switch s.Op {
	case model.StopServer:
		r.world.Stop()
		return nil
	case model.StartServer:
		return r.world.Start()
	default:
		return r.world.Reload()
	}
}

// refusal says in a line why something was not taken.
func refusal(a vm.Answer) string {
	text := string(a.Outcome)
	if a.Reason != "" {
		text += ": " + a.Reason
	}
	if len(a.Accepts) > 0 {
		text += "; it takes"
		for i, e := range a.Accepts {
			if i > 0 {
				text += ","
			}
			text += " " + e.Event
		}
	}
	return text
}
