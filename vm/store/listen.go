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

// The channels of hints. A hint has no data: it says where to look.
const (
	dueChannel   = "flowc_due"
	inboxChannel = "flowc_inbox"
	tasksChannel = "flowc_tasks"
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
func (d *db) Listen(ctx context.Context, wake func(Wake)) error {
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
	for _, c := range []string{dueChannel, inboxChannel, tasksChannel} {
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
			wake(hint(n))
		}
	}
}

// hint reads a notification; none at all is a reconnect, after which anything may have been missed.
func hint(n *pq.Notification) Wake {
	if n == nil {
		return Wake{Due: true, Inbox: true, Tasks: true}
	}
	return Wake{Due: n.Channel == dueChannel, Inbox: n.Channel == inboxChannel, Tasks: n.Channel == tasksChannel}
}
