package cmd

import (
	_ "embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"flowc/cmd/internal/source"
)

//go:embed starter/starter.flow
var starter string

func newCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "new",
		Category:  authoring,
		Usage:     "write a starter file that validates, tests and runs as it is",
		ArgsUsage: "NAME",
		Description: `Writes NAME.flow with one flow and its tests. A file that exists is left as it is.

Example:
   flowc new leave_request`,
		Action: func(c *cli.Context) error {
			args, err := positional(c, 1, 1)
			if err != nil {
				return err
			}
			return writeStarter(env, args[0])
		},
	}
}

func writeStarter(env Env, name string) error {
	path := strings.TrimSuffix(name, ".flow") + ".flow"
	flow, err := flowName(filepath.Base(strings.TrimSuffix(name, ".flow")))
	if err != nil {
		return err
	}
	text := strings.NewReplacer("NAME", flow, "FILE", filepath.Base(path)).Replace(starter)
	if err := source.Create(path, []byte(text)); err != nil {
		return err
	}
	fmt.Fprintln(env.Stdout, path)
	env.progress("next: flowc test %s", path)
	return nil
}

// reserved are the words that no flow can be called.
var reserved = []string{"true", "false", "null", "and", "or", "not", "in", "self", "event"}

// flowName makes an identifier in the style of the language out of a file's name.
func flowName(base string) (string, error) {
	var b strings.Builder
	for i, r := range base {
		switch {
		case r >= 'A' && r <= 'Z':
			if before := b.String(); before != "" && !strings.HasSuffix(before, "_") && isLower(base[i-1]) {
				b.WriteByte('_')
			}
			b.WriteRune(r - 'A' + 'a')
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9' && b.Len() > 0:
			b.WriteRune(r)
		case (r == '-' || r == '_' || r == ' ' || r == '.') && b.Len() > 0:
			b.WriteByte('_')
		default:
			return "", usageError("%q makes no name of a flow: it begins with a letter and has letters, digits and _; try `flowc new my_flow`", base)
		}
	}
	name := b.String()
	if name == "" {
		return "", usageError("a flow needs a name; try `flowc new my_flow`")
	}
	if slices.Contains(reserved, name) {
		name += "_flow"
	}
	return name, nil
}

func isLower(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }
