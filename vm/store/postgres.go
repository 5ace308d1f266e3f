package store

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// openPostgres opens a pool that needs no session state, so that transaction-pooling proxies work (R81).
func openPostgres(ctx context.Context, at string, o Options) (Store, error) {
	all, err := statements("postgres_steps.sql", "postgres_tasks.sql", "postgres_purge.sql", "postgres_marks.sql", "reads.sql")
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(at)
	if err != nil {
		return nil, fmt.Errorf("read the database's URL: it is not one") // the cause would show the password
	}
	q := u.Query()
	if q.Get("sslmode") == "" {
		q.Set("sslmode", "prefer")
	}
	if q.Get("connect_timeout") == "" {
		q.Set("connect_timeout", "5")
	}
	if q.Get("application_name") == "" {
		q.Set("application_name", "flowc")
	}
	u.RawQuery = q.Encode()
	listen := o.ListenURL
	if listen == "" {
		listen = u.String()
	}
	if o.Prepare != "plain" {
		q.Set("binary_parameters", "yes")
		u.RawQuery = q.Encode()
	}
	if o.Pool == 0 {
		o.Pool = 8
	}
	d := &db{sql: all, options: o, listenAt: listen}
	if err := migratePostgres(ctx, u.String()); err != nil {
		return nil, err
	}
	pool, err := openPool(u.String(), o)
	if err != nil {
		return nil, err
	}
	d.write, d.read = pool, pool
	return d, nil
}

func openPool(at string, o Options) (*sqlx.DB, error) {
	c, err := pq.NewConnector(at)
	if err != nil {
		return nil, fmt.Errorf("read the database's URL: %w", err)
	}
	c.Dialer(&dialer{silence: o.IOTimeout})
	pool := sqlx.NewDb(sqlOpen(c), "postgres")
	pool.SetMaxOpenConns(o.Pool)
	pool.SetMaxIdleConns(o.Pool)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	return pool, nil
}

func migratePostgres(ctx context.Context, at string) error {
	c, err := pq.NewConnector(at)
	if err != nil {
		return fmt.Errorf("read the database's URL: %w", err)
	}
	pool := sqlOpen(c)
	defer pool.Close()
	return migrate(ctx, pool, true)
}

// A dialer bounds how long the database may be silent while a statement waits for it: a connection whose other end is gone
// without a word must not hold a step for ever.
type dialer struct{ silence time.Duration }

func (d *dialer) Dial(network, address string) (net.Conn, error) {
	return d.DialTimeout(network, address, 0)
}

func (d *dialer) DialTimeout(network, address string, timeout time.Duration) (net.Conn, error) {
	c, err := net.DialTimeout(network, address, timeout)
	if err != nil {
		return nil, err
	}
	return &boundedConn{Conn: c, silence: d.silence}, nil
}

func (d *dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := (&net.Dialer{}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &boundedConn{Conn: c, silence: d.silence}, nil
}

type boundedConn struct {
	net.Conn
	silence time.Duration
}

func (c *boundedConn) Read(b []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.silence)); err != nil {
		return 0, err
	}
	return c.Conn.Read(b)
}

func (c *boundedConn) Write(b []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(c.silence)); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}
