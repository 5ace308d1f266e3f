package vm

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"
)

// The ids of events that were taken are remembered for the token's life, with how the event came out (R55). A refused event is not
// remembered: it did nothing, and may be sent again. There may be any number of them, so they are rows beside the snapshot, which
// has only their number; a step asks for the one that it needs (Unloaded).

// A SeenEvent is a row of an event that was taken. Key stands for its id, see SeenKey.
type SeenEvent struct {
	Key     string
	Outcome AnswerOutcome
}

// SeenKey stands for the id of an event in a row: half of a SHA-256, in base64.
func SeenKey(id string) string {
	sum := sha256.Sum256([]byte(id))
	return base64.RawURLEncoding.EncodeToString(sum[:sha256.Size/2])
}

// seenList is what is loaded, the newest first. It only grows at its head, so snapshots share it.
type seenList struct {
	SeenEvent // without an Outcome: no such event was taken
	before    *seenList
}

func (l *seenList) find(key string) (AnswerOutcome, bool) {
	for ; l != nil; l = l.before {
		if l.Key == key {
			return l.Outcome, true
		}
	}
	return "", false
}

// SeenWanted reports whether a step that takes an event with this id asks for its row.
func SeenWanted(t *Token, id string) bool {
	if id == "" || t.SeenCount == 0 || t.seenAll {
		return false
	}
	_, known := t.seen.find(SeenKey(id))
	return !known
}

// LoadSeen gives a token the row of an event's id, or says that there is none: Outcome "".
func LoadSeen(t *Token, row SeenEvent) *Token {
	own := *t
	own.seen = &seenList{row, t.seen}
	return &own
}

// SeenEvents are the rows of a token that was replayed from its start and so has them all, the oldest first.
func SeenEvents(t *Token) []SeenEvent {
	var rows []SeenEvent
	for l := t.seen; l != nil; l = l.before {
		rows = append(rows, l.SeenEvent)
	}
	slices.Reverse(rows)
	return rows
}

// repeated answers an event whose id was taken before with the first one's outcome.
func (s *step) repeated(st *Stimulus) (Answer, bool) {
	if st.ID == "" || st.Kind != OnEvent {
		return Answer{}, false
	}
	if SeenWanted(s.t, st.ID) {
		s.unloaded(Unloaded{Event: st.ID})
		return Answer{}, true
	}
	out, _ := s.t.seen.find(SeenKey(st.ID))
	if out == "" {
		return Answer{}, false
	}
	s.same = true
	return Answer{Outcome: out, Repeated: true}, true
}

// noteSeen remembers the event's id, once it is known how it came out.
func (s *step) noteSeen(out AnswerOutcome) []SeenEvent {
	if s.cause.Kind != OnEvent || s.cause.ID == "" {
		return nil
	}
	switch out {
	case Accepted, DeferredEvent, Queued, ErrorOutcome:
	default:
		return nil
	}
	row := SeenEvent{SeenKey(s.cause.ID), out}
	s.t.SeenCount++
	s.t.seen = &seenList{row, s.t.seen}
	return []SeenEvent{row}
}
