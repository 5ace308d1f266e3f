package diag

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path"
	"path/filepath"
	"strings"
)

// The parts of SARIF 2.1.0 that a code scanning service reads.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string    `json:"id"`
		Name    string    `json:"name"`
		Short   sarifText `json:"shortDescription"`
		Full    sarifText `json:"fullDescription"` // code scanning of GitHub refuses a rule without it
		Help    sarifHelp `json:"help"`
		Default struct {
			Level string `json:"level"`
		} `json:"defaultConfiguration"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifHelp struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Related      []sarifLocation   `json:"relatedLocations,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Fixes        []sarifFix        `json:"fixes,omitempty"`
	}
	sarifLocation struct {
		ID       int           `json:"id,omitempty"`
		Physical sarifPhysical `json:"physicalLocation"`
		Message  *sarifText    `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"`
	}
	sarifFix struct {
		Description sarifText     `json:"description"`
		Changes     []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		Artifact     sarifArtifact      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		Deleted  sarifRegion `json:"deletedRegion"`
		Inserted *sarifText  `json:"insertedContent,omitempty"`
	}
)

// fingerprintKey names how the fingerprint is made; another way needs another
// number.
const fingerprintKey = "flowcFinding/v1"

// WriteSARIF prints the findings as a SARIF 2.1.0 log. The version is that of
// flowc and may be empty. A finding's fingerprint holds when lines are added
// or removed elsewhere in its file.
func WriteSARIF(w io.Writer, r Report, version string) error {
	run := sarifRun{ColumnKind: "utf16CodeUnits", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: "flowc", Version: version, Rules: []sarifRule{}}
	index := map[ID]int{}
	seen := map[string]int{}
	for _, f := range r.Findings {
		if _, ok := index[f.ID]; !ok {
			index[f.ID] = len(run.Tool.Driver.Rules)
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRuleOf(f))
		}
		run.Results = append(run.Results, sarifResultOf(r, f, index[f.ID], seen))
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(sarifLog{
		Schema:  "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0",
		Runs:    []sarifRun{run},
	})
}

func sarifRuleOf(f Finding) sarifRule {
	rule := sarifRule{ID: string(f.ID), Name: pascalCase(string(f.ID)), Short: sarifText{string(f.ID)}}
	rule.Default.Level = sarifLevel(f.Severity)
	if entry, ok := Lookup(f.ID); ok {
		rule.Short.Text = entry.Title
		rule.Default.Level = sarifLevel(entry.Severity)
	}
	rule.Full = rule.Short
	rule.Help = sarifHelp{Text: rule.Short.Text, Markdown: rule.Short.Text}
	if page, err := Page(f.ID); err == nil {
		rule.Full.Text = explanation(page)
		rule.Help = sarifHelp{Text: page, Markdown: page}
	}
	return rule
}

// explanation is a page's first paragraph behind the title's line, on one line.
func explanation(page string) string {
	paragraphs := strings.Split(page, "\n\n")
	return strings.Join(strings.Fields(paragraphs[min(2, len(paragraphs)-1)]), " ")
}

// pascalCase makes `dead-timer` DeadTimer, as names of rules are written.
func pascalCase(id string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(id, "-") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

func sarifLevel(s Severity) string {
	if s == Hint {
		return "note"
	}
	return s.String()
}

func sarifResultOf(r Report, f Finding, rule int, seen map[string]int) sarifResult {
	result := sarifResult{
		RuleID:       string(f.ID),
		RuleIndex:    rule,
		Level:        sarifLevel(f.Severity),
		Message:      sarifText{f.fullMessage()},
		Locations:    []sarifLocation{{Physical: sarifPlace(r, f.File, f.Range)}},
		Fingerprints: map[string]string{fingerprintKey: fingerprint(r, f, seen)},
	}
	for i, rel := range f.Related {
		result.Related = append(result.Related, sarifLocation{
			ID: i + 1, Physical: sarifPlace(r, rel.File, rel.Range), Message: &sarifText{rel.Message},
		})
	}
	for _, fix := range f.Fixes {
		result.Fixes = append(result.Fixes, sarifFixOf(r, f.File, fix))
	}
	return result
}

func sarifFixOf(r Report, file string, fix Fix) sarifFix {
	change := sarifChange{Artifact: sarifArtifact{fileURI(file)}}
	for _, e := range fix.Edits {
		replacement := sarifReplacement{Deleted: sarifRegionOf(r.source(file), e.Range)}
		if e.Text != "" {
			replacement.Inserted = &sarifText{e.Text}
		}
		change.Replacements = append(change.Replacements, replacement)
	}
	return sarifFix{Description: sarifText{fix.Title}, Changes: []sarifChange{change}}
}

func sarifPlace(r Report, file string, rg Range) sarifPhysical {
	return sarifPhysical{Artifact: sarifArtifact{fileURI(file)}, Region: sarifRegionOf(r.source(file), rg)}
}

func sarifRegionOf(src []byte, rg Range) sarifRegion {
	return sarifRegion{
		StartLine: rg.Start.Line, StartColumn: utf16Column(src, rg.Start),
		EndLine: rg.End.Line, EndColumn: utf16Column(src, rg.End),
	}
}

// fileURI gives a relative reference for a relative name, so that the log is
// the same on every machine, and a file URI for an absolute one.
func fileURI(file string) string {
	slashed := path.Clean(filepath.ToSlash(file))
	u := url.URL{Path: slashed}
	if path.IsAbs(slashed) {
		u.Scheme = "file"
	}
	return u.String()
}

// fingerprint tells findings apart by what they say and not by where they
// stand: by id, file and the text of the line. Equal ones are numbered.
func fingerprint(r Report, f Finding, seen map[string]int) string {
	line := ""
	if src := r.source(f.File); src != nil {
		line, _ = lineOf(src, f.Range.Start.Line)
	}
	same := strings.Join([]string{string(f.ID), fileURI(f.File), strings.Join(strings.Fields(line), " ")}, "\x00")
	seen[same]++
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", same, seen[same]))
	return hex.EncodeToString(sum[:16])
}
