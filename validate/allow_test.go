package validate_test

import (
	"slices"
	"testing"

	"flowc/validate"
)

func TestAllowComments(t *testing.T) {
	const head, tail = "event go\nflow f {\n  initial a\n", "  final b\n}\n"
	tests := map[string]struct {
		body string
		want []string
		ok   bool
	}{
		"a warning":       {"  // flowc:allow unbounded-wait people answer\n  state a { on go -> b }\n", nil, true},
		"without reason":  {"  // flowc:allow unbounded-wait\n  state a { on go -> b }\n", []string{"4: allow-without-reason"}, true},
		"nothing there":   {"  // flowc:allow dead-timer because\n  state a { timeout never on go -> b }\n", []string{"4: allow-unused"}, true},
		"no such id":      {"  // flowc:allow dead-timr because\n  state a { timeout never on go -> b }\n", []string{"4: allow-unused"}, true},
		"no id":           {"  // flowc:allow\n  state a { timeout never on go -> b }\n", []string{"4: allow-unused"}, true},
		"two lines above": {"  // flowc:allow unbounded-wait x\n\n  state a { on go -> b }\n", []string{"4: allow-unused", "6: unbounded-wait"}, true},
		"one each": {"  // flowc:allow unbounded-wait x\n  // flowc:allow unhandled-error y\n  state a { on go -> b }\n",
			[]string{"5: allow-unused"}, true},
		"one of two":           {"  // flowc:allow timer-race x\n  state a { after 1h -> b after 1h -> b after 1h -> b on go -> b }\n", []string{"5: timer-race"}, true},
		"an error":             {"  // flowc:allow dead-timer x\n  state a { timeout 1h after 2h -> b on go -> b on timeout -> b }\n", nil, true},
		"one that cannot pass": {"  // flowc:allow unknown-state x\n  state a { timeout 1h on go -> bb on timeout -> b }\n", []string{"4: allow-unused", "5: unknown-state"}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := validate.CheckText("a.flow", head+test.body+tail)
			if got := grave(r); !slices.Equal(got, test.want) || r.OK() != test.ok {
				t.Errorf("got %q ok %v, want %q\n%s", got, r.OK(), test.want, texts(r))
			}
		})
	}
}
