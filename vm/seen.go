package vm

import (
	"crypto/sha256"
	"encoding/base64"
)

// The ids of events that were taken are remembered for the token's life (R55), each as 12 bytes in base64: a hash of 11 bytes and
// how it came out. A refused event is not remembered: it did nothing, and may be sent again. Past maxSeen the oldest is forgotten,
// since the snapshot is written with every step; it does not count towards MaxSnapshot.
const (
	maxSeen   = 1 << 15
	seenBytes = 12
	seenText  = 16
)

var seenOutcomes = [...]AnswerOutcome{Accepted, DeferredEvent, Queued, ErrorOutcome}

func seenKey(id string) (key [seenBytes]byte) {
	sum := sha256.Sum256([]byte(id))
	copy(key[:], sum[:seenBytes-1])
	return key
}

// seen answers an event whose id was taken before with the first one's outcome.
func (s *step) seen(st *Stimulus) (Answer, bool) {
	if st.ID == "" || s.t.Seen == "" {
		return Answer{}, false
	}
	key := seenKey(st.ID)
	for at := 0; at+seenText <= len(s.t.Seen); at += seenText {
		var row [seenBytes]byte
		if _, err := base64.RawURLEncoding.Decode(row[:], []byte(s.t.Seen[at:at+seenText])); err != nil {
			continue
		}
		if [seenBytes - 1]byte(row[:]) == [seenBytes - 1]byte(key[:]) {
			s.same = true
			return Answer{Outcome: seenOutcomes[int(row[seenBytes-1])%len(seenOutcomes)], Repeated: true}, true
		}
	}
	return Answer{}, false
}

// noteSeen remembers the event's id, once it is known how it came out.
func (s *step) noteSeen(out AnswerOutcome) {
	if s.cause.Kind != OnEvent || s.cause.ID == "" {
		return
	}
	for i, o := range seenOutcomes {
		if o == out {
			key := seenKey(s.cause.ID)
			key[seenBytes-1] = byte(i)
			s.t.Seen += base64.RawURLEncoding.EncodeToString(key[:])
			s.t.Seen = s.t.Seen[max(0, len(s.t.Seen)-maxSeen*seenText):]
		}
	}
}
