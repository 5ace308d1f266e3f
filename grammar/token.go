package grammar

import (
	"github.com/alecthomas/participle/v2/lexer"
)

// Kind says what a token is. A token keeps its kind when the file spells it in
// a foreign way (`：` is a [Colon], `≥` a [Ge]); the letters tell the difference.
type Kind = lexer.TokenType

// Token is a piece of the file. The texts of all tokens of a file, in order,
// add up to the file.
type Token struct {
	Kind Kind
	Span Span
}

// The kinds of tokens.
const (
	EOF Kind = lexer.EOF

	Space        Kind = iota // blanks and line ends, a byte order mark at the start
	LineComment              // `// …`, without the line end
	BlockComment             // `/* … */`

	Ident_      // a word: a name or a keyword
	Int_        // 12, 1_000
	Decimal_    // 12.50
	Duration_   // 6h
	BadNumber   // what looks like a duration or a number and is none
	String_     // "…" without interpolation
	StringHead  // "…{
	StringMid   // }…{
	StringTail  // }…"
	StringBreak // empty; the line ends inside an interpolation

	LParen
	RParen
	LBrace
	RBrace
	LBrack
	RBrack
	Comma
	Colon
	Dot
	DotDot
	Assign
	Eq
	Ne
	Lt
	Gt
	Le
	Ge
	Plus
	Minus
	Star
	Slash
	Percent
	Question
	Coalesce
	Bang
	Arrow
	FatArrow
	AndAnd // `&&`, read as `and`
	OrOr   // `||`, read as `or`

	// What is no part of the language, and reported.

	OpenString   // a string without its closing quote, to the end of the line
	QuotedString // a text in single or curly quotes or backticks
	BadComment   // `/*` without `*/`, or `# …` at the start of a line
	BadName      // a word with letters that names do not have
	BadSpace     // a space that is not a plain one
	Semicolon
	ConflictMark // a line of `<<<<<<<`, `|||||||`, `=======` or `>>>>>>>`
	Illegal      // a letter that means nothing, or bytes that are not UTF-8

	// Kinds that the parser gives to tokens while it reads.

	Elif   // `elif` and its like, read as `else if`
	struck // a token that was reported and is not to be seen again
)

// symbols are the names by which the tags of the tree refer to kinds.
var symbols = map[string]Kind{
	"EOF": EOF, "Space": Space, "LineComment": LineComment, "BlockComment": BlockComment,
	"Ident": Ident_, "Int": Int_, "Decimal": Decimal_, "Duration": Duration_, "BadNumber": BadNumber,
	"String": String_, "StringHead": StringHead, "StringMid": StringMid, "StringTail": StringTail,
	"StringBreak": StringBreak,
	"LParen":      LParen, "RParen": RParen, "LBrace": LBrace, "RBrace": RBrace, "LBrack": LBrack, "RBrack": RBrack,
	"Comma": Comma, "Colon": Colon, "Dot": Dot, "DotDot": DotDot,
	"Assign": Assign, "Eq": Eq, "Ne": Ne, "Lt": Lt, "Gt": Gt, "Le": Le, "Ge": Ge,
	"Plus": Plus, "Minus": Minus, "Star": Star, "Slash": Slash, "Percent": Percent,
	"Question": Question, "Coalesce": Coalesce, "Bang": Bang, "Arrow": Arrow, "FatArrow": FatArrow,
	"AndAnd": AndAnd, "OrOr": OrOr,
	"OpenString": OpenString, "QuotedString": QuotedString, "BadComment": BadComment, "BadName": BadName,
	"BadSpace": BadSpace, "Semicolon": Semicolon, "ConflictMark": ConflictMark, "Illegal": Illegal,
	"Elif": Elif, "Struck": struck,
}

// foreign maps letters from other keyboards to what their authors mean.
var foreign = map[rune]struct {
	kind Kind
	text string
}{
	'：': {Colon, ":"}, '，': {Comma, ","}, '、': {Comma, ","}, '（': {LParen, "("}, '）': {RParen, ")"},
	'｛': {LBrace, "{"}, '｝': {RBrace, "}"}, '［': {LBrack, "["}, '］': {RBrack, "]"},
	'【': {LBrack, "["}, '】': {RBrack, "]"},
	'＝': {Assign, "="}, '＜': {Lt, "<"}, '＞': {Gt, ">"}, '＋': {Plus, "+"}, '－': {Minus, "-"},
	'＊': {Star, "*"}, '／': {Slash, "/"}, '％': {Percent, "%"}, '？': {Question, "?"}, '！': {Bang, "!"},
	'．': {Dot, "."}, '；': {Semicolon, ";"},
	'→': {Arrow, "->"}, '⇒': {FatArrow, "=>"}, '≥': {Ge, ">="}, '≤': {Le, "<="}, '≠': {Ne, "!="},
	'–': {Minus, "-"}, '—': {Minus, "-"}, '−': {Minus, "-"}, '×': {Star, "*"}, '÷': {Slash, "/"},
}

// canonical is the spelling of the kinds that foreign letters and operators
// can stand for.
var canonical = map[Kind]string{
	LParen: "(", RParen: ")", LBrace: "{", RBrace: "}", LBrack: "[", RBrack: "]",
	Comma: ",", Colon: ":", Dot: ".", DotDot: "..", Assign: "=", Eq: "==", Ne: "!=", Lt: "<", Gt: ">",
	Le: "<=", Ge: ">=", Plus: "+", Minus: "-", Star: "*", Slash: "/", Percent: "%", Question: "?",
	Coalesce: "??", Bang: "!", Arrow: "->", FatArrow: "=>", AndAnd: "and", OrOr: "or",
}
