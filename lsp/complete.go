package lsp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"flowc/grammar"
)

// ItemKind says what a proposal is.
type ItemKind uint8

// The kinds of proposals.
const (
	KindKeyword ItemKind = iota
	KindState
	KindEvent
	KindTask
	KindFlow
	KindFragment
	KindType
	KindEnum
	KindMember
	KindField
	KindVariable
	KindConstant
	KindFunction
	KindTimer
	KindValue
	KindUnit
	KindModule
	KindFile
)

// An Item is something that could stand at the cursor.
type Item struct {
	Label  string
	Kind   ItemKind
	Detail string
	// Insert replaces Span; a snippet has places to fill in, as the protocol writes them.
	Insert  string
	Snippet bool
	Span    grammar.Span
	// Sort orders the items: what fits best comes first.
	Sort string

	doc func() string
}

// Documentation is the longer text that an editor asks for when the item is looked at, as Markdown.
func (i Item) Documentation() string {
	if i.doc == nil {
		return ""
	}
	return i.doc()
}

// placeholder stands for the name that is being typed while the text is parsed for a completion, so that a half-written construct
// is a whole one.
const placeholder = "flowc__"

// Complete lists what could stand at the offset. The list is not cut down to what has been typed already; the editor does that as
// typing goes on.
func (s *Snapshot) Complete(file string, offset int) []Item {
	d := s.Document(file)
	if d == nil {
		return nil
	}
	offset = min(max(offset, 0), len(d.Text))
	tokens := grammar.Lex(d.Text)
	if t, ok := within(tokens, offset); ok {
		switch t.Kind {
		case grammar.LineComment:
			return completeAllow(d.Text, t.Span, offset)
		case grammar.BlockComment, grammar.BadComment:
			return nil
		case grammar.String_, grammar.OpenString, grammar.StringHead, grammar.StringMid, grammar.StringTail:
			return s.completeText(d, tokens, t, offset)
		}
	}
	typed := identAt(d.Text, offset)
	typed.End = offset
	if word := string(d.Text[typed.Start:offset]); word != "" && word[0] >= '0' && word[0] <= '9' {
		return completeUnits(word, typed)
	}
	x := newCompleter(s, d, typed)
	if x == nil {
		return nil
	}
	return x.complete()
}

// within finds the comment or string that an offset lies in. A line comment and an open string go on at their end; anything else
// is over there.
func within(tokens []grammar.Token, offset int) (grammar.Token, bool) {
	for _, t := range tokens {
		if t.Span.Start >= offset {
			break
		}
		open := t.Kind == grammar.LineComment || t.Kind == grammar.OpenString || t.Kind == grammar.BadComment
		if offset < t.Span.End || open && offset == t.Span.End {
			return t, true
		}
	}
	return grammar.Token{}, false
}

// A completer looks at a text with the placeholder at the cursor. Most places need only its tree; types are checked when they are
// asked for.
type completer struct {
	snap   *Snapshot // with the placeholder
	file   string
	tree   *grammar.File
	src    []byte
	tokens []grammar.Token // without space and comments
	k      int             // the placeholder among them
	head   int             // the word that begins the item or the statement; k when it begins one
	path   []grammar.Node  // to the placeholder
	all    []symbol
	states *stateNode // of the flow or fragment around; nil outside
	names  map[grammar.Span]bool

	span  grammar.Span // what an item replaces, in the text without placeholder
	items []Item
}

func newCompleter(s *Snapshot, d *Document, typed grammar.Span) *completer {
	at := typed.End
	filler := placeholder
	if typed.Len() == 0 && at < len(d.Text) && isNameByte(d.Text[at]) {
		filler += " "
	}
	patched := slices.Concat(d.Text[:at], []byte(filler), d.Text[at:])
	x := &completer{
		snap: s.with(&Document{Name: d.Name, Version: d.Version, Text: patched}),
		file: d.Name, tree: grammar.Parse(d.Name, patched), span: typed, src: patched,
	}
	x.k = -1
	for _, t := range grammar.Lex(patched) {
		switch t.Kind {
		case grammar.Space, grammar.LineComment, grammar.BlockComment, grammar.StringBreak:
			continue
		}
		if t.Span.Start <= at && at < t.Span.End {
			x.k = len(x.tokens)
		}
		x.tokens = append(x.tokens, t)
	}
	if x.k < 0 {
		return nil
	}
	x.path = pathTo(x.tree, at)
	x.all = visibleIn(x.tree, d.Name, s.tree)
	x.names = names(x.tree)
	for _, root := range x.path {
		switch root.(type) {
		case *grammar.FlowDecl, *grammar.FragmentDecl:
			x.states = states(root, x.all)
		}
	}
	x.head = x.findHead()
	return x
}

// checked is the check of the text with the placeholder.
func (x *completer) checked() *checked { return x.snap.check(x.file) }

// index is the file that is completed among those of a check: the first.
const index = 0

// add proposes an item. rank 0 comes first.
func (x *completer) add(rank int, i Item) {
	if i.Insert == "" {
		i.Insert = i.Label
	}
	if strings.Contains(i.Label, placeholder) {
		return
	}
	i.Span = x.span
	i.Sort = fmt.Sprintf("%d%s", rank, cmp.Or(i.Sort, i.Label))
	if i.Kind == KindState && strings.Contains(i.Label, ".") {
		i.Sort = fmt.Sprintf("%d~%s", rank, i.Label)
	}
	x.items = append(x.items, i)
}

// complete collects the proposals, the best first, each label once.
func (x *completer) complete() []Item {
	x.propose()
	slices.SortStableFunc(x.items, func(a, b Item) int { return cmp.Compare(a.Sort, b.Sort) })
	seen := map[string]bool{}
	return slices.DeleteFunc(x.items, func(i Item) bool {
		if seen[i.Label] {
			return true
		}
		seen[i.Label] = true
		return false
	})
}

// keywords proposes words of the language, in the order given.
func (x *completer) keywords(rank int, words ...string) {
	for i, w := range words {
		x.add(rank, Item{Label: w, Kind: KindKeyword, Sort: ordinal(i), doc: func() string { return wordHelp(w) }})
	}
}

// ordinal sorts what has an order of its own behind what is sorted by name.
func ordinal(i int) string { return fmt.Sprintf("~%02d", i) }
