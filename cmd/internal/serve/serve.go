// Package serve runs a server: it listens, waits for the database, deploys, serves, and stops in order.
//
// The port answers from the first moment on: while the database cannot be reached /healthz says that the process lives and
// /readyz that it is not ready, and why.
package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"

	"go.opentelemetry.io/otel/trace"

	"flowc/vm/api"
	"flowc/vm/engine"
	"flowc/vm/store"
)

// Options say what to serve and where.
type Options struct {
	Listen      string // HOST:PORT
	Database    string // a Postgres URL or the path of an SQLite file
	ListenURL   string // of Postgres, where LISTEN works when Database leads to a pooler
	Credentials []api.Credential
	CertFile    string // of TLS, with KeyFile; read again when they change
	KeyFile     string
	Insecure    bool // serve without credentials on an address that others can reach
	Programs    []engine.Deployment
	Version     string
	Log         *slog.Logger
	Traces      trace.TracerProvider // nil: none
	Ready       func(address string) // called once, when requests are answered
}

// stopTime is how long a server may take to stop.
const stopTime = 20 * time.Second

// ErrExposed says that a server would be open to everybody.
var ErrExposed = errors.New("without credentials anybody who reaches the address could do everything")

// Check refuses options that make no sense, and an address that others can reach when there can be no credentials: neither in a file
// nor in a database that is there.
func (o Options) Check() error {
	if _, _, err := net.SplitHostPort(o.Listen); err != nil {
		return fmt.Errorf("%q is no address to listen on; write HOST:PORT, such as 127.0.0.1:7654: %w", o.Listen, err)
	}
	if (o.CertFile == "") != (o.KeyFile == "") {
		return errors.New("TLS needs both --tls-cert and --tls-key")
	}
	if len(o.Credentials) > 0 || !o.closed() || exists(o.Database) {
		return nil
	}
	return o.exposed()
}

// exists says whether a database may hold credentials already. A server of Postgres is asked when it is open.
func exists(database string) bool {
	if isPostgres(database) {
		return true
	}
	_, err := os.Stat(strings.TrimPrefix(database, "sqlite:"))
	return err == nil
}

// closed says that nobody gets in without a credential: others can reach the address, and nothing says that this is meant.
func (o Options) closed() bool {
	host, _, err := net.SplitHostPort(o.Listen)
	return err == nil && !o.Insecure && !isLoopback(host)
}

func (o Options) exposed() error {
	return fmt.Errorf("refusing to listen on %s: %w; make one with `flowc credential create NAME --role admin --database %s`, give it --credentials FILE, or say --insecure if that is meant",
		o.Listen, ErrExposed, redact(o.Database))
}

// checkKept refuses, once the database is open, what Check could not see.
func (o Options) checkKept(ctx context.Context, eng engine.Access) error {
	if !o.closed() || len(o.Credentials) > 0 {
		return nil
	}
	kept, err := eng.Credentials(ctx)
	if err != nil {
		return fmt.Errorf("read the credentials: %w", err)
	}
	if len(kept) == 0 {
		return o.exposed()
	}
	return nil
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// Run serves until the context ends; then it stops in order and returns nil.
func Run(ctx context.Context, o Options) error {
	if err := o.Check(); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", o.Listen)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("cannot listen on %s: another program does; stop it, or choose another address with --listen", o.Listen)
	case err != nil:
		return fmt.Errorf("cannot listen on %s: %w", o.Listen, err)
	}
	front := newFront()
	server := &http.Server{
		Handler: front, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug), // what clients do wrong with their connections
	}
	if listener, err = o.secure(listener); err != nil {
		return err
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	o.Log.Info("listening", "address", listener.Addr().String(), "database", redact(o.Database))
	err = run(ctx, o, front, listener.Addr().String(), failed)
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	if stopErr := server.Shutdown(stopping); stopErr != nil {
		err = errors.Join(err, fmt.Errorf("some requests did not end in time: %w", stopErr), server.Close())
	}
	return err
}

// run opens the database and serves from it until the context ends or the listener fails.
func run(ctx context.Context, o Options, front *front, address string, failed <-chan error) (err error) {
	db, err := open(ctx, o, front)
	if err != nil || db == nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	eng, err := engine.New(ctx, engine.Options{Store: db, Logger: o.Log, Traces: o.Traces})
	if err != nil {
		return fmt.Errorf("make the engine: %w", err)
	}
	if err := o.checkKept(ctx, eng); err != nil {
		return stopped(ctx, err)
	}
	if err := eng.Start(ctx); err != nil {
		return stopped(ctx, fmt.Errorf("start the engine: %w", err))
	}
	defer func() { err = errors.Join(err, stop(ctx, eng)) }()
	if err := deploy(ctx, o, eng); err != nil {
		return stopped(ctx, err)
	}
	handler := api.New(eng, api.Options{Credentials: o.Credentials, AnyHost: o.Insecure, Closed: o.closed(), Log: o.Log, Version: o.Version})
	front.open(handler)
	o.Log.Info("ready", "address", address)
	if o.Ready != nil {
		o.Ready(address)
	}
	select {
	case <-ctx.Done():
		o.Log.Info("stopping")
	case err = <-failed:
		err = fmt.Errorf("serve: %w", err)
	}
	handler.Close() // requests that wait are answered
	front.close()
	return err
}

// stopped makes the end of the context no error.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func stop(ctx context.Context, eng *engine.Engine) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	if err := eng.Stop(ctx); err != nil {
		return fmt.Errorf("stop the engine: %w", err)
	}
	return nil
}

// open opens the database, and waits for it as long as it cannot be reached. It gives nil when the context ends first.
func open(ctx context.Context, o Options, front *front) (store.Store, error) {
	for wait := time.Second; ; wait = min(2*wait, 10*time.Second) {
		db, err := store.Open(ctx, o.Database, store.Options{Logger: o.Log, ListenURL: o.ListenURL})
		switch {
		case err == nil:
			return db, nil
		case ctx.Err() != nil:
			return nil, nil
		case !isPostgres(o.Database), errors.Is(err, store.ErrNewerSchema), errors.Is(err, store.ErrInUse):
			return nil, fmt.Errorf("cannot use the database %s: %w", redact(o.Database), err)
		}
		reason := fmt.Sprintf("waiting for the database %s", redact(o.Database))
		front.wait(reason)
		o.Log.Warn(reason, "error", err, "again", wait.String())
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, nil
		}
	}
}

func isPostgres(database string) bool {
	return strings.HasPrefix(database, "postgres://") || strings.HasPrefix(database, "postgresql://")
}

// redact shows a database's address without its password.
func redact(database string) string {
	if !isPostgres(database) {
		return database
	}
	u, err := url.Parse(database)
	if err != nil {
		return "postgres"
	}
	u.RawQuery = "" // it may hold a password, too
	return u.Redacted()
}

// deploy makes the files' programs known. What the server has seen before stays as it is (R60).
func deploy(ctx context.Context, o Options, eng engine.Service) error {
	if len(o.Programs) == 0 {
		return nil
	}
	result, err := eng.Deploy(ctx, engine.DeployRequest{Programs: o.Programs, OnlyNew: true})
	if err != nil {
		return fmt.Errorf("deploy the files: %w", err)
	}
	for _, f := range result.Flows {
		switch {
		case f.New:
			o.Log.Info("deployed", "flow", f.Flow, "program", f.Program)
		case !f.Current:
			o.Log.Warn("an older version than the current one is left aside; `flowc deploy` makes it current again", "flow", f.Flow, "program", f.Program)
		}
	}
	return nil
}
