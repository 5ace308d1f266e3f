package api

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"flowc/compiler/build"
	"flowc/validate/diag"
	"flowc/vm/engine"
)

// A DeployBody is what a deploy sends.
type DeployBody struct {
	Files map[string]string `json:"files" doc:"The source files by their paths; they import each other and nothing else"`
	Flows []string          `json:"flows,omitempty" doc:"Deploy only these of the files' flows"`
	// OnlyNew is what `flowc run` says.
	OnlyNew bool `json:"onlyNew,omitempty" doc:"Leave the current version alone where the program is known already"`
}

// A DeployAnswer is what became of a deploy, and with dryRun what it would find.
type DeployAnswer struct {
	Flows    []engine.Deployed `json:"flows" nullable:"false" doc:"What became of each flow; empty for a dry run"`
	Findings []Finding         `json:"findings" nullable:"false" doc:"As flowc validate gives them"`
	Files    int               `json:"files"`
	Errors   int               `json:"errors"`
	Warnings int               `json:"warnings"`
}

type deployParams struct {
	Keyed
	DryRun bool `query:"dryRun" doc:"Give the findings only and deploy nothing"`
}

// FlowParams name a flow.
type FlowParams struct {
	Flow string `path:"flow" doc:"The flow's name"`
}

func (a *API) flows() {
	handle(a, route{method: http.MethodPost, path: "/v1/flows", id: "deploy", tag: "flows", allow: mayDeploy, limit: deployLimit,
		summary: "Check, compile and deploy source files", errors: []int{http.StatusNotFound, http.StatusConflict}}, a.deploy)
	handle(a, route{method: http.MethodGet, path: "/v1/flows", id: "listFlows", tag: "flows", allow: mayRead,
		summary: "The flows that the server knows"}, a.listFlows)
	handle(a, route{method: http.MethodGet, path: "/v1/flows/{flow}", id: "getFlow", tag: "flows", allow: mayRead,
		summary: "A flow and its current version", errors: []int{http.StatusNotFound}}, a.getFlow)
	handle(a, route{method: http.MethodGet, path: "/v1/flows/{flow}/versions", id: "listVersions", tag: "flows", allow: mayRead,
		summary: "A flow's versions, newest first", errors: []int{http.StatusNotFound}}, a.listVersions)
}

// deploy refuses all that `flowc validate` refuses, with the same findings.
func (a *API) deploy(ctx context.Context, p *deployParams, body *DeployBody) (*reply[DeployAnswer], error) {
	if len(body.Files) == 0 {
		return nil, problem(http.StatusUnprocessableEntity, codeInvalid, "there are no files; send {\"files\": {\"NAME.flow\": \"TEXT\"}}")
	}
	built, err := a.opts.Compile(body.Files)
	var clash *build.ClashError
	if errors.As(err, &clash) {
		return nil, problem(http.StatusUnprocessableEntity, codeInvalid, "%s", clash)
	}
	if err != nil {
		return nil, err
	}
	findings, err := findingsOf(built.Report.Findings)
	if err != nil {
		return nil, err
	}
	out := &reply[DeployAnswer]{Status: http.StatusOK, Body: DeployAnswer{
		Flows: []engine.Deployed{}, Findings: findings, Files: len(built.Report.Files),
		Errors: built.Report.Count(diag.Error), Warnings: built.Report.Count(diag.Warning),
	}}
	if p.DryRun {
		return out, nil
	}
	if out.Body.Errors > 0 {
		bad := problem(http.StatusUnprocessableEntity, codeFindings, "the files have errors; nothing was deployed")
		bad.Findings = findings
		return nil, bad
	}
	programs, err := chosen(built.Programs, body.Flows)
	if err != nil {
		return nil, err
	}
	mutation, err := p.mutation(ctx)
	if err != nil {
		return nil, err
	}
	result, err := a.engine.Deploy(ctx, engine.DeployRequest{Mutation: mutation, Programs: programs, OnlyNew: body.OnlyNew})
	if err != nil {
		return nil, err
	}
	out.Body.Flows, out.Replayed = orEmpty(result.Flows), replayed(result.Replayed)
	return out, nil
}

// chosen picks the programs of the flows that were named.
func chosen(programs []engine.Deployment, flows []string) ([]engine.Deployment, error) {
	if len(programs) == 0 {
		return nil, problem(http.StatusUnprocessableEntity, codeInvalid, "the files declare no flow, so there is nothing to deploy")
	}
	if len(flows) == 0 {
		return programs, nil
	}
	var picked []engine.Deployment
	var names []string
	for _, p := range programs {
		names = append(names, p.Flow)
		if slices.Contains(flows, p.Flow) {
			picked = append(picked, p)
		}
	}
	for _, flow := range flows {
		if !slices.Contains(names, flow) {
			return nil, problem(http.StatusUnprocessableEntity, codeInvalid, "the files declare no flow %q%s", flow, meant(flow, names))
		}
	}
	return picked, nil
}

// meant names the candidate that was probably meant.
func meant(name string, candidates []string) string {
	if near := diag.Nearest(name, candidates); near != "" {
		return ", did you mean \"" + near + "\"?"
	}
	return ""
}

func (a *API) listFlows(ctx context.Context, _ *none, _ *none) (*plain[Page[engine.FlowView]], error) {
	flows, err := a.engine.Flows(ctx)
	if err != nil {
		return nil, err
	}
	return &plain[Page[engine.FlowView]]{page(flows, "")}, nil
}

func (a *API) getFlow(ctx context.Context, p *FlowParams, _ *none) (*plain[engine.FlowView], error) {
	flow, err := a.engine.Flow(ctx, p.Flow)
	if err != nil {
		return nil, err
	}
	return &plain[engine.FlowView]{flow}, nil
}

func (a *API) listVersions(ctx context.Context, p *FlowParams, _ *none) (*plain[Page[engine.VersionView]], error) {
	versions, err := a.engine.Versions(ctx, p.Flow)
	if err != nil {
		return nil, err
	}
	return &plain[Page[engine.VersionView]]{page(versions, "")}, nil
}
