package api

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every metric and label that the dashboard asks for is there when a server has something to show.
func TestGrafanaAsksForWhatThereIs(t *testing.T) {
	text, err := os.ReadFile("../../docs/grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr, LegendFormat string }
		}
	}
	if err := json.Unmarshal(text, &board); err != nil || len(board.Panels) == 0 {
		t.Fatalf("the dashboard cannot be read: %v", err)
	}
	w := newWalk(t)
	w.as("admin", "POST", "/v1/holds", `{"task":"other"}`)
	w.as("admin", "POST", "/v1/tasks/claim", `{"worker":"w","tasks":[{"name":"none"}]}`)
	metrics := w.as("admin", "GET", "/metrics", "").text
	name, label := regexp.MustCompile(`flowc_\w+`), regexp.MustCompile(`by \(([\w, ]+)\)`)
	var seen []string
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			for _, m := range name.FindAllString(target.Expr, -1) {
				seen = append(seen, m)
				line := regexp.MustCompile(`(?m)^` + m + `(\{[^}]*\})? `).FindString(metrics)
				if line == "" {
					t.Errorf("%s asks for %s, which the server does not show", p.Title, m)
				}
				for _, by := range label.FindAllStringSubmatch(target.Expr, -1) {
					for _, l := range strings.Split(by[1], ", ") {
						if !strings.Contains(line, l+`="`) {
							t.Errorf("%s groups %s by %s, but it is %s", p.Title, m, l, line)
						}
					}
				}
			}
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (flowc_\w+) `).FindAllStringSubmatch(metrics, -1) {
		shown := slices.ContainsFunc(seen, func(s string) bool { return s == m[1] || s == m[1]+"_bucket" })
		if !shown && !slices.Contains([]string{"flowc_loop_running", "flowc_loop_last_round_timestamp_seconds", "flowc_timers_fired_total", "flowc_timer_late_seconds"}, m[1]) {
			t.Errorf("%s is on no panel", m[1])
		}
	}
}
