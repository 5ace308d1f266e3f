package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"flowc/compiler/build"
	"flowc/validate"
	"flowc/vm/engine"
)

// Compile checks and compiles uploaded files, which see each other and nothing else. It is the Compiler of an API that is given
// none.
func Compile(files map[string]string) (Build, error) {
	result, err := build.Run(validate.Options{Files: slices.Sorted(maps.Keys(files)), Loader: validate.Map(files)})
	if result == nil {
		return Build{}, err
	}
	out := Build{Report: result.Check.Report()}
	if err != nil {
		return out, err
	}
	out.Programs, err = Deployments(result.Units)
	return out, err
}

// Deployments gives compiled flows the form in which the engine takes them.
func Deployments(units []build.Unit) ([]engine.Deployment, error) {
	var out []engine.Deployment
	for _, u := range units {
		code, source, err := u.Encode()
		if err != nil {
			return nil, fmt.Errorf("encode flow %s: %w", u.Flow, err)
		}
		files, err := json.Marshal(u.Files)
		if err != nil {
			return nil, fmt.Errorf("encode the files of flow %s: %w", u.Flow, err)
		}
		out = append(out, engine.Deployment{Flow: u.Flow, Hash: u.Hash, Code: code, Source: source, Files: files})
	}
	return out, nil
}
