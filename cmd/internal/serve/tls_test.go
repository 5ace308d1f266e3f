package serve

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// write puts a certificate of a serial number and its key into two files, written at an instant.
func (p *pair) write(t *testing.T, serial int64, at time.Time) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	plain := &x509.Certificate{SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "localhost"}, NotAfter: time.Now().Add(time.Hour)}
	cert, err := x509.CreateCertificate(rand.Reader, plain, plain, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{p.cert: {Type: "CERTIFICATE", Bytes: cert}, p.key: {Type: "EC PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
}

func (p *pair) serial(t *testing.T) int64 {
	t.Helper()
	p.looked = time.Time{} // as if a while had passed
	got, err := p.get(nil)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(got.Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	return leaf.SerialNumber.Int64()
}

func TestARenewedCertificateIsTaken(t *testing.T) {
	folder, now := t.TempDir(), time.Now()
	p := &pair{cert: filepath.Join(folder, "cert.pem"), key: filepath.Join(folder, "key.pem"), log: slog.New(slog.DiscardHandler)}
	if _, err := p.get(nil); err == nil {
		t.Error("missing files are no fault")
	}
	p.write(t, 1, now)
	if got := p.serial(t); got != 1 {
		t.Errorf("got %d", got)
	}
	if err := os.WriteFile(p.cert, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := p.serial(t); got != 1 {
		t.Errorf("half a file took the place of the old one: %d", got)
	}
	p.write(t, 2, now.Add(time.Minute))
	if got := p.serial(t); got != 2 {
		t.Errorf("got %d", got)
	}
}
