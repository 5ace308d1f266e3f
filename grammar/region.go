package grammar

import (
	"errors"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// item is what a region is made of.
type item interface {
	Node
	comparable
}

// A regionKind is what one sort of braced region holds.
type regionKind[T item] struct {
	one    func(lex *lexer.PeekingLexer) (T, error)
	starts func(lex *lexer.PeekingLexer) bool // whether an item may begin here
}

// baser is a node of the tree, for writing its tokens.
type baser interface{ base() *node }

func (n *node) base() *node { return n }

// bodyReader is an item with a body in braces, which is read even when the
// words before it are faulty.
type bodyReader interface {
	// readBody reads the body at a `{` if there is none yet.
	readBody(lex *lexer.PeekingLexer)
}

// readRegion reads items up to the closing brace, which is always there because
// braces are balanced before parsing, or to the end of the file. It never
// fails: every fault is kept, and reading goes on at the next item.
func readRegion[T item](n *region, lex *lexer.PeekingLexer, kind *regionKind[T]) (items []T) {
	var none T
	last := lex.MakeCheckpoint()
	for {
		switch t := lex.Peek(); t.Type {
		case EOF:
			return items
		case RBrace:
			lex.Next()
			return items
		}
		here := lex.MakeCheckpoint()
		item, err := kind.one(lex)
		if item != none {
			items = append(items, item)
		}
		if err == nil {
			last = here
			continue
		}
		if soft, ok := err.(*softError); ok {
			n.faults = append(n.faults, soft.Fault)
			last = here
			continue
		}
		before := last
		if item != none {
			last = here
		}
		if n.keepTaken(lex, kind, last) {
			if item != none {
				items = items[:len(items)-1]
			} else {
				breakItem(items)
			}
			continue
		}
		if n.keepTakenBefore(lex, kind, before, here) {
			if item != none {
				items = items[:len(items)-1]
			}
			breakItem(items)
			forgetTarget(items)
			last = lex.MakeCheckpoint()
			continue
		}
		if item == none && !onNewLine(lex) && cutShort(lex) {
			breakItem(items)
		}
		n.keep(lex, err)
		recoverItem(item, lex, kind, here.RawCursor())
		last = lex.MakeCheckpoint()
	}
}

// keepTaken sees whether the fault comes from a keyword that was taken as the
// name or value which the line above it lacks:
//
//	timeout
//	on go -> ended
//
// Here `on` is read as the timeout's length, and `go` makes no sense. It then
// reports what the line above lacks and goes back to the keyword. A line end
// alone never decides anything: it only explains a fault.
func (n *region) keepTaken(lex *lexer.PeekingLexer, kind starter, last lexer.Checkpoint) bool {
	stopped := lex.MakeCheckpoint()
	word := previous(lex)
	if word == nil || word.Type != Ident_ || onNewLine(lex) || lex.Peek().Type == RBrace {
		return false
	}
	lex.LoadCheckpoint(last)
	for moved := false; lex.RawCursor() < stopped.RawCursor(); moved = true {
		if lex.Peek() == word && moved && onNewLine(lex) && kind.beginsAt(lex) {
			n.keep(lex, missing(lex, wanted(previous(lex))))
			return true
		}
		lex.Next()
	}
	lex.LoadCheckpoint(stopped)
	return false
}

// keepTakenBefore is keepTaken for a keyword that ended the item in front, so
// that what the keyword begins was read as an item of its own:
//
//	on go ->
//	on timeout -> ended
//
// Here `on` is read as the state, and `timeout ->` makes no sense.
func (n *region) keepTakenBefore(lex *lexer.PeekingLexer, kind starter, before, here lexer.Checkpoint) bool {
	stopped := lex.MakeCheckpoint()
	lex.LoadCheckpoint(here)
	word := previous(lex)
	if word != nil && word.Type == Ident_ && !onNewLine(lex) {
		lex.LoadCheckpoint(before)
		for moved := false; lex.RawCursor() < here.RawCursor(); moved = true {
			if lex.Peek() == word && moved && onNewLine(lex) && kind.beginsAt(lex) {
				n.keep(lex, missing(lex, wanted(previous(lex))))
				return true
			}
			lex.Next()
		}
	}
	lex.LoadCheckpoint(stopped)
	return false
}

// cutShort says whether the item in front ends without a brace, so that what
// stands behind it may have been meant as a part of it.
func cutShort(lex *lexer.PeekingLexer) bool {
	before := previous(lex)
	return before != nil && before.Type != RBrace && before.Type != LBrace
}

// wanted names what must stand behind a word.
func wanted(t *lexer.Token) string {
	if declWords[t.Value] || t.Value == "as" || t.Value == "state" || t.Value == "final" || t.Value == "let" {
		return "a name"
	}
	return noun("Expr", t.Value)
}

// starter is a regionKind without its type of items.
type starter interface {
	beginsAt(lex *lexer.PeekingLexer) bool
}

func (k *regionKind[T]) beginsAt(lex *lexer.PeekingLexer) bool { return k.starts(lex) }

// breakItem marks the last item as broken, and the expression with which it
// ends: what was meant as the rest of it is not in the tree.
func breakItem[T item](items []T) {
	if len(items) == 0 {
		return
	}
	b, ok := any(items[len(items)-1]).(baser)
	if !ok {
		return
	}
	b.base().broken = true
	var last Node = items[len(items)-1]
	end := last.Span().End
	for last != nil {
		var inner Node
		Children(last, func(n Node) {
			if n.Span().End == end {
				inner = n
			}
		})
		if e, ok := inner.(Expr); ok {
			e.(baser).base().broken = true
			return
		}
		last = inner
	}
}

// forgetTarget takes the target from the last item, whose name was a keyword.
func forgetTarget[T item](items []T) {
	if len(items) == 0 {
		return
	}
	switch n := any(items[len(items)-1]).(type) {
	case *On:
		n.Target = nil
	case *After:
		n.Target = nil
	case *At:
		n.Target = nil
	case *Always:
		n.Target = nil
	case *Initial:
		n.Target = nil
	case *GoStmt:
		n.Target = nil
	}
}

// keep records the fault that an error carries.
func (n *region) keep(lex *lexer.PeekingLexer, err error) {
	var f *faultError
	if errors.As(err, &f) {
		n.faults = append(n.faults, f.Fault)
		return
	}
	n.faults = append(n.faults, Fault{ID: IDSyntax, Span: tokenSpan(lex.Peek()), Message: err.Error()})
}

// recoverItem marks the item as broken, reads its body if it still has one in
// front of it, and skips to where the next item begins.
func recoverItem[T item](read T, lex *lexer.PeekingLexer, kind *regionKind[T], before lexer.RawCursor) {
	var none T
	if body, ok := any(read).(bodyReader); ok && read != none && skipToBody(lex, kind) {
		body.readBody(lex)
	}
	skipToItem(lex, kind, before)
	if b, ok := any(read).(baser); ok && read != none {
		n := b.base()
		n.broken = true
		n.Tokens = from(lex, before)
	}
}

// skipToBody goes to the `{` of a faulty header; it reports false, and moves
// nothing, when another item comes first.
func skipToBody[T item](lex *lexer.PeekingLexer, kind *regionKind[T]) bool {
	here := lex.MakeCheckpoint()
	for first := true; ; first = false {
		t := lex.Peek()
		if t.Type == LBrace {
			return true
		}
		if t.EOF() || t.Type == RBrace || !first && atItem(lex, kind) {
			lex.LoadCheckpoint(here)
			return false
		}
		lex.Next()
	}
}

// skipToItem goes to the next item or the closing brace, over whole pairs of
// braces, and at least one token further than before.
func skipToItem[T item](lex *lexer.PeekingLexer, kind *regionKind[T], before lexer.RawCursor) {
	for {
		t := lex.Peek()
		moved := lex.RawCursor() > before
		if t.EOF() || t.Type == RBrace || moved && atItem(lex, kind) {
			return
		}
		if t.Type == LBrace {
			skipBraces(lex)
		} else {
			lex.Next()
		}
	}
}

// atItem says whether an item begins here, and not only a name that reads like
// a keyword.
func atItem[T item](lex *lexer.PeekingLexer, kind *regionKind[T]) bool {
	before := previous(lex)
	if before == nil || onNewLine(lex) {
		t := lex.Peek()
		return kind.starts(lex) || t.Type == Ident_ && !continuing[t.Value]
	}
	if !kind.starts(lex) {
		return false
	}
	switch before.Type {
	case Comma, Arrow, Dot, Colon, Assign, LParen:
		return false
	}
	return !isWord(before, "on") && !isWord(before, "as")
}

// continuing are the words that a line which goes on with an item may begin with.
var continuing = wordSet(`as when from for times in and or not to with within retry backoff queue may key each
	concurrency join fails keep until no else catch`)

// skipBraces goes behind the brace that closes the next one.
func skipBraces(lex *lexer.PeekingLexer) {
	depth := 0
	for {
		switch t := lex.Next(); t.Type {
		case EOF:
			return
		case LBrace:
			depth++
		case RBrace:
			if depth--; depth <= 0 {
				return
			}
		}
	}
}

// open takes the opening brace of a region.
func (n *region) open(lex *lexer.PeekingLexer) (start lexer.RawCursor, ok bool) {
	start = lex.RawCursor()
	return start, acceptKind(lex, LBrace)
}

// Parse implements participle.Parseable.
func (n *StateBody) Parse(lex *lexer.PeekingLexer) error {
	start, ok := n.open(lex)
	if !ok {
		return participle.NextMatch
	}
	n.Items = readRegion(&n.region, lex, stateItems)
	n.Tokens = from(lex, start)
	return nil
}

// Parse implements participle.Parseable.
func (n *Block) Parse(lex *lexer.PeekingLexer) error {
	start, ok := n.open(lex)
	if !ok {
		return participle.NextMatch
	}
	n.Stmts = readRegion(&n.region, lex, statements)
	n.Tokens = from(lex, start)
	return nil
}

// Parse implements participle.Parseable.
func (n *FieldBlock) Parse(lex *lexer.PeekingLexer) error {
	start, ok := n.open(lex)
	if !ok {
		return participle.NextMatch
	}
	n.Fields = readRegion(&n.region, lex, fields)
	n.Tokens = from(lex, start)
	return nil
}

// Parse implements participle.Parseable.
func (n *EnumBody) Parse(lex *lexer.PeekingLexer) error {
	start, ok := n.open(lex)
	if !ok {
		return participle.NextMatch
	}
	n.Values = readRegion(&n.region, lex, enumValues)
	n.Tokens = from(lex, start)
	return nil
}

// Parse implements participle.Parseable.
func (n *WaitBody) Parse(lex *lexer.PeekingLexer) error {
	start, ok := n.open(lex)
	if !ok {
		return participle.NextMatch
	}
	n.Arms = readRegion(&n.region, lex, waitArms)
	n.Tokens = from(lex, start)
	return nil
}

// Parse implements participle.Parseable.
func (n *TestBody) Parse(lex *lexer.PeekingLexer) error {
	start, ok := n.open(lex)
	if !ok {
		return participle.NextMatch
	}
	n.Lines = readRegion(&n.region, lex, testLines)
	n.Tokens = from(lex, start)
	return nil
}
