package lsp

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"flowc/grammar"
	"flowc/validate/calendar"
	"flowc/validate/diag"
)

// completeUnits proposes, for a number that is being typed, the durations that it may become.
func completeUnits(digits string, span grammar.Span) []Item {
	if strings.Trim(digits, "0123456789") != "" {
		return nil
	}
	var out []Item
	for i, unit := range []struct{ letter, name string }{{"s", "seconds"}, {"m", "minutes"}, {"h", "hours"}, {"d", "days"}} {
		out = append(out, Item{Label: digits + unit.letter, Kind: KindUnit, Detail: digits + " " + unit.name, Insert: digits + unit.letter,
			Span: span, Sort: string(rune('0' + i))})
	}
	return out
}

// completeAllow proposes the ids that a `flowc:allow` comment can name.
func completeAllow(src []byte, comment grammar.Span, offset int) []Item {
	before := string(src[comment.Start:offset])
	rest, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(before, "//")), "flowc:allow")
	if !ok || strings.Contains(strings.TrimSpace(rest), " ") || rest == "" && !strings.HasSuffix(before, " ") {
		return nil
	}
	span := grammar.Span{Start: offset - len(strings.TrimSpace(rest)), End: offset}
	var out []Item
	for _, e := range diag.All() {
		out = append(out, Item{Label: string(e.ID), Kind: KindValue, Detail: e.Title, Insert: string(e.ID), Span: span, Sort: string(e.ID)})
	}
	return out
}

// completeText proposes what a string may say: a zone, a file to import, an error code.
func (s *Snapshot) completeText(d *Document, tokens []grammar.Token, t grammar.Token, offset int) []Item {
	start := t.Span.Start + 1
	if start > offset {
		return nil
	}
	span := grammar.Span{Start: start, End: offset}
	before, head := wordsBefore(d.Text, tokens, t)
	switch {
	case before == "import":
		return importable(d.Name, span)
	case before == "in", before == "," && zoneTaking(d.Text, tokens, t):
		return zoneNames(span)
	case before == "fails" && head != "task", before == "catch", before == "error", before == "==" && head == "code":
		return s.errorCodes(d.Name, span)
	}
	return nil
}

// wordsBefore gives the token before a string and, for the head, the one before that or the first of the line.
func wordsBefore(src []byte, tokens []grammar.Token, t grammar.Token) (before, head string) {
	var words []string
	for _, u := range tokens {
		if u.Span.Start >= t.Span.Start {
			break
		}
		if u.Kind != grammar.Space && u.Kind != grammar.LineComment && u.Kind != grammar.BlockComment {
			words = append(words, string(src[u.Span.Start:u.Span.End]))
		}
	}
	if n := len(words); n > 0 {
		before = words[n-1]
		if n > 1 {
			head = words[n-2]
		}
	}
	line := bytes.LastIndexByte(src[:t.Span.Start], '\n') + 1
	if before == "fails" || head == "" {
		head, _, _ = strings.Cut(strings.TrimSpace(string(src[line:t.Span.Start])), " ")
	}
	return before, head
}

// zoneTaking says whether a string is the last argument of a built-in that takes a zone.
func zoneTaking(src []byte, tokens []grammar.Token, t grammar.Token) bool {
	depth := 0
	for i := len(tokens) - 1; i > 0; i-- {
		if tokens[i].Span.Start >= t.Span.Start {
			continue
		}
		switch tokens[i].Kind {
		case grammar.RParen:
			depth++
		case grammar.LParen:
			if depth > 0 {
				depth--
				continue
			}
			name := string(src[tokens[i-1].Span.Start:tokens[i-1].Span.End])
			return slices.Contains([]string{"date", "time_at", "next", "local", "add_months", "format"}, name)
		case grammar.LBrace, grammar.RBrace:
			return false
		}
	}
	return false
}

func zoneNames(span grammar.Span) []Item {
	var out []Item
	for _, name := range calendar.Names() {
		out = append(out, Item{Label: name, Kind: KindValue, Detail: "time zone", Insert: name, Span: span, Sort: name})
	}
	return out
}

// importable proposes the files and folders beside a file.
func importable(file string, span grammar.Span) []Item {
	dir := path.Dir(file)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []Item
	for _, e := range entries {
		name := e.Name()
		switch {
		case strings.HasPrefix(name, "."), path.Join(dir, name) == file:
		case e.IsDir():
			inner, _ := filepath.Glob(filepath.Join(dir, name, "*.flow"))
			for _, f := range inner {
				out = append(out, fileItem(name+"/"+filepath.Base(f), span))
			}
		case strings.HasSuffix(name, ".flow"):
			out = append(out, fileItem(name, span))
		}
	}
	return out
}

func fileItem(name string, span grammar.Span) Item {
	return Item{Label: name, Kind: KindFile, Insert: name, Span: span, Sort: name}
}

// runtimeCodes are the codes of errors that a step itself may end in.
var runtimeCodes = strings.Fields(`null_value division_by_zero out_of_range overflow duration_too_long duration_not_positive
	attempt_timeout lease_lost bad_output child_failed too_many_items results_too_large`)

// errorCodes proposes the codes that tasks fail with.
func (s *Snapshot) errorCodes(file string, span grammar.Span) []Item {
	var out []Item
	for _, t := range s.check(file).Partial.Tasks {
		for _, code := range t.Fails {
			out = append(out, Item{Label: code, Kind: KindValue, Detail: "of the task " + t.Name, Insert: code, Span: span, Sort: "0" + code})
		}
	}
	for _, code := range runtimeCodes {
		out = append(out, Item{Label: code, Kind: KindValue, Detail: "of the run time", Insert: code, Span: span, Sort: "1" + code})
	}
	return out
}
