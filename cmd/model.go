package cmd

import (
	"slices"
	"strings"

	"flowc/cmd/internal/source"
	"flowc/grammar"
	"flowc/validate"
	"flowc/validate/describe"
	"flowc/validate/diag"
	"flowc/validate/model"
)

// checked are files without errors, for the commands that say what stands in them.
type checked struct {
	flows  []*model.Flow // those that the files declare, not those that they import
	files  []string      // names, by the index that model.Pos.File has
	source describe.Source
}

// checkPaths checks what paths name. With an error among the findings those go to standard error, and the command ends.
func checkPaths(env Env, paths []string) (*checked, error) {
	files, err := source.Collect(paths, env.Stdin, grammar.MaxFileSize)
	if err != nil {
		return nil, &exitError{code: exitUsage, err: err}
	}
	result := validate.Check(validate.Options{Files: source.Names(files), Loader: source.Load(files)})
	if !result.OK() {
		if err := diag.WriteText(env.Stderr, result.Report(), diag.Text{Color: env.color(env.Stderr)}); err != nil {
			return nil, err
		}
		return nil, errFindings
	}
	out := &checked{files: result.Model.Files}
	out.source = func(file int) []byte {
		if file < 0 || file >= len(result.Sources) {
			return nil
		}
		return result.Sources[file].AST.Src
	}
	for _, f := range result.Model.Flows {
		if slices.Contains(source.Names(files), result.Model.Files[f.Pos.File]) {
			out.flows = append(out.flows, f)
		}
	}
	return out, nil
}

// only gives the flow of a name, or the only one.
func (k *checked) only(name string) (*model.Flow, error) {
	flows, err := k.named(name)
	switch {
	case err != nil:
		return nil, err
	case len(flows) == 0:
		return nil, usageError("there is no flow in the files")
	case len(flows) > 1:
		return nil, usageError("the files have %d flows; say which one with --flow: %s", len(flows), strings.Join(k.names(), ", "))
	}
	return flows[0], nil
}

// named gives the flow of a name, or all.
func (k *checked) named(name string) ([]*model.Flow, error) {
	if name == "" {
		return k.flows, nil
	}
	for _, f := range k.flows {
		if f.Name == name {
			return []*model.Flow{f}, nil
		}
	}
	if near := diag.Nearest(name, k.names()); near != "" {
		return nil, usageError("there is no flow %s in the files, did you mean %s?", name, near)
	}
	return nil, usageError("there is no flow %s in the files; they have %s", name, strings.Join(k.names(), ", "))
}

func (k *checked) names() []string {
	var out []string
	for _, f := range k.flows {
		out = append(out, f.Name)
	}
	return out
}
