package api

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"

	"flowc/vm/engine"
)

// refOf reads how a token is addressed: by its id or as `flow:key`. A key may hold colons, a flow's name cannot.
func refOf(s string) engine.Ref {
	if flow, key, ok := strings.Cut(s, ":"); ok {
		return engine.Ref{Flow: flow, Key: key}
	}
	return engine.Ref{ID: s}
}

// etag is a token's version as an entity tag.
func etag(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }

// ifMatch reads the version that a decision was made on. nil: the caller does not mind.
func ifMatch(header string) (*int64, error) {
	header = strings.TrimSpace(header)
	if header == "" || header == "*" {
		return nil, nil
	}
	inner, ok := strings.CutPrefix(header, `"`)
	inner, ok2 := strings.CutSuffix(inner, `"`)
	version, err := strconv.ParseInt(inner, 10, 64)
	if !ok || !ok2 || err != nil || version < 0 {
		return nil, parameter("If-Match", `%q is no ETag of a token; send back the header as it came, such as "12"`, header)
	}
	return &version, nil
}

// given is a JSON value, nil when it was left out or null.
func given(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	return raw
}

func newReference() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // it never fails
	return hex.EncodeToString(b[:])
}
