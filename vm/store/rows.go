package store

import (
	"time"

	"flowc/vm/task"
)

// PostponedFor is how long messages wait when their receiver keeps as much as it may.
const PostponedFor = time.Second

// A Token is a token's row. NextDue 0 is none; Snapshot is empty until the start step ran.
type Token struct {
	ID          string `db:"id"`
	Flow        string `db:"flow"`
	Key         string `db:"key"` // "": none
	Program     string `db:"program"`
	Status      string `db:"status"`
	Version     int64  `db:"version"`
	Lines       int    `db:"lines"` // history lines of this version so far
	NextDue     int64  `db:"next_due"`
	States      string `db:"states"` // a JSON array of paths
	Snapshot    []byte `db:"snapshot"`
	Data        []byte `db:"data"` // the input and the data, a JSON object; nil in a write leaves it as it is (R83)
	Parent      string `db:"parent"`
	RestartOf   string `db:"restart_of"`
	CreatedAt   int64  `db:"created_at"`
	UpdatedAt   int64  `db:"updated_at"`
	Quarantined bool   `db:"quarantined"`

	Error   string `db:"-"` // of a write: the code that the token failed with, to be searched for
	HeldDue int64  `db:"-"` // of a write: of a paused token the earliest instant that may pass meanwhile
	Waiting string `db:"-"` // of a write: what the token waits for (vm.Waiting); "": as before, "ended": it has ended

	Was int64 `db:"-"` // of a write: the version that was loaded, checked by the statement
	Now int64 `db:"now"`
}

// A Key is a row of keys: taken for ever, also after the purge of its token (R73).
type Key struct {
	Flow     string `db:"flow"`
	Key      string `db:"key"`
	Token    string `db:"token"`
	At       int64  `db:"created_at"`
	PurgedAt int64  `db:"purged_at"` // 0: not purged
}

// An Inbox is a message that waits for its receiver (R5); unique by sender, the sender's version and n.
type Inbox struct {
	Seq           int64  `db:"seq"`
	Receiver      string `db:"receiver"`
	Sender        string `db:"sender"`
	SenderVersion int64  `db:"sender_version"`
	N             int    `db:"n"`
	Stimulus      string `db:"stimulus"` // the engine's envelope, JSON
	At            int64  `db:"at"`
}

// A History is one step (R70); Line is the number of its first line within the version.
type History struct {
	Token    string `db:"token"`
	Version  int64  `db:"version"`
	Line     int    `db:"line"`
	At       int64  `db:"at"`
	Stimulus string `db:"stimulus"`
	Lines    string `db:"lines"`
}

// An Answered is the record of an answered request with an idempotency key (R55).
type Answered struct {
	Credential string `db:"credential"`
	Route      string `db:"route"`
	Key        string `db:"key"`
	Hash       string `db:"hash"`
	Status     string `db:"status"` // "ok" or the error's code
	Body       string `db:"body"`
	At         int64  `db:"at"`
}

// A Program is a deployed program.
type Program struct {
	Hash      string `db:"hash"`
	Flow      string `db:"flow"`
	Code      []byte `db:"code"`
	Source    []byte `db:"source"`
	Files     string `db:"files"`
	Actor     string `db:"actor"`
	CreatedAt int64  `db:"created_at"`
}

// A Flow is a flow's current program.
type Flow struct {
	Name     string `db:"name"`
	Program  string `db:"program"`
	Since    int64  `db:"since"`
	Versions int    `db:"versions"`
}

// A Quarantined is a token that is set aside, since it could not be stepped (R6). Due is its next_due from before.
type Quarantined struct {
	Token  string `db:"token"`
	At     int64  `db:"at"`
	Reason string `db:"reason"`
	Due    int64  `db:"due"`
}

// A Want asks for at most Max tasks of one name, of one flow when it names one.
type Want struct {
	Task string
	Flow string
	Max  int
}

// A Shift says when a token was paused or resumed, for its tasks (R46).
type Shift struct {
	Token string
	At    int64
}

// Writes is everything that one batch of steps writes. Write does it with a fixed number of statements (R83).
type Writes struct {
	NewTokens []Token
	Tokens    []Token // with Was
	History   []History
	Inbox     []Inbox    // new messages
	Taken     []int64    // seqs of the messages that were taken
	Postpone  []string   // receivers whose messages wait a moment, since too much is kept for them already
	CloseFans []FanClose // before FanItems are saved
	FanItems  []FanItem  // new or in place of those of the same index
	EventIDs  []EventID
	NewTasks  []task.Row
	Tasks     []task.Row
	Lines     []Mark   // of tokens that no step of the batch changed, but attempts of their tasks
	Withdraw  []string // ids of tasks
	Hold      []Shift
	Unhold    []Shift
	Answered  []Answered
	At        int64 // the batch's instant
	Wake      Wake  // other servers to be woken
}

// Wake says what other servers should look for at once. It is a hint and may be lost (R81).
type Wake struct{ Due, Inbox, Tasks bool }
