package cmd

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"flowc/validate/graph"
)

// graphWriters are the ways in which a flow can be drawn.
var graphWriters = map[string]func(io.Writer, *graph.Graph) error{
	"mermaid": graph.WriteMermaid, "dot": graph.WriteDOT, "svg": graph.WriteSVG, "json": graph.WriteJSON,
}

// graphEndings are the endings of files that say the format by themselves.
var graphEndings = map[string]string{
	".svg": "svg", ".json": "json", ".dot": "dot", ".gv": "dot", ".mmd": "mermaid", ".mermaid": "mermaid",
}

func graphCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "graph",
		Category:  authoring,
		Usage:     "draw a flow: its states, transitions and timers",
		ArgsUsage: "PATH…",
		Description: `Draws one flow as a Mermaid stateDiagram-v2, as a DOT file for Graphviz, as an SVG with a layout of its own, or as JSON.
Without --format the ending of FILE says which: .svg, .dot, .mmd or .json. A file with an error is not drawn.

Example:
   flowc graph order.flow -o order.svg`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "flow", Usage: "the flow, when the files have several"},
			&cli.StringFlag{Name: "format", Aliases: []string{"f"}, Usage: "mermaid, dot, svg or json", DefaultText: "mermaid"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "-", Usage: "write to `FILE`; - is standard output"},
		},
		Action: func(c *cli.Context) error {
			args, err := positional(c, 1, -1)
			if err != nil {
				return err
			}
			if c.String("format") == "" {
				format := graphEndings[filepath.Ext(c.String("output"))]
				if format == "" {
					format = "mermaid"
				}
				if err := c.Set("format", format); err != nil {
					return err
				}
			}
			format, err := oneOf(c, "format", "mermaid", "dot", "svg", "json")
			if err != nil {
				return err
			}
			return runGraph(env, args, c.String("flow"), format, c.String("output"))
		},
	}
}

func runGraph(env Env, paths []string, flow, format, output string) error {
	files, err := checkPaths(env, paths)
	if err != nil {
		return err
	}
	f, err := files.only(flow)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := graphWriters[format](&out, graph.Build(f, files.source)); err != nil {
		return err
	}
	if output == "-" {
		_, err := env.Stdout.Write(out.Bytes())
		return err
	}
	if err := os.WriteFile(output, out.Bytes(), 0o644); err != nil {
		return fmt.Errorf("cannot write the drawing: %w", err)
	}
	return nil
}
