package cmd

import (
	"fmt"
	"io"
	"os"

	"github.com/mattn/go-isatty"
	"github.com/urfave/cli/v2"
)

// Env is what a command sees of the world around it. Results go to Stdout, everything else to Stderr.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(string) string
	// Terminal reports whether a stream is a terminal.
	Terminal func(stream any) bool
}

// Standard is the process's own environment.
func Standard() Env {
	return Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Terminal: isTerminal,
	}
}

func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && isatty.IsTerminal(f.Fd())
}

// color says whether a stream gets colours: a terminal whose user has not asked for none.
func (e Env) color(stream any) bool {
	return e.Getenv("NO_COLOR") == "" && e.Getenv("TERM") != "dumb" && e.Terminal(stream)
}

// progress tells a person at a terminal what goes on. Scripts do not get it.
func (e Env) progress(format string, args ...any) {
	if e.Terminal(e.Stderr) {
		fmt.Fprintf(e.Stderr, format+"\n", args...)
	}
}

// positional gives the arguments that are no flags and refuses too few or too many; most is -1 for any number.
func positional(c *cli.Context, least, most int) ([]string, error) {
	args := c.Args().Slice()
	usage := c.Command.ArgsUsage
	switch {
	case len(args) < least && len(args) == 0:
		return nil, usageError("`%s` needs %s; see `%s --help`", c.Command.HelpName, usage, c.Command.HelpName)
	case len(args) < least:
		return nil, usageError("`%s` needs more arguments: %s; see `%s --help`", c.Command.HelpName, usage, c.Command.HelpName)
	case most == 0 && len(args) > 0:
		return nil, usageError("`%s` takes no arguments, but got %q", c.Command.HelpName, args[0])
	case most >= 0 && len(args) > most:
		return nil, usageError("`%s` does not know what to do with %q; it takes %s", c.Command.HelpName, args[most], usage)
	}
	return args, nil
}

// oneOf refuses a flag's value that is none of the words.
func oneOf(c *cli.Context, flag string, words ...string) (string, error) {
	got := c.String(flag)
	for _, w := range words {
		if w == got {
			return got, nil
		}
	}
	return "", usageError("--%s is %q, but must be one of %s", flag, got, listed(words))
}

// listed joins words as a sentence does.
func listed(words []string) string {
	out := ""
	for i, w := range words {
		switch {
		case i == 0:
		case i == len(words)-1:
			out += " or "
		default:
			out += ", "
		}
		out += w
	}
	return out
}
