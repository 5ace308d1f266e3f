package vm

import "fmt"

// Unloaded is Apply's error when a step needs rows that the token was not given. Nothing is wrong: load them, give them to the
// token with LoadFans or LoadSeen, and apply the same again.
type Unloaded struct {
	Event string  // the id of an event, whose row is needed; ""
	Need  FanNeed // otherwise: of a fan-out
}

func (u *Unloaded) Error() string {
	if u.Event != "" {
		return fmt.Sprintf("whether the event %q was taken before is not loaded", u.Event)
	}
	return fmt.Sprintf("rows of the fan-out of visit %d begun at version %d are not loaded", u.Need.Visit, u.Need.Begun)
}

// unloaded gives the step up until it has the rows.
func (s *step) unloaded(what Unloaded) {
	s.halt = waiting
	if s.missing == nil {
		s.missing = &what
	}
}
