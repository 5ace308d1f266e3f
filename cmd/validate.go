package cmd

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"flowc/cmd/internal/source"
	"flowc/grammar"
	"flowc/validate"
	"flowc/validate/diag"
)

// findingFormats are the ways in which findings can be printed.
var findingFormats = []string{"text", "json", "sarif", "github", "junit"}

func validateCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "validate",
		Aliases:   []string{"check"},
		Category:  authoring,
		Usage:     "report everything that is wrong with files",
		ArgsUsage: "PATH…",
		Description: `Checks files, and folders with all *.flow files below them; - is standard input. All findings are reported, not the first.
Exit code 0 without an error, 1 with one (with --strict also with a warning), 2 when a path cannot be read or a folder holds no file.

Example:
   flowc validate --format github --changed origin/main flows/ lib.flow`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "format", Aliases: []string{"f"}, Value: "text", Usage: "how to print: text, json, sarif, github or junit"},
			&cli.BoolFlag{Name: "strict", Usage: "let warnings fail too"},
			&cli.StringFlag{Name: "changed", Usage: "check only what differs from the git revision `REF`, and what imports it"},
		},
		Action: func(c *cli.Context) error {
			args, err := positional(c, 1, -1)
			if err != nil {
				return err
			}
			format, err := oneOf(c, "format", findingFormats...)
			if err != nil {
				return err
			}
			return runValidate(env, args, format, c.String("changed"), c.Bool("strict"))
		},
	}
}

// runValidate checks what can be read even when something cannot, so that one bad path hides nothing.
func runValidate(env Env, paths []string, format, rev string, strict bool) error {
	files, unread := source.Collect(paths, env.Stdin, grammar.MaxFileSize)
	names, loader := source.Names(files), source.Load(files)
	if rev != "" {
		changed, err := source.Changed(rev)
		if err != nil {
			return usageError("cannot tell what changed since %s: %s", rev, err)
		}
		names = validate.Dependents(names, loader, changed)
	}
	result := validate.Check(validate.Options{Files: names, Loader: loader})
	rep := result.Report()
	rep.Strict = strict
	if len(files) > 0 || format != "text" {
		if err := writeFindings(env, rep, format); err != nil {
			return err
		}
	}
	if unread != nil {
		return &exitError{code: exitUsage, err: unread}
	}
	if format == "text" {
		fmt.Fprintln(env.Stderr, summary(rep))
	}
	if rep.Failed() {
		return errFindings
	}
	return nil
}

// writeFindings prints a report as the format has it.
func writeFindings(env Env, rep diag.Report, format string) error {
	writers := map[string]func(io.Writer, diag.Report) error{
		"text": func(w io.Writer, r diag.Report) error {
			return diag.WriteText(w, r, diag.Text{Color: env.color(env.Stdout)})
		},
		"json":   diag.WriteJSON,
		"sarif":  func(w io.Writer, r diag.Report) error { return diag.WriteSARIF(w, r, version()) },
		"github": diag.WriteGitHub,
		"junit":  diag.WriteJUnit,
	}
	return writers[format](env.Stdout, rep)
}

// summary counts what was found.
func summary(rep diag.Report) string {
	return fmt.Sprintf("%s: %s, %s", counted(len(rep.Files), "file"), counted(rep.Count(diag.Error), "error"), counted(rep.Count(diag.Warning), "warning"))
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
