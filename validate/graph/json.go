package graph

import (
	"encoding/json"
	"io"
)

// WriteJSON writes the graph as one JSON object: the states in the order of the file, the first being the flow's body, and the
// transitions by paths.
func WriteJSON(w io.Writer, g *Graph) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(g)
}
