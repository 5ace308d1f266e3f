package cmd

import "testing"

func TestFlowName(t *testing.T) {
	tests := map[string]string{
		"order": "order", "LeaveRequest": "leave_request", "leave-request": "leave_request", "HTTPCheck2": "httpcheck2",
		"a b.c": "a_b_c", "event": "event_flow", "x1": "x1",
	}
	for base, want := range tests {
		if got, err := flowName(base); err != nil || got != want {
			t.Errorf("%q: got %q, %v, want %q", base, got, err, want)
		}
	}
	for _, base := range []string{"", "1order", "naïve", "-x", "a/b", "日本"} {
		if got, err := flowName(base); err == nil {
			t.Errorf("%q: got %q, want an error", base, got)
		}
	}
}
