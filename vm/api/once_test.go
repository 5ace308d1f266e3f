package api

import (
	"encoding/json"
	"strings"
	"testing"

	"flowc/vm/engine"
)

// R55: a key names one request. Another body under it is refused, whatever the route, and nothing of it happens.
func TestR55_AnotherBodyUnderAKeyIsAMismatch(t *testing.T) {
	w := newWalk(t)
	for _, test := range []struct{ path, body, other string }{
		{"/v1/credentials", `{"name":"a","role":"viewer"}`, `{"name":"a","role":"admin"}`},
		{"/v1/holds", `{"task":"whisper"}`, `{"task":"whisper","reason":"r"}`},
		{"/v1/holds/whisper/release", `{}`, `{"reason":"r"}`},
		{"/v1/queues/slow", `{"concurrency":1}`, `{"concurrency":2}`},
		{"/v1/purge", `{"tokens":["vault:over"]}`, `{"tokens":["vault:hidden"]}`},
		{"/v1/credentials/a/revoke", `{}`, `{"reason":"r"}`},
		{"/v1/batches", `{"action":"pause","filter":{"flow":"vault"}}`, `{"action":"cancel","filter":{"flow":"vault"}}`},
	} {
		first := w.as("admin", "POST", test.path, test.body, "Idempotency-Key: k")
		if first.status >= 300 {
			t.Fatalf("%s: %d %s", test.path, first.status, first.text)
		}
		p := w.wants(w.as("admin", "POST", test.path, test.other, "Idempotency-Key: k"), 422, "idempotency-mismatch")
		if !strings.Contains(p.Detail, `"k"`) {
			t.Errorf("%s: the detail is %s", test.path, p.Detail)
		}
		again := w.as("admin", "POST", test.path, test.body, "Idempotency-Key: k")
		if again.status != first.status || again.text != first.text || again.header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("%s: %d %s, then %d %s", test.path, first.status, first.text, again.status, again.text)
		}
	}
	if res := w.as("admin", "GET", "/v1/tokens/vault:hidden", ""); !strings.Contains(res.text, `"status":"paused"`) {
		t.Errorf("a refused request acted: %s", res.text)
	}
}

// R55: a batch under a key that another batch had touches no token, also none that the first did not name.
func TestR55_ABatchUnderAnotherBatchsKeyTouchesNothing(t *testing.T) {
	w := newWalk(t)
	w.started("vault", "beside")
	w.wants(w.as("admin", "POST", "/v1/batches", `{"action":"pause","filter":{"key":"hidden"}}`, "Idempotency-Key: k"), 200, "")
	w.wants(w.as("admin", "POST", "/v1/batches", `{"action":"pause","filter":{"key":"beside"}}`, "Idempotency-Key: k"), 422, "idempotency-mismatch")
	if res := w.as("admin", "GET", "/v1/tokens/vault:beside", ""); !strings.Contains(res.text, `"status":"running"`) {
		t.Errorf("the other batch acted: %s", res.text)
	}
}

// R55: a repeated hold, whose first answer was lost, says what was; what has happened in between stays.
func TestR55_ARepeatedHoldDoesNotHoldAgain(t *testing.T) {
	w := newWalk(t)
	first := w.as("admin", "POST", "/v1/holds", `{"task":"whisper"}`, "Idempotency-Key: k")
	w.wants(w.as("admin", "POST", "/v1/holds/whisper/release", `{}`), 200, "")
	if again := w.as("admin", "POST", "/v1/holds", `{"task":"whisper"}`, "Idempotency-Key: k"); again.text != first.text {
		t.Errorf("%s, then %s", first.text, again.text)
	}
	if res := w.as("admin", "GET", "/v1/holds", ""); strings.Contains(res.text, "whisper") {
		t.Errorf("it is held again: %s", res.text)
	}
}

// R55, interface 3: the token of a new credential is not lost with the answer, nor can it be made of what the database keeps.
func TestR55_TheTokenOfACredentialSurvivesALostAnswer(t *testing.T) {
	w := newWalk(t)
	body := `{"name":"ann","role":"viewer"}`
	var first, again NewCredential
	for _, into := range []*NewCredential{&first, &again} {
		if err := json.Unmarshal([]byte(w.as("admin", "POST", "/v1/credentials", body, "Idempotency-Key: k").text), into); err != nil {
			t.Fatal(err)
		}
	}
	if first.Token == "" || again.Token != first.Token {
		t.Fatalf("%q, then %q", first.Token, again.Token)
	}
	w.wants(w.as(first.Token, "GET", "/v1/tokens", ""), 200, "")
	var other NewCredential
	if err := json.Unmarshal([]byte(w.as("admin", "POST", "/v1/credentials", `{"name":"bob","role":"viewer"}`, "Idempotency-Key: l").text), &other); err != nil {
		t.Fatal(err)
	}
	if other.Token == first.Token {
		t.Error("two credentials have one token")
	}
	if derivedToken("another bearer", "seed") == derivedToken("a bearer", "seed") {
		t.Error("the token does not depend on who asked")
	}
}

// A repeat by the same name with another bearer token cannot show the token again; it says how to go on.
func TestR55_ACredentialsTokenIsShownOnlyToTheBearerThatMadeIt(t *testing.T) {
	w := newWalk(t)
	var boss NewCredential
	make := func() {
		t.Helper()
		if err := json.Unmarshal([]byte(w.as("admin", "POST", "/v1/credentials", `{"name":"boss","role":"admin"}`).text), &boss); err != nil || boss.Token == "" {
			t.Fatal(err)
		}
	}
	make()
	body := `{"name":"ann","role":"viewer"}`
	w.wants(w.as(boss.Token, "POST", "/v1/credentials", body, "Idempotency-Key: k"), 201, "")
	w.wants(w.as("admin", "POST", "/v1/credentials/boss/revoke", "{}"), 200, "")
	make()
	p := w.wants(w.as(boss.Token, "POST", "/v1/credentials", body, "Idempotency-Key: k"), 409, "conflict")
	if !strings.Contains(p.Detail, "revoke ann") {
		t.Errorf("the detail is %s", p.Detail)
	}
}

// R73: an ended token's key is freed with it or later; a living one is left, and the answer says why.
func TestR73_APurgeFreesKeysAndSaysWhatItLeft(t *testing.T) {
	w := newWalk(t)
	var got engine.PurgeResult
	purge := func(body string) engine.PurgeResult {
		t.Helper()
		res := w.as("admin", "POST", "/v1/purge", body)
		got = engine.PurgeResult{}
		if err := json.Unmarshal([]byte(res.text), &got); err != nil || res.status != 200 {
			t.Fatalf("%d %s", res.status, res.text)
		}
		return got
	}
	for _, dry := range []string{`,"dryRun":true`, ``} {
		if purge(`{"tokens":["vault:over","vault:hidden"]` + dry + `}`); got.Tokens != 1 || len(got.Left) != 1 || got.Left[0].Token != w.names["$token"] ||
			got.Left[0].Code != "living" || !strings.Contains(got.Left[0].Detail, "cancel it first") {
			t.Errorf("%s: %+v", dry, got)
		}
	}
	w.wants(w.as("admin", "POST", "/v1/purge", `{"tokens":["vault:over"]}`), 410, "purged")
	w.wants(w.as("admin", "POST", "/v1/flows/vault/tokens", `{"key":"over"}`), 410, "purged")
	if purge(`{"tokens":["vault:over"],"forget":true,"dryRun":true}`); got.Keys != 1 {
		t.Errorf("%+v", got)
	}
	if purge(`{"tokens":["vault:over"],"forget":true}`); got.Keys != 1 || got.Tokens != 0 {
		t.Errorf("%+v", got)
	}
	w.wants(w.as("admin", "POST", "/v1/flows/vault/tokens", `{"key":"over"}`), 201, "")
}

// Interface 2: what is empty is not left out: as a key it would name nobody, in a filter everybody.
func TestAnEmptyNameIsRefused(t *testing.T) {
	w := newWalk(t)
	for _, test := range []struct{ path, body, pointer string }{
		{"/v1/flows/vault/tokens", `{"key":""}`, "/key"},
		{"/v1/tokens/vault:hidden/restart", `{"key":""}`, "/key"},
		{"/v1/tokens/vault:hidden/retry", `{"state":""}`, "/state"},
		{"/v1/tokens/vault:hidden/events", `{"event":"poke","id":""}`, "/id"},
		{"/v1/batches", `{"action":"cancel","filter":{"flow":"vault","key":""}}`, "/filter/key"},
		{"/v1/purge", `{"olderThan":"1d","flow":""}`, "/flow"},
	} {
		p := w.wants(w.as("admin", "POST", test.path, test.body), 422, "invalid")
		if len(p.Errors) != 1 || *p.Errors[0].Pointer != test.pointer || !strings.Contains(p.Detail, "must not be empty; leave it out") {
			t.Errorf("%s: %+v", test.path, p)
		}
	}
	w.wants(w.as("admin", "POST", "/v1/flows/vault/tokens", `{"key":null}`), 201, "")
}
