package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"
	"time"

	"github.com/lib/pq"
)

func sqlOpen(c driver.Connector) *sql.DB { return sql.OpenDB(c) }

// The channels of hints. But for the last they have no data: they say where to look.
const (
	dueChannel   = "flowc_due"
	inboxChannel = "flowc_inbox"
	tasksChannel = "flowc_tasks"
	movedChannel = "flowc_moved"
)

// wake tells other servers, once a batch: a NOTIFY in a transaction makes its commit wait for others (R81).
func (t *Tx) wake(w *Writes) error {
	if t.db.sqlite || w.Wake == (Wake{}) {
		return nil
	}
	var calls []string
	for _, c := range []struct {
		on   bool
		name string
	}{{w.Wake.Due, dueChannel}, {w.Wake.Inbox, inboxChannel}, {w.Wake.Tasks, tasksChannel}} {
		if c.on {
			calls = append(calls, "pg_notify('"+c.name+"', '')")
		}
	}
	if _, err := t.tx.ExecContext(context.Background(), "SELECT "+strings.Join(calls, ", ")); err != nil {
		return fmt.Errorf("notify: %w", err)
	}
	return nil
}

// Listen is described at Store.
func (d *db) Listen(ctx context.Context, hear func(Hint)) error {
	if d.sqlite || d.listenAt == "off" {
		return nil
	}
	l := pq.NewListener(d.listenAt, 100*time.Millisecond, 10*time.Second, func(e pq.ListenerEventType, err error) {
		if err != nil {
			d.options.Logger.Warn("the line for hints is down; polling", "cause", err)
		}
	})
	defer l.Close()
	stop := context.AfterFunc(ctx, func() { l.Close() }) // Listen blocks while the line is down
	defer stop()
	for _, c := range []string{dueChannel, inboxChannel, tasksChannel, movedChannel} {
		if err := l.Listen(c); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return fmt.Errorf("listen: %w", err)
		}
	}
	alive := time.NewTicker(15 * time.Second)
	defer alive.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-alive.C:
			go l.Ping() // finds a dead line; the listener then connects anew
		case n := <-l.Notify:
			hear(hint(n))
		}
	}
}

// A Hint is what another server tells: where to look, and which tokens have moved. Anything may have moved: All.
type Hint struct {
	Wake
	Moved []Mark
	All   bool
}

// hint reads a notification; none at all is a reconnect, after which anything may have been missed.
func hint(n *pq.Notification) Hint {
	if n == nil {
		return Hint{Wake: Wake{Due: true, Inbox: true, Tasks: true}, All: true}
	}
	h := Hint{Wake: Wake{Due: n.Channel == dueChannel, Inbox: n.Channel == inboxChannel, Tasks: n.Channel == tasksChannel}}
	if n.Channel == movedChannel {
		h.Moved = unpackMarks(n.Extra)
	}
	return h
}
