package cmd

import (
	"context"
	"fmt"
	"io"
	"regexp"

	"github.com/urfave/cli/v2"

	"flowc/cmd/internal/source"
	"flowc/grammar"
	"flowc/validate"
	"flowc/validate/diag"
	"flowc/vm/sim"
)

func testCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "test",
		Category:  authoring,
		Usage:     "run the test blocks of files under a virtual clock",
		ArgsUsage: "PATH…",
		Description: `Runs every test block of files, and of folders with all *.flow files below them, on the step that the server uses.
The tests of files that they import are not run. Nothing sleeps: 90 days pass in milliseconds. Files with errors are reported and not run;
in json and junit they stand among the results as well.
Exit code 0 when all pass, 1 when one fails or a file has an error, 2 when a path cannot be read.

Example:
   flowc test --coverage --run 'unpaid|cancelled' order.flow`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "run", Usage: "run the tests whose names match `REGEX`"},
			&cli.BoolFlag{Name: "coverage", Usage: "say which states, transitions and timers no test took"},
			&cli.StringFlag{Name: "format", Aliases: []string{"f"}, Value: "text", Usage: "how to print: text, json or junit"},
		},
		Action: func(c *cli.Context) error {
			args, err := positional(c, 1, -1)
			if err != nil {
				return err
			}
			format, err := oneOf(c, "format", "text", "json", "junit")
			if err != nil {
				return err
			}
			var match *regexp.Regexp
			if run := c.String("run"); run != "" {
				if match, err = regexp.Compile(run); err != nil {
					return usageError("--run is no regular expression: %s", err)
				}
			}
			return runTests(c.Context, env, args, sim.Options{Match: match}, format, c.Bool("coverage"))
		},
	}
}

// runTests runs the tests of each file that checks, and reports the findings of those that do not.
func runTests(ctx context.Context, env Env, paths []string, o sim.Options, format string, coverage bool) error {
	files, err := source.Collect(paths, env.Stdin, grammar.MaxFileSize)
	if err != nil {
		return &exitError{code: exitUsage, err: err}
	}
	texts := map[string][]byte{}
	rep := sim.Report{Source: func(name string) []byte { return texts[name] }}
	for _, f := range files {
		if err := testFile(ctx, env, f.Name, files, o, &rep, texts, coverage); err != nil {
			return err
		}
	}
	writers := map[string]func(io.Writer) error{"text": rep.WriteText, "json": rep.WriteJSON, "junit": rep.WriteJUnit}
	if err := writers[format](env.Stdout); err != nil {
		return err
	}
	if _, failed := rep.Count(); failed > 0 || len(rep.Broken) > 0 {
		return errFindings
	}
	return nil
}

// testFile adds the tests of one file to the report, and to texts what it read. A file with errors is broken in the report, and its
// findings go to standard error for people who read that.
func testFile(ctx context.Context, env Env, name string, files []source.File, o sim.Options, rep *sim.Report, texts map[string][]byte, coverage bool) error {
	checked := validate.Check(validate.Options{Files: []string{name}, Loader: source.Load(files)})
	if checked.Model == nil {
		rep.Broken = append(rep.Broken, sim.Broken{File: name, Findings: checked.Report()})
		return diag.WriteText(env.Stderr, checked.Report(), diag.Text{Color: env.color(env.Stderr)})
	}
	for _, s := range checked.Sources {
		texts[s.Name] = s.AST.Src
	}
	suite, err := sim.NewSuite(checked.Model)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	o.File = name // the tests of what it imports run with those files
	cases, err := suite.Run(ctx, o)
	if err != nil {
		return err
	}
	rep.Cases = append(rep.Cases, cases...)
	if coverage {
		rep.Cover(suite.Cover(cases, name))
	}
	return nil
}
