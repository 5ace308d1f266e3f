package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/urfave/cli/v2"

	"flowc/vm/api"
	"flowc/vm/client"
	"flowc/vm/engine"
	"flowc/vm/store"
)

func credentialCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "credential",
		Category:  serving,
		Usage:     "make, list and revoke credentials",
		ArgsUsage: "create NAME | list | revoke NAME",
		Description: `A credential is a bearer token with a role: viewer, sender, worker, operator, deployer or admin. create prints the token this
once; the server keeps its hash only. --flow limits a credential to flows, outside which nothing exists for it; --event limits what it
may send, --task what it may work on. Each may be given several times.
The server is asked, as an admin, or with --database the database itself, which needs no server: so the first one is made.

Example:
   flowc credential create ann --role admin --database flow.db
   flowc credential create shop --role sender --flow order --event pay
   flowc credential revoke shop`,
		Flags: serverFlags(
			&cli.StringFlag{Name: "role", Usage: "of create: viewer, sender, worker, operator, deployer or admin", Action: isOneOf("role", roleNames...)},
			&cli.StringSliceFlag{Name: "flow", Usage: "of create: only this `FLOW`, and others so given"},
			&cli.StringSliceFlag{Name: "event", Usage: "of create: may send this `EVENT` only, and others so given"},
			&cli.StringSliceFlag{Name: "task", Usage: "of create: may work on this `TASK` only, and others so given"},
			&cli.StringFlag{Name: "database", Usage: "a Postgres `URL`, or the path of an SQLite file that no server has open"},
			outputFlag(),
		),
		Action: func(c *cli.Context) error {
			args, err := positional(c, 1, 2)
			if err != nil {
				return err
			}
			return runCredential(env, c, args)
		},
	}
}

func runCredential(env Env, c *cli.Context, args []string) error {
	k, err := newCaller(env, c)
	if err != nil {
		return err
	}
	verb, name := args[0], ""
	if len(args) == 2 {
		name = args[1]
	}
	switch {
	case verb == "list" && name == "":
		return k.listCredentials()
	case verb == "create" && name != "":
		return k.createCredential(name)
	case verb == "revoke" && name != "":
		return k.revokeCredential(name)
	}
	return usageError("write `credential create NAME`, `credential list` or `credential revoke NAME`")
}

// onDatabase runs a function against the database itself, without a server.
func onDatabase(ctx context.Context, database string, do func(*engine.Engine) error) error {
	db, err := store.Open(ctx, database, store.Options{})
	switch {
	case errors.Is(err, store.ErrInUse):
		return usageError("a server has %s open; leave --database out to ask that server, or stop it first", database)
	case err != nil:
		return fmt.Errorf("cannot use the database: %w", err)
	}
	eng, err := engine.New(ctx, engine.Options{Store: db})
	if err == nil {
		err = do(eng)
	}
	return errors.Join(err, db.Close())
}

func (k *caller) createCredential(name string) error {
	body := api.CredentialBody{Name: name, Role: api.Role(k.c.String("role")),
		Flows: k.c.StringSlice("flow"), Events: k.c.StringSlice("event"), Tasks: k.c.StringSlice("task")}
	if body.Role == "" {
		return usageError("say with --role what %s may do: viewer, sender, worker, operator, deployer or admin", name)
	}
	var made api.NewCredential
	if k.c.IsSet("database") {
		err := onDatabase(k.c.Context, k.c.String("database"), func(eng *engine.Engine) (err error) {
			if made, err = api.MakeCredential(body); err == nil {
				_, err = eng.CreateCredential(k.c.Context, engine.CredentialRequest{Credential: made.Credential})
			}
			if err != nil {
				return err
			}
			unknown, _ := eng.Unknown(k.c.Context, engine.Names{Flows: body.Flows, Events: body.Events, Tasks: body.Tasks, IfDeployed: true})
			made.Warnings = engine.Warnings(unknown) // without them the credential is as good
			return nil
		})
		if err != nil {
			return err
		}
	} else if printed, err := k.do(client.Request{Method: http.MethodPost, Path: "/v1/credentials", Body: body, Tries: k.triesOfACredential()}, &made); err != nil || printed {
		return err
	}
	warn(k.env, made.Warnings)
	fmt.Fprintf(k.env.Stderr, "%s is %s; this is the token, which is shown this once:\n", made.Name, made.Role)
	_, err := fmt.Fprintln(k.env.Stdout, made.Token)
	return err
}

// triesOfACredential is 1 of the first credential of a server, after which the door is shut for who has none; otherwise a lost answer
// is asked for again.
func (k *caller) triesOfACredential() int {
	if k.c.String("credential") == "" {
		return 1
	}
	return 0
}

func (k *caller) revokeCredential(name string) error {
	if k.c.IsSet("database") {
		return onDatabase(k.c.Context, k.c.String("database"), func(eng *engine.Engine) error {
			_, err := eng.RevokeCredential(k.c.Context, engine.Mutation{}, name)
			return err
		})
	}
	var done api.Done
	printed, err := k.post("/v1/credentials/"+url.PathEscape(name)+"/revoke", map[string]any{}, &done)
	if err == nil && !printed {
		_, err = fmt.Fprintf(k.env.Stdout, "%s is revoked\n", name)
	}
	return err
}

func (k *caller) listCredentials() error {
	var list api.Page[engine.Credential]
	if k.c.IsSet("database") {
		err := onDatabase(k.c.Context, k.c.String("database"), func(eng *engine.Engine) (err error) {
			list.Items, err = eng.Credentials(k.c.Context)
			return err
		})
		if err != nil {
			return err
		}
	} else if printed, err := k.get("/v1/credentials", nil, &list); err != nil || printed {
		return err
	}
	return k.table(func(w io.Writer) {
		fmt.Fprintln(w, "NAME\tROLE\tFLOWS\tEVENTS\tTASKS\tMADE BY\tMADE")
		for _, c := range list.Items {
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", c.Name, c.Role, limit(c.Flows), limit(c.Events), limit(c.Tasks), c.Actor, stamp(&c.CreatedAt))
		}
	})
}

func limit(names []string) string {
	if len(names) == 0 {
		return "all"
	}
	return strings.Join(names, ",")
}
