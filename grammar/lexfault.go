package grammar

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// spelling collects the faults that single tokens show.
type spelling struct {
	src    string
	tokens []Token
	faults []Fault
	// strings holds the heads of the interpolated strings being read.
	strings []Token
	broken  bool // whether the string just left was broken by a line end
}

func spellingFaults(src string, tokens []Token) []Fault {
	s := spelling{src: src, tokens: tokens}
	conflict := false
	for i, t := range tokens {
		if t.Kind == ConflictMark {
			s.conflict(t, &conflict)
			continue
		}
		s.token(i, t)
	}
	return s.faults
}

func (s *spelling) text(t Token) string { return s.src[t.Span.Start:t.Span.End] }

func (s *spelling) add(span Span, message, help string, fixes ...Fix) {
	s.faults = append(s.faults, Fault{ID: IDSyntax, Span: span, Message: message, Help: help, Fixes: fixes})
}

func replace(span Span, text string) Fix {
	return Fix{Title: fmt.Sprintf("write `%s`", text), Edits: []Edit{{span, text}}}
}

func (s *spelling) token(i int, t Token) {
	switch t.Kind {
	case Space, LineComment, BlockComment, Ident_, Int_, Decimal_, Duration_:
	case BadNumber:
		s.faults = append(s.faults, durationFault(s.text(t), t.Span))
	case String_, StringHead, StringMid, StringTail, StringBreak:
		s.stringToken(i, t)
	case OpenString:
		s.openString(t)
	case QuotedString:
		s.quotedString(t)
	case BadComment, BadName, BadSpace, Semicolon, Illegal:
		s.illegal(t)
	default:
		s.operator(t)
	}
}

// operator looks at a token whose kind may be spelt in a foreign way.
func (s *spelling) operator(t Token) {
	text, want := s.text(t), canonical[t.Kind]
	if text == want || want == "" {
		return
	}
	span := t.Span
	switch {
	case t.Kind == AndAnd || t.Kind == OrOr:
		s.add(span, fmt.Sprintf("`%s` is written `%s`", text, want), "", s.spaced(span, want))
	case len(text) == 3 && text[0] < utf8.RuneSelf:
		s.add(span, fmt.Sprintf("`%s` is written `%s`; it always compares values of one type", text, want), "", replace(span, want))
	default:
		s.add(span, fmt.Sprintf("`%s` looks like `%s` but is another letter (%s)", text, want, codePoint(text)), "", replace(span, want))
	}
}

// spaced replaces letters by a word, with blanks where the letters had none.
func (s *spelling) spaced(span Span, word string) Fix {
	text := word
	if span.Start > 0 && s.src[span.Start-1] != ' ' {
		text = " " + text
	}
	if span.End < len(s.src) && s.src[span.End] != ' ' {
		text += " "
	}
	return Fix{Title: fmt.Sprintf("write `%s`", word), Edits: []Edit{{span, text}}}
}

func codePoint(text string) string {
	r, _ := utf8.DecodeRuneInString(text)
	return fmt.Sprintf("U+%04X", r)
}

func (s *spelling) illegal(t Token) {
	text := s.text(t)
	switch t.Kind {
	case Semicolon:
		s.add(t.Span, "there are no semicolons; a statement ends where the next begins", "", Fix{"remove it", []Edit{{t.Span, ""}}})
	case BadSpace:
		s.add(t.Span, fmt.Sprintf("this is not a plain space but another letter (%s)", codePoint(text)), "", Fix{"write a plain space", []Edit{{t.Span, " "}}})
	case BadName:
		if plain := plainName(text); plain != "" {
			letter := firstForeign(text)
			s.add(t.Span, fmt.Sprintf("`%s` is written `%s`: `%c` (%U) only looks like a letter or digit of the language", text, plain, letter, letter), "",
				replace(t.Span, plain))
			return
		}
		s.add(t.Span, fmt.Sprintf("`%s` is not a name: names are written with a-z, A-Z, 0-9 and `_`", text), "")
	case BadComment:
		s.badComment(t, text)
	default:
		s.faults = append(s.faults, Fault{ID: IDSyntax, Span: t.Span, Message: wordIllegal(text), rank: junk})
	}
}

func wordIllegal(text string) string {
	switch r, _ := utf8.DecodeRuneInString(text); {
	case r == utf8.RuneError:
		return fmt.Sprintf("these bytes are not UTF-8 text (%x)", text[:min(len(text), 8)])
	case r < ' ' || r == 0x7f:
		return fmt.Sprintf("an unprintable letter (%s) means nothing here", codePoint(text))
	case text == "'":
		return "texts stand in double quotes, and this `'` begins one that does not end on its line"
	case text == "&", text == "|":
		return fmt.Sprintf("`%s` means nothing here; conditions are joined by `and` and `or`", text)
	case text == "#":
		return "comments begin with `//`, not with `#`"
	case text == "$":
		return "`$` means nothing here; names are written without it"
	case r < utf8.RuneSelf:
		return fmt.Sprintf("`%s` means nothing here", text)
	}
	return fmt.Sprintf("`%s` (%s) means nothing here", text, codePoint(text))
}

func (s *spelling) badComment(t Token, text string) {
	if text[0] == '#' {
		mark := Span{t.Span.Start, t.Span.Start + 1}
		s.add(t.Span, "comments begin with `//`", "", replace(mark, "//"))
		return
	}
	s.add(Span{t.Span.Start, t.Span.Start + 2}, "this comment is never closed", "write `*/` where it ends")
}

func (s *spelling) conflict(t Token, inside *bool) {
	first := s.src[t.Span.Start]
	if first == '<' {
		*inside = true
		s.add(t.Span, "a merge has left its marks here", "keep one of the two versions and remove the lines `<<<<<<<`, `=======` and `>>>>>>>`")
		return
	}
	if !*inside {
		s.add(t.Span, "a merge has left its marks here", "remove this line")
	}
	if first == '>' {
		*inside = false
	}
}

func (s *spelling) openString(t Token) {
	if len(s.strings) > 0 {
		return // the text around it is not closed either, and is reported
	}
	text := s.text(t)
	f := Fault{ID: IDSyntax, Span: t.Span, Message: "this text is not closed on its line", Help: "write `\"` where it ends; a line end inside is `\\n`"}
	if !strings.ContainsAny(text[1:], "){},;") {
		end := t.Span.Start + len(strings.TrimRight(text, " \t"))
		f.Fixes = []Fix{{"close it at the end of the line", []Edit{{Span{end, end}, `"`}}}}
	}
	s.faults = append(s.faults, f)
}

func (s *spelling) quotedString(t Token) {
	text := s.text(t)
	open, first := utf8.DecodeRuneInString(text)
	_, last := utf8.DecodeLastRuneInString(text)
	f := Fault{ID: IDSyntax, Span: t.Span, Message: fmt.Sprintf("texts stand in plain double quotes (`\"`), not in `%c`", open)}
	if inner := text[first : len(text)-last]; !strings.ContainsAny(inner, "\"\\{") {
		f.Fixes = []Fix{{"write plain double quotes", []Edit{
			{Span{t.Span.Start, t.Span.Start + first}, `"`},
			{Span{t.Span.End - last, t.Span.End}, `"`},
		}}}
	}
	s.faults = append(s.faults, f)
}

func (s *spelling) stringToken(i int, t Token) {
	switch t.Kind {
	case StringHead:
		s.strings = append(s.strings, t)
		s.broken = false
	case StringBreak:
		s.breakString()
		return
	case StringMid, StringTail:
		s.emptyInterpolation(i, t)
		if n := len(s.strings); t.Kind == StringTail && n > 0 {
			s.strings = s.strings[:n-1]
		}
	}
	begin, end := innerText(t)
	if i := strings.IndexByte(s.src[begin:end], 0); i >= 0 {
		s.add(Span{begin + i, begin + i + 1}, "this is the character 0, which a text cannot hold", "remove it")
	}
	_, faults := decodeText(s.src[begin:end], begin)
	s.faults = append(s.faults, faults...)
}

// breakString reports the outermost of the strings that a line end breaks.
func (s *spelling) breakString() {
	n := len(s.strings)
	if n == 0 {
		return
	}
	head := s.strings[n-1]
	s.strings = s.strings[:n-1]
	if n == 1 {
		s.add(head.Span, "this text is not closed on its line", "close its `{…}` and write `\"` where it ends")
	}
}

// emptyInterpolation reports `{}` in a string.
func (s *spelling) emptyInterpolation(i int, t Token) {
	for i--; i >= 0; i-- {
		switch before := s.tokens[i]; before.Kind {
		case Space:
			continue
		case StringHead, StringMid:
			open := before.Span.End - 1
			s.add(Span{open, t.Span.Start + 1}, "there is nothing between the braces to put into the text",
				"write `{name}`, or `\\{` for a brace", Fix{"write a plain brace", []Edit{{Span{open, open}, `\`}}})
			return
		default:
			return
		}
	}
}

// innerText is the range of a string token's letters without quotes and braces.
func innerText(t Token) (begin, end int) {
	begin, end = t.Span.Start+1, t.Span.End-1
	if t.Kind == OpenString || t.Kind == StringBreak {
		end = t.Span.End
	}
	return begin, max(begin, end)
}

// decodeText replaces the escapes in a string's letters, which begin at the
// offset.
func decodeText(text string, offset int) (string, []Fault) {
	if strings.IndexByte(text, '\\') < 0 {
		return text, nil
	}
	var out strings.Builder
	var faults []Fault
	for i := 0; i < len(text); {
		if text[i] != '\\' {
			out.WriteByte(text[i])
			i++
			continue
		}
		decoded, n := decodeEscape(text[i:])
		if decoded == "" {
			faults = append(faults, badEscape(text[i:i+n], offset+i))
			decoded = text[i : i+n]
		}
		out.WriteString(decoded)
		i += n
	}
	return out.String(), faults
}

func badEscape(text string, offset int) Fault {
	f := Fault{ID: IDSyntax, Span: Span{offset, offset + len(text)},
		Message: fmt.Sprintf("`%s` is not an escape", text),
		Help:    "write `\\n`, `\\t`, `\\r`, `\\\"`, `\\\\`, `\\{` or `\\u{1F600}`; a backslash is `\\\\`"}
	if strings.HasPrefix(text, `\u{`) && strings.Trim(text, `\u{0}`) == "" && strings.Contains(text, "0") {
		f.Message = fmt.Sprintf("`%s` is the character 0, which a text cannot hold", text)
		f.Help = "leave it out; databases and many programs take it for the end of a text"
	}
	return f
}

// decodeEscape reads one escape. It gives "" and the letters to blame when
// there is none.
func decodeEscape(text string) (decoded string, n int) {
	if len(text) < 2 {
		return "", len(text)
	}
	switch text[1] {
	case 'n':
		return "\n", 2
	case 't':
		return "\t", 2
	case 'r':
		return "\r", 2
	case '"', '\\', '{':
		return text[1:2], 2
	case 'u':
		return decodeUnicode(text)
	}
	_, size := utf8.DecodeRuneInString(text[1:])
	return "", 1 + size
}

func decodeUnicode(text string) (string, int) {
	if len(text) < 3 || text[2] != '{' {
		return "", 2
	}
	end := strings.IndexByte(text, '}')
	if end < 0 {
		return "", 3
	}
	code, err := strconv.ParseUint(text[3:end], 16, 32)
	if err != nil || code == 0 || code > utf8.MaxRune || code >= 0xD800 && code < 0xE000 {
		return "", end + 1
	}
	return string(rune(code)), end + 1
}
