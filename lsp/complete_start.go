package lsp

import (
	"flowc/grammar"
	"flowc/validate/value"
)

// A form is a construct with places to fill in.
type form struct{ word, snippet string }

var forms = map[region][]form{
	atTop: {
		{"import", `import "${1:lib.flow}"`},
		{"const", "const ${1:name} = ${2:1d}"},
		{"enum", "enum ${1:name} {\n  ${2:first}\n  ${3:second}\n}"},
		{"type", "type ${1:name} {\n  ${2:field}: ${3:string}\n}"},
		{"event", "event ${1:name}(${2:field: string})"},
		{"internal event", "internal event ${1:name}"},
		{"task", "task ${1:name}(${2:field: string}) within ${3:30s} retry ${4:3} backoff ${5:2s..1m}"},
		{"fn", "fn ${1:name}(${2:x: int}) -> ${3:bool} = ${4:x > 0}"},
		{"fragment", "fragment ${1:name}(${2:next: state}) {\n  initial ${3:first}\n\n  state ${3:first} {\n    $0\n  }\n}"},
		{"flow", "flow ${1:name}(${2:id: string}) {\n  initial ${3:waiting}\n\n  state ${3:waiting} {\n    timeout ${4:1d}\n    on timeout -> ${5:done}\n    $0\n  }\n\n  final ${5:done}\n}"},
		{"test", "test \"${1:what it shows}\" {\n  start ${2:flow}(${3})\n  $0\n}"},
	},
	inStates: {
		{"state", "state ${1:name} {\n  $0\n}"},
		{"parallel", "parallel ${1:name} {\n  region ${2:first} {\n    $0\n  }\n}"},
		{"final", "final ${1:name}"},
		{"use", "use ${1:fragment}(${2}) as ${3:name}"},
		{"initial", "initial ${1:state}"},
		{"data", "data {\n  ${1:field}: ${2:string}?\n}"},
		{"timeout", "timeout ${1:1d}"},
		{"after", "after ${1:1h} -> ${2:state}"},
		{"at", "at ${1:time} -> ${2:state}"},
		{"every", "every ${1:1h} {\n  $0\n}"},
		{"every day at", "every day at \"${1:09:00}\" in \"${2:Europe/Berlin}\" {\n  $0\n}"},
		{"idle", "idle ${1:3h}"},
		{"on", "on ${1:event} -> ${2:state}"},
		{"always", "always when ${1:condition} -> ${2:state}"},
		{"entry", "entry {\n  $0\n}"},
		{"exit", "exit {\n  $0\n}"},
		{"do", "do ${1:task}(${2})"},
		{"run", "run {\n  $0\n}"},
		{"invoke", "invoke ${1:flow}(${2})"},
		{"defer", "defer ${1:event}"},
		{"history", "history"},
	},
	inParallel: {
		{"region", "region ${1:name} {\n  initial ${2:first}\n\n  state ${2:first} {\n    $0\n  }\n}"},
		{"timeout", "timeout ${1:1d}"},
		{"on", "on ${1:joined} -> ${2:state}"},
		{"after", "after ${1:1h} -> ${2:state}"},
		{"every", "every ${1:1h} {\n  $0\n}"},
		{"entry", "entry {\n  $0\n}"},
		{"exit", "exit {\n  $0\n}"},
		{"history", "history"},
	},
	inFinal: {{"entry", "entry {\n  $0\n}"}},
	inBlock: {
		{"let", "let ${1:name} = ${2}"},
		{"if", "if ${1:condition} {\n  $0\n}"},
		{"for", "for ${1:item} in ${2:list} {\n  $0\n}"},
		{"raise", "raise ${1:event}(${2})"},
		{"schedule", "schedule ${1:event}(${2}) after ${3:1h}"},
		{"unschedule", "unschedule ${1:event}"},
		{"rearm", "rearm ${1:timeout}"},
		{"dispatch", "dispatch ${1:task}(${2})"},
		{"start", "start ${1:flow}(${2})"},
		{"send", "send ${1:event}(${2}) to ${3:flow}[${4:key}]"},
		{"note", "note \"${1:text}\""},
		{"refuse", "refuse \"${1:reason}\""},
		{"fail", "fail \"${1:message}\""},
		{"unset", "unset ${1:field}[\"${2:key}\"]"},
	},
	inTest: {
		{"start", "start ${1:flow}(${2})"},
		{"send", "send ${1:event}(${2})"},
		{"advance", "advance ${1:1h}"},
		{"expect", "expect ${1:state} ${2:name}"},
		{"mock", "mock ${1:task} -> (${2})"},
		{"claim", "claim ${1:task}"},
		{"complete", "complete ${1:task} with (${2})"},
		{"fail", "fail ${1:task} \"${2:code}\""},
		{"at", "at time(\"${1:2026-03-28T22:00:00Z}\")"},
		{"pause", "pause"},
		{"resume", "resume"},
		{"cancel", "cancel"},
		{"retry", "retry"},
		{"restart server", "restart server"},
		{"stop server", "stop server"},
		{"start server", "start server"},
		{"child", "child ${1:flow} ${2:1}: $0"},
	},
	inWait: {
		{"on", "on ${1:event} {\n  $0\n}"},
		{"after", "after ${1:1h} {\n  $0\n}"},
	},
}

// waiting are the forms that only a routine has.
var waiting = []form{
	{"call", "call ${1:task}(${2})"},
	{"let call", "let ${1:result} = call ${2:task}(${3})"},
	{"wait", "wait ${1:event} for ${2:1h}"},
	{"let wait", "let ${1:got} = wait ${2:event} for ${3:1h}"},
	{"wait on", "wait {\n  on ${1:event} {\n    $0\n  }\n  after ${2:1h} {\n  }\n}"},
	{"sleep", "sleep ${1:1h}"},
	{"try", "try {\n  $0\n} catch \"${1:code}\" {\n}"},
	{"while", "while ${1:condition} {\n  $0\n}"},
	{"break", "break"},
	{"continue", "continue"},
	{"go", "go ${1:state}"},
}

// starts proposes what may begin in a region.
func (x *completer) starts(r region) {
	list := forms[r]
	switch r {
	case inRoutine:
		list = append(forms[inBlock][:len(forms[inBlock]):len(forms[inBlock])], waiting...)
		x.assignables()
	case inBlock:
		x.assignables()
	case inTest:
		x.labels()
	}
	for n, f := range list {
		word := f.word
		first := word
		for i, c := range word {
			if c == ' ' {
				first = word[:i]
				break
			}
		}
		x.add(1, Item{Label: word, Kind: KindKeyword, Insert: f.snippet, Snippet: true, Sort: ordinal(n), doc: func() string { return wordHelp(first) }})
	}
}

// assignables proposes the fields and locals that a statement may assign to.
func (x *completer) assignables() {
	for _, v := range x.variables() {
		if !v.input {
			x.add(0, Item{Label: v.name, Kind: KindField, Detail: v.detail, Insert: v.name + " = ", doc: v.doc})
		}
	}
}

// labels proposes the tokens that a test has named.
func (x *completer) labels() {
	test := innermost[*grammar.TestDecl](x.path)
	if test == nil || test.Body == nil {
		return
	}
	for _, line := range test.Body.Lines {
		if s, ok := line.Stmt.(*grammar.TestStart); ok && s.As != nil {
			x.add(0, Item{Label: s.As.Text, Kind: KindVariable, Insert: s.As.Text + ": "})
		}
	}
}

// assigned is the type of what stands before the `=`, nil when it is not known.
func (x *completer) assigned() *value.Type {
	a := innermost[*grammar.AssignStmt](x.path)
	if a == nil {
		return nil
	}
	name, ok := a.Target.(*grammar.NameExpr)
	if !ok || name.Name == nil {
		return nil
	}
	for _, v := range x.variables() {
		if v.name == name.Name.Text {
			return v.typ()
		}
	}
	return nil
}
