package cmd

import (
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/urfave/cli/v2"

	"flowc/cmd/internal/serve"
	"flowc/cmd/internal/traces"
	"flowc/vm/api"
)

func runCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "run",
		Category:  serving,
		Usage:     "run the server, with the files deployed",
		ArgsUsage: "[PATH…]",
		Description: `Checks and compiles the files, deploys those flows that the server has never seen, and serves the HTTP API until it is told
to stop. Without --database everything is kept in the file flow.db.
On an address that others can reach it asks for credentials: flowc credential create keeps them in the database, --credentials names
a file with a line "NAME ROLE SHA256" for each bearer token. --insecure says that none are meant. --tls-cert and --tls-key make it
serve HTTPS; the files are read again when they change. With OTEL_EXPORTER_OTLP_ENDPOINT set it sends a trace of each token there.

Example:
   flowc run order.flow
   flowc run flows/ --listen 0.0.0.0:7654 --credentials creds.txt --database postgres://flow@db/flow?sslmode=verify-full`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "listen", EnvVars: []string{"FLOWC_LISTEN"}, Value: "127.0.0.1:7654", Usage: "the `ADDRESS` to serve on"},
			&cli.StringFlag{Name: "database", EnvVars: []string{"FLOWC_DATABASE"}, Value: "flow.db", Usage: "a Postgres `URL`, or the path of an SQLite file"},
			&cli.StringFlag{Name: "listen-database", EnvVars: []string{"FLOWC_LISTEN_DATABASE"}, Usage: "a `URL` past the pooler for LISTEN, when --database leads to one; off: poll only"},
			&cli.StringFlag{Name: "credentials", EnvVars: []string{"FLOWC_CREDENTIALS"}, Usage: "the `FILE` of the credentials that may be used"},
			&cli.StringFlag{Name: "tls-cert", EnvVars: []string{"FLOWC_TLS_CERT"}, Usage: "the `FILE` of the certificate and its chain, in PEM"},
			&cli.StringFlag{Name: "tls-key", EnvVars: []string{"FLOWC_TLS_KEY"}, Usage: "the `FILE` of the certificate's key, in PEM"},
			&cli.BoolFlag{Name: "insecure", Usage: "serve without credentials on an address that others can reach"},
			&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "log everything"},
		},
		Action: func(c *cli.Context) error {
			args, err := positional(c, 0, -1)
			if err != nil {
				return err
			}
			return runRun(env, c, args)
		},
	}
}

func runRun(env Env, c *cli.Context, paths []string) error {
	level := slog.LevelInfo
	if c.Bool("verbose") {
		level = slog.LevelDebug
	}
	o := serve.Options{
		Listen: c.String("listen"), Database: c.String("database"), ListenURL: c.String("listen-database"),
		CertFile: c.String("tls-cert"), KeyFile: c.String("tls-key"), Insecure: c.Bool("insecure"), Version: version(), Log: newLog(env, level),
	}
	var err error
	if o.Credentials, err = credentials(c.String("credentials")); err != nil {
		return err
	}
	if err := o.Check(); err != nil {
		return usageError("%w", err)
	}
	if len(paths) > 0 {
		result, err := buildPaths(env, paths)
		if err != nil {
			return err
		}
		if o.Programs, err = api.Deployments(result.Units); err != nil {
			return err
		}
	}
	sender, err := traces.Open(c.Context, traces.Options{Getenv: env.Getenv, Log: o.Log, Version: o.Version})
	if err != nil {
		return usageError("%w", err)
	}
	defer sender.Close()
	o.Traces = sender.Provider()
	if err := serve.Run(c.Context, o); errors.Is(err, serve.ErrExposed) {
		return usageError("%w", err)
	} else if err != nil {
		return err
	}
	return nil
}

// credentials reads the file of the credentials, if one is named.
func credentials(path string) ([]api.Credential, error) {
	if path == "" {
		return nil, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the credentials: %w", err)
	}
	all, err := api.ParseCredentials(string(text))
	if err != nil {
		return nil, usageError("%s: %w", path, err)
	}
	if len(all) == 0 {
		return nil, usageError("%s holds no credentials; write a line `NAME ROLE SHA256` for each", path)
	}
	return all, nil
}
