package client_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// A fate is what happens to a request on its way through the proxy.
type fate int

const (
	through     fate = iota
	loseRequest      // the connection ends before the server hears of it
	loseReply        // the server does it, and the connection ends before the client hears of it
	cutReply         // half of the answer arrives
	busy             // a proxy says 503
)

// A proxy stands between a client and a server and loses things.
type proxy struct {
	*httptest.Server
	target string

	mu       sync.Mutex
	decide   func(r *http.Request) fate
	seen     []seen
	cutAfter int // bytes of a stream; 0: it is let through
}

// seen is a request that came by.
type seen struct{ method, path, key, body, last string }

func newProxy(t testing.TB, target string) *proxy {
	p := &proxy{target: target}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

// lose decides what becomes of requests from now on; nil: all go through.
func (p *proxy) lose(decide func(r *http.Request) fate) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.decide, p.seen = decide, nil
}

// times lets the first requests that end so have the fates, one each.
func (p *proxy) times(suffix string, fates ...fate) {
	p.lose(func(r *http.Request) fate {
		if len(fates) == 0 || !strings.HasSuffix(r.URL.Path, suffix) {
			return through
		}
		f := fates[0]
		fates = fates[1:]
		return f
	})
}

// requests gives those seen since lose whose path ends so.
func (p *proxy) requests(suffix string) []seen {
	p.mu.Lock()
	defer p.mu.Unlock()
	var out []seen
	for _, s := range p.seen {
		if strings.HasSuffix(s.path, suffix) {
			out = append(out, s)
		}
	}
	return out
}

func (p *proxy) fateOf(r *http.Request, body string) (fate, int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = append(p.seen, seen{r.Method, r.URL.Path, r.Header.Get("Idempotency-Key"), body, r.Header.Get("Last-Event-ID")})
	if p.decide == nil {
		return through, p.cutAfter
	}
	return p.decide(r), p.cutAfter
}

// ServeHTTP implements http.Handler.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	f, cutAfter := p.fateOf(r, string(body))
	switch f {
	case loseRequest:
		panic(http.ErrAbortHandler)
	case busy:
		w.Header().Set("Retry-After", "1")
		http.Error(w, "busy", http.StatusServiceUnavailable)
		return
	}
	res, err := p.pass(r, body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer res.Body.Close()
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		stream(w, res, cutAfter)
		return
	}
	text, err := io.ReadAll(res.Body)
	if err != nil || f == loseReply {
		panic(http.ErrAbortHandler)
	}
	for name, values := range res.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(res.StatusCode)
	if f == cutReply {
		_, _ = w.Write(text[:len(text)/2])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	_, _ = w.Write(text)
}

func (p *proxy) pass(r *http.Request, body []byte) (*http.Response, error) {
	out, err := http.NewRequestWithContext(r.Context(), r.Method, p.target+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	out.Header = r.Header.Clone()
	return http.DefaultTransport.RoundTrip(out)
}

// stream lets a stream through, or so many bytes of it.
func stream(w http.ResponseWriter, res *http.Response, cutAfter int) {
	w.Header().Set("Content-Type", res.Header.Get("Content-Type"))
	w.WriteHeader(res.StatusCode)
	buf := make([]byte, 4096)
	for sent := 0; ; {
		n, err := res.Body.Read(buf)
		if cutAfter > 0 {
			n = min(n, cutAfter-sent)
		}
		_, _ = w.Write(buf[:n])
		_ = http.NewResponseController(w).Flush()
		if sent += n; cutAfter > 0 && sent >= cutAfter {
			panic(http.ErrAbortHandler)
		}
		if err != nil {
			return
		}
	}
}
