package cmd

import (
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

func TestReorder(t *testing.T) {
	app := &cli.App{Commands: []*cli.Command{{Name: "do", Flags: []cli.Flag{
		&cli.StringFlag{Name: "out", Aliases: []string{"o"}}, &cli.BoolFlag{Name: "dry"},
	}}}}
	tests := map[string]string{
		"f do":                   "f do --",
		"f do a --dry b":         "f do --dry -- a b",
		"f do a -o x b":          "f do -o x -- a b",
		"f do a --out=x -":       "f do --out=x -- a -",
		"f do a -- --dry":        "f do -- a --dry",
		"f do --dry a -- b -- c": "f do --dry -- a b -- c",
		"f do a --unknown b":     "f do --unknown -- a b",
		"f do a --out":           "f do --out",
		"f do a --out --dry":     "f do --out",
		"f do a -o --help":       "f do -o",
		"f do a --out -x b":      "f do --out -x -- a b",
		"f do a --help b":        "f do --help",
		"f unknown a --dry":      "f unknown a --dry",
		"f":                      "f",
		"f --help do":            "f --help do",
		"f do a --out -- b":      "f do --out",
	}
	for in, want := range tests {
		if got := strings.Join(reorder(app, strings.Fields(in)), " "); got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
}
