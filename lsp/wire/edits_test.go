package wire

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

// editor is a client's text in the units of its encoding, kept by other means than the server's: units instead of bytes.
type editor struct {
	units []rune // UTF-16 code units, or bytes
	utf8  bool
}

func (e *editor) set(text string) {
	e.units = e.units[:0]
	if e.utf8 {
		for _, b := range []byte(text) {
			e.units = append(e.units, rune(b))
		}
		return
	}
	for _, u := range utf16.Encode([]rune(text)) {
		e.units = append(e.units, rune(u))
	}
}

func (e *editor) text() string {
	if e.utf8 {
		b := make([]byte, len(e.units))
		for i, u := range e.units {
			b[i] = byte(u)
		}
		return string(b)
	}
	u := make([]uint16, len(e.units))
	for i, r := range e.units {
		u[i] = uint16(r)
	}
	return string(utf16.Decode(u))
}

// index is where a position is in the units: moved to the end of a line, and to the start of a letter.
func (e *editor) index(line, character int) int {
	at := 0
	for ; line > 0 && at < len(e.units); at++ {
		switch {
		case e.units[at] == '\n', e.units[at] == '\r' && (at+1 == len(e.units) || e.units[at+1] != '\n'):
			line--
		}
	}
	if line > 0 {
		return len(e.units)
	}
	for ; character > 0 && at < len(e.units) && e.units[at] != '\n' && e.units[at] != '\r'; at++ {
		character--
	}
	for at > 0 && at < len(e.units) && e.inside(at) {
		at--
	}
	return at
}

// inside says whether a letter goes on at an index.
func (e *editor) inside(at int) bool {
	if e.utf8 {
		return e.units[at]&0xc0 == 0x80
	}
	return e.units[at] >= 0xdc00 && e.units[at] < 0xe000 && e.units[at-1] >= 0xd800 && e.units[at-1] < 0xdc00
}

func (e *editor) replace(start, end int, text string) {
	var insert editor
	insert.utf8 = e.utf8
	insert.set(text)
	rest := append([]rune{}, e.units[end:]...)
	e.units = append(append(e.units[:start:start], insert.units...), rest...)
}

var pieces = []string{"a", "state ", "x 😀 y", "é", "e\u0301", "👨‍👩‍👧", "\t", "\r\n", "\n", "\r", "\ufeff", "名前", "{", "}", "-> ", "6h", "\"", "// ", "on timeout -> a\r\n", ""}

// TestRandomEdits makes 3,000 edits in each encoding, several in a message, with ends inside of letters and behind lines and the
// file, and compares the server's text with the client's after every message.
func TestRandomEdits(t *testing.T) {
	for _, test := range []struct{ name, capabilities string }{{"utf-16", pulls}, {"utf-8", pullsUTF8}} {
		t.Run(test.name, func(t *testing.T) {
			p := connect(t)
			p.start(test.capabilities)
			r := rand.New(rand.NewPCG(1, 2))
			client := &editor{utf8: test.name == "utf-8"}
			start := "\ufeffflow f {\r\n  initial a // 😀\r\n  final a\n}\n"
			client.set(start)
			p.open(start)
			edits, version := 0, 1
			for edits < 3000 {
				var changes []object
				for range 1 + r.IntN(3) {
					changes = append(changes, client.edit(r))
					edits++
				}
				version += 1 + r.IntN(2)
				p.notify("textDocument/didChange", object{"textDocument": object{"uri": fileURI, "version": version}, "contentChanges": changes})
				if r.IntN(20) == 0 { // an older version, which is ignored
					p.notify("textDocument/didChange", object{"textDocument": object{"uri": fileURI, "version": version - r.IntN(3)}, "contentChanges": []object{{"text": "old"}}})
				}
				p.same(client, edits)
			}
		})
	}
}

// same compares the texts, behind a request that shows that all changes before it were made.
func (p *peer) same(client *editor, edits int) {
	p.t.Helper()
	p.call("textDocument/documentLink", ofFile(), nil)
	if got, want := string(p.server.session.Snapshot().Document(name(fileURI)).Text), client.text(); got != want {
		p.t.Fatalf("after %d edits the server has\n%q\nthe client\n%q", edits, got, want)
	}
}

// edit makes a random edit of the client's text and gives the change.
func (e *editor) edit(r *rand.Rand) object {
	text := pieces[r.IntN(len(pieces))]
	if r.IntN(200) == 0 {
		text = strings.Repeat("paste 😀\r\n", 50)
	}
	if r.IntN(100) == 0 {
		e.set(text)
		return object{"text": text}
	}
	lines := strings.Count(e.text(), "\n")
	line, character := r.IntN(lines+3), r.IntN(12)
	endLine, endCharacter := line+r.IntN(2), r.IntN(12)
	if len(e.units) > 3000 {
		endLine += 20
	}
	if r.IntN(10) == 0 {
		character, endCharacter = 1<<20, 1<<20
	}
	start, end := e.index(line, character), e.index(endLine, endCharacter)
	if start > end {
		start, end = end, start
	}
	e.replace(start, end, text)
	return object{"range": object{"start": position(line, character), "end": position(endLine, endCharacter)}, "text": text}
}

// TestNoMessageIsReordered sends changes and requests without waiting; every answer is about the text at its request.
func TestNoMessageIsReordered(t *testing.T) {
	p := connect(t)
	p.start(pulls)
	p.open("")
	const rounds = 300
	want := map[int]string{}
	for i := range rounds {
		text := fmt.Sprintf("event e%d\n", i)
		p.notify("textDocument/didChange", object{"textDocument": object{"uri": fileURI, "version": i + 2}, "contentChanges": []object{{"text": text}}})
		want[p.ask("textDocument/documentSymbol", ofFile())] = fmt.Sprintf("e%d", i)
	}
	for range rounds {
		id, m := p.reply()
		var symbols []struct {
			Name string `json:"name"`
		}
		if err := json.Unmarshal(m.Result, &symbols); err != nil || len(symbols) != 1 || symbols[0].Name != want[id] {
			t.Fatalf("the answer to %d is %s, want %s", id, m.Result, want[id])
		}
		delete(want, id)
	}
}

// TestLineBreakThenTabs is a message with two changes of which the second counts in the text after the first.
func TestLineBreakThenTabs(t *testing.T) {
	p := connect(t)
	p.start(pulls)
	p.open("one\ntwo\n")
	p.notify("textDocument/didChange", object{"textDocument": object{"uri": fileURI, "version": 2}, "contentChanges": []object{
		{"range": object{"start": position(0, 3), "end": position(0, 3)}, "text": "\n"},
		{"range": object{"start": position(1, 0), "end": position(1, 0)}, "text": "\t\t\t"},
	}})
	p.call("textDocument/documentLink", ofFile(), nil)
	if got := string(p.server.session.Snapshot().Document(name(fileURI)).Text); got != "one\n\t\t\t\ntwo\n" {
		t.Errorf("got %q", got)
	}
}

// TestColumnsBehindAnEmoji puts a mistake behind a letter of two units.
func TestColumnsBehindAnEmoji(t *testing.T) {
	text := "flow f { initial a state a { entry { note \"😀é\" fail 6q } } }"
	for _, test := range []struct {
		capabilities string
		want         int
	}{{pulls, len(utf16.Encode([]rune(text[:strings.Index(text, "6q")])))}, {pullsUTF8, strings.Index(text, "6q")}} {
		p := connect(t)
		p.start(test.capabilities)
		p.open(text)
		var report struct {
			Items []struct {
				Range struct {
					Start struct{ Line, Character int }
				}
			}
		}
		p.call("textDocument/diagnostic", ofFile(), &report)
		found := false
		for _, d := range report.Items {
			found = found || d.Range.Start.Character == test.want
		}
		if !found || !utf8.ValidString(text) {
			t.Errorf("no finding at %d: %+v", test.want, report.Items)
		}
	}
}
