package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
)

// examinePostgres needs at least three connections: two to find out what is between, one to look.
func examinePostgres(ctx context.Context, at string, b Bounds) ([]Check, error) {
	all, err := statements("postgres_doctor.sql", "doctor.sql")
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(at)
	if err != nil {
		return nil, errors.New("read the database's URL: it is not one") // the cause would show the password
	}
	q := u.Query()
	for name, value := range map[string]string{"sslmode": "prefer", "connect_timeout": "5", "application_name": "flowc doctor"} {
		if q.Get(name) == "" {
			q.Set(name, value)
		}
	}
	q.Set("binary_parameters", "yes") // one round trip a question, without named statements, so that poolers can be asked
	u.RawQuery = q.Encode()
	pool, err := openPool(u.String(), Options{Pool: 4, IOTimeout: 30 * time.Second})
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	x := &postgresExamination{examination{db: pool, sql: all, bounds: b}}
	x.now = func(ctx context.Context) (now int64, err error) { return now, x.get(ctx, &now, "doctor_clock") }
	if err := pool.PingContext(ctx); err != nil {
		return nil, unreachable(err)
	}
	x.look(ctx, namedCheck{"settings", x.settings}, namedCheck{"clock", x.clock}, namedCheck{"rights", x.rights}, namedCheck{"connections", x.connections},
		namedCheck{"pooler", x.pooler}, namedCheck{"open transactions", x.transactions}, namedCheck{"replication slots", x.slots},
		namedCheck{"transaction ids", x.wraparound}, namedCheck{"migration", x.migration})
	known := false
	x.look(ctx, namedCheck{"schema", func(ctx context.Context) error {
		var exists bool
		err := x.get(ctx, &exists, "doctor_has_schema")
		if err == nil {
			known, err = x.schema(ctx, "postgres", exists)
		}
		return err
	}})
	if known {
		x.look(ctx, namedCheck{"dead rows", x.deadRows}, namedCheck{"row locks", x.rowLocks})
		x.look(ctx, x.tokens()...)
	}
	return x.checks, nil
}

type postgresExamination struct{ examination }

// oldestVersion is the oldest Postgres whose statements the store uses.
const oldestVersion = 120000

func (x *postgresExamination) settings(ctx context.Context) error {
	var s struct {
		Fsync       string `db:"fsync"`
		Commit      string `db:"synchronous_commit"`
		Pages       string `db:"full_page_writes"`
		Autovacuum  string `db:"autovacuum"`
		ReadOnly    string `db:"read_only"`
		Encoding    string `db:"encoding"`
		VersionCode int    `db:"version"`
	}
	if err := x.get(ctx, &s, "doctor_settings"); err != nil {
		return err
	}
	found := len(x.checks)
	if s.Fsync == "off" {
		x.wrong("fsync", "fsync is off", "a crash of the machine loses what was answered and may destroy the database", "set fsync = on")
	}
	if s.Commit == "off" {
		x.wrong("synchronous_commit", "synchronous_commit is off", "a crash of Postgres loses the last moments of what was answered",
			"set synchronous_commit = on, also for the role and the database (ALTER ROLE … SET, ALTER DATABASE … SET)")
	}
	if s.Pages == "off" {
		x.wrong("full_page_writes", "full_page_writes is off", "a crash in the middle of a page's write may destroy it",
			"set full_page_writes = on, unless the file system writes pages whole")
	}
	if s.Autovacuum == "off" {
		x.wrong("autovacuum", "autovacuum is off", "dead rows are never removed: tables grow and every step gets slower", "set autovacuum = on")
	}
	if s.ReadOnly == "on" {
		x.wrong("writable", "the database takes no writes", "it is a standby, or default_transaction_read_only is set: no step can be saved",
			"use the primary's address, such as with target_session_attrs=read-write in the URL")
	}
	if s.Encoding != "UTF8" {
		x.wrong("encoding", "the database's encoding is "+s.Encoding, "text of inputs, data and events that it does not have cannot be saved",
			"make a database WITH ENCODING 'UTF8'")
	}
	if s.VersionCode < oldestVersion {
		x.wrong("version", fmt.Sprintf("Postgres is of version %d", s.VersionCode/10000), "statements of the server are not understood", "use Postgres 15")
	}
	if len(x.checks) == found {
		x.fine("settings", "nothing that has been committed can be lost by them")
	}
	return nil
}

func (x *postgresExamination) clock(ctx context.Context) error {
	before := time.Now()
	now, err := x.now(ctx)
	if err != nil {
		return err
	}
	after, theirs := time.Now(), time.UnixMicro(now)
	skew := time.Duration(0)
	if theirs.Before(before) {
		skew = before.Sub(theirs)
	} else if theirs.After(after) {
		skew = theirs.Sub(after)
	}
	if skew > x.bounds.Skew {
		x.wrong("clock", fmt.Sprintf("this machine's clock and the database's differ by %s", skew.Round(time.Millisecond)),
			"timers fire by the database's clock, so that they seem early or late here, and logs cannot be compared", "set both clocks by NTP")
		return nil
	}
	x.fine("clock", "this machine's clock and the database's agree to %s", x.bounds.Skew)
	return nil
}

func (x *postgresExamination) rights(ctx context.Context) error {
	var sees bool
	if err := x.get(ctx, &sees, "doctor_sees"); err != nil {
		return err
	}
	if !sees {
		x.wrong("rights", "the role sees its own sessions only", "old transactions and locks of others are not found",
			"GRANT pg_read_all_stats TO the role, or examine as another one")
		return nil
	}
	x.fine("rights", "the role sees all sessions")
	return nil
}

func (x *postgresExamination) connections(ctx context.Context) error {
	var c struct {
		Used     int64 `db:"used"`
		Most     int64 `db:"most"`
		UsedHere int64 `db:"used_here"`
		MostHere int64 `db:"most_here"`
		UsedMine int64 `db:"used_mine"`
		MostMine int64 `db:"most_mine"`
	}
	if err := x.get(ctx, &c, "doctor_connections"); err != nil {
		return err
	}
	full := ""
	for _, l := range []struct {
		of         string
		used, most int64
	}{{"server", c.Used, c.Most}, {"database", c.UsedHere, c.MostHere}, {"role", c.UsedMine, c.MostMine}} {
		if l.most >= 0 && float64(l.used) >= x.bounds.Connections*float64(l.most) { // -1: no limit
			full = fmt.Sprintf("%d of the %s's %d are in use", l.used, l.of, l.most)
		}
	}
	if full != "" {
		x.wrong("connections", full, "servers that lose a connection get no other one; each server of flowc uses up to 9",
			"raise max_connections or the limit, close what is idle, or put a pooler between")
		return nil
	}
	x.fine("connections", "%d of %d are in use", c.Used, c.Most)
	return nil
}

// pooler finds out whether sessions are shared. A transaction is opened in one session and the other one is asked again: it is
// served by another process only when somebody between hands them out anew for each transaction.
func (x *postgresExamination) pooler(ctx context.Context) error {
	one, err := x.db.Connx(ctx)
	if err != nil {
		return err
	}
	defer one.Close()
	two, err := x.db.Connx(ctx)
	if err != nil {
		return err
	}
	defer two.Close()
	before, err := backend(ctx, one)
	if err != nil {
		return err
	}
	tx, err := two.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // it has only read
	other, err := backend(ctx, tx)
	if err != nil {
		return err
	}
	after, err := backend(ctx, one)
	if err != nil {
		return err
	}
	if before == other || before != after {
		x.wrong("pooler", "a pooler in transaction mode stands between", "steps work, but a server cannot be woken through it (LISTEN), and polls once a second instead",
			"give `flowc run` --listen-database with a URL past the pooler, or off if a second does not matter")
		return nil
	}
	x.fine("pooler", "sessions stay with their connections")
	return nil
}

func backend(ctx context.Context, q sqlx.QueryerContext) (pid int64, err error) {
	return pid, q.QueryRowxContext(ctx, "SELECT pg_backend_pid()").Scan(&pid)
}

// A session is one that somebody should look at.
type session struct {
	PID         int64   `db:"pid"`
	User        string  `db:"usename"`
	Application string  `db:"application"`
	Database    string  `db:"datname"`
	State       string  `db:"state"`
	XID         string  `db:"xid"`
	Age         float64 `db:"age"`
}

func (s session) String() string {
	who := []string{fmt.Sprintf("process %d", s.PID)}
	if s.Application != "" {
		who = append(who, s.Application)
	}
	if s.User != "" {
		who = append(who, "as "+s.User)
	}
	if s.Database != "" {
		who = append(who, "in "+s.Database)
	}
	if s.State != "" {
		who = append(who, s.State)
	}
	return strings.Join(who, ", ") + ", for " + seconds(s.Age)
}

func seconds(s float64) string {
	return time.Duration(s * float64(time.Second)).Round(time.Second).String()
}

const holdsVacuum = "vacuum can remove no row that died since: tables grow and every step gets slower"

func (x *postgresExamination) transactions(ctx context.Context) error {
	var open []session
	if err := x.rows(ctx, &open, "doctor_old_transactions", x.bounds.Transaction.Seconds()); err != nil {
		return err
	}
	var prepared []struct {
		ID  string  `db:"gid"`
		Age float64 `db:"age"`
	}
	if err := x.rows(ctx, &prepared, "doctor_prepared", x.bounds.Transaction.Seconds()); err != nil {
		return err
	}
	if len(prepared) > 0 {
		var named []string
		for _, p := range prepared {
			named = append(named, fmt.Sprintf("%s for %s", p.ID, seconds(p.Age)))
		}
		x.wrong("prepared transactions", strings.Join(named, "; "), holdsVacuum, "COMMIT PREPARED or ROLLBACK PREPARED them")
	}
	if len(open) > 0 {
		x.wrong("open transactions", list(open), holdsVacuum,
			"end them: SELECT pg_terminate_backend(PROCESS); idle_in_transaction_session_timeout ends those that are forgotten")
		return nil
	}
	x.fine("open transactions", "none is older than %s", x.bounds.Transaction)
	return nil
}

func list(sessions []session) string {
	words := make([]string, len(sessions))
	for i, s := range sessions {
		words[i] = s.String()
	}
	return strings.Join(words, "; ")
}

func (x *postgresExamination) slots(ctx context.Context) error {
	var slots []struct {
		Name   string `db:"name"`
		Type   string `db:"type"`
		Active bool   `db:"active"`
		Kept   int64  `db:"kept"`
		Holds  bool   `db:"holds"`
	}
	if err := x.rows(ctx, &slots, "doctor_slots"); err != nil {
		return err
	}
	var bad []string
	for _, s := range slots {
		switch {
		case !s.Active:
			bad = append(bad, fmt.Sprintf("%s (%s) is used by nobody and keeps %d MB of log", s.Name, s.Type, s.Kept>>20))
		case s.Kept > x.bounds.KeptWAL:
			bad = append(bad, fmt.Sprintf("%s (%s) is behind and keeps %d MB of log", s.Name, s.Type, s.Kept>>20))
		}
	}
	if len(bad) > 0 {
		x.wrong("replication slots", strings.Join(bad, "; "), "a slot keeps log until the disk is full, and rows from being removed",
			"start its consumer again, or SELECT pg_drop_replication_slot(NAME)")
		return nil
	}
	x.fine("replication slots", "%d, none behind", len(slots))
	return nil
}

func (x *postgresExamination) deadRows(ctx context.Context) error {
	var tables []struct {
		Name string `db:"name"`
		Live int64  `db:"live"`
		Dead int64  `db:"dead"`
		Off  bool   `db:"off"`
	}
	if err := x.rows(ctx, &tables, "doctor_dead_rows"); err != nil {
		return err
	}
	var bad []string
	for _, t := range tables {
		if t.Dead > x.bounds.DeadRows && t.Dead*4 > t.Live {
			bad = append(bad, fmt.Sprintf("%s has %d dead rows beside %d", t.Name, t.Dead, t.Live))
		}
		if t.Off {
			bad = append(bad, t.Name+" has autovacuum_enabled=false")
		}
	}
	if len(bad) > 0 {
		x.wrong("dead rows", strings.Join(bad, "; "), "every step reads past them",
			"end what holds vacuum back, see the open transactions and slots; then VACUUM the table, or ALTER TABLE … RESET (autovacuum_enabled)")
		return nil
	}
	x.fine("dead rows", "vacuum keeps up")
	return nil
}

func (x *postgresExamination) wraparound(ctx context.Context) error {
	var age int64
	if err := x.get(ctx, &age, "doctor_wraparound"); err != nil {
		return err
	}
	if age > x.bounds.Wraparound {
		x.wrong("transaction ids", fmt.Sprintf("%d have been given since the oldest row that is not frozen", age), "at 2,100,000,000 Postgres takes no more writes",
			"end what holds vacuum back, then VACUUM (FREEZE) the database")
		return nil
	}
	x.fine("transaction ids", "far from their end")
	return nil
}

// rowLocks finds who holds rows that servers want, and which: a server passes locked rows over, so nobody is seen to wait.
func (x *postgresExamination) rowLocks(ctx context.Context) error {
	var holders []session
	if err := x.rows(ctx, &holders, "doctor_row_locks", x.bounds.RowLock.Seconds()); err != nil {
		return err
	}
	if len(holders) == 0 {
		x.fine("row locks", "no transaction holds rows for longer than %s", x.bounds.RowLock)
		return nil
	}
	var named []string
	for _, h := range holders {
		text := h.String()
		if h.XID != "" {
			var ids []string
			if err := x.rows(ctx, &ids, "doctor_locked_tokens", h.XID); err != nil {
				return err
			}
			if len(ids) > 0 {
				text += ", holds the tokens " + strings.Join(ids, ", ")
			}
		}
		named = append(named, text)
	}
	x.wrong("row locks", strings.Join(named, "; "), "the tokens whose rows it holds stand still: their timers do not fire, and events are answered 503",
		"end it: SELECT pg_terminate_backend(PROCESS)")
	return nil
}

func (x *postgresExamination) migration(ctx context.Context) error {
	var exists bool
	if err := x.get(ctx, &exists, "doctor_has_lock_table"); err != nil || !exists {
		return err
	}
	var lock struct {
		Holder  string  `db:"holder"`
		Age     float64 `db:"age"`
		Expired bool    `db:"expired"`
	}
	err := x.get(ctx, &lock, "doctor_schema_lock")
	switch {
	case errors.Is(err, sql.ErrNoRows):
		x.fine("migration", "none is under way")
		return nil
	case err != nil:
		return err
	case lock.Expired:
		x.wrong("migration", fmt.Sprintf("%s began one %s ago and is gone", lock.Holder, seconds(lock.Age)), "the schema may be between two versions",
			"start a server: it takes the lock over and goes on")
	default:
		x.wrong("migration", fmt.Sprintf("%s holds the lock since %s", lock.Holder, seconds(lock.Age)), "servers that start meanwhile wait for it",
			"wait; if it takes long, look for what holds locks on the tables")
	}
	return nil
}
