package api

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
)

var generated = flag.Int("generated", 300, "requests that are made up from the OpenAPI document")

// Requests made up from the document, valid and broken: none makes a 500, and no answer is one that the document does not know. The
// client's do holds each answer to the document.
func TestGeneratedRequests(t *testing.T) {
	w := newWalk(t)
	g := &maker{rand.New(rand.NewPCG(1, 2)), w}
	statuses := map[int]int{}
	for range *generated {
		r := w.api.routes[g.IntN(len(w.api.routes))]
		if r.id == "watchToken" || r.id == "createCredential" { // a stream that goes on; a change of who gets in
			continue
		}
		method, path, body, headers := g.request(r)
		res := w.as("admin", method, path, body, headers...)
		statuses[res.status]++
		if res.status == http.StatusInternalServerError {
			t.Errorf("%s %s %v\n%s\ngot %s", method, path, headers, body, res.text)
		}
		if t.Failed() {
			t.Fatalf("%s %s %v\n%s", method, path, headers, body)
		}
	}
	t.Logf("%v", statuses)
}

// A maker makes up requests.
type maker struct {
	*rand.Rand
	w *walk
}

func (g *maker) request(r route) (method, path, body string, headers []string) {
	op := operation(g.w.api.huma.OpenAPI().Paths[r.path], r.method)
	path, query := r.path, []string{}
	for _, p := range op.Parameters {
		switch value := g.parameter(p); {
		case p.In == "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", escaped(value))
		case g.IntN(3) > 0:
		case p.In == "query":
			query = append(query, p.Name+"="+escaped(value))
		default:
			headers = append(headers, p.Name+": "+strings.TrimSpace(strings.Map(printable, value)))
		}
	}
	if len(query) > 0 {
		path += "?" + strings.Join(query, "&")
	}
	if op.RequestBody != nil {
		text, _ := json.Marshal(g.value(op.RequestBody.Content["application/json"].Schema, 0))
		body = g.broken(string(text))
	}
	return r.method, path, body, headers
}

func printable(r rune) rune {
	if r < 0x20 || r > 0x7e {
		return -1
	}
	return r
}

func escaped(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

var texts = []string{"", "x", "vault", "order", "whisper", "shut", "poke", "pay", "1s", "0s", "99999d", "\"7\"", "2026-03-28T22:00:00Z", "é𝄞", "a:b",
	"../..", "'; --", "%", "null", "-1", "1e400", "1.1", strings.Repeat("n", 300), "shut.timeout", "completed", "failed"}

func (g *maker) text() string {
	switch g.IntN(4) {
	case 0:
		return g.w.names[[]string{"$token", "$ended", "$task"}[g.IntN(3)]]
	case 1:
		return "vault:hidden"
	}
	return texts[g.IntN(len(texts))]
}

func (g *maker) parameter(p *huma.Param) string {
	if p.Schema != nil && g.IntN(3) > 0 {
		if s, ok := g.value(p.Schema, 0).(string); ok && s != "" {
			return s
		}
	}
	if text := g.text(); text != "" {
		return text
	}
	return "x"
}

// value makes up a value of a schema, mostly a fitting one.
func (g *maker) value(s *huma.Schema, depth int) any {
	if s != nil && s.Ref != "" {
		s = g.w.api.huma.OpenAPI().Components.Schemas.SchemaFromRef(s.Ref)
	}
	if s == nil || depth > 6 || g.IntN(12) == 0 {
		return g.odd()
	}
	if len(s.Enum) > 0 {
		return s.Enum[g.IntN(len(s.Enum))]
	}
	switch s.Type {
	case huma.TypeObject:
		return g.object(s, depth)
	case huma.TypeArray:
		out := []any{}
		for range g.IntN(3) {
			out = append(out, g.value(s.Items, depth+1))
		}
		return out
	case huma.TypeInteger:
		return g.IntN(20) - 2
	case huma.TypeBoolean:
		return g.IntN(2) == 0
	case huma.TypeString:
		if s.Pattern == durationPattern {
			return []string{"0s", "1s", "3m", "2h", "1d"}[g.IntN(2)] // short: some wait
		}
		return g.text()
	}
	return g.odd()
}

func (g *maker) object(s *huma.Schema, depth int) any {
	out := map[string]any{}
	names := make([]string, 0, len(s.Properties))
	for name := range s.Properties {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		if name == "$schema" || !slices.Contains(s.Required, name) && g.IntN(2) == 0 {
			continue
		}
		out[name] = g.value(s.Properties[name], depth+1)
	}
	if other, ok := s.AdditionalProperties.(*huma.Schema); ok {
		out["v.flow"] = g.value(other, depth+1)
	}
	return out
}

func (g *maker) odd() any {
	return []any{nil, true, 0, -1.5, "", "x", []any{}, map[string]any{}, map[string]any{"n": 1, "amount": "x"}, json.Number("9007199254740993"),
		json.Number("1e5000")}[g.IntN(11)]
}

// broken breaks one in five bodies.
func (g *maker) broken(body string) string {
	if body == "" || g.IntN(5) > 0 {
		return body
	}
	at := g.IntN(len(body))
	switch g.IntN(4) {
	case 0:
		return body[:at]
	case 1:
		return body[:at] + string(rune(g.IntN(0x100))) + body[at:]
	case 2:
		return body + body
	}
	return body[:at] + strings.Repeat("[", 250)
}
