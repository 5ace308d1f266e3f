package machine

import "flowc/validate/value"

// The codes of exceeded limits (R7). They undo the step and fail the token; no `try` catches them and no `on error` is asked.
const (
	CodeInstructions = "instruction_limit"
	CodeMemory       = value.CodeMemory
)

// What a segment may use: the code of one step up to a routine's next suspension (R30).
const (
	MaxInstructions = 1_000_000
	MaxBytes        = 64 << 20
)

// A Budget is what may still be used. It is shared by all that runs in one segment; whoever runs code gives it and keeps it.
type Budget struct {
	Instructions int64 // operations; work that grows with the size of its operands counts as several
	Bytes        int64 // newly allocated for values, as value.Size counts
}

// NewBudget returns the budget of one segment.
func NewBudget() *Budget { return &Budget{Instructions: MaxInstructions, Bytes: MaxBytes} }

// IsLimit reports whether the error is an exceeded limit, which nothing in a file can catch.
func IsLimit(err *value.Error) bool {
	return err != nil && (err.Code == CodeInstructions || err.Code == CodeMemory)
}

// Limit reports whether the run ended at a limit.
func (e *Ending) Limit() bool { return e.Kind == Raised && IsLimit(e.Err) }

// bytesPerStep is how many bytes of an operand that is walked over count as one instruction.
const bytesPerStep = 1 << 10

func (b *Budget) take(n int) *value.Error {
	if b.Bytes -= int64(n); b.Bytes < 0 {
		return value.Errorf(CodeMemory, "more than %d MiB of values are made in one step", MaxBytes>>20)
	}
	return nil
}

// walk counts the work of an operation that may visit all of v.
func (b *Budget) walk(v value.Value) { b.Instructions -= int64(v.Size() / bytesPerStep) }

func tooManyInstructions() *value.Error {
	return value.Errorf(CodeInstructions, "more than %d instructions run in one step", MaxInstructions)
}
