package cmd

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"flowc/grammar"
	"flowc/lsp"
	"flowc/validate/diag"
)

func queryCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "query",
		Category:  authoring,
		Usage:     "ask what an editor asks: where a name is declared, where it is used, what could stand here",
		ArgsUsage: "WHAT FILE[:LINE:COLUMN]",
		Description: `WHAT is definition, type, references, highlight, hover, completion, signature, callers, calls or selection at a place; or symbols,
folds, hints, tokens, links, lenses, diagnostics or actions of a file (actions also of a place). Lines and columns count from 1,
columns in bytes, as in findings. References and callers look at all files below the current folder.

Example:
   flowc query definition order.flow:12:7`,
		Flags: []cli.Flag{&cli.StringFlag{Name: "format", Aliases: []string{"f"}, Value: "text", Usage: "text or json"}},
		Action: func(c *cli.Context) error {
			args, err := positional(c, 2, 2)
			if err != nil {
				return err
			}
			format, err := oneOf(c, "format", "text", "json")
			if err != nil {
				return err
			}
			return runQuery(env, args[0], args[1], format == "json")
		},
	}
}

// An answer is one line of a query's result.
type answer struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Text   string `json:"text,omitempty"`
}

func (a answer) String() string {
	switch {
	case a.File == "":
		return a.Text
	case a.Text == "":
		return fmt.Sprintf("%s:%d:%d", a.File, a.Line, a.Column)
	}
	return fmt.Sprintf("%s:%d:%d: %s", a.File, a.Line, a.Column, a.Text)
}

// A query is a question about a place of a file.
type query struct {
	*lsp.Snapshot
	file   string
	offset int
	place  bool // a place was given
}

var queries = map[string]func(query) []answer{
	"definition":  func(q query) []answer { return q.locations(q.Definition(q.file, q.offset)) },
	"type":        func(q query) []answer { return q.locations(q.TypeDefinition(q.file, q.offset)) },
	"references":  func(q query) []answer { return q.uses(q.References(q.file, q.offset)) },
	"highlight":   func(q query) []answer { return q.uses(q.Highlights(q.file, q.offset)) },
	"hover":       query.hover,
	"completion":  query.completion,
	"signature":   query.signature,
	"callers":     func(q query) []answer { return q.calls(q.Incoming(q.file, q.offset)) },
	"calls":       func(q query) []answer { return q.calls(q.Outgoing(q.file, q.offset)) },
	"selection":   query.selection,
	"symbols":     func(q query) []answer { return q.symbols(q.Symbols(q.file), "") },
	"folds":       query.folds,
	"hints":       query.hints,
	"tokens":      query.tokens,
	"links":       query.links,
	"lenses":      query.lenses,
	"diagnostics": query.diagnostics,
	"actions":     query.actions,
}

// ofPlaces are the queries that need one.
var ofPlaces = []string{"definition", "type", "references", "highlight", "hover", "completion", "signature", "callers", "calls", "selection"}

func runQuery(env Env, what, where string, asJSON bool) error {
	ask, ok := queries[what]
	if !ok {
		names := make([]string, 0, len(queries))
		for name := range queries {
			names = append(names, name)
		}
		slices.Sort(names)
		text := fmt.Sprintf("there is no query `%s`", what)
		if near := diag.Nearest(what, names); near != "" {
			text += fmt.Sprintf(", did you mean `%s`?", near)
		}
		return usageError("%s; there are %s", text, strings.Join(names, ", "))
	}
	q, err := newQuery(where)
	if err != nil {
		return err
	}
	if !q.place && slices.Contains(ofPlaces, what) {
		return usageError("`flowc query %s` needs a place: FILE:LINE:COLUMN", what)
	}
	answers := ask(q)
	if asJSON {
		if answers == nil {
			answers = []answer{}
		}
		out := json.NewEncoder(env.Stdout)
		out.SetEscapeHTML(false)
		out.SetIndent("", "  ")
		return out.Encode(answers)
	}
	for _, a := range answers {
		if _, err := fmt.Fprintln(env.Stdout, a); err != nil {
			return err
		}
	}
	if len(answers) == 0 && slices.Contains(ofPlaces, what) {
		fmt.Fprintf(env.Stderr, "flowc: nothing found at %s\n", where)
		return errFindings
	}
	return nil
}

// newQuery takes FILE or FILE:LINE:COLUMN apart.
func newQuery(where string) (query, error) {
	file, line, column, place, err := splitPlace(where)
	if err != nil {
		return query{}, err
	}
	folder := "."
	if filepath.IsAbs(file) { // names of files are compared as they are written
		if folder, err = os.Getwd(); err != nil {
			return query{}, err
		}
	}
	q := query{Snapshot: lsp.NewSession(lsp.Options{Folders: []string{folder}}).Snapshot(), place: place}
	q.file = filepath.ToSlash(filepath.Clean(file))
	d := q.Document(q.file)
	if d == nil {
		return query{}, usageError("cannot read %s", file)
	}
	if place {
		q.offset = d.Mapper(lsp.UTF8).Offset(lsp.Position{Line: line - 1, Character: column - 1})
	}
	return q, nil
}

func splitPlace(where string) (file string, line, column int, place bool, err error) {
	parts := strings.Split(where, ":")
	n := len(parts)
	if n >= 3 {
		l, lineErr := strconv.Atoi(parts[n-2])
		c, columnErr := strconv.Atoi(parts[n-1])
		if lineErr == nil && columnErr == nil {
			if l < 1 || c < 1 {
				return "", 0, 0, false, usageError("%q is no place: lines and columns count from 1", where)
			}
			return strings.Join(parts[:n-2], ":"), l, c, true, nil
		}
	}
	if n == 2 {
		if _, numeric := strconv.Atoi(parts[1]); numeric == nil {
			return "", 0, 0, false, usageError("%q has no column: write FILE:LINE:COLUMN", where)
		}
	}
	return where, 0, 0, false, nil
}

func (q query) at(l lsp.Location, text string) answer {
	a := answer{File: l.File, Line: 1, Column: 1, Text: text}
	if d := q.Document(l.File); d != nil {
		p := d.Mapper(lsp.UTF8).Position(l.Span.Start)
		a.Line, a.Column = p.Line+1, p.Character+1
	}
	return a
}

func (q query) here(span grammar.Span, text string) answer {
	return q.at(lsp.Location{File: q.file, Span: span}, text)
}
