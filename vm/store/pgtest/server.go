//go:build unix

package pgtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Options choose how a server runs. The zero value is a server that keeps what
// it has committed through a crash.
type Options struct {
	// NoFsync trades that for speed. A killed server may then lose commits.
	NoFsync bool
	// Settings are further parameters of postgresql.conf.
	Settings map[string]string
}

// Server is a Postgres cluster. Its port stays the same when it is stopped or
// killed and started again. The methods may be called from several goroutines.
type Server struct {
	base        url.URL
	maintenance string
	dir         string   // empty: the server is not ours
	args        []string // of postgres
	binaries    string
	account     account
	watch       io.Closer // its end tells the watcher to clean up

	mu      sync.Mutex
	process *exec.Cmd
	ended   chan struct{} // closed when process has ended
}

var errNotOurs = errors.New("the server of " + EnvURL + " is not started or stopped by tests")

// NewServer starts a server of the test's own, for tests that stop or kill it.
// It is removed when the test ends.
func NewServer(t testing.TB, opts Options) *Server {
	t.Helper()
	s, err := startServer(opts)
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Kill(); err != nil {
			t.Errorf("pgtest: %v", err)
		}
		if err := errors.Join(os.RemoveAll(s.dir), s.watch.Close()); err != nil {
			t.Errorf("pgtest: remove the cluster: %v", err)
		}
	})
	return s
}

// URL is that of the maintenance database.
func (s *Server) URL() string {
	u := s.base
	u.Path = s.maintenance
	return u.String()
}

// Running reports whether the server has been started and has not ended since.
func (s *Server) Running() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dir == "" || s.running()
}

func (s *Server) running() bool {
	if s.process == nil {
		return false
	}
	select {
	case <-s.ended:
		return false
	default:
		return true
	}
}

// startServer creates a cluster and starts it. Another program may take the
// port between its choice and the start, so a few are tried.
func startServer(opts Options) (*Server, error) {
	s, err := create(opts)
	if err != nil {
		return nil, err
	}
	for try := 1; ; try++ {
		if err = s.choosePort(opts); err == nil {
			err = s.Start()
		}
		if err == nil || try == 5 {
			break
		}
	}
	if err != nil {
		_ = s.watch.Close()
		return nil, err
	}
	return s, nil
}

// create makes the directory, its watcher and the files of the cluster.
func create(opts Options) (*Server, error) {
	binaries, err := findBinaries()
	if err != nil {
		return nil, err
	}
	who, err := chooseAccount()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "flowc-pg-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for the cluster: %w", err)
	}
	s := &Server{dir: dir, binaries: binaries, account: who, maintenance: "/postgres"}
	if err := who.own(dir); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if s.watch, err = startWatcher(dir); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	initdb := exec.Command(filepath.Join(binaries, "initdb"), "--pgdata", s.data(), "--username", "flowc",
		"--auth", "trust", "--encoding", "UTF8", "--no-locale", "--no-sync", "--no-instructions")
	initdb.Dir = dir
	initdb.SysProcAttr = who.attributes()
	if out, err := initdb.CombinedOutput(); err != nil {
		_ = s.watch.Close()
		return nil, fmt.Errorf("initdb as user %d: %w\n%s", who.uid, err, out)
	}
	return s, nil
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }
func (s *Server) log() string  { return filepath.Join(s.dir, "log") }

// choosePort takes a free port and sets the arguments that go with it.
func (s *Server) choosePort(opts Options) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("find a free port: %w", err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		return fmt.Errorf("free the port: %w", err)
	}
	s.base = url.URL{
		Scheme: "postgres", User: url.User("flowc"), Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)),
		RawQuery: "sslmode=disable",
	}
	settings := map[string]string{
		"listen_addresses": "127.0.0.1", "port": strconv.Itoa(port), "unix_socket_directories": "",
		"max_connections": "200", "shared_buffers": "64MB", "timezone": "UTC", "fsync": "on",
	}
	if opts.NoFsync {
		settings["fsync"] = "off"
	}
	for name, value := range opts.Settings {
		settings[name] = value
	}
	s.args = []string{"-D", s.data()}
	for name, value := range settings {
		s.args = append(s.args, "-c", name+"="+value)
	}
	return nil
}

// Start starts the server again and returns when it takes connections. It does
// nothing when the server runs.
func (s *Server) Start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == "" {
		return errNotOurs
	}
	if s.running() {
		return nil
	}
	log, err := os.OpenFile(s.log(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("open the server's log: %w", err)
	}
	defer log.Close()
	process := exec.Command(filepath.Join(s.binaries, "postgres"), s.args...)
	process.Dir = s.dir
	process.Stdout, process.Stderr = log, log
	process.SysProcAttr = s.account.attributes()
	if err := process.Start(); err != nil {
		return fmt.Errorf("start postgres: %w", err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = process.Wait() // how it ended is in its log
	}()
	s.process, s.ended = process, ended
	return s.awaitReady()
}

// awaitReady asks until the server answers, ends or takes too long.
func (s *Server) awaitReady() error {
	db, err := sql.Open("postgres", s.URL())
	if err != nil {
		return fmt.Errorf("open %s: %w", s.URL(), err)
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		if err = db.PingContext(ctx); err == nil {
			return nil
		}
		select {
		case <-s.ended:
			return fmt.Errorf("postgres ended while starting:\n%s", s.logTail())
		case <-ctx.Done():
			return fmt.Errorf("postgres took longer than %s to start: %w\n%s", patience, err, s.logTail())
		case <-again.C:
		}
	}
}

func (s *Server) logTail() []byte {
	log, err := os.ReadFile(s.log())
	if err != nil {
		return []byte(err.Error())
	}
	return log[max(0, len(log)-2000):]
}

// Kill ends the server and all its processes at once, as a power cut would. It
// does nothing when the server does not run.
func (s *Server) Kill() error { return s.end(killTree) }

// Stop shuts the server down in order, ending open connections.
func (s *Server) Stop() error {
	return s.end(func(pid int) error { return syscall.Kill(pid, syscall.SIGINT) })
}

func (s *Server) end(how func(pid int) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dir == "" {
		return errNotOurs
	}
	if !s.running() {
		return nil
	}
	if err := how(s.process.Process.Pid); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("end postgres: %w", err)
	}
	select {
	case <-s.ended:
		return nil
	case <-time.After(patience):
		return fmt.Errorf("postgres did not end within %s:\n%s", patience, s.logTail())
	}
}
