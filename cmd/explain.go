package cmd

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"flowc/validate/diag"
)

func explainCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "explain",
		Category:  authoring,
		Usage:     "show what a finding means and how to mend it; without ID, list all findings",
		ArgsUsage: "[ID]",
		Description: `Prints the page of a finding: what it says, why it matters, a file that has it and one that does not.

Example:
   flowc explain dead-timer`,
		Action: func(c *cli.Context) error {
			args, err := positional(c, 0, 1)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return listFindings(env.Stdout)
			}
			return explain(env.Stdout, diag.ID(args[0]))
		},
	}
}

func listFindings(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, e := range diag.All() {
		fmt.Fprintf(table, "%s\t%s\t%s\n", e.ID, e.Severity, e.Title)
	}
	return table.Flush()
}

func explain(w io.Writer, id diag.ID) error {
	if _, ok := diag.Lookup(id); !ok {
		var ids []string
		for _, e := range diag.All() {
			ids = append(ids, string(e.ID))
		}
		hint := ""
		if near := diag.Nearest(string(id), ids); near != "" {
			hint = fmt.Sprintf(", did you mean `%s`?", near)
		}
		return usageError("no finding is called `%s`%s; `flowc explain` lists them", id, hint)
	}
	page, err := diag.Page(id)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, page)
	return err
}
