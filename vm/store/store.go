// Package store keeps tokens, their history, tasks and messages in Postgres or SQLite, behind one interface (R80). It knows SQL
// and rows; what a step does is the engine's.
//
//	s, err := store.Open(ctx, "postgres://…", store.Options{})   // any number of servers
//	s, err := store.Open(ctx, "flow.db", store.Options{})        // one process, embedded
//	err = s.Update(ctx, func(tx *store.Tx) error { … })          // one transaction, repeated until its fate is known
//
// Every write runs in an explicit transaction that leaves a marker row. A COMMIT whose reply is lost is looked up by that row on
// another connection before Update returns, so its answer is true: nil is committed, an error is not committed, and only
// ErrUnknown is neither. A function given to Update may run several times and must keep its effects in the transaction.
package store

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"flowc/vm/task"
)

// A Store is a database of tokens. Its methods may be used by several goroutines; those outside Update only read.
type Store interface {
	// Update runs f in a transaction and commits it. Transient faults (serialization, deadlock, lost connection, fail-over) are
	// repeated in a new transaction with backoff for up to Options.Patience, then ErrUnavailable is returned. The context stops
	// the repeating, never a transaction that has begun.
	Update(ctx context.Context, f func(*Tx) error) error

	Token(ctx context.Context, id string) (Token, error)
	// Tokens reads the tokens of these ids, a few hundred at most; unknown ones are left out.
	Tokens(ctx context.Context, ids []string) ([]Token, error)
	Key(ctx context.Context, flow, key string) (Key, error)
	// List reads tokens, at most Limit of them and about 8 MiB; more says that there are others after them.
	List(ctx context.Context, f Filter) (found []Token, more bool, err error)
	Count(ctx context.Context, f Filter) (int64, error)
	// FanItems gives the rows of a token's fan-outs and the version at which they are so.
	FanItems(ctx context.Context, token string) ([]FanItem, int64, error)
	// EventIDs gives the ids of the events that a token has taken.
	EventIDs(ctx context.Context, token string) ([]EventID, error)
	// History reads the steps of a token from the one on that has the line, at most limit of them and about a MiB; more says that
	// there are others. Of the versions only those from version on are read.
	History(ctx context.Context, token string, version int64, line, limit int) (steps []History, more bool, err error)
	// Attempts reads the tasks of a token of which attempts ended at the versions from from to to, without their inputs.
	Attempts(ctx context.Context, token string, from, to int64) ([]task.Row, error)
	// Recent reads the last steps of a token, newest first.
	Recent(ctx context.Context, token string, limit int) ([]History, error)
	Tasks(ctx context.Context, f TaskFilter) ([]task.Row, error)
	// TasksOf loads the work of tokens that is not over and not dispatched, without its input: of each token the first `each`
	// that were offered.
	TasksOf(ctx context.Context, tokens []string, each int) ([]task.Row, error)
	// FlowsOf gives the flows of tokens; unknown tokens are left out.
	FlowsOf(ctx context.Context, tokens []string) (map[string]string, error)
	// Marks says how far the histories of tokens go; unknown tokens are left out.
	Marks(ctx context.Context, tokens []string) (map[string]Mark, error)

	Program(ctx context.Context, hash string) (Program, error)
	Flow(ctx context.Context, name string) (Flow, error)
	Flows(ctx context.Context) ([]Flow, error)
	Programs(ctx context.Context, flow string) ([]Program, error)
	Quarantined(ctx context.Context, limit int) ([]Quarantined, error)
	QuarantineOf(ctx context.Context, token string) (Quarantined, error)
	Counts(ctx context.Context) (Counts, error)
	CountPurge(ctx context.Context, p Purge) (int64, error)
	Credentials(ctx context.Context) ([]Credential, error)
	HeldTasks(ctx context.Context) ([]HeldTask, error)
	Queues(ctx context.Context) ([]Queue, error)
	// States counts tokens by flow and active state.
	States(ctx context.Context, f Filter) ([]StateCount, error)
	// Waiting counts living tokens by flow and by what they wait for.
	Waiting(ctx context.Context, f Filter) ([]WaitingCount, error)

	// NextDue is the earliest due instant of any token and the database's now; 0 is none.
	NextDue(ctx context.Context) (due, now int64, err error)
	// InboxWaits says whether a message waits for a token that can take it.
	InboxWaits(ctx context.Context) (bool, error)
	// ExpiredTasks names claimed tasks whose attempt is over (task id → token), and when the next one will be.
	ExpiredTasks(ctx context.Context, limit int) (expired map[string]string, next, now int64, err error)
	// NextClaimable is when the first of what is wanted can be claimed; 0 is never.
	NextClaimable(ctx context.Context, want []Want) (at, now int64, err error)

	// Tell hints to other servers which tokens have moved.
	Tell(ctx context.Context, moved []Mark) error
	// Listen calls hear for every hint of another server, and with all set after a reconnect, until the context ends. It returns
	// at once with nil where there are no other servers.
	Listen(ctx context.Context, hear func(Hint)) error
	// Writable says why the database cannot be written, nil when it can.
	Writable(ctx context.Context) error
	// Batchers is how many transactions of steps are worth running at once: 2 on Postgres, 1 on SQLite.
	Batchers() int
	// Metrics are counts since the store was opened.
	Metrics() Metrics
	Close() error
}

// Faults that callers tell apart.
var (
	ErrNotFound = errors.New("no such row")
	// ErrUnavailable: the database could not be reached or kept refusing; nothing was committed.
	ErrUnavailable = errors.New("the database is not available")
	// ErrUnknown: a COMMIT was sent and its fate could not be found out in time.
	ErrUnknown = errors.New("the fate of the transaction is unknown")
	// ErrNewerSchema: a newer server has migrated the database (R62).
	ErrNewerSchema = errors.New("the database's schema is newer than this program")
	// ErrInUse: another process has the SQLite file open.
	ErrInUse = errors.New("the database file is in use by another process; use Postgres for several servers on one database")
	// ErrLost: a row that the transaction had locked was not there as it was loaded. It is a bug, or somebody wrote by hand.
	ErrLost = errors.New("a row changed under the transaction that holds its lock")
)

// Options of a store; the zero value works.
type Options struct {
	Logger    *slog.Logger
	Pool      int                // connections: 8 on Postgres; 1 is enough for everything
	Patience  time.Duration      // how long transient faults are repeated: 5 s
	CommitFor time.Duration      // how long the fate of a COMMIT is looked up: 10 s
	IOTimeout time.Duration      // longest silence of the database within a statement: 30 s; Postgres only
	ListenURL string             // where LISTEN works when URL is a transaction pooler; "off" polls only; "" is URL
	Clock     func() int64       // SQLite: the instant in microseconds; the process's clock when nil
	Prepare   string             // Postgres: "binary" (default, one round trip, poolers work) or "plain"; see docs/performance.md
	Fault     func(string) error // called before each named statement of a transaction, for fault tests
}

// A Filter selects tokens, newest first; empty fields do not filter. After is the last row of the page before.
type Filter struct {
	Flow, State, Status, Key string
	Flows                    []string // any of these; nil: all
	Error                    string   // the code that the token failed with
	Waiting                  string   // why the token waits, a vm.WhyKind; not of an ended one
	Unrunnable               []string // programs that this server cannot run: their tokens wait as if they were missing
	CreatedBefore            int64    // microseconds; 0: any
	CreatedAfter             int64
	Due                      bool // only tokens with a next timer, soonest first; AfterAt is then a due instant
	AfterAt                  int64
	AfterID                  string
	Limit                    int
}

// A TaskFilter selects tasks by id order; without Status those that are not over. All lifts that.
type TaskFilter struct {
	ID, Task, Status, Token string
	Flows                   []string // any of these; nil: all
	All                     bool
	After                   string
	Limit                   int
}

// Counts are counts over the database.
type Counts struct {
	Tokens, Tasks, OldestOffers map[string]int64
	Inbox, Quarantined          int64
	OldestMessage               int64 // when the oldest message that waits was sent; 0: none waits
	FailedDispatches            int64
	OverduePaused               int64 // paused tokens of which an instant has passed
	NextDue, Now                int64
}

// Metrics are counts since the store was opened.
type Metrics struct{ Commits, Retries, Reconnects, Settled, Unknown int64 }

// Open opens a database and brings its schema up to date: Postgres for postgres:// and postgresql:// URLs, otherwise SQLite at a
// file path, or in memory for ":memory:".
func Open(ctx context.Context, url string, o Options) (Store, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Patience == 0 {
		o.Patience = 5 * time.Second
	}
	if o.CommitFor == 0 {
		o.CommitFor = 10 * time.Second
	}
	if o.IOTimeout == 0 {
		o.IOTimeout = 30 * time.Second
	}
	if strings.HasPrefix(url, "postgres://") || strings.HasPrefix(url, "postgresql://") {
		return openPostgres(ctx, url, o)
	}
	return openSQLite(ctx, strings.TrimPrefix(url, "sqlite:"), o)
}
