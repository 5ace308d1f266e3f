package lsp

import (
	"strings"

	"flowc/grammar"
)

// wordDocs says what the keywords mean; how each is written is the grammar's to say.
var wordDocs = map[string]string{
	"import":   "Brings the names of another file in, or with `as` puts them behind a name.",
	"const":    "A value that is computed when the file is checked, so that the checks on time see it.",
	"enum":     "A type with the values that are listed.",
	"type":     "A record: named fields with their types.",
	"event":    "Something that may happen to a token: sent from outside, raised by itself, or scheduled.",
	"internal": "An event that cannot come from outside or from a worker.",
	"task":     "Work that a worker outside does, with its policy: `fails`, `within`, `retry`, `queue`.",
	"fn":       "A pure function: one expression that reads its parameters and constants.",
	"fragment": "The body of a composite state with parameters, to be spliced in by `use`.",
	"flow":     "What may happen to a token, and when. Its body is the root state: what stands in it works on the whole flow.",
	"test":     "Runs flows under a virtual clock: nothing sleeps, and jitter is zero.",

	"data":     "The fields that a token keeps. A field has a default, or it may be null.",
	"initial":  "The state in which it begins.",
	"state":    "A state: a leaf, or composite when it holds states.",
	"parallel": "Regions that are active at once; it gets `joined` once.",
	"region":   "One of the parts of a parallel, a composite state of its own.",
	"final":    "A final state; nothing leaves it. One in the flow's body ends the token.",
	"use":      "Splices a fragment in as a child state.",
	"timeout":  "How long the state may last. When it is over, the reserved event `timeout` comes; `timeout never` says that waiting without end is meant.",
	"after":    "Once, so long after the state was entered: a transition, or an action that keeps the state.",
	"at":       "Once, at an instant.",
	"every":    "A repeating action; the state is not left.",
	"idle":     "When no outside event came for so long, the reserved event `expired` comes.",
	"on":       "A handler of events. With `-> STATE` it is a transition, without one the state is kept.",
	"always":   "An automatic transition, tried after every move.",
	"entry":    "Actions on the way in.",
	"exit":     "Actions on the way out.",
	"do":       "The state's work. It ends in `completed`, `error`, or an event named after `may`.",
	"run":      "A routine: sequential code that may `call`, `sleep` and `wait`, and that survives restarts.",
	"invoke":   "A child token, cancelled when the state is left.",
	"defer":    "Outside events that no handler takes wait until one does.",
	"history":  "Entering the composite resumes the substate it was last in; `deep`: all the way down.",

	"fails":       "Codes of business errors, which are never retried.",
	"within":      "The limit of one attempt.",
	"retry":       "So many more attempts after the first. One backoff is fixed, two double from the first up to the second with jitter.",
	"backoff":     "The wait before another attempt: fixed, or doubling from the first duration up to the second, less up to half by jitter.",
	"queue":       "The queue of the task; `default` when it is left out.",
	"may":         "Events with which the worker may end the work, and which it may schedule.",
	"key":         "The token's key, unique in its flow.",
	"keep":        "An existing key is no failure.",
	"each":        "The same for each item of a list.",
	"concurrency": "How many of them run at once.",
	"join":        "When it is joined: `all`, at `any` first success, `race` at the first end, or at so many successes.",
	"when":        "A guard: the handler counts only when the condition holds.",
	"from":        "The instant from which the duration counts, instead of the entry.",
	"never":       "Waiting without end is meant.",
	"for":         "A loop over a list; after `every` and `wait` a limit.",
	"times":       "How often.",
	"as":          "Gives a name; after `final NAME` the outcome.",
	"until":       "An instant that ends the wait.",

	"unset":      "Removes a key of a map.",
	"let":        "A local of the block.",
	"if":         "Does the block when the condition holds.",
	"else":       "Does the block when no condition before it held.",
	"while":      "Repeats the block while the condition holds.",
	"break":      "Leaves the loop.",
	"continue":   "Goes on with the next round of the loop.",
	"raise":      "Queues an event for this token, taken after the block and before anything from outside.",
	"schedule":   "A named timer that brings the event; the same event again replaces it.",
	"unschedule": "Stops a scheduled event.",
	"rearm":      "Starts a timer over from now.",
	"dispatch":   "Work that nobody waits for and that outlives the state and the token.",
	"start":      "Starts a token of its own; in a test the token that later lines are about.",
	"send":       "Sends an event to another token; in a test from outside.",
	"to":         "The flow and the key of the token that gets the event, or `parent`.",
	"parent":     "The token that invoked or called this one.",
	"note":       "A line in the history.",
	"refuse":     "Undoes the move; the sender gets the reason.",
	"fail":       "The token fails, whatever handles `error`; in a test one attempt of a task fails.",
	"call":       "In a routine: work or a child flow that is waited for.",
	"wait":       "In a routine: waits for an event; null when the limit came first.",
	"sleep":      "In a routine: waits for a duration, or until an instant.",
	"try":        "In a routine: errors of the block go to its `catch`.",
	"catch":      "Takes errors with the codes; without codes all.",
	"go":         "In a routine: leaves by a transition.",

	"mock":       "Later attempts of the task complete at once with this result, or fail.",
	"advance":    "Moves the virtual clock; timers fire in due order on the way.",
	"claim":      "A worker takes the oldest open attempt.",
	"complete":   "The oldest open attempt ends.",
	"pause":      "Pauses the token.",
	"resume":     "Resumes the token.",
	"cancel":     "Cancels the token: it gets the reserved event `cancel`.",
	"restart":    "Drops all memory and loads again from the store.",
	"stop":       "Until `start server` time passes and nothing fires.",
	"expect":     "Looks at the token; `expect not` turns it around.",
	"with":       "The result, or the event, with which the work ends.",
	"child":      "The Nth child of that flow.",
	"status":     "Is the token running, paused, scheduled, completed, failed or cancelled?",
	"outcome":    "How the token ended: success, failure or cancelled.",
	"error":      "The code with which the token failed.",
	"timer":      "Is the timer armed, and due then?",
	"no":         "`no timers`: nothing is armed; `no retry`: the failure is final.",
	"refused":    "Sends the event and expects a refusal.",
	"offered":    "Was the task offered with these arguments?",
	"dispatched": "Was the task dispatched with these arguments?",
	"accepts":    "Would a handler in reach take the event now?",

	"and":  "True when both are.",
	"or":   "True when one of them is.",
	"not":  "True when it is not.",
	"in":   "True when the value is in the list; in a calendar the time zone.",
	"self": "As a target the handler's own state, left and entered again: a new visit with timers armed anew.",
	"null": "No value; what a `T?` may be.",
}

// reservedDocs says what brings the reserved events, and what they carry.
var reservedDocs = map[string]string{
	"timeout":   "The state's timeout is over. Carries `due` and `state`.",
	"error":     "The state's work failed for good. Carries `code`, `message`, `attempts` and `source`.",
	"completed": "The state's work ended, or a composite reached a final state. Carries the results; of a flow or a composite also `final` and `outcome`.",
	"joined":    "A parallel or a fan-out is joined. Carries `ok`, `total`, `succeeded`, `failed` and `results`.",
	"expired":   "Nothing came from outside for as long as `idle` says. Carries `due`.",
	"cancel":    "An operator, or the parent, cancels the token. Carries `reason`.",
}

// reservedOrder is the order in which reserved events are offered.
var reservedOrder = []string{"timeout", "completed", "error", "joined", "expired", "cancel"}

// typeDocs says what the built-in types hold.
var typeDocs = map[string]string{
	"bool": "`true` or `false`.", "int": "A whole number of 64 bits.", "decimal": "An exact number of up to 34 digits.",
	"string": "A text.", "duration": "A length of time: `30s`, `10m`, `6h`, `2d`.", "time": "An instant.",
	"json": "Any JSON; stored, passed on and compared, nothing else.",
	"list": "A list of values of one type: `list<int>`.", "map": "Values by string keys: `map<int>`.",
	"outcome": "How something ended: `success`, `failure` or `cancelled`.",
}

var typeOrder = []string{"bool", "int", "decimal", "string", "duration", "time", "json", "list", "map", "outcome"}

// wordHelp is the page of a keyword: what it means and how it is written.
func wordHelp(word string) string {
	doc := wordDocs[word]
	if doc == "" {
		return ""
	}
	if form := grammar.Synopsis(word); form != "" {
		doc += "\n\n" + strings.ToUpper(form[:1]) + form[1:] + "."
	}
	return doc
}
