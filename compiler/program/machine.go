package program

import "flowc/validate/value"

// The machine. Code runs on an operand stack and the locals of its frame; there are no registers. A frame is (code, pc, locals
// and the events that `wait` cases took), so a routine's frame is saved with its token while it waits (R30): whatever suspends
// does so with nothing else on the stack.
//
// Each code is one of four things, told apart by who refers to it:
//
//   - an expression (guards, durations, arguments, defaults) ends in OpReturn and has no effects. The first Params locals are
//     set by the caller: the item of `each`;
//   - a function is an expression whose locals begin with its parameters, and which reads nothing of a token's data;
//   - a shared piece (a lambda's body, the guard of a wait case) is an expression that runs on the locals of the code that
//     names it, and therefore declares the same ones;
//   - a block ends in OpEnd, OpRefuse or OpFail; a routine is a block that may also suspend, and leave by OpGo.
//
// Data, inputs, states and timers are numbered within the flow that the code belongs to (Code.Flow), everything else within the
// Program. A null where an operation needs a value is the error null_value. An error looks for the first entry of Code.Tries
// that holds its pc, empties the stack and goes on at the handler; the codes of limits are caught by none.
//
// Each line below has a picture of the operand stack before → after, its top at the right. A and B are the operands.

// Version is the version of the encoding and of the instruction set. Every change of either bumps it (R62).
const Version = 1

// An Ins is one instruction: an operation with up to two operands.
type Ins struct {
	Op   Op
	A, B int32
}

// Op is an operation of the machine.
type Op uint8

// The operations.
const (
	// Values.
	OpConst  Op = iota // - → v                    Consts[A]
	OpNull             // - → null
	OpBool             // - → v                    A = 1: true
	OpInt              // - → v                    the int A
	OpInput            // - → v                    input A of the token
	OpData             // - → v                    data field A
	OpLocal            // - → v                    local A
	OpEvent            // - → v                    the event's field named by the string Consts[A]; null when it has none
	OpActive           // - → v                    whether state A is active
	OpPop              // x → -
	OpField            // r → v                    field A of a record
	OpIndex            // x i → v                  x[i] of a list or a map
	OpRecord           // v1…vB → r                a record of Types[A] with its B fields
	OpList             // v1…vA → l
	OpMap              // k1 v1…kA vA → m
	OpInterp           // v1…vA → s                the texts of the values, one after the other

	// Operators.
	OpBinary  // x y → v                  the strict operator A, a value.Op
	OpNeg     // x → v                    -x
	OpNot     // x → v
	OpIn      // x l → v                  whether x is an element of the list or a key of the map
	OpMust    // x → x                    null_value when x is null; A says why it must not be, MustKnow or MustSet
	OpDecimal // x → v                    an int as a decimal; null stays null
	OpJSON    // x → v                    as json; null stays null
	OpCall    // v1…vn → v                the function Codes[A] of n parameters
	OpBuiltin // v1…vB → v                the built-in Builtins[A]
	OpLambda  // v1…vn → v                the built-in Builtins[A] with the code's Lambdas[B] of n plain arguments

	// Jumps. They go to instruction A of the same code.
	OpJump    // - → -
	OpJumpNot // c → -                    when c is false
	OpAnd     // c → c or -               when c is false, and keeps it; otherwise drops it
	OpOr      // c → c or -               when c is true, and keeps it; otherwise drops it
	OpElse    // x → x or -               when x is not null, and keeps it; otherwise drops it (`??`)
	OpNext    // - → v true, null false   the item of the list in local A at the position in local B, which grows by one

	// Ends.
	OpReturn // v → end                  of an expression
	OpEnd    // - → end                  of a block or a routine
	OpRefuse // s → end                  `refuse s`
	OpFail   // s → end                  `fail s`
	OpGo     // - → end                  `go`, a target of kind A to state B

	// Places.
	OpSetData   // x → -                    data field A becomes x
	OpSetLocal  // x → -                    local A becomes x
	OpClear     // - → -                    local A is unset
	OpWithField // r x → r                  the record with x in field A
	OpWithIndex // c i x → c                the list or map with x at i
	OpWithout   // m k → m                  the map without k

	// Effects.
	OpRaise      // r → -                    queues Events[A] with the payload r
	OpSchedule   // r t → -                  arms the timer of Events[A]: B = 0 after the duration t, B = 1 at the instant t
	OpUnschedule // - → -                    stops the timer of Events[A]
	OpRearm      // - → -                    starts timer B of state A over
	OpRearmEvent // - → -                    starts the timer of Events[A] over
	OpDispatch   // r → -                    offers Tasks[A] under Policies[B]
	OpStart      // r [k] [t] → -            starts Flows[A]; B is of StartKeyed, StartKeep, StartAfter, StartAt
	OpSend       // r [k] → -                sends Events[A] to the flow named Consts[B] with the key k, B = -1: to the parent
	OpNote       // s → -                    a line in the history

	// Suspensions. Nothing else is on the stack. The pc of a saved frame is that of the suspension, an error that comes of it is
	// raised there, otherwise the code goes on behind it.
	OpCallTask  // r → v                    Calls[A]: one task, v is its result
	OpCallTasks // l n → v                  Calls[A]: a task for each record of l, at most n at once unless null; v is their list
	OpCallFlow  // r [k] → v                Calls[A]: a child token, v is its results
	OpSleep     // t → -                    A = 0 for the duration t, A = 1 until the instant t
	OpWait      // [t] → v                  Waits[A]: v is the payload, null when the limit came first
	OpWaitCases // [t] → -                  Waits[A]: on to the case's or the limit's target
	OpUnwind    // - → -                    forgets the events that cases took beyond the outermost A

	opCount
)

// Why the value of OpMust is not null.
const (
	MustKnow = iota // the author says so: `x!`
	MustSet         // it is a fragment's field, which has its value once the fragment's state was entered
)

// Flags of OpStart.
const (
	StartKeyed = 1 << iota // a key is on the stack
	StartKeep              // an existing key is no failure
	StartAfter             // a duration is on the stack
	StartAt                // an instant is on the stack
)

// A Call is what a suspension calls. Result is the type of what it gives back: of OpCallTasks a list, nil when the routine
// keeps nothing of it.
type Call struct {
	Task   int // -1: a flow
	Flow   int // -1: a task
	Policy Policy
	Keyed  bool // of OpCallFlow: a key is on the stack
	Result *value.Type
}

// LimitKind says what ends a wait that no event ends.
type LimitKind uint8

// The kinds of limits. LimitFor and LimitUntil are on the stack.
const (
	NoLimit LimitKind = iota
	LimitFor
	LimitUntil
)

// A Wait is what OpWait or OpWaitCases waits for. OpWait has one case without a guard; its targets do not count.
type Wait struct {
	Limit  LimitKind
	Cases  []WaitCase
	Target int // where the limit leads; without one it does not count
}

// A WaitCase takes the first of its events whose guard holds and goes on at Target.
type WaitCase struct {
	Events []int
	Guard  int // a shared piece, -1: true
	Target int
}

// A Lambda is the body of a lambda: a shared piece whose parameter is the local Param. Args is how many plain arguments the
// built-in has beside it.
type Lambda struct {
	Code, Param, Args int
}

// Suspends reports whether a frame may be saved at the operation.
func (o Op) Suspends() bool { return o >= OpCallTask && o <= OpWaitCases }
