package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// errConnect is that no connection could be had.
type errConnect struct{ cause error }

func (e *errConnect) Error() string { return "connect: " + e.cause.Error() }
func (e *errConnect) Unwrap() error { return e.cause }

// errReadOnly is a database that has been made read-only, as before a fail-over.
var errReadOnly = errors.New("the database is read-only")

// ErrTransient may be wrapped by a function of Update, and by a fault test, to have the transaction repeated.
var ErrTransient = errors.New("transient")

// transient says that the same transaction may go through when it is run again: every fault of the database or of the way to it
// that is not the fault of what was written.
func transient(err error) bool {
	var connect *errConnect
	if errors.Is(err, ErrTransient) || errors.Is(err, errReadOnly) || errors.As(err, &connect) || lostConnection(err) {
		return true
	}
	if state := sqlState(err); state != "" {
		return !dataState(state) && state[:2] != "42"
	}
	var lite *sqlite.Error
	return errors.As(err, &lite) && !dataCode(lite.Code())
}

// Blames says that the fault lies in what was written, so that a batch is worth halving until the bad token is alone (R6). It is
// false for every fault of the database itself, a full disk among them: no token is set aside for that.
func Blames(err error) bool {
	if errors.Is(err, ErrUnavailable) || errors.Is(err, ErrUnknown) || transient(err) {
		return false
	}
	if state := sqlState(err); state != "" {
		return dataState(state)
	}
	var lite *sqlite.Error
	if errors.As(err, &lite) {
		return dataCode(lite.Code())
	}
	return true
}

// dataState: data exception, integrity violation, program limit exceeded.
func dataState(state string) bool {
	return state[:2] == "22" || state[:2] == "23" || state[:2] == "54"
}

func dataCode(code int) bool {
	switch code & 0xff {
	case sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_ERROR:
		return true
	}
	return false
}

func sqlState(err error) string {
	var e *pq.Error
	if errors.As(err, &e) && len(e.Code) == 5 {
		return string(e.Code)
	}
	return ""
}

func lostConnection(err error) bool {
	var network net.Error
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.EPIPE) || errors.As(err, &network) || errors.Is(err, context.DeadlineExceeded) ||
		strings.Contains(err.Error(), "pq: unexpected ") // the wire ended inside a message
}

// refusal says that COMMIT was answered, and the answer is that nothing was committed.
func refusal(err error) bool {
	if state := sqlState(err); state != "" {
		return state[:2] != "08" && state[:2] != "57"
	}
	var lite *sqlite.Error
	if errors.As(err, &lite) {
		return lite.Code()&0xff == sqlite3.SQLITE_BUSY || lite.Code()&0xff == sqlite3.SQLITE_FULL
	}
	return strings.Contains(err.Error(), "Could not complete operation in a failed transaction")
}

// evict says that the connection must not be used again: it is broken, or leads to a server that has become read-only.
func evict(err error) bool {
	if err == nil {
		return false
	}
	state := sqlState(err) // 0A000: a standby cannot begin a transaction that writes
	return state == "25006" || state == "0A000" || errors.Is(err, errReadOnly) || state == "" && lostConnection(err)
}

// evict takes the connection out of the pool, and with it, after a fail-over, all idle ones: they lead to the same server.
func (d *db) evict(conn *sqlx.Conn) {
	d.reconnects.Add(1)
	conn.Raw(func(any) error { return driver.ErrBadConn })
	if !d.sqlite {
		d.write.SetMaxIdleConns(0)
		d.write.SetMaxIdleConns(d.options.Pool)
	}
}
