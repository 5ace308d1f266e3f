package api

import "testing"

// What a path names and nobody has is 404, whatever it is, before anything else about the request counts.
func TestWhatThePathNamesAndIsMissingIsNotFound(t *testing.T) {
	c := newServer(t)
	c.start("A")
	for _, test := range []struct{ method, path, body, code string }{
		{"GET", "/v1/flows/nobody", "", "not-found"},
		{"GET", "/v1/flows/nobody/versions", "", "not-found"},
		{"POST", "/v1/flows/nobody/tokens", "{}", "not-found"},
		{"POST", "/v1/flows/order/tokens", `{"program":"nobody","input":{"n":1}}`, "not-found"},
		{"GET", "/v1/tokens/nobody", "", "not-found"},
		{"GET", "/v1/tokens/order:nobody", "", "not-found"},
		{"GET", "/v1/tokens/order:A?at=99", "", "not-found"},
		{"GET", "/v1/tokens/nobody/why", "", "not-found"},
		{"GET", "/v1/tokens/nobody/replay", "", "not-found"},
		{"GET", "/v1/tokens/nobody/history", "", "not-found"},
		{"GET", "/v1/tokens/nobody/watch", "", "not-found"},
		{"POST", "/v1/tokens/nobody/events", `{"event":"pay"}`, "not-found"},
		{"POST", "/v1/tokens/nobody/pause", "", "not-found"},
		{"PATCH", "/v1/tokens/nobody/data", `{"field":"x","value":1,"reason":"r"}`, "not-found"},
		{"PATCH", "/v1/tokens/order:A/timers/waiting.nothing", `{"due":"2100-01-01T00:00:00Z"}`, "unknown-timer"},
		{"POST", "/v1/tokens/order:A/timers/waiting.nothing/fire", "", "unknown-timer"},
		{"POST", "/v1/tokens/order:A/timers/nobody/fire", "", "unknown-timer"},
		{"POST", "/v1/tasks/nobody/heartbeat", `{"lease":"l"}`, "not-found"},
		{"POST", "/v1/tasks/nobody/complete", `{"lease":"l"}`, "not-found"},
		{"POST", "/v1/tasks/nobody/fail", `{"lease":"l","code":"c"}`, "not-found"},
		{"POST", "/v1/tasks/nobody/release", `{"lease":"l"}`, "not-found"},
		{"POST", "/v1/tasks/nobody/operate", `{"action":"retry"}`, "not-found"},
		{"POST", "/v1/holds/nobody/release", "", "not-found"},
		{"POST", "/v1/quarantine/nobody/release", "", "not-found"},
		{"POST", "/v1/quarantine/order:A/release", "", "not-found"},
		{"POST", "/v1/credentials/nobody/revoke", "", "not-found"},
		{"GET", "/v1/nothing", "", "not-found"},
	} {
		c.wants(c.do(test.method, test.path, test.body), 404, test.code)
	}
}
