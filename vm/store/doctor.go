package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
)

// A Check is one thing that an examination has looked at. Of what is not fine Why says what it leads to, Advice what to do.
type Check struct {
	Name   string `json:"name"`
	Fine   bool   `json:"fine"`
	Found  string `json:"found"`
	Why    string `json:"why,omitempty"`
	Advice string `json:"advice,omitempty"`
}

// Bounds say from where on an examination finds fault. The zero value of each field means the default written beside it.
type Bounds struct {
	Skew        time.Duration // between this clock and the database's: 1 s
	Transaction time.Duration // age of an open transaction: 5 min
	RowLock     time.Duration // age of a transaction that holds rows of tokens: 1 min
	DeadRows    int64         // dead rows of a table, when they are also more than a fifth of it: 50,000
	KeptWAL     int64         // bytes of log that a replication slot keeps: 1 GiB
	Wraparound  int64         // transactions since the oldest that is not frozen: 1,000,000,000
	Connections float64       // share of the connections that may be in use: 0.9
	Overdue     time.Duration // of the timer due longest ago, and of the oldest message: 30 s
	FreeDisk    int64         // bytes free where an SQLite file lies: 200 MiB
}

func (b *Bounds) withDefaults() {
	set := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	count := func(n *int64, v int64) {
		if *n == 0 {
			*n = v
		}
	}
	set(&b.Skew, time.Second)
	set(&b.Transaction, 5*time.Minute)
	set(&b.RowLock, time.Minute)
	set(&b.Overdue, 30*time.Second)
	count(&b.DeadRows, 50_000)
	count(&b.KeptWAL, 1<<30)
	count(&b.Wraparound, 1_000_000_000)
	count(&b.FreeDisk, 200<<20)
	if b.Connections == 0 {
		b.Connections = 0.9
	}
}

// Examine looks at a database for what makes servers slow, late or forgetful. It changes nothing, does not migrate, and runs beside
// servers; a database that never had a server is only told to be empty. The error is that the database cannot be reached or is no
// database.
func Examine(ctx context.Context, url string, b Bounds) ([]Check, error) {
	b.withDefaults()
	if strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://") {
		return examinePostgres(ctx, url, b)
	}
	return examineSQLite(ctx, strings.TrimPrefix(url, "sqlite:"), b)
}

// An examination is under way.
type examination struct {
	db     *sqlx.DB
	sql    map[string]string
	bounds Bounds
	now    func(context.Context) (int64, error) // the database's instant
	checks []Check
}

func (x *examination) fine(name, format string, args ...any) {
	x.checks = append(x.checks, Check{Name: name, Fine: true, Found: fmt.Sprintf(format, args...)})
}

func (x *examination) wrong(name, found, why, advice string) {
	x.checks = append(x.checks, Check{Name: name, Found: found, Why: why, Advice: advice})
}

// look runs checks; one that cannot be made says so and stops no other.
func (x *examination) look(ctx context.Context, checks ...namedCheck) {
	for _, c := range checks {
		if err := c.do(ctx); err != nil {
			x.wrong(c.name, "could not be looked at: "+err.Error(), "what is wrong there is not seen", "give the role that is used the right to look")
		}
	}
}

type namedCheck struct {
	name string
	do   func(context.Context) error
}

func (x *examination) get(ctx context.Context, into any, name string, args ...any) error {
	return x.db.GetContext(ctx, into, x.db.Rebind(x.sql[name]), args...)
}

func (x *examination) rows(ctx context.Context, into any, name string, args ...any) error {
	return x.db.SelectContext(ctx, into, x.db.Rebind(x.sql[name]), args...)
}

// newestSchema is the version that this program's migrations lead to.
func newestSchema(folder string) (int64, error) {
	files, err := fs.Glob(migrations, "migrations/"+folder+"/*.sql")
	if err != nil {
		return 0, err
	}
	newest := int64(0)
	for _, f := range files {
		number, _, _ := strings.Cut(f[strings.LastIndexByte(f, '/')+1:], "_")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("read the number of %s: %w", f, err)
		}
		newest = max(newest, n)
	}
	return newest, nil
}

// schema says whether the schema is this program's, so that its tables can be asked.
func (x *examination) schema(ctx context.Context, folder string, exists bool) (bool, error) {
	newest, err := newestSchema(folder)
	if err != nil || !exists {
		if err == nil {
			x.fine("schema", "there is none: no server has used this database; one makes it when it starts")
		}
		return false, err
	}
	var have int64
	if err := x.get(ctx, &have, "doctor_schema"); err != nil {
		return false, err
	}
	switch {
	case have > newest:
		x.wrong("schema", fmt.Sprintf("its version is %d, this program knows %d", have, newest),
			"a newer server has migrated it, and this program's server refuses to start", "use the newer program")
	case have < newest:
		x.wrong("schema", fmt.Sprintf("its version is %d, this program's is %d", have, newest),
			"no server of this program's version has started on it", "start one with `flowc run`: it migrates, and older servers go on beside it")
	default:
		x.fine("schema", "version %d, as this program's", have)
	}
	return have == newest, nil
}

// tokens are the checks of what the tables hold.
func (x *examination) tokens() []namedCheck {
	return []namedCheck{{"quarantine", x.quarantine}, {"timers", x.timers}, {"messages", x.messages}, {"programs", x.programs}}
}

func (x *examination) quarantine(ctx context.Context) error {
	var n int64
	if err := x.get(ctx, &n, "doctor_count_quarantine"); err != nil {
		return err
	}
	if n == 0 {
		x.fine("quarantine", "no token is set aside")
		return nil
	}
	var rows []struct {
		Token  string `db:"token"`
		At     int64  `db:"at"`
		Reason string `db:"reason"`
		Flow   string `db:"flow"`
		Key    string `db:"key"`
	}
	if err := x.rows(ctx, &rows, "doctor_quarantine"); err != nil {
		return err
	}
	var named []string
	for _, r := range rows[:min(len(rows), 5)] {
		name := r.Token
		if r.Key != "" {
			name = r.Flow + ":" + r.Key
		}
		reason, _, _ := strings.Cut(r.Reason, "\n")
		named = append(named, fmt.Sprintf("%s since %s (%s)", name, time.UnixMicro(r.At).UTC().Format(time.RFC3339), reason))
	}
	x.wrong("quarantine", fmt.Sprintf("%d set aside: %s", n, strings.Join(named, "; ")), "they could not be stepped: nothing fires and nothing is taken",
		"`flowc quarantine` lists them; put right what is wrong, then `flowc release TOKEN`")
	return nil
}

func (x *examination) timers(ctx context.Context) error {
	return x.oldest(ctx, "timers", "doctor_overdue", "the timer that is most overdue waits since", "no timer is overdue",
		"no server runs on this database, or those that do cannot keep up", "start a server, or look at its log and at the load")
}

func (x *examination) messages(ctx context.Context) error {
	return x.oldest(ctx, "messages", "doctor_oldest_message", "the oldest message between tokens waits since", "no message waits long",
		"its receiver's row is locked, no server runs, or those that do cannot keep up", "look at the row locks above, and at the server's log")
}

func (x *examination) oldest(ctx context.Context, name, statement, found, none, why, advice string) error {
	var at int64
	if err := x.get(ctx, &at, statement); err != nil {
		return err
	}
	now, err := x.now(ctx)
	if err != nil {
		return err
	}
	if age := time.Duration(now-at) * time.Microsecond; at != 0 && age > x.bounds.Overdue {
		x.wrong(name, fmt.Sprintf("%s %s, for %s", found, time.UnixMicro(at).UTC().Format(time.RFC3339), age.Round(time.Second)), why, advice)
		return nil
	}
	x.fine(name, "%s", none)
	return nil
}

func (x *examination) programs(ctx context.Context) error {
	var n int64
	if err := x.get(ctx, &n, "doctor_without_program"); err != nil {
		return err
	}
	if n > 0 {
		x.wrong("programs", fmt.Sprintf("the programs of %d living tokens are missing", n), "whatever touches such a token sets it aside",
			"`flowc deploy` the very files that they were started with; `flowc list --waiting program-missing` lists them")
		return nil
	}
	x.fine("programs", "every living token's program is there")
	return nil
}

// unreachable is an error of the first question.
func unreachable(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}
