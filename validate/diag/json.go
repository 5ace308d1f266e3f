package diag

import (
	"encoding/json"
	"io"
)

// jsonReport is the object that `flowc validate --format json` prints. Scripts
// depend on these names.
type jsonReport struct {
	Findings []jsonFinding `json:"findings"`
	Files    int           `json:"files"`
	Errors   int           `json:"errors"`
	Warnings int           `json:"warnings"`
}

type jsonFinding struct {
	ID       ID        `json:"id"`
	Severity Severity  `json:"severity"`
	Message  string    `json:"message"`
	File     string    `json:"file"`
	Range    Range     `json:"range"`
	Related  []Related `json:"related"`
	Fixes    []Fix     `json:"fixes"`
}

// MarshalJSON writes the finding as the JSON format has it.
func (f Finding) MarshalJSON() ([]byte, error) { return json.Marshal(jsonOf(f)) }

// jsonOf makes empty lists lists, and the help the end of the message.
func jsonOf(f Finding) jsonFinding {
	fixes := make([]Fix, len(f.Fixes))
	for i, fix := range f.Fixes {
		fixes[i] = Fix{Title: fix.Title, Edits: append([]Edit{}, fix.Edits...)}
	}
	return jsonFinding{
		ID: f.ID, Severity: f.Severity, Message: f.fullMessage(), File: f.File, Range: f.Range,
		Related: append([]Related{}, f.Related...), Fixes: fixes,
	}
}

// fullMessage is for formats that have no place for the help.
func (f Finding) fullMessage() string {
	if f.Help == "" {
		return f.Message
	}
	return f.Message + "; " + f.Help
}

// WriteJSON prints one object with all findings, on one line.
func WriteJSON(w io.Writer, r Report) error {
	out := jsonReport{
		Findings: make([]jsonFinding, len(r.Findings)),
		Files:    len(r.Files),
		Errors:   r.Count(Error),
		Warnings: r.Count(Warning),
	}
	for i, f := range r.Findings {
		out.Findings[i] = jsonOf(f)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false) // messages are full of arrows
	return enc.Encode(out)
}
