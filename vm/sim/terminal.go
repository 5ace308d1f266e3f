package sim

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"flowc/compiler/program"
	"flowc/vm"
)

// A Terminal is a World that a person or a script moves line by line: `flowc simulate`. After each line everything that is due
// has happened, as in a test block, and the lines of history that it made are printed.
type Terminal struct {
	world   *World
	program *program.Program
	subject *Token // what commands are about
	out     *bufio.Writer
	shown   map[*Token]int // steps of a token that have been printed
	moved   bool           // the clock, by this line
	over    bool
	refused int
}

// ErrNotAll says that a script had lines that could not be done or were refused. What was wrong has been printed.
var ErrNotAll = errors.New("not every line could be done")

// longestLine is the longest line that is read, in bytes: an event's largest payload and a little more.
const longestLine = 2 << 20

// NewTerminal starts a token of a flow of a program. An input that does not fit is an error that says why.
func NewTerminal(p *program.Program, n vm.NewToken, out io.Writer) (*Terminal, error) {
	t := &Terminal{world: NewWorld(), program: p, out: bufio.NewWriter(out), shown: map[*Token]int{}}
	n.ID = "token-1"
	tok, a, err := t.world.Begin(p, n, "")
	if err != nil {
		return nil, err
	}
	if tok == nil {
		return nil, errors.New(a.Reason)
	}
	t.subject = tok
	return t, t.world.Rest()
}

// Run reads commands until `quit` or the end. A person gets a prompt, a script its lines repeated before what they do; for a
// script with a line that could not be done the error is ErrNotAll in the end.
func (t *Terminal) Run(in io.Reader, person bool) error {
	t.news()
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 4096), longestLine)
	for !t.over {
		if person {
			fmt.Fprint(t.out, "> ")
		}
		if err := t.out.Flush(); err != nil {
			return err
		}
		if !lines.Scan() {
			break
		}
		if err := t.line(strings.TrimSpace(lines.Text()), person); err != nil {
			return err
		}
	}
	if err := errors.Join(lines.Err(), t.out.Flush()); err != nil {
		return err
	}
	if t.refused > 0 && !person {
		return ErrNotAll
	}
	return nil
}

// line does one line. What is the line's fault is printed; an error is a fault of the simulator.
func (t *Terminal) line(text string, person bool) error {
	if text == "" || strings.HasPrefix(text, "#") || strings.HasPrefix(text, "//") {
		return nil
	}
	if !person {
		fmt.Fprintf(t.out, "> %s\n", text)
	}
	err := t.do(text)
	if err == nil {
		err = t.world.Rest()
	}
	t.news()
	var wrong *mistake
	if errors.As(err, &wrong) || errors.Is(err, ErrRestless) {
		t.refused++
		fmt.Fprintln(t.out, "error:", err)
		return nil
	}
	return err
}

// A mistake is what is wrong with a line, or why it was refused.
type mistake struct{ text string }

func (m *mistake) Error() string { return m.text }

func mistakef(format string, args ...any) error { return &mistake{fmt.Sprintf(format, args...)} }

// news prints the lines of history that have not been printed, and where the token is when something moved.
func (t *Terminal) news() {
	moved := t.moved
	t.moved = false
	for _, tok := range t.world.tokens {
		for _, s := range tok.steps[t.shown[tok]:] {
			for _, l := range s.Lines {
				fmt.Fprintf(t.out, "%s  %s%s\n", instant(s.At), t.label(tok), describe(l))
			}
			moved = moved || s.Changed
		}
		t.shown[tok] = len(tok.steps)
	}
	if moved {
		t.where()
	}
}

// label names a token where there are several.
func (t *Terminal) label(tok *Token) string {
	if len(t.world.tokens) == 1 {
		return ""
	}
	return t.name(tok) + ": "
}

// name is how `use` calls a token: by flow and key, or by flow and number in the order of creation.
func (t *Terminal) name(tok *Token) string {
	if tok.vm.Key != "" {
		return tok.vm.Flow + ":" + tok.vm.Key
	}
	n := 0
	for _, o := range t.world.tokens {
		if o.vm.Flow == tok.vm.Flow {
			n++
		}
		if o == tok {
			break
		}
	}
	return fmt.Sprintf("%s#%d", tok.vm.Flow, n)
}

func (t *Terminal) where() {
	v := t.subject.vm
	fmt.Fprintf(t.out, "%s  %s is %s", instant(t.world.now), t.name(t.subject), t.subject.condition())
	if place := t.subject.place(); place != "none" {
		fmt.Fprintf(t.out, " in %s", place)
	}
	if v.Status.Ended() {
		fmt.Fprintf(t.out, ", outcome %s", v.Outcome)
	}
	fmt.Fprintln(t.out)
}

// do finds the command of a line by its first word.
func (t *Terminal) do(text string) error {
	word, rest := cut(text)
	i := slices.IndexFunc(terminalCommands, func(c terminalCommand) bool { return c.name == word })
	if i < 0 {
		return mistakef("there is no command %q; `help` lists them", word)
	}
	return terminalCommands[i].do(t, rest)
}

// cut takes the first word off a line.
func cut(text string) (word, rest string) {
	word, rest, _ = strings.Cut(strings.TrimSpace(text), " ")
	return word, strings.TrimSpace(rest)
}
