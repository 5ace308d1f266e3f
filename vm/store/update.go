package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
)

// db is both back ends.
type db struct {
	write    *sqlx.DB
	read     *sqlx.DB // the same pool on Postgres
	sqlite   bool
	sql      map[string]string
	clock    func() int64
	options  Options
	listenAt string
	release  func() error // of what keeps other processes out

	commits, retries, reconnects, settled, unknown atomic.Int64
}

// errCommit wraps what COMMIT said when it did not say whether it was carried out.
type errCommit struct{ cause error }

func (e *errCommit) Error() string { return "commit: " + e.cause.Error() }
func (e *errCommit) Unwrap() error { return e.cause }

// Update is described at Store.
func (d *db) Update(ctx context.Context, f func(*Tx) error) error {
	deadline := time.Now().Add(d.options.Patience)
	for try := 0; ; try++ {
		marker := uuid.NewString()
		err := d.once(ctx, marker, f)
		var lost *errCommit
		if errors.As(err, &lost) {
			committed, fate := d.settle(marker)
			switch {
			case fate != nil:
				d.unknown.Add(1)
				return fmt.Errorf("%w: %w; then %w", ErrUnknown, err, fate)
			case committed:
				d.commits.Add(1)
				return nil
			}
		}
		if err == nil {
			d.commits.Add(1)
			return nil
		}
		if !transient(err) {
			return err
		}
		d.retries.Add(1)
		if time.Now().After(deadline) || ctx.Err() != nil {
			return fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		d.options.Logger.Debug("repeat a transaction", "try", try, "cause", err)
		pause(ctx, try)
	}
}

// pause waits before the next try: 5 ms doubling to 640 ms, with jitter so that servers do not come back together.
func pause(ctx context.Context, try int) {
	d := 5 * time.Millisecond << min(try, 7)
	t := time.NewTimer(d/2 + rand.N(d/2))
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// once runs f in one transaction on a connection of its own. Statements have no context: a cancelled one must not cut a step,
// and the connection bounds how long the database may be silent.
func (d *db) once(ctx context.Context, marker string, f func(*Tx) error) (err error) {
	conn, err := d.connection(ctx)
	if err != nil {
		return err
	}
	defer func() {
		if evict(err) {
			d.evict(conn)
		}
		conn.Close() // gives it back to the pool; its error says only that it was broken already
	}()
	crashPoint()
	tx, err := conn.BeginTxx(context.Background(), nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	crashPoint()
	t := &Tx{db: d, tx: tx}
	err = f(t)
	if err == nil && t.wrote {
		err = t.mark(marker)
	}
	if err != nil {
		if back := tx.Rollback(); back != nil && !errors.Is(back, sql.ErrTxDone) {
			d.evict(conn) // nobody may get a connection with an open transaction
		}
		return err
	}
	if err := d.fault("commit"); err != nil {
		tx.Rollback()
		return err
	}
	crashPoint()
	err = tx.Commit()
	crashPoint()
	if err != nil {
		if refusal(err) || !t.wrote {
			return fmt.Errorf("commit: %w", err)
		}
		return &errCommit{cause: err}
	}
	return nil
}

// connection waits for a free connection, at most as long as transient faults are repeated.
func (d *db) connection(ctx context.Context) (*sqlx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, d.options.Patience)
	defer cancel()
	conn, err := d.write.Connx(ctx)
	if err != nil {
		return nil, &errConnect{cause: err}
	}
	return conn, nil
}

func (d *db) fault(name string) error {
	if d.options.Fault == nil {
		return nil
	}
	return d.options.Fault(name)
}

func (t *Tx) mark(marker string) error {
	now, err := t.Now()
	if err != nil {
		return err
	}
	n, err := t.exec("mark", nil, marker, now)
	if err == nil && n == 0 {
		return errReadOnly
	}
	return err
}

// settle finds out whether the transaction with the marker was committed. It takes the marker's place in the table: that waits
// for a transaction that still runs, and once it is taken the transaction can never commit any more.
func (d *db) settle(marker string) (committed bool, err error) {
	deadline := time.Now().Add(d.options.CommitFor)
	d.settled.Add(1)
	for try := 0; ; try++ {
		void, err := d.settleOnce(marker)
		if err == nil {
			return !void, nil
		}
		if time.Now().After(deadline) {
			return false, err
		}
		pause(context.Background(), try)
	}
}

func (d *db) settleOnce(marker string) (void bool, err error) {
	conn, err := d.connection(context.Background())
	if err != nil {
		return false, err
	}
	defer func() {
		if err != nil {
			d.evict(conn)
		}
		conn.Close()
	}()
	tx, err := conn.BeginTxx(context.Background(), nil)
	if err != nil {
		return false, fmt.Errorf("begin: %w", err)
	}
	t := &Tx{db: d, tx: tx}
	now, err := t.Now()
	if err == nil {
		_, err = t.exec("settle", nil, marker, now)
	}
	if err == nil {
		err = t.get(&void, "settled", marker)
	}
	if err != nil {
		tx.Rollback() // the connection is evicted in any case
		return false, err
	}
	if err := tx.Commit(); err != nil {
		return false, fmt.Errorf("commit: %w", err)
	}
	return void, nil
}
