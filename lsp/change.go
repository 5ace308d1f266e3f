package lsp

import "slices"

// A Change replaces a range of a text; without a range it replaces all of it.
type Change struct {
	Range *Range
	Text  string
}

// Apply makes the changes one after the other, each in the text that the one before left. The text itself is not changed.
func Apply(text []byte, enc Encoding, changes []Change) []byte {
	for _, c := range changes {
		if c.Range == nil {
			text = []byte(c.Text)
			continue
		}
		start, end := NewMapper(text, enc).Offsets(*c.Range)
		text = slices.Concat(text[:start], []byte(c.Text), text[end:])
	}
	return text
}
