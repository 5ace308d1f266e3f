package cmd

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// reorder puts a command's flags before its other arguments, since the library takes a flag after an argument for an argument
// and ignores it in silence. What follows `--` is no flag; a lone `-` is standard input.
func reorder(app *cli.App, args []string) []string {
	if len(args) < 2 {
		return args
	}
	command := app.Command(args[1])
	if command == nil {
		return args
	}
	flags, rest, lacks := split(takesValue(command.Flags), args[2:])
	if lacks != "" {
		return []string{args[0], args[1], lacks} // as the last argument the library complains about it
	}
	if slices.ContainsFunc(flags, isHelp) {
		return []string{args[0], args[1], "--help"} // with arguments the library takes them for topics
	}
	out := append([]string{args[0], args[1]}, flags...)
	return append(append(out, "--"), rest...)
}

// split parts flags with their values from the other arguments. A flag whose value is missing is lacks: what follows it is nothing, or
// another flag.
func split(takes map[string]bool, args []string) (flags, rest []string, lacks string) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return flags, append(rest, args[i+1:]...), ""
		}
		if len(arg) < 2 || arg[0] != '-' {
			rest = append(rest, arg)
			continue
		}
		flags = append(flags, arg)
		name, _, given := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if !takes[name] || given {
			continue
		}
		if i+1 == len(args) || isFlag(takes, args[i+1]) {
			return nil, nil, arg
		}
		i++
		flags = append(flags, args[i])
	}
	return flags, rest, ""
}

// isFlag says that an argument is no value: one of the command's own flags, or the end of them.
func isFlag(takes map[string]bool, arg string) bool {
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	_, known := takes[name]
	return arg == "--" || len(arg) > 1 && arg[0] == '-' && (known || isHelp(arg))
}

func isHelp(flag string) bool {
	return flag == "--help" || flag == "-help" || flag == "-h" || flag == "--h"
}

// takesValue says of each flag's names whether a value follows.
func takesValue(flags []cli.Flag) map[string]bool {
	takes := map[string]bool{}
	for _, f := range flags {
		_, isBool := f.(*cli.BoolFlag)
		for _, name := range f.Names() {
			takes[name] = !isBool
		}
	}
	return takes
}
