package diag

import (
	"slices"
	"strings"
)

// Entry is what the registry knows of an id.
type Entry struct {
	ID       ID
	Severity Severity
	Title    string // one line, without a full stop
	Group    string // what the finding is about: text, duration, name, type, structure, time
}

// Lookup finds an id's entry.
func Lookup(id ID) (Entry, bool) {
	i, ok := slices.BinarySearchFunc(byID, id, func(e Entry, id ID) int {
		return strings.Compare(string(e.ID), string(id))
	})
	if !ok {
		return Entry{}, false
	}
	return byID[i], true
}

// All returns every entry, sorted by id. The slice is the caller's.
func All() []Entry { return slices.Clone(byID) }

var byID = sorted(registry)

func sorted(entries []Entry) []Entry {
	out := slices.Clone(entries)
	slices.SortFunc(out, func(a, b Entry) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return out
}

var registry = []Entry{
	{Syntax, Error, "The text does not follow the grammar", "text"},
	{NestedTooDeep, Error, "Brackets or blocks are nested more than 200 deep", "text"},
	{FileTooLarge, Error, "The file is larger than 10 MiB", "text"},
	{FlowTooLarge, Error, "The flow has more than 10,000 states, or an expression more than 10,000 parts", "text"},
	{NotSupportedYet, Error, "The construct is part of the language, but this release cannot run it", "text"},
	{DurationSyntax, Error, "A duration is not a whole number and one unit", "duration"},
	{DurationMissingUnit, Error, "A bare number stands where a duration belongs", "duration"},
	{DurationTooLong, Error, "A duration is longer than 3650d", "duration"},
	{DurationNotPositive, Error, "A timer's constant duration is zero or negative", "duration"},
	{ReservedEventDeclared, Error, "A reserved event is declared", "name"},
	{ReservedEventScheduled, Error, "A reserved event is scheduled", "name"},
	{ReservedEventRaised, Error, "A reserved event is raised", "name"},
	{ReservedEventSent, Error, "A reserved event is sent", "name"},
	{UnknownState, Error, "No state of this name is in reach", "name"},
	{UnknownEvent, Error, "No event of this name is declared", "name"},
	{UnknownTask, Error, "No task of this name is declared", "name"},
	{UnknownField, Error, "No field or variable of this name exists here", "name"},
	{UnknownType, Error, "No type of this name is declared", "name"},
	{UnknownFunction, Error, "No function of this name exists", "name"},
	{UnknownFlow, Error, "No flow of this name is declared", "name"},
	{UnknownConstant, Error, "An enum has no value of this name", "name"},
	{UnknownTimer, Error, "No timer of this name is in reach", "name"},
	{UnknownErrorCode, Error, "No task can fail with this code", "name"},
	{UnknownFragment, Error, "No fragment of this name is declared", "name"},
	{UnknownImport, Error, "No import goes by this name", "name"},
	{DuplicateState, Error, "Two states side by side have the same name", "name"},
	{DuplicateEvent, Error, "An event is declared twice", "name"},
	{DuplicateTask, Error, "A task is declared twice", "name"},
	{DuplicateField, Error, "A field or an enum's value is declared twice", "name"},
	{DuplicateType, Error, "A type or an enum is declared twice", "name"},
	{DuplicateFunction, Error, "A function is declared twice", "name"},
	{DuplicateFlow, Error, "A flow is declared twice", "name"},
	{DuplicateConstant, Error, "A constant is declared twice", "name"},
	{DuplicateTimer, Error, "Two timers of a state have the same name", "name"},
	{DuplicateFragment, Error, "A fragment is declared twice", "name"},
	{DuplicateTest, Error, "Two tests have the same name", "name"},
	{DuplicateParameter, Error, "A parameter or an argument is given twice", "name"},
	{DuplicateImport, Error, "A file or an import name is imported twice", "name"},
	{ImportCycle, Error, "Files import each other in a circle", "name"},
	{ImportNotFound, Error, "The imported file does not exist", "name"},
	{TypeMismatch, Error, "A value has another type than the place needs", "type"},
	{MissingArgument, Error, "An argument that is needed is left out", "type"},
	{UnknownArgument, Error, "There is no parameter of this name", "type"},
	{NullNotTested, Error, "A value that may be null is used as if it were not", "type"},
	{AssignToInput, Error, "An input is assigned to", "type"},
	{NotATime, Error, "The text or value is not an instant", "type"},
	{EventFieldNotCommon, Error, "Not all events of the handler have this field", "type"},
	{RefuseNotInHandler, Error, "A refuse stands where nobody can be refused", "type"},
	{MissingInitial, Error, "A state with states inside does not say where it begins", "structure"},
	{InitialNotDirectChild, Error, "The initial state is not a direct child", "structure"},
	{TransitionFromFinal, Error, "A final state has a way out", "structure"},
	{NoWayOut, Error, "Nothing can ever leave this state", "structure"},
	{UnhandledCompleted, Error, "Nothing takes the end of the work, and nothing else leaves the state", "structure"},
	{AlwaysCycle, Error, "Automatic transitions lead back to where they began", "structure"},
	{AlwaysWithoutElse, Error, "All ways out are guarded, and no guard may hold", "structure"},
	{ShadowedHandler, Error, "An earlier handler takes the event first", "structure"},
	{DuplicateTimeout, Error, "A state has two timeouts", "structure"},
	{DuplicateWork, Error, "A state has more than one piece of work, or has both work and states", "structure"},
	{ScheduleInExit, Error, "An exit block schedules an event of the state that is being left", "structure"},
	{ExpiredWithoutIdle, Error, "The event expired is handled where no idle is in reach", "structure"},
	{ExpiredNotFinal, Error, "The flow's idle does not lead straight to a final state", "structure"},
	{CancelNotFinal, Error, "A cancel does not lead to a final state", "structure"},
	{RecursiveFunction, Error, "A function calls itself", "structure"},
	{RecursiveFragment, Error, "A fragment uses itself", "structure"},
	{JoinImpossible, Error, "A join asks for more ends than there can be", "structure"},
	{EveryForTooShort, Error, "The span of a repeating timer is too short for one fire", "structure"},
	{ZoneUnknown, Error, "There is no time zone of this name", "structure"},
	{CalendarWithoutZone, Error, "A calendar timer does not say in which zone", "structure"},
	{DeadTimer, Error, "A timer can never fire", "time"},
	{ScheduledEventNotHandled, Error, "No handler in reach can take the scheduled event", "time"},
	{RetryExceedsTimeout, Error, "The waits between attempts use up the state's timeout", "time"},
	{UnreachableState, Warning, "Nothing leads to this state", "structure"},
	{UnreachableHandler, Warning, "The event of a handler can never come to it", "structure"},
	{UnhandledTimeout, Warning, "Nothing handles the timeout, so the token will fail", "time"},
	{UnhandledError, Warning, "Nothing handles the error of the work, so the token will fail", "structure"},
	{OutcomeIgnored, Warning, "A child that may end badly is taken for a success", "structure"},
	{OutcomeByName, Warning, "A final state's name says something else than its outcome", "structure"},
	{UnboundedWait, Warning, "Only an outside event can leave this state, and no timeout is in reach", "time"},
	{TimerRace, Warning, "Two timers of a state are due at the same instant", "time"},
	{GuardConstant, Warning, "A guard is always true or always false", "structure"},
	{GuardReadsClock, Warning, "An automatic transition waits for the clock, which does not wake it", "time"},
	{DeferredNeverHandled, Warning, "A deferred event is handled nowhere", "structure"},
	{EventNeverHandled, Warning, "An event is raised, scheduled or sent, but handled nowhere", "structure"},
	{UnusedEvent, Warning, "An event is mentioned nowhere", "name"},
	{UnusedTask, Warning, "A task is mentioned nowhere", "name"},
	{UnusedFunction, Warning, "A function is mentioned nowhere", "name"},
	{UnusedConstant, Warning, "A constant is mentioned nowhere", "name"},
	{UnusedData, Warning, "A data field is mentioned nowhere", "name"},
	{UnusedImport, Warning, "An import is mentioned nowhere", "name"},
	{BusyLoop, Warning, "A loop goes round without waiting or changing anything", "structure"},
	{AllowWithoutReason, Warning, "A flowc:allow comment gives no reason", "text"},
	{AllowUnused, Warning, "A flowc:allow comment silences nothing", "text"},
	{StyleName, Hint, "A name is not in snake_case", "name"},
	{TimeoutBubbles, Hint, "A state's timeout is taken by a state around it", "time"},
}
