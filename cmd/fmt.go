package cmd

import (
	"bytes"
	"fmt"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/urfave/cli/v2"

	"flowc/cmd/internal/source"
	"flowc/grammar"
	"flowc/grammar/format"
	"flowc/validate"
	"flowc/validate/diag"
)

func fmtCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "fmt",
		Aliases:   []string{"format"},
		Category:  authoring,
		Usage:     "bring files into the one style of the language",
		ArgsUsage: "PATH…",
		Description: `Rewrites files in place and names those that it changed; from standard input (-) to standard output. Comments and meaning
stay. A file that does not parse is left as it is, and its faults are printed.
Exit code 1 when a file does not parse, and with --check or --diff also when one is not in style.

Example:
   flowc fmt flows/
   flowc fmt --check flows/ lib.flow`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "check", Usage: "change nothing; name the files that are not in style"},
			&cli.BoolFlag{Name: "diff", Usage: "change nothing; show what would change"},
		},
		Action: func(c *cli.Context) error {
			args, err := positional(c, 1, -1)
			if err != nil {
				return err
			}
			return formatter{env: env, check: c.Bool("check"), diff: c.Bool("diff")}.run(args)
		},
	}
}

type formatter struct {
	env         Env
	check, diff bool
}

// run formats what can be read and parsed even when something cannot.
func (f formatter) run(paths []string) error {
	files, unread := source.Collect(paths, f.env.Stdin, grammar.MaxFileSize)
	wrong := false
	for _, file := range files {
		fine, err := f.file(file)
		if err != nil {
			return err
		}
		wrong = wrong || !fine
	}
	switch {
	case unread != nil:
		return &exitError{code: exitUsage, err: unread}
	case wrong:
		return errFindings
	}
	return nil
}

// file formats one file and says whether all is well with it.
func (f formatter) file(file source.File) (bool, error) {
	out, faults := format.Source(file.Name, file.Text)
	if len(faults) > 0 {
		return false, f.faults(file)
	}
	same := bytes.Equal(out, file.Text)
	switch {
	case f.check || f.diff:
		return same, f.show(file, out, same)
	case file.Path == source.Stdin:
		_, err := f.env.Stdout.Write(out)
		return true, err
	case same:
		return true, nil
	}
	if err := source.Replace(file.Path, out); err != nil {
		return false, err
	}
	_, err := fmt.Fprintln(f.env.Stdout, file.Name)
	return true, err
}

func (f formatter) show(file source.File, out []byte, same bool) error {
	if same {
		return nil
	}
	if f.diff {
		_, err := f.env.Stdout.Write(diff.Diff(file.Name, file.Text, file.Name+" (formatted)", out))
		return err
	}
	_, err := fmt.Fprintln(f.env.Stdout, file.Name)
	return err
}

// faults prints why a file was left alone, in the words of `flowc validate`. They are no result of this command.
func (f formatter) faults(file source.File) error {
	result := validate.Check(validate.Options{Files: []string{file.Name}, Loader: source.Load([]source.File{file})})
	rep := result.Report()
	var text []diag.Finding
	for _, finding := range rep.Findings {
		if entry, ok := diag.Lookup(finding.ID); ok && finding.File == file.Name && (entry.Group == "text" || finding.ID == diag.DurationSyntax) {
			text = append(text, finding)
		}
	}
	rep.Findings = text
	if err := diag.WriteText(f.env.Stderr, rep, diag.Text{Color: f.env.color(f.env.Stderr)}); err != nil {
		return err
	}
	_, err := fmt.Fprintf(f.env.Stderr, "flowc: %s does not parse, so it is left as it is\n", file.Name)
	return err
}
