package cmd

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/urfave/cli/v2"

	"flowc/vm/api"
	"flowc/vm/client"
	"flowc/vm/engine"
)

func deployCommand(env Env) *cli.Command {
	return &cli.Command{
		Name:      "deploy",
		Category:  clients,
		Usage:     "make flows, or an older version of one, current on a server",
		ArgsUsage: "PATH…  or  FLOW --use VERSION",
		Description: `Checks the files here and again on the server, and makes their flows current for new tokens; tokens that run stay on the
version they started with. With --use an older version becomes current again; the start of its name is enough.

Example:
   flowc deploy flows/
   flowc deploy order --use 2883b7f7`,
		Flags: serverFlags(
			&cli.StringFlag{Name: "use", Usage: "make this `VERSION` of FLOW current"},
			&cli.BoolFlag{Name: "dry-run", Usage: "only check, on the server"},
			outputFlag(),
		),
		Action: func(c *cli.Context) error {
			args, err := positional(c, 1, -1)
			if err != nil {
				return err
			}
			k, err := newCaller(env, c)
			if err != nil {
				return err
			}
			if !c.IsSet("use") {
				return k.deployPaths(args)
			}
			if len(args) != 1 {
				return usageError("--use goes with one FLOW")
			}
			return k.use(args[0], c.String("use"))
		},
	}
}

// deployPaths sends the files and what they import. Only flows that the files themselves declare are deployed.
func (k *caller) deployPaths(paths []string) error {
	result, err := buildPaths(k.env, paths)
	if err != nil {
		return err
	}
	if len(result.Units) == 0 {
		return usageError("there is no flow in the files")
	}
	files, flows := map[string]string{}, []string{}
	for _, u := range result.Units {
		flows = append(flows, u.Flow)
		for name, text := range u.Files {
			files[name] = text
		}
	}
	return k.deploy(files, flows)
}

func (k *caller) deploy(files map[string]string, flows []string) error {
	query := url.Values{}
	if k.c.Bool("dry-run") {
		query.Set("dryRun", "true")
	}
	var done api.DeployAnswer
	printed, err := k.do(client.Request{
		Method: http.MethodPost, Path: "/v1/flows", Query: query, Body: api.DeployBody{Files: files, Flows: flows},
	}, &done)
	if err != nil || printed {
		return err
	}
	if k.c.Bool("dry-run") {
		_, err := fmt.Fprintf(k.env.Stdout, "%s, %s\n", counted(done.Errors, "error"), counted(done.Warnings, "warning"))
		return err
	}
	for _, f := range done.Flows {
		fmt.Fprintf(k.env.Stdout, "%s  %s  %s\n", f.Flow, f.Program, became(f))
	}
	return nil
}

func became(f engine.Deployed) string {
	switch {
	case f.New:
		return "new version, now current"
	case f.Before != "":
		return "older version, current again"
	case f.Current:
		return "unchanged"
	}
	return "known, not current"
}

// use deploys the files of an older version again. They must give the very program that they gave then.
func (k *caller) use(flow, version string) error {
	found, err := k.version(flow, version)
	if err != nil {
		return err
	}
	var files map[string]string
	if err := json.Unmarshal(found.Files, &files); err != nil || len(files) == 0 {
		return serverError(fmt.Errorf("the server does not have the files of version %s", found.Program))
	}
	built, err := api.Compile(files)
	if err != nil {
		return err
	}
	for _, p := range built.Programs {
		if p.Flow == flow && p.Hash != found.Program {
			return &exitError{code: exitUsage, err: fmt.Errorf("this flowc compiles the files of version %s to another program, %s; use the flowc that compiled it", found.Program, p.Hash)}
		}
	}
	return k.deploy(files, []string{flow})
}

// version finds the version whose name begins as given.
func (k *caller) version(flow, prefix string) (engine.VersionView, error) {
	res, err := k.client.Do(k.c.Context, client.Request{Method: http.MethodGet, Path: "/v1/flows/" + url.PathEscape(flow) + "/versions"})
	if err != nil {
		return engine.VersionView{}, serverError(err)
	}
	var list api.Page[engine.VersionView]
	if err := res.Decode(&list); err != nil {
		return engine.VersionView{}, serverError(err)
	}
	var found []engine.VersionView
	for _, v := range list.Items {
		if strings.HasPrefix(v.Program, prefix) {
			found = append(found, v)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return engine.VersionView{}, serverError(fmt.Errorf("the flow %s has no version %s", flow, prefix))
	}
	return engine.VersionView{}, usageError("%d versions of %s begin with %s; write more of it", len(found), flow, prefix)
}
