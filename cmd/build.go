package cmd

import (
	"errors"
	"strings"

	"flowc/cmd/internal/source"
	"flowc/compiler/build"
	"flowc/grammar"
	"flowc/validate"
	"flowc/validate/diag"
)

// buildPaths checks and compiles what paths name. Findings go to standard error; with an error among them the command ends.
func buildPaths(env Env, paths []string) (*build.Result, error) {
	files, err := source.Collect(paths, env.Stdin, grammar.MaxFileSize)
	if err != nil {
		return nil, &exitError{code: exitUsage, err: err}
	}
	result, err := build.Run(validate.Options{Files: source.Names(files), Loader: source.Load(files)})
	rep := result.Check.Report()
	if werr := diag.WriteText(env.Stderr, rep, diag.Text{Color: env.color(env.Stderr)}); werr != nil {
		return nil, werr
	}
	switch {
	case err != nil:
		return nil, &exitError{code: exitFindings, err: err}
	case !result.Check.OK():
		return nil, &exitError{code: exitFindings, err: errors.New(summary(rep))}
	}
	return result, nil
}

// pick gives the unit of a flow, or the only one.
func pick(units []build.Unit, flow string) (build.Unit, error) {
	var names []string
	for _, u := range units {
		if u.Flow == flow {
			return u, nil
		}
		names = append(names, u.Flow)
	}
	switch {
	case len(units) == 0:
		return build.Unit{}, usageError("there is no flow in the files")
	case flow == "" && len(units) == 1:
		return units[0], nil
	case flow == "":
		return build.Unit{}, usageError("the files have %d flows; say which one with --flow: %s", len(units), strings.Join(names, ", "))
	}
	if near := diag.Nearest(flow, names); near != "" {
		return build.Unit{}, usageError("there is no flow %s in the files, did you mean %s?", flow, near)
	}
	return build.Unit{}, usageError("there is no flow %s in the files; they have %s", flow, strings.Join(names, ", "))
}
