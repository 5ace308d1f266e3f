package api

import (
	"encoding/json"
	"fmt"

	"flowc/validate/diag"
)

// A Finding is one finding, exactly as `flowc validate --format json` prints it.
type Finding struct {
	ID       string         `json:"id"`
	Severity string         `json:"severity" enum:"error,warning,hint"`
	Message  string         `json:"message"`
	File     string         `json:"file"`
	Range    diag.Range     `json:"range"`
	Related  []diag.Related `json:"related" nullable:"false"`
	Fixes    []diag.Fix     `json:"fixes" nullable:"false"`
}

// findingsOf goes through the findings' own JSON, so that there is one form of them.
func findingsOf(findings []diag.Finding) ([]Finding, error) {
	out := make([]Finding, 0, len(findings))
	text, err := json.Marshal(findings)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		return nil, fmt.Errorf("write findings as JSON: %w", err)
	}
	return orEmpty(out), nil
}
