package cmd

import (
	"io"
	"log/slog"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"flowc/lsp/wire"
)

func lspCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:     "lsp",
		Category: authoring,
		Usage:    "serve an editor on standard input and output",
		Description: `Speaks the Language Server Protocol. Editors start it; there is nothing to type.

Example, in Neovim:
   vim.lsp.config("flowc", { cmd = { "flowc", "lsp" }, filetypes = { "flow" } })`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "pages", Usage: "the address of a folder with the pages of findings, for links in editors"},
			&cli.BoolFlag{Name: "verbose", Usage: "log more to standard error"},
			&cli.BoolFlag{Name: "stdio", Hidden: true, Usage: "what some clients add; it is how the server speaks anyway"},
		},
		Action: func(c *cli.Context) error {
			if _, err := positional(c, 0, 0); err != nil {
				return err
			}
			level := slog.LevelWarn
			if c.Bool("verbose") {
				level = slog.LevelDebug
			}
			if env.Getenv("GOGC") == "" {
				debug.SetGCPercent(gcPercent)
			}
			server := wire.New(wire.Options{Log: newLog(env, level), Version: version(), Pages: c.String("pages")})
			code, err := server.Serve(c.Context, stdio{env.Stdin, env.Stdout})
			if code != exitFine {
				return &exitError{code: code, err: err}
			}
			return nil
		},
	}
}

// gcPercent lets the heap grow to five times what is in use: a server holds a few megabytes, and each keystroke makes and drops
// several more, so that the usual limit would collect in the middle of every answer.
const gcPercent = 400

// stdio is the process's input and output as one stream.
type stdio struct {
	io.Reader
	io.Writer
}

// Close closes what can be closed.
func (s stdio) Close() error {
	if c, ok := s.Reader.(io.Closer); ok {
		return c.Close()
	}
	return nil
}
