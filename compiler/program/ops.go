package program

// operand says what an operand of an instruction is, for the verifier and the disassembler.
type operand uint8

const (
	none operand = iota
	aConst
	aText // a string in Consts
	aFlag // 0 or 1
	aNumber
	aCount
	anInput
	aDataField
	aLocal
	anEvent
	aState
	aTimer // of the state in A
	aField
	aType
	anOperator
	aFunction
	aBuiltin
	aLambda
	aTask
	aFlow
	aPolicy
	aCall
	aWait
	aJump
	aTargetKind
	aStartFlags
	aParentOrText // a string in Consts, -1: the parent
	aDepth
)

// varies stands for a number of operands that depends on the instruction: see Program.effect.
const varies = -1

// An info is what the verifier and the disassembler know of an operation.
type info struct {
	name         string
	a, b         operand
	pops, pushes int
	// pure: allowed in expressions. ends: the code does not go on behind it.
	pure, ends bool
}

var ops = [opCount]info{
	OpConst:  {name: "const", a: aConst, pushes: 1, pure: true},
	OpNull:   {name: "null", pushes: 1, pure: true},
	OpBool:   {name: "bool", a: aFlag, pushes: 1, pure: true},
	OpInt:    {name: "int", a: aNumber, pushes: 1, pure: true},
	OpInput:  {name: "input", a: anInput, pushes: 1, pure: true},
	OpData:   {name: "data", a: aDataField, pushes: 1, pure: true},
	OpLocal:  {name: "local", a: aLocal, pushes: 1, pure: true},
	OpEvent:  {name: "event", a: aText, pushes: 1, pure: true},
	OpActive: {name: "active", a: aState, pushes: 1, pure: true},
	OpPop:    {name: "pop", pops: 1, pure: true},
	OpField:  {name: "field", a: aField, pops: 1, pushes: 1, pure: true},
	OpIndex:  {name: "index", pops: 2, pushes: 1, pure: true},
	OpRecord: {name: "record", a: aType, b: aCount, pops: varies, pushes: 1, pure: true},
	OpList:   {name: "list", a: aCount, pops: varies, pushes: 1, pure: true},
	OpMap:    {name: "map", a: aCount, pops: varies, pushes: 1, pure: true},
	OpInterp: {name: "interp", a: aCount, pops: varies, pushes: 1, pure: true},

	OpBinary:  {name: "binary", a: anOperator, pops: 2, pushes: 1, pure: true},
	OpNeg:     {name: "neg", pops: 1, pushes: 1, pure: true},
	OpNot:     {name: "not", pops: 1, pushes: 1, pure: true},
	OpIn:      {name: "in", pops: 2, pushes: 1, pure: true},
	OpMust:    {name: "must", a: aFlag, pops: 1, pushes: 1, pure: true},
	OpDecimal: {name: "decimal", pops: 1, pushes: 1, pure: true},
	OpJSON:    {name: "json", pops: 1, pushes: 1, pure: true},
	OpCall:    {name: "call", a: aFunction, pops: varies, pushes: 1, pure: true},
	OpBuiltin: {name: "builtin", a: aBuiltin, b: aCount, pops: varies, pushes: 1, pure: true},
	OpLambda:  {name: "lambda", a: aBuiltin, b: aLambda, pops: varies, pushes: 1, pure: true},

	OpJump:    {name: "jump", a: aJump, pure: true, ends: true},
	OpJumpNot: {name: "jump-not", a: aJump, pops: 1, pure: true},
	OpAnd:     {name: "and", a: aJump, pops: 1, pure: true}, // one more at the target, likewise Or and Else
	OpOr:      {name: "or", a: aJump, pops: 1, pure: true},
	OpElse:    {name: "else", a: aJump, pops: 1, pure: true},
	OpNext:    {name: "next", a: aLocal, b: aLocal, pushes: 2},

	OpReturn: {name: "return", pops: 1, pure: true, ends: true},
	OpEnd:    {name: "end", ends: true},
	OpRefuse: {name: "refuse", pops: 1, ends: true},
	OpFail:   {name: "fail", pops: 1, ends: true},
	OpGo:     {name: "go", a: aTargetKind, b: aState, ends: true},

	OpSetData:   {name: "set-data", a: aDataField, pops: 1},
	OpSetLocal:  {name: "set-local", a: aLocal, pops: 1},
	OpClear:     {name: "clear", a: aLocal},
	OpWithField: {name: "with-field", a: aField, pops: 2, pushes: 1},
	OpWithIndex: {name: "with-index", pops: 3, pushes: 1},
	OpWithout:   {name: "without", pops: 2, pushes: 1},

	OpRaise:      {name: "raise", a: anEvent, pops: 1},
	OpSchedule:   {name: "schedule", a: anEvent, b: aFlag, pops: 2},
	OpUnschedule: {name: "unschedule", a: anEvent},
	OpRearm:      {name: "rearm", a: aState, b: aTimer},
	OpRearmEvent: {name: "rearm-event", a: anEvent},
	OpDispatch:   {name: "dispatch", a: aTask, b: aPolicy, pops: 1},
	OpStart:      {name: "start", a: aFlow, b: aStartFlags, pops: varies},
	OpSend:       {name: "send", a: anEvent, b: aParentOrText, pops: varies},
	OpNote:       {name: "note", pops: 1},

	OpCallTask:  {name: "call-task", a: aCall, pops: 1, pushes: 1},
	OpCallTasks: {name: "call-tasks", a: aCall, pops: 2, pushes: 1},
	OpCallFlow:  {name: "call-flow", a: aCall, pops: varies, pushes: 1},
	OpSleep:     {name: "sleep", a: aFlag, pops: 1},
	OpWait:      {name: "wait", a: aWait, pops: varies, pushes: 1},
	OpWaitCases: {name: "wait-cases", a: aWait, pops: varies, ends: true},
	OpUnwind:    {name: "unwind", a: aDepth},
}

// String returns the operation's name in the disassembly.
func (o Op) String() string {
	if o < opCount {
		return ops[o].name
	}
	return "?"
}

// Ops is how many operations there are: 0 to Ops-1.
const Ops = int(opCount)

// effect returns how many values an instruction whose operands are verified takes from the stack and leaves on it.
func (p *Program) effect(c *Code, in Ins) (pops, pushes int) {
	i := &ops[in.Op]
	if i.pops != varies {
		return i.pops, i.pushes
	}
	switch in.Op {
	case OpRecord, OpBuiltin:
		pops = int(in.B)
	case OpList, OpInterp:
		pops = int(in.A)
	case OpMap:
		pops = 2 * int(in.A)
	case OpCall:
		pops = p.Codes[in.A].Params
	case OpLambda:
		pops = c.Lambdas[in.B].Args
	case OpStart:
		pops = 1 + bits(in.B, StartKeyed) + bits(in.B, StartAfter|StartAt)
	case OpSend:
		pops = 1
		if in.B >= 0 {
			pops = 2
		}
	case OpCallFlow:
		pops = 1
		if c.Calls[in.A].Keyed {
			pops = 2
		}
	case OpWait, OpWaitCases:
		if c.Waits[in.A].Limit != NoLimit {
			pops = 1
		}
	}
	return pops, i.pushes
}

// bits is 1 when one of the flags is set.
func bits(flags, of int32) int {
	if flags&of != 0 {
		return 1
	}
	return 0
}
