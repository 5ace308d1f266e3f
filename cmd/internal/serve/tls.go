package serve

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"
)

// secure puts TLS around a listener when there is a certificate.
func (o Options) secure(listener net.Listener) (net.Listener, error) {
	if o.CertFile == "" {
		return listener, nil
	}
	p := &pair{cert: o.CertFile, key: o.KeyFile, log: o.Log}
	if _, err := p.get(nil); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return tls.NewListener(listener, &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}, GetCertificate: p.get}), nil
}

// A pair is a certificate with its key, read again when one of the files has changed, so that a renewed certificate needs no
// restart. Files that are half written keep the pair that was read last.
type pair struct {
	cert, key string
	log       *slog.Logger

	mu     sync.Mutex
	loaded *tls.Certificate
	seen   [2]time.Time
	looked time.Time
}

// lookEvery is how often the files are looked at.
const lookEvery = time.Second

func (p *pair) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.loaded != nil && time.Since(p.looked) < lookEvery {
		return p.loaded, nil
	}
	p.looked = time.Now()
	now := [2]time.Time{changed(p.cert), changed(p.key)}
	if p.loaded != nil && now == p.seen {
		return p.loaded, nil
	}
	read, err := tls.LoadX509KeyPair(p.cert, p.key)
	switch {
	case err == nil:
		p.loaded, p.seen = &read, now
	case p.loaded == nil:
		return nil, fmt.Errorf("cannot read the certificate %s with the key %s: %w", p.cert, p.key, err)
	default:
		p.log.Warn("the new certificate cannot be read; the old one is kept", "file", p.cert, "error", err)
	}
	return p.loaded, nil
}

// changed is when a file was last written; a missing one was at no time.
func changed(file string) time.Time {
	info, err := os.Stat(file)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
