package api

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"flowc/vm/engine"
)

// A ReasonBody is what a command may say of itself.
type ReasonBody struct {
	Reason string `json:"reason,omitempty" nullable:"true" doc:"Why; it stands in the history"`
}

// A RetryBody is what a retry may say.
type RetryBody struct {
	State  string `json:"state,omitempty" minLength:"1" nullable:"true" doc:"Go on in this state, by its path; without it where the token failed"`
	Reason string `json:"reason,omitempty" nullable:"true" doc:"Why; it stands in the history"`
}

// A RestartBody is what a restart may say.
type RestartBody struct {
	Key    string `json:"key,omitempty" minLength:"1" nullable:"true" doc:"The new token's key; without it the new token has none"`
	Reason string `json:"reason,omitempty" nullable:"true" doc:"Why; it stands in the history"`
}

// A TimerBody moves a timer.
type TimerBody struct {
	Due    time.Time `json:"due" doc:"When it fires from now on"`
	Reason string    `json:"reason,omitempty" nullable:"true" doc:"Why; it stands in the history"`
}

// A DataBody sets a field of a token's data.
type DataBody struct {
	Field  string          `json:"field" doc:"The field's name"`
	Value  json.RawMessage `json:"value" doc:"Its new value"`
	Reason string          `json:"reason" doc:"Why; it stands in the history"`
}

type timerParams struct {
	ChangeParams
	Timer string `path:"timer" doc:"The timer's id: STATE_PATH.NAME"`
}

func (a *API) control() {
	for _, action := range []engine.Action{engine.Pause, engine.Resume, engine.Cancel} {
		handle(a, a.command(string(action), summaries[action]),
			func(ctx context.Context, p *ChangeParams, body *ReasonBody) (*reply[Moved], error) {
				return a.tell(ctx, p, engine.ControlRequest{Action: action, Reason: body.Reason})
			})
	}
	handle(a, a.command("retry", summaries[engine.Retry]),
		func(ctx context.Context, p *ChangeParams, body *RetryBody) (*reply[Moved], error) {
			return a.tell(ctx, p, engine.ControlRequest{Action: engine.Retry, State: body.State, Reason: body.Reason})
		})
	restart := a.command("restart", summaries[engine.Restart])
	restart.success = []int{http.StatusCreated}
	handle(a, restart, a.restart)
	move := route{method: http.MethodPatch, path: "/v1/tokens/{id}/timers/{timer}", id: "moveTimer", tag: "control", allow: mayControl,
		summary: summaries[engine.MoveTimer], errors: refusals}
	handle(a, move, a.moveTimer)
	fire := a.command("timers/{timer}/fire", summaries[engine.FireTimer])
	fire.id = "fireTimer"
	handle(a, fire, a.fireTimer)
	set := route{method: http.MethodPatch, path: "/v1/tokens/{id}/data", id: "setField", tag: "control", allow: mayControl,
		summary: summaries[engine.SetField], errors: refusals}
	handle(a, set, a.setField)
}

var summaries = map[engine.Action]string{
	engine.Pause:     "Pause a token: nothing moves, events are kept",
	engine.Resume:    "Resume a paused token",
	engine.Cancel:    "Cancel a token; a repeat changes nothing",
	engine.Retry:     "Let a failed token go on",
	engine.Restart:   "Start a new token with the same input",
	engine.MoveTimer: "Move a timer to another instant",
	engine.FireTimer: "Let a timer fire now",
	engine.SetField:  "Set a field of a token's data",
}

// command is the route of a command that may go without a body.
func (a *API) command(name, summary string) route {
	return route{method: http.MethodPost, path: "/v1/tokens/{id}/" + name, id: name + "Token", tag: "control", allow: mayControl,
		summary: summary, errors: refusals, optional: true, success: []int{http.StatusOK, http.StatusAccepted}}
}

// tell gives one token a command.
func (a *API) tell(ctx context.Context, p *ChangeParams, req engine.ControlRequest) (*reply[Moved], error) {
	mutation, err := p.mutation(ctx)
	if err != nil {
		return nil, err
	}
	req.Mutation, req.Token = mutation, refOf(p.ID)
	answer, err := a.engine.Control(ctx, req)
	if err != nil {
		return nil, err
	}
	return moved(answer), nil
}

func (a *API) restart(ctx context.Context, p *ChangeParams, body *RestartBody) (*reply[Moved], error) {
	out, err := a.tell(ctx, p, engine.ControlRequest{Action: engine.Restart, Key: body.Key, Reason: body.Reason})
	if err != nil {
		return nil, err
	}
	out.Status, out.Location = http.StatusCreated, "/v1/tokens/"+out.Body.Token.ID
	return out, nil
}

func (a *API) moveTimer(ctx context.Context, p *timerParams, body *TimerBody) (*reply[Moved], error) {
	due, err := micros("/due", body.Due)
	if err != nil {
		return nil, err
	}
	return a.tell(ctx, &p.ChangeParams, engine.ControlRequest{Action: engine.MoveTimer, Timer: p.Timer, Due: due, Reason: body.Reason})
}

func (a *API) fireTimer(ctx context.Context, p *timerParams, body *ReasonBody) (*reply[Moved], error) {
	return a.tell(ctx, &p.ChangeParams, engine.ControlRequest{Action: engine.FireTimer, Timer: p.Timer, Reason: body.Reason})
}

func (a *API) setField(ctx context.Context, p *ChangeParams, body *DataBody) (*reply[Moved], error) {
	if body.Reason == "" {
		return nil, invalid("/reason", "must say why, for the field is set past the flow's own rules")
	}
	out, err := a.tell(ctx, p, engine.ControlRequest{Action: engine.SetField, Field: body.Field, Value: body.Value, Reason: body.Reason})
	return out, within("/value", err)
}
