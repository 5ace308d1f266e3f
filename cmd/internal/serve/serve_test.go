package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"flowc/vm/api"
)

func TestCheck(t *testing.T) {
	secret := []api.Credential{{Name: "a"}}
	tests := []struct {
		o    Options
		fine bool
	}{
		{Options{Listen: "127.0.0.1:7654"}, true},
		{Options{Listen: "localhost:0"}, true},
		{Options{Listen: "[::1]:0"}, true},
		{Options{Listen: ":7654"}, false},
		{Options{Listen: "0.0.0.0:7654"}, false},
		{Options{Listen: "[::]:7654"}, false},
		{Options{Listen: "192.0.2.1:7654"}, false},
		{Options{Listen: "flow.example:7654"}, false},
		{Options{Listen: "0.0.0.0:7654", Insecure: true}, true},
		{Options{Listen: "0.0.0.0:7654", Credentials: secret}, true},
	}
	for _, test := range tests {
		err := test.o.Check()
		if (err == nil) != test.fine || err != nil && !errors.Is(err, ErrExposed) {
			t.Errorf("%+v: got %v", test.o, err)
		}
	}
	if err := (Options{Listen: "7654"}).Check(); err == nil || !strings.Contains(err.Error(), "HOST:PORT") {
		t.Errorf("got %v", err)
	}
}

func TestRedact(t *testing.T) {
	for in, want := range map[string]string{
		"flow.db": "flow.db",
		"postgres://flow:secret@db:5432/flow?sslmode=disable&password=secret": "postgres://flow:xxxxx@db:5432/flow",
		"postgres://%zz": "postgres",
	} {
		if got := redact(in); got != want {
			t.Errorf("%s: got %s", in, got)
		}
	}
}

// While the database is away the server lives, says that it is not ready and why, and stops when it is told to.
func TestWaitsForTheDatabase(t *testing.T) {
	read, write := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- Run(ctx, Options{
			Listen: "127.0.0.1:0", Database: "postgres://flow:secret@127.0.0.1:1/flow?sslmode=disable", Log: slog.New(slog.NewJSONHandler(write, nil)),
		})
		write.Close()
	}()
	address := ""
	lines := bufio.NewScanner(read)
	for lines.Scan() {
		var line struct{ Msg, Address string }
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(lines.Text(), "secret") {
			t.Errorf("the log holds the password: %s", lines.Text())
		}
		if line.Msg == "listening" {
			address = line.Address
		}
		if strings.HasPrefix(line.Msg, "waiting for the database") {
			break
		}
	}
	go io.Copy(io.Discard, read) //nolint:errcheck // it ends with the server
	for path, want := range map[string]struct {
		status int
		text   string
	}{
		"/healthz":    {200, `"status":"ok"`},
		"/readyz":     {503, `"reason":"waiting for the database postgres://flow:xxxxx@127.0.0.1:1/flow"`},
		"/v1/tokens":  {503, `"code":"not-ready"`},
		"/v1/nothing": {503, `"code":"not-ready"`},
	} {
		res, err := http.Get("http://" + address + path)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != want.status || !strings.Contains(string(body), want.text) {
			t.Errorf("%s: got %d %s", path, res.StatusCode, body)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("the end of the server: %v", err)
	}
}
