package engine

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"flowc/vm/store"
	"flowc/vm/task"
)

// readFault turns a store's fault into an answer.
func readFault(err error, ref Ref) error {
	switch {
	case isNotFound(err):
		return notFound(ref)
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return unavailable(err, "the database is not available")
}

// row reads the row of a token by id or key.
func (e *Engine) row(ctx context.Context, ref Ref) (store.Token, error) {
	id := ref.ID
	if id == "" {
		k, err := e.store.Key(ctx, ref.Flow, ref.Key)
		if err != nil {
			return store.Token{}, readFault(err, ref)
		}
		if k.PurgedAt != 0 {
			fault := failure(Purged, "the token of %s:%s has been purged", k.Flow, k.Key)
			fault.PurgedAt = k.PurgedAt
			return store.Token{}, fault
		}
		id = k.Token
	}
	row, err := e.store.Token(ctx, id)
	if err != nil {
		return store.Token{}, readFault(err, ref)
	}
	return row, nil
}

// Token is described at Service.
func (e *Engine) Token(ctx context.Context, ref Ref) (TokenView, error) {
	row, err := e.row(ctx, ref)
	if err != nil {
		return TokenView{}, err
	}
	views, err := e.rowViews(ctx, []store.Token{row})
	if err != nil {
		return TokenView{}, err
	}
	return views[0], nil
}

// rowViews makes views with a fixed number of reads.
func (e *Engine) rowViews(ctx context.Context, rows []store.Token) ([]TokenView, error) {
	out := make([]TokenView, 0, len(rows))
	if len(rows) == 0 {
		return out, nil
	}
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = row.ID
		if _, err := e.readProgram(ctx, row.Program); err != nil && errors.Is(err, store.ErrUnavailable) {
			return nil, readFault(err, Ref{})
		}
	}
	found, err := e.store.TasksOf(ctx, ids, shownTasks+1)
	if err != nil {
		return nil, readFault(err, Ref{})
	}
	tasks := map[string][]task.Row{}
	for _, t := range found {
		tasks[t.Token] = append(tasks[t.Token], t)
	}
	_, now, err := e.store.NextDue(ctx)
	if err != nil {
		return nil, readFault(err, Ref{})
	}
	for _, row := range rows {
		var q *store.Quarantined
		if row.Quarantined {
			if why, err := e.store.QuarantineOf(ctx, row.ID); err == nil {
				q = &why
			}
		}
		out = append(out, e.rowView(row, tasks[row.ID], now, q))
	}
	return out, nil
}

func (e *Engine) pageLimit(asked int) int {
	if asked <= 0 {
		asked = 100
	}
	return min(asked, e.limits.Page)
}

// A cursor is the last row of a page: an instant or a number, and an id.
func cursorOf(at int64, id string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(at, 10) + " " + id))
}

func readCursor(c string) (at int64, id string, fault *Error) {
	if c == "" {
		return 0, "", nil
	}
	b, err := base64.RawURLEncoding.DecodeString(c)
	n, id, ok := strings.Cut(string(b), " ")
	at, bad := strconv.ParseInt(n, 10, 64)
	if err != nil || !ok || bad != nil {
		return 0, "", failure(Malformed, "the cursor is not one of ours").at("/cursor", "malformed")
	}
	return at, id, nil
}

// List is described at Service.
func (e *Engine) List(ctx context.Context, req ListRequest) (TokenPage, error) {
	at, id, fault := readCursor(req.Cursor)
	if fault != nil {
		return TokenPage{}, fault
	}
	limit := e.pageLimit(req.Limit)
	f := e.filter(req)
	f.AfterAt, f.AfterID, f.Limit = at, id, limit
	rows, more, err := e.store.List(ctx, f)
	if err != nil {
		return TokenPage{}, readFault(err, Ref{})
	}
	next := ""
	if more {
		last := rows[len(rows)-1]
		next = cursorOf(last.CreatedAt, last.ID)
	}
	views, err := e.rowViews(ctx, rows)
	return TokenPage{Items: views, Next: next}, err
}

func (req ListRequest) filter() store.Filter {
	f := store.Filter{Flow: req.Flow, Flows: req.Flows, State: req.State, Status: req.Status, Key: req.Key, Error: req.Error,
		Waiting: string(req.Waiting)}
	if !req.Before.IsZero() {
		f.CreatedBefore = req.Before.UnixMicro()
	}
	if !req.After.IsZero() {
		f.CreatedAfter = req.After.UnixMicro()
	}
	return f
}

// Count is described at Service.
func (e *Engine) Count(ctx context.Context, req ListRequest) (int64, error) {
	n, err := e.store.Count(ctx, e.filter(req))
	if err != nil {
		return 0, readFault(err, Ref{})
	}
	return n, nil
}

// Timers is described at Service. A page holds the timers of at most Limit tokens.
func (e *Engine) Timers(ctx context.Context, req TimersRequest) (TimerPage, error) {
	at, id, fault := readCursor(req.Cursor)
	if fault != nil {
		return TimerPage{}, fault
	}
	limit := e.pageLimit(req.Limit)
	rows, more, err := e.store.List(ctx, store.Filter{Flow: req.Flow, Flows: req.Flows, Due: true, AfterAt: at, AfterID: id, Limit: limit})
	if err != nil {
		return TimerPage{}, readFault(err, Ref{})
	}
	page := TimerPage{Items: []TokenTimerView{}}
	if more {
		last := rows[len(rows)-1]
		page.Next = cursorOf(last.NextDue, last.ID)
	}
	views, err := e.rowViews(ctx, rows)
	for _, v := range views {
		for _, t := range v.Timers {
			page.Items = append(page.Items, TokenTimerView{TimerView: t, Token: v.ID, Flow: v.Flow, Key: v.Key})
		}
	}
	return page, err
}

// Tasks is described at Service.
func (e *Engine) Tasks(ctx context.Context, req TasksRequest) (TaskPage, error) {
	_, after, fault := readCursor(req.Cursor)
	if fault != nil {
		return TaskPage{}, fault
	}
	limit := e.pageLimit(req.Limit)
	token := req.Token.ID
	if req.Token.Flow != "" {
		k, err := e.store.Key(ctx, req.Token.Flow, req.Token.Key)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return TaskPage{Items: []TaskView{}}, nil
		case err != nil:
			return TaskPage{}, readFault(err, req.Token)
		}
		token = k.Token
	}
	rows, err := e.store.Tasks(ctx, store.TaskFilter{Task: req.Task, Flows: req.Flows, Status: req.Status, Token: token, After: after, Limit: limit + 1})
	if err != nil {
		return TaskPage{}, readFault(err, Ref{})
	}
	held, err := e.HeldTasks(ctx)
	if err != nil {
		return TaskPage{}, err
	}
	page := TaskPage{Items: []TaskView{}}
	if len(rows) > limit {
		rows = rows[:limit]
		page.Next = cursorOf(0, rows[limit-1].ID)
	}
	for _, r := range rows {
		v := taskView(r)
		v.TaskHeld = slices.ContainsFunc(held, func(h HeldTask) bool { return h.Task == r.Task })
		page.Items = append(page.Items, v)
	}
	return page, nil
}

// readLine reads a line's number, `version.n`.
func readLine(after string) (version int64, n int, fault *Error) {
	if after == "" {
		return 0, 0, nil
	}
	v, l, ok := strings.Cut(after, ".")
	version, err := strconv.ParseInt(v, 10, 64)
	n, bad := strconv.Atoi(l)
	if !ok || err != nil || bad != nil || version < 0 || n < 0 {
		return 0, 0, failure(Malformed, "%q is not the number of a history line; write VERSION.N, such as 3.1", after).at("/after", "VERSION.N")
	}
	return version, n, nil
}

func lineID(version int64, n int) string { return fmt.Sprintf("%d.%d", version, n) }
