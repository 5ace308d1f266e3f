package cmd_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"flowc/cmd"
)

// A running is the server of a script.
type running struct {
	cancel context.CancelFunc
	code   chan int
}

type runningKey struct{}

// server [FLAG…] PATH… starts `flowc run` on a free port, with the script's flow.db, waits until it is ready and tells the other
// commands where it is. server stop ends it as SIGTERM would.
func server(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: server [flag…] path… | server stop")
	}
	if slices.Equal(args, []string{"stop"}) {
		stopServer(ts)
		return
	}
	line := []string{"flowc", "run", "--listen", "127.0.0.1:0", "--database", ts.MkAbs("flow.db")}
	for _, a := range args {
		name, value, isFlag := strings.Cut(a, "=")
		switch {
		case isFlag:
			a = name + "=" + ts.MkAbs(value)
		case !strings.HasPrefix(a, "-"):
			a = ts.MkAbs(a)
		}
		line = append(line, a)
	}
	read, write := io.Pipe()
	env := cmd.Standard()
	env.Stdout, env.Stderr = write, write
	env.Getenv = func(string) string { return "" }
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{cancel: cancel, code: make(chan int, 1)}
	go func() {
		r.code <- cmd.Main(ctx, line, env)
		write.Close()
	}()
	ts.Defer(func() { stopRunning(r) })
	address, said := readyAddress(read)
	if address == "" {
		ts.Fatalf("the server did not get ready:\n%s", said)
	}
	ts.Setenv("FLOWC_SERVER", "http://"+address)
	ts.Setenv("ADDRESS", address)
	*ts.Value(runningKey{}).(**running) = r
}

// readyAddress reads the server's log up to the line that says where it serves, and goes on reading behind the caller's back, so
// that the server can log.
func readyAddress(log io.Reader) (address, said string) {
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		said += lines.Text() + "\n"
		var line struct{ Msg, Address string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "ready" {
			go io.Copy(io.Discard, log) //nolint:errcheck // it ends with the server
			return line.Address, said
		}
	}
	return "", said
}

func stopServer(ts *testscript.TestScript) {
	r := *ts.Value(runningKey{}).(**running)
	if r == nil {
		ts.Fatalf("no server runs")
	}
	if code := stopRunning(r); code != 0 {
		ts.Fatalf("the server ended with code %d", code)
	}
}

func stopRunning(r *running) int {
	r.cancel()
	code := <-r.code
	r.code <- code
	return code
}

// remember FILE NAME keeps the text of a file, without its last line end, in a variable.
func remember(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: remember file name")
	}
	ts.Setenv(args[1], strings.TrimRight(ts.ReadFile(args[0]), "\n"))
}
