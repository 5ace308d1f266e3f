package task

import (
	"fmt"
	"unicode/utf8"
)

// MaxMessage is the longest message of an attempt that is kept, in bytes of UTF-8. A row keeps the messages of its last attempts
// and is written by each of them, so that one worker that sends its whole log must not make it large. A longer message is cut, and
// says at its end that it was.
const MaxMessage = 8 << 10

// cut shortens a message to what is kept. The beginning stays: it is where most errors say what they are.
func cut(message string) string {
	if len(message) <= MaxMessage {
		return message
	}
	mark := fmt.Sprintf(" … (cut: the message had %d bytes)", len(message))
	end := MaxMessage - len(mark)
	for end > 0 && !utf8.RuneStart(message[end]) {
		end--
	}
	return message[:end] + mark
}
