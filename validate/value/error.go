package value

import "fmt"

// The run-time errors that expressions end in (language.md 7). CodeMemory is none that a file can catch: it fails the token
// (R7).
const (
	CodeNull         = "null_value"
	CodeDivision     = "division_by_zero"
	CodeRange        = "out_of_range"
	CodeOverflow     = "overflow"
	CodeTooLong      = "duration_too_long"
	CodeNotPositive  = "duration_not_positive"
	CodeMemory       = "memory_limit"
	CodeTooManyItems = "too_many_items"
)

// An Error is a run-time error of the language.
type Error struct {
	Code    string // one of the codes above
	Message string // for a person, with the values that led to it
}

// Error returns code and message.
func (e *Error) Error() string { return e.Code + ": " + e.Message }

// Errorf makes an Error.
func Errorf(code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

func overflow(what, op string) *Error {
	return Errorf(CodeOverflow, "the result of %s does not fit %s", op, what)
}

// Must returns x of `x!`: the value, or the error null_value.
func Must(v Value) (Value, error) {
	if v.IsNull() {
		return v, Errorf(CodeNull, "the value is null, and `!` says that it is not")
	}
	return v, nil
}
