package cmd

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"flowc/vm/api/door"
	"flowc/vm/client"
)

// serverFlags are those of every client of a server.
func serverFlags(more ...cli.Flag) []cli.Flag {
	return append(more,
		&cli.StringFlag{Name: "server", EnvVars: []string{"FLOWC_SERVER"}, Value: client.DefaultServer, Usage: "the server's `ADDRESS`"},
		&cli.StringFlag{Name: "credential", EnvVars: []string{"FLOWC_CREDENTIAL"}, Usage: "the bearer `TOKEN` that the server asks for", DefaultText: "none"},
	)
}

// outputFlag says how a client prints an answer.
func outputFlag() cli.Flag {
	return &cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "table", Usage: "table or json; json is the API's body as it came"}
}

// A caller sends requests and prints answers for one run of a command.
type caller struct {
	env    Env
	c      *cli.Context
	client *client.Client
	json   bool
}

func newCaller(env Env, c *cli.Context) (*caller, error) {
	cl, err := client.New(client.Options{Server: c.String("server"), Credential: c.String("credential"), Tries: 4, FailFast: true})
	if err != nil {
		return nil, usageError("%w", err)
	}
	out := &caller{env: env, c: c, client: cl}
	if hasFlag(c, "output") {
		format, err := oneOf(c, "output", "table", "json")
		if err != nil {
			return nil, err
		}
		out.json = format == "json"
	}
	return out, nil
}

func hasFlag(c *cli.Context, name string) bool {
	for _, f := range c.Command.Flags {
		for _, n := range f.Names() {
			if n == name {
				return true
			}
		}
	}
	return false
}

// do sends a request and decodes the answer; with -o json it prints the answer and says that this is all.
func (k *caller) do(req client.Request, into any) (printed bool, err error) {
	res, err := k.client.Do(k.c.Context, req)
	if err != nil {
		return false, serverError(err)
	}
	if k.json {
		_, err := k.env.Stdout.Write(res.Body)
		return true, err
	}
	return false, serverError(res.Decode(into))
}

// get reads something.
func (k *caller) get(path string, query url.Values, into any) (bool, error) {
	return k.do(client.Request{Method: http.MethodGet, Path: path, Query: query}, into)
}

// post changes something.
func (k *caller) post(path string, body, into any) (bool, error) {
	return k.do(client.Request{Method: http.MethodPost, Path: path, Body: body}, into)
}

// table prints rows of columns.
func (k *caller) table(print func(w io.Writer)) error {
	w := tabwriter.NewWriter(k.env.Stdout, 0, 0, 2, ' ', 0)
	print(w)
	return w.Flush()
}

// jsonFlag reads a flag's JSON: the text itself, `@FILE`, or `-` for standard input. nil: the flag was not given.
func jsonFlag(env Env, c *cli.Context, name string) ([]byte, error) {
	given := c.String(name)
	if given == "" {
		return nil, nil
	}
	text := []byte(given)
	if path, ok := strings.CutPrefix(given, "@"); ok || given == "-" {
		if given == "-" {
			path = "-"
		}
		var err error
		if text, err = readAll(env, path); err != nil {
			return nil, fmt.Errorf("cannot read --%s: %w", name, err)
		}
	}
	if _, fault := door.Parse(text); fault != nil {
		return nil, usageError("--%s is no JSON: %s; write for example --%s '{\"name\": \"value\"}'", name, fault.Detail, name)
	}
	return text, nil
}

// tokenArg refuses a name that can be no token's before a server is asked.
func tokenArg(s string) (string, error) {
	if s == "" || strings.HasPrefix(s, ":") || strings.HasSuffix(s, ":") && strings.Count(s, ":") == 1 {
		return "", usageError("%q names no token; write its id, or FLOW:KEY", s)
	}
	return s, nil
}
