package grammar

// synopsis shows, for the word that begins a construct, how it is written.
var synopsis = map[string]string{
	"import":   "write `import \"lib.flow\"` or `import \"lib.flow\" as lib`",
	"const":    "write `const NAME = VALUE`",
	"enum":     "write `enum NAME { a, b }`",
	"type":     "write `type NAME { field: type, … }`",
	"event":    "write `event NAME(field: type, …)`",
	"internal": "write `internal event NAME(field: type, …)`",
	"task":     "write `task NAME(field: type, …) -> (field: type, …)` and then its policy",
	"fn":       "write `fn NAME(field: type, …) -> type = VALUE`",
	"fragment": "write `fragment NAME(name: kind, …) { … }`",
	"flow":     "write `flow NAME(field: type, …) -> (field: type, …) { … }`",
	"test":     "write `test \"name\" { … }`",

	"data":     "write `data { field: type = default }`",
	"initial":  "write `initial STATE`",
	"state":    "write `state NAME { … }`",
	"parallel": "write `parallel NAME [join all | any | race | N] { region A { … } … }`",
	"region":   "write `region NAME { … }`",
	"final":    "write `final NAME`, or `final NAME as failure`",
	"use":      "write `use FRAGMENT(args) as NAME`",
	"timeout":  "write `timeout 6h`, `timeout 6h from TIME`, `timeout at TIME` or `timeout never`",
	"after":    "write `after 1h -> STATE` or `after 1h { … }`",
	"at":       "write `at TIME -> STATE` or `at TIME { … }`",
	"every":    "write `every 1h { … }` or `every day at \"09:00\" in \"Europe/Berlin\" { … }`; a constant called `day` or `mon` is written in parentheses",
	"idle":     "write `idle 3h`",
	"on":       "write `on EVENT [when CONDITION] [-> STATE] { … }`",
	"always":   "write `always when CONDITION -> STATE` or `always -> STATE`",
	"entry":    "write `entry { … }`",
	"exit":     "write `exit { … }`",
	"do":       "write `do TASK(name: value, …)`",
	"run":      "write `run { … }`",
	"invoke":   "write `invoke FLOW(name: value, …)`",
	"defer":    "write `defer EVENT, …`",
	"history":  "write `history` or `history deep`",

	"fails":       "write `fails \"code\", …`",
	"within":      "write `within 30s`",
	"retry":       "write `retry 3` or `retry 3 backoff 2s..1m`; in a test `retry` or `retry at STATE`",
	"queue":       "write `queue NAME`",
	"may":         "write `may EVENT, …`",
	"key":         "write `key VALUE`",
	"each":        "write `each NAME in LIST`",
	"concurrency": "write `concurrency N`",
	"join":        "write `join all`, `join any`, `join race` or `join N`",

	"unset":      "write `unset FIELD[\"key\"]`",
	"if":         "write `if CONDITION { … } else { … }`",
	"for":        "write `for NAME in LIST { … }`",
	"while":      "write `while CONDITION { … }`",
	"raise":      "write `raise EVENT(name: value, …)`",
	"schedule":   "write `schedule EVENT(name: value, …) after DURATION` or `… at TIME`",
	"unschedule": "write `unschedule EVENT`",
	"rearm":      "write `rearm TIMER` or `rearm timeout`",
	"dispatch":   "write `dispatch TASK(name: value, …)`",
	"start":      "write `start FLOW(name: value, …) [key VALUE]`",
	"send":       "write `send EVENT(name: value, …) to FLOW[KEY]` or `… to parent`; in a test without `to`",
	"note":       "write `note \"text\"`",
	"refuse":     "write `refuse \"reason\"`",
	"fail":       "write `fail \"message\"`; in a test `fail TASK \"code\"`",
	"call":       "write `call TASK(name: value, …)`",
	"wait":       "write `wait EVENT`, `wait EVENT for DURATION` or `wait { on EVENT { … } }`",
	"sleep":      "write `sleep DURATION` or `sleep until TIME`",
	"try":        "write `try { … } catch \"code\" { … }`",
	"catch":      "write `catch \"code\" as e { … }` or `catch { … }`",
	"go":         "write `go STATE`",
	"let":        "write `let NAME = VALUE`",

	"mock":       "write `mock TASK -> (field: value)`, `mock TASK fails \"code\"` or `mock FLOW final NAME`",
	"advance":    "write `advance DURATION` or `advance to TIME`",
	"claim":      "write `claim TASK`",
	"complete":   "write `complete TASK with (field: value)` or `complete TASK with EVENT(…)`",
	"cancel":     "write `cancel` or `cancel \"reason\"`",
	"restart":    "write `restart server`",
	"stop":       "write `stop server`",
	"child":      "write `child FLOW N: STATEMENT`, or `expect child FLOW`",
	"status":     "write `expect status running`",
	"outcome":    "write `expect outcome success`",
	"error":      "write `expect error \"code\"`",
	"timer":      "write `expect timer NAME in DURATION` or `expect timer NAME at TIME`",
	"no":         "write `expect no timers`",
	"refused":    "write `expect refused EVENT(name: value, …)`",
	"offered":    "write `expect offered TASK(name: value, …)`",
	"dispatched": "write `expect dispatched TASK(name: value, …)`",
	"accepts":    "write `expect accepts EVENT, …`",
}

// Synopsis gives, for the word that begins a construct, how it is written ("write `idle 3h`"), or "".
func Synopsis(word string) string { return synopsis[word] }

// elsewhere says how the language writes what other languages call so.
var elsewhere = map[string]string{
	"goto":       "a handler goes to a state by `-> STATE`, a routine by `go STATE`",
	"goTo":       "a handler goes to a state by `-> STATE`, a routine by `go STATE`",
	"transition": "a handler goes to a state by `-> STATE`, a routine by `go STATE`",
	"next":       "a handler goes to a state by `-> STATE`, a routine by `go STATE`",
	"var":        "a local is `let NAME = VALUE`; a field that is kept stands in `data { … }`",
	"val":        "a local is `let NAME = VALUE`",
	"set":        "an assignment is `NAME = VALUE`",
	"def":        "a function is `fn NAME(field: type) -> type = VALUE`",
	"func":       "a function is `fn NAME(field: type) -> type = VALUE`",
	"function":   "a function is `fn NAME(field: type) -> type = VALUE`",
	"fun":        "a function is `fn NAME(field: type) -> type = VALUE`",
	"struct":     "a record is `type NAME { field: type }`",
	"record":     "a record is `type NAME { field: type }`",
	"class":      "a record is `type NAME { field: type }`",
	"workflow":   "a workflow is `flow NAME { … }`",
	"process":    "a workflow is `flow NAME { … }`",
	"machine":    "a workflow is `flow NAME { … }`",
	"activity":   "work is declared by `task NAME(…)` and done by `do TASK(…)`",
	"signal":     "what comes from outside is `event NAME(field: type)`",
	"include":    "another file is read by `import \"lib.flow\"`",
	"return":     "a routine ends at its last statement or by `go STATE`; results are the flow's data fields",
	"print":      "a line in the history is `note \"text\"`",
	"println":    "a line in the history is `note \"text\"`",
	"printf":     "a line in the history is `note \"text\"`",
	"echo":       "a line in the history is `note \"text\"`",
	"log":        "a line in the history is `note \"text\"`",
	"await":      "a routine waits for work by `call TASK(…)`, for an event by `wait EVENT`",
	"emit":       "an event for this token is `raise EVENT(…)`, for another `send EVENT(…) to FLOW[KEY]`",
	"throw":      "a token fails by `fail \"message\"`",
	"switch":     "choose by `if … { … } else if … { … }`, or by guards: `on EVENT when CONDITION -> STATE`",
	"match":      "choose by `if … { … } else if … { … }`, or by guards: `on EVENT when CONDITION -> STATE`",
	"when":       "a condition stands behind an event: `on EVENT when CONDITION`; without an event it is `always when CONDITION -> STATE`",
	"elif":       "write `else if` directly behind the closing brace",
	"else":       "`else` stands directly behind the closing brace of an `if`; another handler without a guard takes the rest",
	"catch":      "`catch` stands directly behind the closing brace of a `try`",
	"onEntry":    "actions on the way in are `entry { … }`",
	"on_entry":   "actions on the way in are `entry { … }`",
	"enter":      "actions on the way in are `entry { … }`",
	"onExit":     "actions on the way out are `exit { … }`",
	"on_exit":    "actions on the way out are `exit { … }`",
	"leave":      "actions on the way out are `exit { … }`",
	"deadline":   "a state's limit is `timeout DURATION` or `timeout at TIME`",
	"start":      "the first state is `initial NAME`",
	"end":        "an end is `final NAME`",
	"assert":     "a test looks by `expect …`",
	"wait":       "waiting is part of a routine: `run { wait EVENT }`",
	"sleep":      "waiting is part of a routine: `run { sleep DURATION }`; a timer is `after DURATION -> STATE`",
	"call":       "work is done by `do TASK(…)`, in a routine by `call TASK(…)`",
	"delay":      "in a routine it is `sleep DURATION`; a timer is `after DURATION { … }`",
	"do":         "a state's work is `do TASK(…)`; in a block it is `dispatch TASK(…)`, in a routine `call TASK(…)`",
	"on":         "handlers stand in a state, not in a block; a routine waits by `wait EVENT`",
	"timeout":    "`timeout` stands in a state, not in a block",
	"foreach":    "write `for NAME in LIST { … }`",
	"case":       "choose by `if … { … } else if … { … }`, or by guards: `on EVENT when CONDITION -> STATE`",
	"async":      "waiting code stands in `run { … }`, without `async`",
	"unless":     "write `when not (CONDITION)`",
	"to":         "a handler goes to a state by `-> STATE`",
	"then":       "a handler goes to a state by `-> STATE`",
	"is":         "compare by `==` and `!=`: `x == null`; an empty text is `\"\"`, an empty list has `len(x) == 0`",
	"contains":   "it is a function: `contains(TEXT, PART)`; an element of a list is found by `ELEMENT in LIST`",
	"startswith": "it is a function: `starts_with(TEXT, BEGINNING)`",
	"startsWith": "it is a function: `starts_with(TEXT, BEGINNING)`",
	"endswith":   "it is a function: `ends_with(TEXT, END)`",
	"endsWith":   "it is a function: `ends_with(TEXT, END)`",
	"like":       "there are no patterns: `contains(TEXT, PART)`, `starts_with(TEXT, BEGINNING)`, `ends_with(TEXT, END)`",
	"matches":    "there are no patterns: `contains(TEXT, PART)`, `starts_with(TEXT, BEGINNING)`, `ends_with(TEXT, END)`",
	"between":    "two comparisons are joined by `and`: `1 <= x and x <= 3`",
	"xor":        "for two conditions write `a != b`",
	"AND":        "it is written `and`",
	"OR":         "it is written `or`",
	"or":         "several events of one handler are joined by commas: `on a, b -> STATE`",
	"and":        "conditions are joined in a guard: `when a and b`",
	"as":         "what an event brings is `event`: `event.FIELD`",
	"returns":    "results are written `-> (field: type, …)`",
	"yield":      "an event for this token is `raise EVENT(…)`",
}

// infix are the words that other languages write between two values.
var infix = wordSet("contains startswith startsWith endswith endsWith like matches between xor")

// inBlocks says how a block says what other languages have a statement for, where that is not what a state says.
var inBlocks = map[string]string{
	"end":       "a token ends in a final state: write `-> STATE` in front of the block, in a routine `go STATE`",
	"finish":    "a token ends in a final state: write `-> STATE` in front of the block, in a routine `go STATE`",
	"terminate": "a token ends in a final state: write `-> STATE` in front of the block, in a routine `go STATE`",
	"const":     "a local is `let NAME = VALUE`",
}

// ownWords are the words of the language for words of others that begin the same thing, by where they stand.
var ownWords = map[string]map[string]string{
	"declaration": {
		"def": "fn", "func": "fn", "function": "fn", "fun": "fn", "struct": "type", "record": "type", "class": "type",
		"workflow": "flow", "process": "flow", "machine": "flow",
	},
	"item":      {"end": "final", "start": "initial"},
	"statement": {"var": "let", "val": "let", "const": "let"},
}

// Respelling gives the word that the language has for a value that other
// languages write so (`None`, `nil`, `True`), or "".
func Respelling(name string) string {
	switch name {
	case "None", "nil", "NULL", "Null", "undefined", "NIL":
		return "null"
	case "True", "TRUE":
		return "true"
	case "False", "FALSE":
		return "false"
	}
	return ""
}
