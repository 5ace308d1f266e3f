package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"flowc/vm"
	"flowc/vm/store"
	"flowc/vm/task"
)

// History is described at Service.
func (e *Engine) History(ctx context.Context, req HistoryRequest) (HistoryPage, error) {
	version, n, fault := readLine(req.After)
	if fault != nil {
		return HistoryPage{}, fault
	}
	row, err := e.row(ctx, req.Token)
	if err != nil {
		return HistoryPage{}, err
	}
	limit := e.pageLimit(req.Limit)
	// the row that holds the line `after` may begin before it, so its version is read from its start
	rows, err := e.store.History(ctx, row.ID, version, 0, limit+n+1)
	if err != nil {
		return HistoryPage{}, readFault(err, req.Token)
	}
	page := HistoryPage{Items: []HistoryLine{}}
	full := len(rows) == limit+n+1
	for _, h := range rows {
		lines, err := historyLines(h)
		if err != nil {
			return HistoryPage{}, unavailable(err, "the history cannot be read")
		}
		for i, l := range lines {
			if at := h.Line + i; h.Version > version || at > n {
				page.Items = append(page.Items, l)
			}
		}
	}
	return e.withAttempts(ctx, row.ID, page, req.After == "", full, limit)
}

// withAttempts merges the attempts of tasks into the page by their instants (R70): those of before its first line belong to the
// page before, but for the first page; those after its last line to the last page.
func (e *Engine) withAttempts(ctx context.Context, token string, page HistoryPage, first, full bool, limit int) (HistoryPage, error) {
	if len(page.Items) > limit {
		page.Items, full = page.Items[:limit], true
	}
	if n := len(page.Items); n > 0 && full {
		page.Next = page.Items[n-1].ID
	}
	tasks, err := e.store.Tasks(ctx, store.TaskFilter{Token: token, All: true, Limit: 100_000})
	if err != nil {
		return HistoryPage{}, readFault(err, Ref{ID: token})
	}
	if len(page.Items) == 0 {
		return page, nil
	}
	from, to := page.Items[0].At, page.Items[len(page.Items)-1].At
	for _, r := range tasks {
		for _, l := range attemptLines(r) {
			if (first || !l.At.Before(from)) && (!full || l.At.Before(to)) {
				page.Items = append(page.Items, l)
			}
		}
	}
	slices.SortStableFunc(page.Items, func(a, b HistoryLine) int { return a.At.Compare(b.At) })
	return page, nil
}

func historyLines(h store.History) ([]HistoryLine, error) {
	var st vm.Stimulus
	var lines []vm.Line
	if err := json.Unmarshal([]byte(h.Stimulus), &st); err != nil {
		return nil, fmt.Errorf("read the stimulus of version %d: %w", h.Version, err)
	}
	if err := json.Unmarshal([]byte(h.Lines), &lines); err != nil {
		return nil, fmt.Errorf("read the lines of version %d: %w", h.Version, err)
	}
	if len(lines) == 0 {
		lines = []vm.Line{{Kind: string(st.Kind), Name: st.Event}}
	}
	out := make([]HistoryLine, len(lines))
	for i, l := range lines {
		out[i] = HistoryLine{ID: lineID(h.Version, h.Line+i), At: instant(h.At), Stimulus: string(st.Kind), Actor: st.Actor, Kind: l.Kind,
			State: l.State, Visit: l.Visit, Name: l.Name, Text: l.Text, Due: instantOf(l.Due), LateMs: l.LateMicros / 1000,
			Missed: l.Missed, More: l.More}
		if i == 0 {
			out[i].Payload = st.Payload
		}
	}
	return out, nil
}

// attemptLines are a task's ended attempts as lines of its token's history.
func attemptLines(r task.Row) []HistoryLine {
	var out []HistoryLine
	for _, a := range r.Log {
		base := HistoryLine{State: r.State, Visit: r.Visit, Name: r.Task, Stimulus: "attempt"}
		if a.Worker != "" {
			base.More = map[string]any{"task": r.ID, "attempt": a.Attempt, "worker": a.Worker}
		} else {
			base.More = map[string]any{"task": r.ID, "attempt": a.Attempt}
		}
		claim, end := base, base
		claim.ID, claim.At, claim.Kind = fmt.Sprintf("%s.%d.claimed", r.ID, a.Attempt), instant(a.ClaimedAt), "task-claimed"
		end.ID, end.At, end.Kind = fmt.Sprintf("%s.%d.%s", r.ID, a.Attempt, a.Kind), instant(a.EndedAt), "attempt-"+a.Kind
		if end.Text = a.Message; a.Code != "" {
			end.Text = a.Code + ": " + a.Message
		}
		if a.ClaimedAt != 0 {
			out = append(out, claim)
		}
		out = append(out, end)
	}
	return out
}
