package validate

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"flowc/grammar"
	"flowc/validate/builtin"
	"flowc/validate/calendar"
	"flowc/validate/diag"
	"flowc/validate/model"
	"flowc/validate/value"
)

// quotedDuration is the duration that a text means which stands where a duration must, or "".
func quotedDuration(text string) string {
	if tokens := grammar.Lex([]byte(text)); len(tokens) == 1 && tokens[0].Kind == grammar.Duration_ {
		return text
	}
	return grammar.MeantDuration(text)
}

var clockPattern = regexp.MustCompile(`^(\d{1,2})(?:[:.](\d{2}))?\s*(am|pm|AM|PM)?$`)

// clockTime is the time of day that a text certainly means, as the calendar writes it, or "".
func clockTime(text string) string {
	if _, err := calendar.ParseClock(text); err == nil {
		return text
	}
	parts := clockPattern.FindStringSubmatch(text)
	if parts == nil || parts[2] == "" && parts[3] == "" {
		return ""
	}
	hour, err := strconv.Atoi(parts[1])
	half := strings.ToLower(parts[3])
	if err != nil || half != "" && (hour < 1 || hour > 12) {
		return ""
	}
	switch {
	case half == "am":
		hour %= 12
	case half == "pm":
		hour = hour%12 + 12
	}
	minutes := parts[2]
	if minutes == "" {
		minutes = "00"
	}
	clock := fmt.Sprintf("%02d:%s", hour, minutes)
	if _, err := calendar.ParseClock(clock); err != nil {
		return ""
	}
	return clock
}

// constText is the text of a constant string.
func constText(m model.Expr) (string, bool) {
	k, ok := m.(*model.Const)
	if !ok || k.Value.Kind() != value.String {
		return "", false
	}
	return k.Value.Str(), true
}

// helpQuoted says what a text means that stands where a duration must; it reports false when it means nothing here.
func (x *coder) helpQuoted(n *note, e grammar.Expr, m model.Expr) bool {
	text, ok := constText(m)
	if !ok {
		return false
	}
	if meant := quotedDuration(text); meant != "" {
		n.help("a duration stands without quotes: `%s`", meant)
		if _, literal := e.(*grammar.StringLit); literal {
			n.fix("Write `"+meant+"`", e.Span(), meant)
		}
		return true
	}
	if clock := clockTime(text); clock != "" {
		n.help("a time of day belongs to the calendar: `every day at \"%s\" in \"Europe/Berlin\" { … }`; its next occurrence is the instant `next(\"%s\", \"Europe/Berlin\")`", clock, clock)
		return true
	}
	return false
}

// helpNumber says that a number stands without quotes, and reports false for a text that is none.
func (x *coder) helpNumber(n *note, e grammar.Expr, m model.Expr) bool {
	text, ok := constText(m)
	if !ok {
		return false
	}
	tokens := grammar.Lex([]byte(strings.TrimPrefix(text, "-")))
	if len(tokens) != 1 || tokens[0].Kind != grammar.Int_ && tokens[0].Kind != grammar.Decimal_ {
		return false
	}
	n.help("a number stands without quotes: `%s`", text)
	if _, literal := e.(*grammar.StringLit); literal {
		n.fix("Write `"+text+"`", e.Span(), text)
	}
	return true
}

// helpInstant says how the instant is written that a text means, and reports false when it means none.
func (x *coder) helpInstant(n *note, e grammar.Expr, m model.Expr) bool {
	text, ok := constText(m)
	if !ok {
		return false
	}
	_, literal := e.(*grammar.StringLit)
	if clock := clockTime(text); clock != "" {
		n.help("the next time that a clock shows it is `next(\"%s\", \"Europe/Berlin\")`; every day is `every day at \"%s\" in \"Europe/Berlin\" { … }`", clock, clock)
		return true
	}
	if _, _, _, err := calendar.ParseDate(text); err == nil {
		n.help("a date has a time of day and a zone: `time_at(\"%s\", \"00:00\", \"Europe/Berlin\")`", text)
		return true
	}
	if _, err := value.ParseTime(text); err == nil && literal {
		n.help("write `time(\"%s\")`", text).fix("Write `time(…)`", e.Span(), "time("+x.text(e)+")")
		return true
	}
	if meant := quotedDuration(text); meant != "" {
		n.help("a duration from now on is `now() + %s`; a timer by duration is `after %s` or `timeout %s`", meant, meant, meant)
		return true
	}
	return false
}

// otherFunctions are the built-in functions by the names that other languages have for them, as functions and as methods.
var otherFunctions = map[string]string{
	"length": "len", "size": "len", "count": "len", "Length": "len", "Count": "len", "getLength": "len",
	"includes": "contains", "Contains": "contains", "has": "contains",
	"startsWith": "starts_with", "startswith": "starts_with", "StartsWith": "starts_with", "hasPrefix": "starts_with",
	"endsWith": "ends_with", "endswith": "ends_with", "EndsWith": "ends_with", "hasSuffix": "ends_with",
	"toUpperCase": "upper", "toUpper": "upper", "ToUpper": "upper", "uppercase": "upper", "upcase": "upper",
	"toLowerCase": "lower", "toLower": "lower", "ToLower": "lower", "lowercase": "lower", "downcase": "lower",
	"strip": "trim", "Trim": "trim", "substring": "slice", "substr": "slice", "Substring": "slice",
	"some": "any", "every": "all", "select": "filter", "where": "filter",
}

// textOf are the functions by which other languages make a value a text.
var textOf = map[string]bool{
	"str": true, "string": true, "String": true, "toString": true, "to_string": true, "ToString": true, "text": true,
}

// otherFunction is the built-in function that another language calls so, or "".
func otherFunction(name string) string {
	if f, ok := builtin.Lookup(name); ok && !f.Bare && !f.State {
		return name
	}
	return otherFunctions[name]
}

// methodCall reports a call of a method, `name.contains("x")`: values have none. It reports false when there is no value in front.
func (x *coder) methodCall(e *grammar.CallExpr, ids ref) bool {
	callee, ok := e.Fun.(*grammar.SelectExpr)
	if !ok || len(ids) < 2 || !x.shadowed(ids[0].Text) {
		return false
	}
	x.quietly(callee.X)
	method, on := ids.last(), x.text(callee.X)
	n := x.c.report(x.env.of(method), diag.UnknownFunction, "values have no methods, and this is one of `%s`", on)
	var args []string
	for _, a := range e.Args.List() {
		if a == nil || a.Value == nil || a.Name != nil {
			return true
		}
		args = append(args, x.text(a))
	}
	switch own := otherFunction(method.Text); {
	case own != "":
		meant := own + "(" + strings.Join(append([]string{on}, args...), ", ") + ")"
		n.help("write `%s`", meant).fix("Write `"+meant+"`", e.Span(), meant)
	case textOf[method.Text]:
		n.help("a value is written into a text: `\"{%s}\"`", on)
	case len(args) == 1 && (method.Text == "push" || method.Text == "append" || method.Text == "add" || method.Text == "concat"):
		n.help("a longer list is `%s + [%s]`", on, args[0])
	default:
		n.help("functions take the value as an argument: `%s(%s, …)`", method.Text, on)
	}
	return true
}

// lengthField offers `len` for the field by which other languages ask how long something is.
func (x *coder) lengthField(n *note, at grammar.Expr, id *grammar.Ident, t *value.Type, span grammar.Span) bool {
	if otherFunctions[id.Text] != "len" || t.Optional || t.Kind != value.String && t.Kind != value.List && t.Kind != value.Map {
		return false
	}
	meant := "len(" + x.text(at) + ")"
	n.help("write `%s`", meant).fix("Write `"+meant+"`", span, meant)
	return true
}

// otherFunctionName explains a function that another language has, and reports false for a name that is known from nowhere.
func (x *coder) otherFunctionName(n *note, e *grammar.CallExpr, name string, span grammar.Span) bool {
	args := e.Args.List()
	switch {
	case otherFunctions[name] != "":
		own := otherFunctions[name]
		n.help("write `%s`", own).fix("Write `"+own+"`", span, own)
	case textOf[name] && len(args) == 1 && args[0] != nil && args[0].Value != nil:
		n.help("a value is written into a text: `\"{%s}\"`", x.text(args[0].Value))
	case name == "today":
		n.help("write `date(now(), \"Europe/Berlin\")`")
	case name == "random" || name == "rand" || name == "uuid" || name == "newid":
		n.help("a step computes the same every time, so nothing in it is random; let a task make it, or use `token.id`")
	case name == "matches" || name == "regex" || name == "match" || name == "test":
		n.help("there are no patterns: `contains(TEXT, PART)`, `starts_with(TEXT, BEGINNING)`, `ends_with(TEXT, END)`")
	case name == "is_null" || name == "isnull" || name == "isNull" || name == "defined" || name == "exists":
		n.help("compare with null: `x == null`, `x != null`")
	case name == "coalesce" || name == "ifnull" || name == "nvl" || name == "default":
		n.help("write `x ?? OTHER`")
	case name == "not":
		n.help("write `not CONDITION`")
	default:
		return false
	}
	return true
}

// quietly checks an expression for the names that it mentions, and says nothing of it.
func (x *coder) quietly(e grammar.Expr) {
	said, quiet := len(x.c.findings), x.quiet
	x.quiet = true
	x.expr(e, nil)
	x.quiet = quiet
	x.c.findings = x.c.findings[:said]
}

// stateTest reports `state == open`, which is asked by `active`.
func (x *coder) stateTest(e *grammar.BinaryExpr) bool {
	left, ok := e.X.(*grammar.NameExpr)
	if !ok || x.st == nil || e.Op != "==" && e.Op != "!=" || left.Name == nil || x.shadowed(left.Name.Text) {
		return false
	}
	switch left.Name.Text {
	case "state", "current_state", "status":
	default:
		return false
	}
	name := ref(chain(e.Y)).String()
	if s, ok := e.Y.(*grammar.StringLit); ok {
		name = plainText(s)
	}
	first, _, _ := strings.Cut(name, ".")
	if first == "" || x.c.mayBeState(x.env, x.st, first) == nil {
		return false
	}
	meant := "active(" + name + ")"
	if e.Op == "!=" {
		meant = "not " + meant
	}
	x.c.report(x.env.of(left), diag.UnknownField, "whether a token is in a state is asked by `active`").
		help("write `%s`", meant).fix("Write `"+meant+"`", e.Span(), meant)
	return true
}
