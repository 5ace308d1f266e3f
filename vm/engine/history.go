package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"flowc/vm"
	"flowc/vm/store"
	"flowc/vm/task"
)

// A placed line is one of a history with its place.
type placed struct {
	at Mark // Lines is its number within the version
	HistoryLine
}

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
	after, end := Mark{version, n}, Mark{row.Version, row.Lines}
	limit := e.pageLimit(req.Limit)
	// one row may hold no line that is wanted: the first, which holds the line `after`
	rows, more, err := e.store.History(ctx, row.ID, version, n, limit+1)
	if err != nil {
		return HistoryPage{}, readFault(err, req.Token)
	}
	last := end
	var lines []placed
	for _, h := range rows {
		of, err := historyLines(h)
		if err != nil {
			return HistoryPage{}, unavailable(err, "the history cannot be read")
		}
		for i, l := range of {
			lines = append(lines, placed{Mark{h.Version, h.Line + i}, l})
		}
	}
	if more && len(lines) > 0 {
		last = lines[len(lines)-1].at
	}
	if lines, err = e.withAttempts(ctx, row.ID, lines, after, last); err != nil {
		return HistoryPage{}, err
	}
	// What came since the row was read is left for the next page: of it some could have been seen and some before it not.
	lines = slices.DeleteFunc(lines, func(l placed) bool { return !l.at.beyond(after) || l.at.beyond(last) || l.at.beyond(end) })
	slices.SortFunc(lines, func(a, b placed) int {
		return cmp.Or(cmp.Compare(a.at.Version, b.at.Version), cmp.Compare(a.at.Lines, b.at.Lines))
	})
	page := HistoryPage{Items: []HistoryLine{}, Token: row.ID, End: end, Status: vm.Status(row.Status)}
	if len(lines) > limit {
		lines, more = lines[:limit], true
	}
	for _, l := range lines {
		page.Items = append(page.Items, l.HistoryLine)
	}
	if err := e.hide(ctx, page.Items, req.Flows); err != nil {
		return HistoryPage{}, err
	}
	if more && len(lines) > 0 && end.beyond(lines[len(lines)-1].at) {
		page.Next = lines[len(lines)-1].ID
	}
	return page, nil
}

// withAttempts merges in the ended attempts of tasks (R70). Each has its place in the history since it ended with the token locked,
// so a line never comes to stand before one that somebody has read already.
func (e *Engine) withAttempts(ctx context.Context, token string, lines []placed, after, last Mark) ([]placed, error) {
	tasks, err := e.store.Attempts(ctx, token, after.Version, last.Version)
	if err != nil {
		return nil, readFault(err, Ref{ID: token})
	}
	for _, r := range tasks {
		lines = append(lines, attemptLines(r)...)
	}
	return lines, nil
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
			State: l.State, Visit: l.Visit, Name: l.Name, Text: l.Text, Due: instantOf(l.Due), Was: instantOf(l.Was), LateMs: l.LateMicros / 1000,
			Missed: l.Missed, More: l.More, from: st.From}
		if i == 0 {
			out[i].Payload = st.Payload
		}
	}
	return out, nil
}

// place gives the attempt that the row ended last its lines in the token's history: they follow those that the version has. A
// number that is not used in the end, since the token refused the outcome, stays free.
func (r *round) place(l *live, row task.Row) task.Row {
	n := len(row.Log)
	if n == 0 || row.Log[n-1].Line != 0 {
		return row // it ended none
	}
	row.Log = slices.Clone(row.Log)
	a := &row.Log[n-1]
	a.Version, a.Line = l.version(), l.lines+1
	l.lines += len(attemptLine(row, *a))
	l.placed = true
	return row
}

// attemptLines are a task's ended attempts as lines of its token's history.
func attemptLines(r task.Row) []placed {
	var out []placed
	for _, a := range r.Log {
		for i, l := range attemptLine(r, a) {
			l.ID = lineID(a.Version, a.Line+i)
			out = append(out, placed{Mark{a.Version, a.Line + i}, l})
		}
	}
	return out
}

// attemptLine is one attempt: that it was claimed, when it was, and how it ended.
func attemptLine(r task.Row, a task.Attempt) []HistoryLine {
	base := HistoryLine{State: r.State, Visit: r.Visit, Name: r.Task, Stimulus: "attempt",
		More: map[string]any{"task": r.ID, "attempt": a.Attempt}}
	if a.Worker != "" {
		base.More["worker"] = a.Worker
	}
	claim, end := base, base
	claim.At, claim.Kind = instant(a.ClaimedAt), "task-claimed"
	end.At, end.Kind = instant(a.EndedAt), "attempt-"+a.Kind
	if end.Text = a.Message; a.Code != "" {
		end.Text = a.Code + ": " + a.Message
	}
	if a.ClaimedAt == 0 {
		return []HistoryLine{end}
	}
	return []HistoryLine{claim, end}
}
