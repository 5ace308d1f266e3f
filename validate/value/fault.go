package value

// A FieldError says what is wrong with one part of a JSON text.
type FieldError struct {
	Path    string // JSON Pointer (RFC 6901), "" for the whole
	Code    string // one of the Field… codes
	Message string // goes on from the path: "is missing"
}

// Error returns path and message.
func (e FieldError) Error() string {
	if e.Path == "" {
		return e.Message
	}
	return e.Path + " " + e.Message
}

// The codes of a FieldError.
const (
	FieldSyntax    = "invalid_json"
	FieldMissing   = "missing_field"
	FieldUnknown   = "unknown_field"
	FieldType      = "wrong_type"
	FieldValue     = "bad_value" // of the right type, but malformed or out of range
	FieldDuplicate = "duplicate_key"
	FieldText      = "bad_text" // NUL or half a surrogate pair
	FieldDepth     = "nested_too_deep"
	FieldSize      = "too_large"
)
