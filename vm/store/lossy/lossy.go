// Package lossy is a TCP proxy for tests of a database that loses things: the reply to a COMMIT, the COMMIT itself, or every
// connection at once. It listens on loopback and knows just enough of the Postgres protocol to see a COMMIT go by.
//
//	p := lossy.New(t, pgtest.New(t))
//	s, err := store.Open(ctx, p.URL(), store.Options{})
//	p.OnCommit(func(n int) lossy.Fate { … })  // the nth COMMIT from now on
//	p.OnRequest(func(n int) lossy.Fate { … }) // the nth thing that is sent from now on
package lossy

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// Fate is what happens to a request.
type Fate int

// The fates. LostReply: the server carries it out, and the client's connection ends before it hears of it. LostRequest: the connection
// ends before the server hears of it.
const (
	Through Fate = iota
	LostReply
	LostRequest
)

// A Proxy stands between a program and its database.
type Proxy struct {
	t      testing.TB
	listen net.Listener
	target string
	base   *url.URL

	mu      sync.Mutex
	fate    func(n int) Fate
	commits int
	each    func(n int) Fate
	sent    int
	cut     bool
	conns   map[net.Conn]bool
	wg      sync.WaitGroup
}

// New starts a proxy to the database of a postgres:// URL; it ends with the test.
func New(t testing.TB, database string) *Proxy {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{t: t, listen: l, target: u.Host, base: u, conns: map[net.Conn]bool{}}
	p.wg.Add(1)
	go p.accept()
	t.Cleanup(func() {
		l.Close()
		p.Cut()
		p.wg.Wait()
	})
	return p
}

// URL leads to the database through the proxy.
func (p *Proxy) URL() string {
	u := *p.base
	u.Host = p.listen.Addr().String()
	return u.String()
}

// OnCommit decides the fate of every COMMIT from now on; n counts them from 1. nil lets all through.
func (p *Proxy) OnCommit(fate func(n int) Fate) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fate, p.commits = fate, 0
}

// OnRequest decides the fate of everything that a client sends from now on, statements and COMMITs; n counts from 1. nil lets all
// through.
func (p *Proxy) OnRequest(fate func(n int) Fate) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.each, p.sent = fate, 0
}

// Requests counts what clients have sent since OnRequest.
func (p *Proxy) Requests() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sent
}

// Cut ends all connections and refuses new ones until Heal.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = true
	for c := range p.conns {
		c.Close()
	}
}

// Heal lets new connections through again.
func (p *Proxy) Heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = false
}

func (p *Proxy) accept() {
	defer p.wg.Done()
	for {
		c, err := p.listen.Accept()
		if err != nil {
			return
		}
		p.wg.Add(1)
		go p.serve(c)
	}
}

// enter registers the connections of one client; false: the proxy is cut.
func (p *Proxy) enter(conns ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut {
		return false
	}
	for _, c := range conns {
		p.conns[c] = true
	}
	return true
}

func (p *Proxy) leave(conns ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		delete(p.conns, c)
	}
}

func (p *Proxy) serve(client net.Conn) {
	defer p.wg.Done()
	defer client.Close()
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	defer server.Close()
	if !p.enter(client, server) {
		return
	}
	defer p.leave(client, server)
	back := make(chan struct{})
	var lost sync.Once
	deaf := make(chan struct{})
	go func() { // server → client
		defer close(back)
		buffer := make([]byte, 64<<10)
		for {
			n, err := server.Read(buffer)
			select {
			case <-deaf: // the reply is lost
				client.Close()
				return
			default:
			}
			if _, bad := client.Write(buffer[:n]); err != nil || bad != nil {
				client.Close()
				return
			}
		}
	}()
	p.forward(client, server, func() { lost.Do(func() { close(deaf) }) })
	server.Close()
	<-back
}

// commitMessage is how lib/pq sends COMMIT: a simple query.
var commitMessage = []byte("COMMIT\x00")

// forward passes on what the client sends.
func (p *Proxy) forward(client io.Reader, server io.Writer, loseReply func()) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := client.Read(buffer)
		if n > 0 {
			fate := p.request()
			if fate == Through && bytes.Contains(buffer[:n], commitMessage) {
				fate = p.next()
			}
			if fate == LostRequest {
				return
			}
			if fate == LostReply {
				loseReply()
			}
			if _, bad := server.Write(buffer[:n]); bad != nil {
				return
			}
			if fate == LostReply {
				_, _ = io.Copy(io.Discard, client) // until the reply was dropped
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (p *Proxy) next() Fate {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.commits++
	if p.fate == nil {
		return Through
	}
	return p.fate(p.commits)
}

func (p *Proxy) request() Fate {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent++
	if p.each == nil {
		return Through
	}
	return p.each(p.sent)
}
