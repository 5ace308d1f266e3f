package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"flowc/cmd/internal/describe"
	"flowc/cmd/internal/source"
	"flowc/grammar"
	"flowc/validate"
	"flowc/validate/diag"
)

func describeCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "describe",
		Category:  authoring,
		Usage:     "say what files mean in effect: states, events, timers, attempts, longest stays",
		ArgsUsage: "PATH…",
		Description: `Prints each flow with the numbers that follow from it: how many attempts a task gets and how long they can take, how long a
state can be stayed in, when a token ends at the latest.

Example:
   flowc describe order.flow`,
		Flags: []cli.Flag{&cli.StringFlag{Name: "format", Aliases: []string{"f"}, Value: "text", Usage: "text or json"}},
		Action: func(c *cli.Context) error {
			args, err := positional(c, 1, -1)
			if err != nil {
				return err
			}
			format, err := oneOf(c, "format", "text", "json")
			if err != nil {
				return err
			}
			return runDescribe(env, args, format)
		},
	}
}

func runDescribe(env Env, paths []string, format string) error {
	files, err := source.Collect(paths, env.Stdin, grammar.MaxFileSize)
	if err != nil {
		return &exitError{code: exitUsage, err: err}
	}
	result := validate.Check(validate.Options{Files: source.Names(files), Loader: source.Load(files)})
	if !result.OK() {
		if err := diag.WriteText(env.Stderr, result.Report(), diag.Text{Color: env.color(env.Stderr)}); err != nil {
			return err
		}
		return errFindings
	}
	flows := describe.Flows(result, source.Names(files))
	if format == "json" {
		enc := json.NewEncoder(env.Stdout)
		enc.SetEscapeHTML(false)
		return enc.Encode(map[string]any{"flows": flows})
	}
	k := caller{env: env}
	return k.table(func(w io.Writer) {
		for i, f := range flows {
			if i > 0 {
				fmt.Fprintln(w)
			}
			describeFlow(w, f)
		}
	})
}

func describeFlow(w io.Writer, f describe.Flow) {
	fmt.Fprintf(w, "flow %s(%s) -> (%s)\n", f.Name, signature(f.Input), signature(f.Result))
	if f.LatestEnd != nil {
		fmt.Fprintf(w, "  ends at the latest after %s\n", *f.LatestEnd)
	}
	for _, e := range f.Events {
		fmt.Fprintf(w, "  event %s(%s)\tin %s\n", e.Name, signature(e.Fields), strings.Join(everywhere(e.States), ", "))
	}
	for _, s := range f.States {
		fmt.Fprintf(w, "  %s %s\t%s\n", s.Kind, s.Path, stateText(s))
		for _, t := range s.Timers {
			fmt.Fprintf(w, "    %s\t%s\n", strings.TrimSpace(t.Kind+" "+timerName(t)), t.When)
		}
		if s.Work != nil {
			fmt.Fprintf(w, "    %s\t%s\n", strings.TrimSpace(s.Work.Kind+" "+s.Work.Name), workText(*s.Work))
		}
	}
}

func signature(fields []describe.Field) string {
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = f.Name + ": " + f.Type
	}
	return strings.Join(parts, ", ")
}

func everywhere(states []string) []string {
	out := make([]string, len(states))
	for i, s := range states {
		out[i] = s
		if s == "" {
			out[i] = "every state"
		}
	}
	return out
}

func stateText(s describe.State) string {
	switch {
	case s.Outcome != nil:
		return *s.Outcome
	case s.LongestStay != nil:
		return "at most " + *s.LongestStay
	}
	return "without a limit"
}

// timerName leaves a name out that only repeats the kind.
func timerName(t describe.Timer) string {
	if t.Name == t.Kind {
		return ""
	}
	return t.Name
}

func workText(w describe.Work) string {
	if w.Kind != "do" {
		return ""
	}
	out := counted(w.Attempts, "attempt")
	if w.Within != nil {
		out += " of at most " + *w.Within
	}
	if w.Longest != nil && w.Attempts > 1 {
		out += ", together at most " + *w.Longest
	}
	return out
}
