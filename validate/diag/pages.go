package diag

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed pages
var pages embed.FS

// MainFile is the name that an example's file has unless its fence names
// another.
const MainFile = "main.flow"

// Example is a complete flow file from a finding's page, with the files that it
// imports.
type Example struct {
	Passes bool // false: the example shows the finding
	Files  []ExampleFile
}

// ExampleFile is one file of an example.
type ExampleFile struct{ Name, Text string }

// Main is the text of the file that the example is about.
func (e Example) Main() string {
	i := slices.IndexFunc(e.Files, func(f ExampleFile) bool { return f.Name == MainFile })
	if i < 0 {
		return ""
	}
	return e.Files[i].Text
}

// Page returns the Markdown page of an id.
func Page(id ID) (string, error) {
	if _, ok := Lookup(id); !ok {
		return "", fmt.Errorf("page of %q: no finding has this id", id)
	}
	text, err := pages.ReadFile("pages/" + string(id) + ".md")
	if err != nil {
		return "", fmt.Errorf("page of %s: %w", id, err)
	}
	return string(text), nil
}

// Examples returns the examples of an id's page in the order of the page: the
// failing one first. The pages of file-too-large and flow-too-large have no
// failing example, for it would be too large to print.
func Examples(id ID) ([]Example, error) {
	page, err := Page(id)
	if err != nil {
		return nil, err
	}
	var found []Example
	lines := strings.Split(page, "\n")
	for i := 0; i < len(lines); i++ {
		switch {
		case lines[i] == "Fails:" || lines[i] == "Passes:":
			found = append(found, Example{Passes: lines[i] == "Passes:"})
		case strings.HasPrefix(lines[i], "```flow") && len(found) > 0:
			name, text, next := fence(lines, i)
			last := &found[len(found)-1]
			last.Files = append(last.Files, ExampleFile{Name: name, Text: text})
			i = next
		}
	}
	return found, nil
}

// fence reads the fenced block that opens at a line and says where it closes.
func fence(lines []string, open int) (name, text string, end int) {
	name = strings.TrimSpace(strings.TrimPrefix(lines[open], "```flow"))
	if name == "" {
		name = MainFile
	}
	end = open + 1
	for end < len(lines) && lines[end] != "```" {
		end++
	}
	return name, strings.Join(lines[open+1:end], "\n") + "\n", end
}
