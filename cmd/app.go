// Package cmd is the flowc command: one file for each of its commands.
//
// Results go to standard output, everything else to standard error. Exit codes: 0 fine, 1 findings or a failed test, 2 bad
// usage or unreadable input, 3 the server refused or could not be reached.
package cmd

import (
	"context"
	"fmt"
	"regexp"
	"runtime/debug"
	"strings"

	"github.com/urfave/cli/v2"
)

// Main runs flowc with its arguments, the program's name first, and gives the exit code.
func Main(ctx context.Context, args []string, env Env) int {
	app := newApp(env)
	return report(env.Stderr, app.RunContext(ctx, reorder(app, args)))
}

const about = `A .flow file says what may happen to a token, one running instance of a flow, and when.
flowc checks such files, tests them under a virtual clock, and runs them so that they survive any restart.

Exit codes: 0 fine, 1 findings or a failed test, 2 bad usage or unreadable input, 3 the server refused or could not be reached.

Example:
   flowc new order.flow && flowc validate order.flow && flowc test order.flow && flowc run order.flow`

func newApp(env Env) *cli.App {
	app := &cli.App{
		Name:                      "flowc",
		HelpName:                  "flowc",
		Usage:                     "workflows that wait: compiler, checker and durable server",
		UsageText:                 "flowc COMMAND [OPTIONS] [ARGUMENTS]",
		Description:               about,
		Version:                   version(),
		Suggest:                   true,
		HideHelpCommand:           true,
		DisableSliceFlagSeparator: true,
		Reader:                    env.Stdin,
		Writer:                    env.Stdout,
		ErrWriter:                 env.Stderr,
		ExitErrHandler:            func(*cli.Context, error) {}, // Main maps errors to exit codes
		OnUsageError:              badUsage,
		Action:                    unknownCommand,
		Commands:                  commands(env),
	}
	for _, c := range app.Commands {
		c.HideHelpCommand = true // `flowc validate help` is about a file called help
		c.OnUsageError = badUsage
	}
	return app
}

// badUsage words the library's complaint about a flag and names the flag that was meant.
func badUsage(c *cli.Context, err error, _ bool) error {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		text = "there is no option --" + strings.TrimLeft(name, "-")
		if near := cli.SuggestFlag(c.Command.Flags, strings.TrimLeft(name, "-"), false); near != "" {
			text += ", did you mean " + near + "?"
		}
	}
	if name, ok := strings.CutPrefix(text, "flag needs an argument: -"); ok {
		text = "--" + strings.TrimLeft(name, "-") + " needs a value"
	}
	if m := badValue.FindStringSubmatch(text); m != nil {
		text = fmt.Sprintf("--%s is %s, but must be a whole number", m[2], m[1])
	}
	return usageError("%s; see `%s --help`", text, c.Command.HelpName)
}

// badValue is the library's complaint about a number; the only flags whose values it reads itself are numbers.
var badValue = regexp.MustCompile(`^invalid value (".*") for flag -(\S+): parse error$`)

// unknownCommand runs when the first argument is no command.
func unknownCommand(c *cli.Context) error {
	name := c.Args().First()
	if name == "" || name == "help" && c.Args().Len() == 1 {
		return cli.ShowAppHelp(c)
	}
	if name == "help" {
		name = c.Args().Get(1)
		if c.App.Command(name) != nil {
			return cli.ShowCommandHelp(c, name)
		}
	}
	text := "there is no command `" + name + "`"
	if near := nearestCommand(c.App.Commands, name); near != "" {
		text += ", did you mean `flowc " + near + "`?"
	}
	return usageError("%s; see `flowc --help`", text)
}

// version is what the build knows of itself.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "devel"
	}
	return strings.Trim(info.Main.Version, "()")
}
