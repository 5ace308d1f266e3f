package store

import (
	"context"
	"fmt"
)

// instant is the database's now, for a read.
func (d *db) instant(ctx context.Context) (int64, error) {
	if d.sqlite {
		return d.clock(), nil
	}
	var now int64
	err := d.getRow(ctx, &now, "now")
	return now, err
}

// NextDue is described at Store.
func (d *db) NextDue(ctx context.Context) (due, now int64, err error) {
	if err = d.getRow(ctx, &due, "next_due"); err == nil {
		now, err = d.instant(ctx)
	}
	return due, now, err
}

// InboxWaits is described at Store.
func (d *db) InboxWaits(ctx context.Context) (bool, error) {
	now, err := d.instant(ctx)
	if err != nil {
		return false, err
	}
	var waits bool
	err = d.getRow(ctx, &waits, "inbox_waits", now)
	return waits, err
}

// ExpiredTasks is described at Store.
func (d *db) ExpiredTasks(ctx context.Context, limit int) (expired map[string]string, next, now int64, err error) {
	args := []any{limit}
	if d.sqlite {
		args = append(args, d.clock())
	}
	var rows []struct {
		ID    string `db:"id"`
		Token string `db:"token"`
	}
	if err = d.selectRows(ctx, &rows, d.sql["expired_tasks"], args...); err != nil {
		return nil, 0, 0, fmt.Errorf("find expired attempts: %w", err)
	}
	expired = make(map[string]string, len(rows))
	for _, r := range rows {
		expired[r.ID] = r.Token
	}
	if err = d.getRow(ctx, &next, "next_task"); err == nil {
		now, err = d.instant(ctx)
	}
	return expired, next, now, err
}

// NextClaimable is described at Store.
func (d *db) NextClaimable(ctx context.Context, want []Want) (at, now int64, err error) {
	wanted := set{column(want, func(w *Want) string { return w.Task }), column(want, func(w *Want) string { return w.Flow })}
	args := wanted.arrays()
	if d.sqlite {
		doc, err := wanted.document()
		if err != nil {
			return 0, 0, err
		}
		args = []any{doc}
	}
	if err = d.getRow(ctx, &at, "next_claimable", args...); err == nil {
		now, err = d.instant(ctx)
	}
	return at, now, err
}

// Counts is described at Store.
func (d *db) Counts(ctx context.Context) (Counts, error) {
	c := Counts{}
	groups := []struct {
		name string
		into func(map[string]int64)
	}{
		{"count_tokens", func(m map[string]int64) { c.Tokens = m }},
		{"count_tasks", func(m map[string]int64) { c.Tasks = m }},
		{"oldest_offers", func(m map[string]int64) { c.OldestOffers = m }},
		{"count_inbox", func(m map[string]int64) { c.Inbox = m["inbox"] }},
		{"count_quarantined", func(m map[string]int64) { c.Quarantined = m["quarantined"] }},
		{"count_failed_dispatches", func(m map[string]int64) { c.FailedDispatches = m["failed"] }},
		{"oldest_message", func(m map[string]int64) { c.OldestMessage = m["inbox"] }},
	}
	for _, g := range groups {
		var rows []struct {
			Name string `db:"name"`
			N    int64  `db:"n"`
		}
		if err := d.selectRows(ctx, &rows, d.sql[g.name]); err != nil {
			return c, fmt.Errorf("%s: %w", g.name, err)
		}
		m := map[string]int64{}
		for _, r := range rows {
			m[r.Name] = r.N
		}
		g.into(m)
	}
	var err error
	if c.NextDue, c.Now, err = d.NextDue(ctx); err != nil {
		return c, err
	}
	var overdue struct {
		Name string `db:"name"`
		N    int64  `db:"n"`
	}
	err = d.getRow(ctx, &overdue, "count_overdue_paused", c.Now)
	c.OverduePaused = overdue.N
	return c, err
}

// Batchers is described at Store.
func (d *db) Batchers() int {
	if d.sqlite {
		return 1
	}
	return 2
}

// Metrics is described at Store.
func (d *db) Metrics() Metrics {
	return Metrics{
		Commits: d.commits.Load(), Retries: d.retries.Load(), Reconnects: d.reconnects.Load(),
		Settled: d.settled.Load(), Unknown: d.unknown.Load(),
	}
}

// Writable is described at Store. A read would do on a standby too, so the server is asked what it would let be written.
func (d *db) Writable(ctx context.Context) error {
	if d.sqlite {
		if err := d.write.PingContext(ctx); err != nil {
			return readFault(err)
		}
		return nil
	}
	var readOnly string
	if err := d.read.GetContext(ctx, &readOnly, "SELECT current_setting('transaction_read_only')"); err != nil {
		return readFault(err)
	}
	if readOnly == "on" {
		return fmt.Errorf("%w: it is read-only", ErrUnavailable)
	}
	return nil
}
