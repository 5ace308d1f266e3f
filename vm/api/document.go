package api

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// schemaName names a type in the document: TokenView is Token there.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	name = strings.TrimPrefix(name, "Reply")
	name = strings.TrimPrefix(name, "Plain")
	return strings.TrimSuffix(name, "View")
}

// schema gives the schema of a value's type.
func (a *API) schema(v any) *huma.Schema {
	return a.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeOf(v), true, "")
}

// document serves the description of the API. It is made once, of the routes as they are.
func (a *API) document() {
	a.nullable()
	text, err := json.Marshal(a.huma.OpenAPI())
	a.mux.HandleFunc("GET /v1/openapi.json", func(w http.ResponseWriter, r *http.Request) {
		if err != nil {
			a.write(w, a.internal(r.Context(), err))
			return
		}
		w.Header().Set("Content-Type", "application/openapi+json")
		_, _ = w.Write(text) // a client that has gone needs no answer
	})
}

// nullable tells the document of the fields that hold another object or null; the library has no words for them.
func (a *API) nullable() {
	registry := a.huma.OpenAPI().Components.Schemas
	for name, schema := range registry.Map() {
		t := registry.TypeFromRef("#/components/schemas/" + name)
		if t == nil {
			continue
		}
		for _, field := range reflect.VisibleFields(t) {
			key, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			property := schema.Properties[key]
			if property == nil || property.Ref == "" || field.Type.Kind() != reflect.Pointer || strings.HasPrefix(options, "omit") {
				continue
			}
			schema.Properties[key] = &huma.Schema{Description: property.Description, AnyOf: []*huma.Schema{{Ref: property.Ref}, {Type: "null"}}}
		}
	}
}
