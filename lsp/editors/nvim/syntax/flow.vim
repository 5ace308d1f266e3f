" Vim syntax of workflows that wait. Keywords are such only where they are no
" names: not before `=`, `.`, `[` and `:`, and not behind a dot.
if exists('b:current_syntax')
  finish
endif

let s:cpo = &cpo
set cpo&vim

syntax case match
syntax sync minlines=200

" Names in general, so that what is no keyword has a group of its own.
syntax match flowNumber /\v<\d[0-9_]*(\.\d[0-9_]*)?>/
syntax match flowBadDuration /\v<(\d[0-9_]*(\.\d+)?)@>\h\w*(\.\d\w*)*>/
syntax match flowBadDuration /\v\c<\d[0-9_]*(\.\d+)?[ \t]+(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?|mo|months?|y|yrs?|years?|ms|msecs?|millis|milliseconds?|us)>([ \t]*(\=\=@!|[:.(\[]))@!/
syntax match flowDuration /\v<\d+(_\d+)*[smhd]>/
syntax match flowBadDuration /\v<(\d{5,}|[4-9]\d{3}|3[7-9]\d\d|36[6-9]\d|365[1-9])d>/

syntax match flowOperator /\v[-+*\/%<>!?=:]|\.\.|\=\>/
syntax match flowOperator /\v<(and|or|not|in)>/
syntax match flowArrow /->/ nextgroup=flowTarget skipwhite
syntax match flowTarget /\v\h\w*(\.\h\w*)*/ contained contains=flowSelf
syntax match flowCall /\v<\h\w*\ze\s*\(/
syntax match flowMember /\v\.\s*\zs\h\w*/
syntax match flowArgument /\v<\h\w*\ze\s*:/
syntax match flowBuiltin /\v<(now|time|date|time_at|next|local|add_months|format|len|contains|starts_with|ends_with|lower|upper|trim|split|join|slice|min|max|abs|round|range|sum|sort|find|any|all|count|map|filter|keys|values|active)\ze\s*\(/
syntax match flowType /\v<(bool|int|decimal|string|duration|time|json)>(\s*[(.:])@!/
syntax match flowType /\v<(list|map)\ze\s*\</

syntax match flowConstant /\v<(true|false|null|never|success|failure|cancelled)>/
syntax match flowConstant /\v<(running|paused|scheduled|completed|failed)>/
syntax match flowVariable /\v<(event|token)\ze\./
syntax match flowVariable /\v<entered_at>/
syntax match flowSelf /\v<self>/
syntax match flowWeekday /\v<(day|mon|tue|wed|thu|fri|sat|sun)>\ze\s*(\.\.|,|at>)/

" Declarations, and what a state is made of.
syntax match flowDeclaration /\v\.@<!<(import|const|enum|type|internal|task|fn|fragment|flow|use|let)>(\s*[=.\[:,)])@!/ nextgroup=flowName skipwhite
syntax match flowDeclaration /\v\.@<!<data>\ze\s*(\{|$)/
syntax match flowDeclaration /\v\.@<!<(state|region|parallel|final|initial)>(\s*[=.\[:,)])@!/ nextgroup=flowStateName skipwhite
syntax match flowDeclaration /\v\.@<!<event>(\s*[=.\[:,)])@!\ze\s+\h/ nextgroup=flowEventName skipwhite
syntax match flowDeclaration /\v\.@<!<test>\ze\s*"/ nextgroup=flowPlainString skipwhite
syntax match flowName /\v\h\w*/ contained
syntax match flowStateName /\v\h\w*(\.\h\w*)*/ contained

" Timers and handlers, with the events behind them.
syntax match flowTimer /\v\.@<!<(timeout|after|at|every|idle|sleep|advance|rearm)>(\s*[=.\[:,)])@!/
syntax match flowHandler /\v\.@<!<(on|defer|may|accepts)>(\s*[=.\[:,)])@!/ nextgroup=flowEventName skipwhite
syntax match flowHandler /\v\.@<!<(when|always|entry|exit|history|deep)>(\s*[=.\[:,)])@!/
syntax match flowEventName /\v\h\w*(\.\h\w*)*/ contained contains=flowReserved nextgroup=flowEventComma
syntax match flowEventComma /\s*,\s*/ contained nextgroup=flowEventName
syntax match flowReserved /\v\.@<!<(timeout|error|completed|joined|expired|cancel)>\.@!/ contained

" Work and statements.
syntax match flowStatement /\v\.@<!<(do|run|invoke|dispatch|call|start|note|refuse|fail|unset)>(\s*[=.\[:,)])@!/
syntax match flowStatement /\v\.@<!<(raise|schedule|unschedule|send|wait|refused)>(\s*[=.\[:,){])@!/ nextgroup=flowEventName skipwhite
syntax match flowStatement /\v\.@<!<go>(\s*[=.\[:,)])@!/ nextgroup=flowTarget skipwhite
syntax match flowControl /\v\.@<!<(if|else|for|while|break|continue|try|catch)>(\s*[=.\[:,)])@!/
syntax match flowControl /\v<wait\ze\s*\{/
syntax match flowClause /\v\.@<!<(as|from|fails|within|retry|backoff|queue|key|keep|each|concurrency|join|race|times|until|to|parent|with)>(\s*[=.\[:,)]|\s*[-+*\/<>?]\>@!)@!/
syntax match flowClause /\v<join\s+\zs(all|any|race)>/

" Tests.
syntax match flowTest /\v\.@<!<(mock|claim|complete|pause|resume|cancel|expect|restart|stop|server|child)>(\s*[=.\[:,)])@!/
syntax match flowTest /\v(<expect\s+(not\s+)?)@<=(status|outcome|error|timer|no\s+timers|offered|dispatched)>(\s*[=<>!.\[+*\/%-])@!/
syntax match flowTest /\v<no\s+(retry|timers)>/
syntax match flowLabel /\v(^|\{)\s*\zs\h\w*\ze:\s+(mock|start|send|advance|claim|complete|fail|pause|resume|cancel|retry|restart|stop|expect)>/

" Strings end with their line.
syntax match flowEscape /\v\\([ntr"\\{]|u\{\x{1,6}\})/ contained
syntax match flowBadEscape /\v\\([ntr"\\{]|u\{\x{1,6}\})@!./ contained
syntax region flowInterpolation matchgroup=flowBrace start=/{/ end=/}/ contained oneline contains=@flowExpression
syntax region flowBraces start=/{/ end=/}/ contained oneline contains=@flowExpression
syntax match flowBadInterpolation /{\s*}/ contained
syntax region flowString start=/"/ end=/"\|$/ skip=/\\./ oneline contains=flowEscape,flowBadEscape,flowInterpolation,flowBadInterpolation
syntax region flowPlainString start=/"/ end=/"\|$/ contained skip=/\\./ oneline contains=flowEscape,flowBadEscape
syntax cluster flowExpression contains=flowString,flowNumber,flowDuration,flowBadDuration,flowOperator,flowCall,flowMember,flowBuiltin,flowConstant,flowVariable,flowBraces,flowArgument

syntax region flowComment start=/\/\// end=/$/ oneline contains=flowAllow,@Spell
syntax region flowComment start=/\/\*/ end=/\*\// contains=@Spell
syntax match flowAllow /\v\/\/\s*\zsflowc:allow(\s+[a-z0-9-]+)?/ contained

highlight default link flowComment Comment
highlight default link flowAllow SpecialComment
highlight default link flowString String
highlight default link flowPlainString String
highlight default link flowEscape SpecialChar
highlight default link flowBrace Special
highlight default link flowBadEscape Error
highlight default link flowBadInterpolation Error
highlight default link flowBadDuration Error
highlight default link flowNumber Number
highlight default link flowDuration Number
highlight default link flowConstant Constant
highlight default link flowWeekday Constant
highlight default link flowReserved Constant
highlight default link flowVariable Special
highlight default link flowSelf Special
highlight default link flowOperator Operator
highlight default link flowArrow Operator
highlight default link flowTarget Type
highlight default link flowStateName Type
highlight default link flowName Type
highlight default link flowType Type
highlight default link flowCall Function
highlight default link flowBuiltin Function
highlight default link flowEventName Identifier
highlight default link flowArgument Identifier
highlight default link flowDeclaration Structure
highlight default link flowTimer Statement
highlight default link flowHandler Statement
highlight default link flowStatement Statement
highlight default link flowControl Conditional
highlight default link flowClause Keyword
highlight default link flowTest Statement
highlight default link flowLabel Label

let b:current_syntax = 'flow'

let &cpo = s:cpo
unlet s:cpo
