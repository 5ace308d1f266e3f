package store_test

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// A pooler stands between as pgbouncer does in transaction mode: a client has a server's process for one transaction, and the one
// that was given back last is given out first.
type pooler struct {
	t        *testing.T
	server   string // HOST:PORT
	user, db string

	mu     sync.Mutex
	idle   []net.Conn
	all    []net.Conn
	status []byte // ParameterStatus messages of a server
}

// pooled gives the URL of a pooler before a database.
func pooled(t *testing.T, at string) string {
	t.Helper()
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	p := &pooler{t: t, server: u.Host, user: u.User.Username(), db: u.Path[1:]}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		l.Close()
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, c := range p.all {
			c.Close()
		}
	})
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(c)
		}
	}()
	u.Host = l.Addr().String()
	return u.String()
}

// message reads one message of the protocol, with its type and length.
func message(r io.Reader) ([]byte, error) {
	head := make([]byte, 5)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, err
	}
	body := make([]byte, binary.BigEndian.Uint32(head[1:])-4)
	_, err := io.ReadFull(r, body)
	return append(head, body...), err
}

// startup reads or skips the message that a session begins with.
func startup(r io.Reader) error {
	var n uint32
	if err := binary.Read(r, binary.BigEndian, &n); err != nil {
		return err
	}
	_, err := io.CopyN(io.Discard, r, int64(n)-4)
	return err
}

func (p *pooler) serve(c net.Conn) {
	defer c.Close()
	err := func() error {
		if err := startup(c); err != nil {
			return err
		}
		s, err := p.take()
		if err != nil {
			return err
		}
		p.give(s)
		hello := append([]byte{'R', 0, 0, 0, 8, 0, 0, 0, 0}, p.status...)
		if _, err := c.Write(append(hello, 'Z', 0, 0, 0, 5, 'I')); err != nil {
			return err
		}
		for {
			if err := p.transaction(c); err != nil {
				return err
			}
		}
	}()
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) && !errors.Is(err, io.ErrUnexpectedEOF) {
		p.t.Log("the pooler: ", err)
	}
}

// transaction serves a client until the server is idle again.
func (p *pooler) transaction(c net.Conn) error {
	m, err := message(c)
	if err != nil {
		return err
	}
	if m[0] == 'X' {
		return io.EOF
	}
	s, err := p.take()
	if err != nil {
		return err
	}
	defer p.give(s)
	for {
		if _, err := s.Write(m); err != nil {
			return err
		}
		if m[0] == 'Q' || m[0] == 'S' {
			idle, err := answers(c, s)
			if err != nil || idle {
				return err
			}
		}
		if m, err = message(c); err != nil {
			return err
		}
	}
}

// answers passes on what a server says until it is ready, and whether no transaction is open then.
func answers(c, s net.Conn) (idle bool, err error) {
	for {
		m, err := message(s)
		if err != nil {
			return false, err
		}
		if _, err := c.Write(m); err != nil {
			return false, err
		}
		if m[0] == 'Z' {
			return m[5] == 'I', nil
		}
	}
}

func (p *pooler) give(s net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, s)
}

func (p *pooler) take() (net.Conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		s := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return s, nil
	}
	s, err := net.Dial("tcp", p.server)
	if err != nil {
		return nil, err
	}
	p.all = append(p.all, s)
	body := append([]byte{0, 3, 0, 0}, "user\x00"+p.user+"\x00database\x00"+p.db+"\x00\x00"...)
	if _, err := s.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(body)+4)), body...)); err != nil {
		return nil, err
	}
	p.status = nil
	for {
		m, err := message(s)
		switch {
		case err != nil:
			return nil, err
		case m[0] == 'S':
			p.status = append(p.status, m...)
		case m[0] == 'E':
			return nil, errors.New(string(m))
		case m[0] == 'Z':
			return s, nil
		}
	}
}
