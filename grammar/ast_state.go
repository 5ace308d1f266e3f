package grammar

// StateItem is what may stand in the body of a flow, a fragment, a state, a
// parallel, a region or a final state: [*Data], [*Initial], [*State],
// [*Parallel], [*Region], [*Final], [*Use], [*Timeout], [*After], [*At],
// [*Every], [*Idle], [*On], [*Always], [*Entry], [*Exit], [*Do], [*Run],
// [*Invoke], [*Defer] or [*History].
//
// The parser takes every item in every body and reports only what has no id of
// its own in the language: a region outside a parallel, a state directly in a
// parallel, data inside an inner state.
type StateItem interface {
	Node
	stateItem()
}

// StateBody is the braced body of a state or of what is built like one.
type StateBody struct {
	region
	Items []StateItem
}

// Data is `data { field: type = default … }`.
type Data struct {
	node
	Body *FieldBlock `parser:"'data' @@"`
}

// Fields are the data fields in file order.
func (d *Data) Fields() []*Field { return d.Body.list() }

// Initial is `initial NAME`.
type Initial struct {
	node
	Target *Path `parser:"'initial' @@"`
}

// State is `state NAME { … }`.
type State struct {
	node
	Name *Ident     `parser:"'state' @@?"`
	Body *StateBody `parser:"@@"`
}

// Parallel is `parallel NAME [join …] { region … }`.
type Parallel struct {
	node
	Name *Ident     `parser:"'parallel' @@?"`
	Join *Join      `parser:"@@?"`
	Body *StateBody `parser:"@@"`
}

// Region is `region NAME { … }`, directly inside a parallel.
type Region struct {
	node
	Name *Ident     `parser:"'region' @@?"`
	Body *StateBody `parser:"@@"`
}

// Final is `final NAME [as OUTCOME] [{ entry … }]`. As is nil when it is left
// out, which means success.
type Final struct {
	node
	Name *Ident     `parser:"'final' @@"`
	As   *Ident     `parser:"( 'as' @@ )?"`
	Body *StateBody `parser:"@@?"`
}

// Use is `use FRAGMENT(args) as NAME`.
type Use struct {
	node
	Call *Call  `parser:"'use' @@"`
	As   *Ident `parser:"'as' @@"`
}

// Target is `-> STATE`; the path is `self` for a new visit of the same state.
type Target struct {
	node
	Path *Path `parser:"Arrow @@"`
}

// When is `when COND`.
type When struct {
	node
	Cond Expr `parser:"'when' (?! LBrace) @@"`
}

// From is `from TIME`.
type From struct {
	node
	Time Expr `parser:"'from' @@"`
}

// Timeout is `timeout DUR [from TIME]`, `timeout at TIME` or `timeout never`;
// exactly one of Never, At and Dur is set unless the item is broken.
type Timeout struct {
	node
	Never bool  `parser:"'timeout' (?! LBrace) ( @'never'"`
	At    Expr  `parser:"| 'at' @@"`
	Dur   Expr  `parser:"| @@"`
	From  *From `parser:"@@? )"`
}

// After is `after DUR [from TIME] [as NAME] [when COND] [-> STATE] [{…}]`; it
// has a target, a block or both.
type After struct {
	node
	Dur    Expr    `parser:"'after' (?! LBrace) @@"`
	From   *From   `parser:"@@?"`
	As     *Ident  `parser:"( 'as' @@ )?"`
	When   *When   `parser:"@@?"`
	Target *Target `parser:"@@?"`
	Block  *Block  `parser:"@@?"`
}

// At is `at TIME [as NAME] [when COND] [-> STATE] [{…}]`.
type At struct {
	node
	Time   Expr    `parser:"'at' (?! LBrace) @@"`
	As     *Ident  `parser:"( 'as' @@ )?"`
	When   *When   `parser:"@@?"`
	Target *Target `parser:"@@?"`
	Block  *Block  `parser:"@@?"`
}

// Every is `every DUR …` or `every DAYS at "HH:MM" in ZONE …`, followed by
// `[for DUR] [times N] [as NAME] {…}`; exactly one of Calendar and Period is
// set unless the item is broken.
type Every struct {
	node
	Calendar *Calendar `parser:"'every' (?! LBrace) ( @@"`
	Period   Expr      `parser:"| @@ )"`
	For      Expr      `parser:"( 'for' @@ )?"`
	Times    Expr      `parser:"( 'times' @@ )?"`
	As       *Ident    `parser:"( 'as' @@ )?"`
	// When and Target are not part of the language; they are read so that one
	// fault can say so.
	When   *When   `parser:"@@?"`
	Target *Target `parser:"@@?"`
	Block  *Block  `parser:"@@?"`
}

// Calendar is `day|mon,thu|mon..fri at "HH:MM" in ZONE`. Zone is nil when it is
// missing, which the validator reports.
type Calendar struct {
	node
	Days []*Days
	Time *StringLit
	Zone Expr
}

// Days is one entry of a calendar's list: `day` (every day), a weekday, or two
// weekdays with `..` between them, both included.
type Days struct {
	node
	First *Ident
	Last  *Ident // nil for a single day
}

// Idle is `idle DUR`.
type Idle struct {
	node
	Dur Expr `parser:"'idle' (?! LBrace) @@"`
}

// On is `on EVENT, … [when COND] [-> STATE] [{…}]`; it has a target, a block or
// both.
type On struct {
	node
	Events []*Path `parser:"'on' @@ ( Comma @@ )*"`
	When   *When   `parser:"@@?"`
	Target *Target `parser:"@@?"`
	Block  *Block  `parser:"@@?"`
}

// Always is `always [when COND] -> STATE [{…}]`.
type Always struct {
	node
	Word   string  `parser:"@'always'"`
	When   *When   `parser:"@@?"`
	Target *Target `parser:"@@"`
	Block  *Block  `parser:"@@?"`
}

// Entry is `entry {…}`.
type Entry struct {
	node
	Block *Block `parser:"'entry' @@"`
}

// Exit is `exit {…}`.
type Exit struct {
	node
	Block *Block `parser:"'exit' @@"`
}

// Do is `do TASK(args) [policy] [may EVENT, …]` or `do TASK(args) each …`. Its
// clauses are within, retry, queue, may, each, concurrency and join.
type Do struct {
	node
	Call    *Call   `parser:"'do' @@"`
	Clauses Clauses `parser:"@@"`
}

// Run is `run {…}`, a routine.
type Run struct {
	node
	Block *Block `parser:"'run' @@"`
}

// Invoke is `invoke FLOW(args) …`. Its clauses are key, each, concurrency and
// join.
type Invoke struct {
	node
	Call    *Call   `parser:"'invoke' @@"`
	Clauses Clauses `parser:"@@"`
}

// Defer is `defer EVENT, …`.
type Defer struct {
	node
	Events []*Path `parser:"'defer' @@ ( Comma @@ )*"`
}

// History is `history` or `history deep`.
type History struct {
	node
	Word string `parser:"@'history'"`
	Deep bool   `parser:"@'deep'?"`
}

// Call is a use of a task, an event, a flow or a fragment: `NAME[(name: value,
// …)]`. Args is nil when the parentheses are left out.
type Call struct {
	node
	Name *Path `parser:"@@"`
	Args *Args `parser:"@@?"`
}

// Args is a parenthesised list of arguments.
type Args struct {
	region
	Items []*Arg
}

// List gives the arguments; it may be called on nil.
func (a *Args) List() []*Arg {
	if a == nil {
		return nil
	}
	return a.Items
}

// Arg is `name: value`, or a bare value in calls of functions (Name is nil).
type Arg struct {
	node
	Name  *Ident
	Value Expr
}

// Clauses is what may follow the call of work, in any order. Every clause is
// nil when it is absent. The parser reports a clause that does not belong to
// the word before it (`may` after `invoke`) and one that is written twice.
type Clauses struct {
	region
	Fails       *Fails
	Within      *Within
	Retry       *Retry
	Queue       *Queue
	May         *May
	Key         *Key
	Each        *Each
	Concurrency *Concurrency
	Join        *Join
}

// Fails is `fails "code", …`.
type Fails struct {
	node
	Codes []*StringLit `parser:"'fails' @@ ( Comma @@ )*"`
}

// Within is `within DUR`.
type Within struct {
	node
	Dur Expr `parser:"'within' @@"`
}

// Retry is `retry N [backoff DUR[..DUR]]`. Max is nil for a fixed backoff.
type Retry struct {
	node
	Count Expr `parser:"'retry' @@"`
	Min   Expr `parser:"( 'backoff' @@"`
	Max   Expr `parser:"  ( DotDot @@ )? )?"`
}

// Queue is `queue NAME`.
type Queue struct {
	node
	Name *Ident `parser:"'queue' @@"`
}

// May is `may EVENT, …`.
type May struct {
	node
	Events []*Path `parser:"'may' @@ ( Comma @@ )*"`
}

// Key is `key EXPR`.
type Key struct {
	node
	Value Expr `parser:"'key' @@"`
}

// Each is `each NAME in LIST`.
type Each struct {
	node
	Var  *Ident `parser:"'each' @@"`
	List Expr   `parser:"'in' @@"`
}

// Concurrency is `concurrency N`.
type Concurrency struct {
	node
	N Expr `parser:"'concurrency' @@"`
}

// Join is `join all|any|race` (Kind) or `join N` (Kind is empty, N is set).
type Join struct {
	node
	Kind string `parser:"'join' ( @( 'all' | 'any' | 'race' )"`
	N    Expr   `parser:"| @@ )"`
}

func (*Data) stateItem()     {}
func (*Initial) stateItem()  {}
func (*State) stateItem()    {}
func (*Parallel) stateItem() {}
func (*Region) stateItem()   {}
func (*Final) stateItem()    {}
func (*Use) stateItem()      {}
func (*Timeout) stateItem()  {}
func (*After) stateItem()    {}
func (*At) stateItem()       {}
func (*Every) stateItem()    {}
func (*Idle) stateItem()     {}
func (*On) stateItem()       {}
func (*Always) stateItem()   {}
func (*Entry) stateItem()    {}
func (*Exit) stateItem()     {}
func (*Do) stateItem()       {}
func (*Run) stateItem()      {}
func (*Invoke) stateItem()   {}
func (*Defer) stateItem()    {}
func (*History) stateItem()  {}
