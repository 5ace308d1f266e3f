package grammar

import (
	"fmt"

	"github.com/alecthomas/participle/v2/lexer"
)

// tooDeep finds the first token at which brackets, or signs in front of a value,
// nest deeper than the limit. It looks at the tokens alone, so that what is
// nested a million times is refused before anything is built from it.
func tooDeep(tokens []Token, src string) (Span, bool) {
	depth, signs := 0, 0
	for _, t := range tokens {
		switch t.Kind {
		case Space, LineComment, BlockComment:
			continue
		case LParen, LBrack, LBrace, StringHead:
			depth++
		case RParen, RBrack, RBrace, StringTail, StringBreak:
			depth = max(depth-1, 0)
		}
		if t.Kind == Minus || t.Kind == Bang || t.Kind == Ident_ && src[t.Span.Start:t.Span.End] == "not" {
			signs++
		} else {
			signs = 0
		}
		if depth > MaxDepth || signs > MaxDepth {
			return t.Span, true
		}
	}
	return Span{}, false
}

func deepFault(span Span) Fault {
	return Fault{ID: IDNestedTooDeep, Span: span,
		Message: fmt.Sprintf("this is nested more than %d levels deep", MaxDepth),
		Help:    "move the inner part into a function, a fragment or a state of its own"}
}

// significant drops what the grammar does not see: space, comments, what was
// reported as meaningless, and the second half of a merge conflict.
func significant(all []Token, src string) []lexer.Token {
	out := make([]lexer.Token, 0, len(all)/2+4)
	conflict, theirs := false, false
	line := 1
	for _, t := range all {
		switch t.Kind {
		case Space, LineComment, BlockComment, BadComment, BadSpace, Semicolon, Illegal:
		case ConflictMark:
			mark := src[t.Span.Start]
			conflict = mark != '>' && (conflict || mark == '<')
			theirs = conflict && mark != '<'
		case BadName:
			if !theirs {
				out = append(out, asWord(t, src, line))
			}
		default:
			if !theirs {
				out = append(out, withText(t, src, line))
			}
		}
		line += linesIn(t, src)
	}
	return out
}

// asWord takes a word in foreign letters as the name or keyword that it means, so that what is reported once at the word is not
// reported again wherever the word is looked up.
func asWord(t Token, src string, line int) lexer.Token {
	t.Kind = Ident_
	word := withText(t, src, line)
	if plain := plainName(word.Value); plain != "" {
		word.Value = plain
	}
	return word
}

// respell gives tokens the kind that is meant where the letters around them
// decide it: `=>` for `->` and the other way round, and `elif`.
func respell(tokens []lexer.Token) (faults []Fault) {
	var open []Kind
	for i := range tokens {
		t := &tokens[i]
		switch t.Type {
		case LParen, LBrack, LBrace, StringHead:
			open = append(open, t.Type)
		case RParen, RBrack, RBrace, StringTail, StringBreak:
			open = open[:max(len(open)-1, 0)]
		case Arrow, FatArrow:
			faults = append(faults, respellArrow(tokens, i, len(open) > 0 && open[len(open)-1] == LParen)...)
		case Ident_:
			faults = append(faults, respellElif(tokens, i)...)
		case Lt, Assign:
			faults = append(faults, respellComparison(tokens, i)...)
		}
	}
	return faults
}

// respellArrow decides by its place what an arrow is: a lambda's stands behind
// a word that begins an argument.
func respellArrow(tokens []lexer.Token, i int, inParens bool) []Fault {
	t := &tokens[i]
	lambda := inParens && i >= 2 && tokens[i-1].Type == Ident_ &&
		(tokens[i-2].Type == LParen || tokens[i-2].Type == Comma)
	if inParens && i >= 4 && tokens[i-1].Type == RParen && tokens[i-2].Type == Ident_ && tokens[i-3].Type == LParen &&
		(tokens[i-4].Type == LParen || tokens[i-4].Type == Comma) {
		span := Span{tokenSpan(&tokens[i-3]).Start, tokenSpan(t).End}
		t.Type, tokens[i-1].Type, tokens[i-3].Type = FatArrow, struck, struck
		return []Fault{{ID: IDSyntax, Span: span, Message: "the parameter of a function has no parentheses", Fixes: []Fix{replace(span, tokens[i-2].Value+" =>")}}}
	}
	switch {
	case t.Type == FatArrow && !lambda:
		t.Type = Arrow
		return []Fault{{ID: IDSyntax, Span: tokenSpan(t), Message: fmt.Sprintf("`%s` is written `->`", t.Value), Fixes: []Fix{replace(tokenSpan(t), "->")}}}
	case t.Type == Arrow && lambda:
		t.Type = FatArrow
		return []Fault{{ID: IDSyntax, Span: tokenSpan(t), Message: fmt.Sprintf("the arrow of a function is written `=>`, not `%s`", t.Value), Fixes: []Fix{replace(tokenSpan(t), "=>")}}}
	}
	return nil
}

// respellComparison takes `<>` and `=<`, in which nothing stands between the two
// signs, as what they are elsewhere.
func respellComparison(tokens []lexer.Token, i int) []Fault {
	if i == 0 || i+1 == len(tokens) {
		return nil
	}
	t, next := &tokens[i], &tokens[i+1]
	span := Span{tokenSpan(t).Start, tokenSpan(next).End}
	if span.Len() != 2 {
		return nil
	}
	switch {
	case t.Type == Lt && next.Type == Gt && !isWord(&tokens[i-1], "list") && !isWord(&tokens[i-1], "map"):
		t.Type = Ne
	case t.Type == Assign && next.Type == Lt:
		t.Type = Le
	default:
		return nil
	}
	text := t.Value + next.Value
	next.Type = struck
	return []Fault{{ID: IDSyntax, Span: span, Message: fmt.Sprintf("`%s` is written `%s`", text, canonical[t.Type]), Fixes: []Fix{replace(span, canonical[t.Type])}}}
}

func respellElif(tokens []lexer.Token, i int) []Fault {
	t := &tokens[i]
	switch t.Value {
	case "elif", "elsif", "elseif":
	default:
		return nil
	}
	if i == 0 || tokens[i-1].Type != RBrace || i+1 < len(tokens) && startsAssignment(tokens[i+1].Type) {
		return nil
	}
	t.Type = Elif
	return []Fault{{ID: IDSyntax, Span: tokenSpan(t), Message: fmt.Sprintf("`%s` is written `else if`", t.Value), Fixes: []Fix{replace(tokenSpan(t), "else if")}}}
}

// startsAssignment says whether a token of this kind makes the word before it,
// at the start of a statement, the beginning of an assignment.
func startsAssignment(kind Kind) bool {
	return kind == Assign || kind == Dot || kind == LBrack
}

// tokenSpan is where a token stands in the file; its value may be another word by which it is read.
func tokenSpan(t *lexer.Token) Span { return Span{t.Pos.Offset, t.Pos.Offset + t.Pos.Column} }
