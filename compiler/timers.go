package compiler

import (
	"fmt"

	"flowc/validate/model"
)

// timerWords are what the names of timers without an `as` begin with, by the timer's kind.
var timerWords = map[model.TimerKind]string{
	model.Timeout: "timeout", model.Idle: "idle", model.After: "after", model.At: "at", model.Every: "every", model.Calendar: "every",
}

// timerNames gives every timer of a state the name by which the API and the history know it. One without `as` is called by its
// keyword and its number among the state's timers of that keyword, in file order: `after1`, `every2`. Timers with an `as` count
// too, so that naming one renames no other. A name that is taken by an `as` gets a `_`.
func timerNames(s *model.State) []string {
	taken := map[string]bool{}
	for _, t := range s.Timers {
		if t.Name != "" {
			taken[t.Name] = true
		}
	}
	names := make([]string, len(s.Timers))
	count := map[string]int{}
	for i, t := range s.Timers {
		word := timerWords[t.Kind]
		count[word]++
		names[i] = t.Name
		switch {
		case t.Name != "":
			continue
		case t.Kind == model.Timeout || t.Kind == model.Idle:
			names[i] = word
		default:
			names[i] = fmt.Sprintf("%s%d", word, count[word])
		}
		for taken[names[i]] {
			names[i] += "_"
		}
		taken[names[i]] = true
	}
	return names
}
