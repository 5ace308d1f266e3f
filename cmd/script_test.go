package cmd_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"flowc/cmd"
)

// The scripts run the real command, each in a folder of its own.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"flowc": func() {
			os.Exit(cmd.Main(context.Background(), os.Args, cmd.Standard()))
		},
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("NO_COLOR", "")
			var r *running
			env.Values[runningKey{}] = &r
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code": code, "server": server, "remember": remember, "damage": damage, "repair": repair,
		},
	})
}

// code N PROGRAM ARGS… runs a program that must end with the exit code N.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N program args…")
	}
	got := "0"
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = strconv.Itoa(exit.ExitCode())
	}
	if got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}
