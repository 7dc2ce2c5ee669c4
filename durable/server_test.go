//go:build unix

package durable

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// tryEmbedded returns the error of a server that may start, and stops it.
func tryEmbedded(dir string, options ...ServerOption) error {
	s, err := Embedded(dir, options...)
	if err == nil {
		s.Close()
	}
	return err
}

// waitForNote waits until the server of a folder has noted as many messages.
func waitForNote(t *testing.T, dir string, messages uint64) {
	t.Helper()
	waitFor(t, func() bool {
		var is inventory
		text, err := os.ReadFile(filepath.Join(dir, "timers.json"))
		sum := uint64(0)
		if err == nil && json.Unmarshal(text, &is) == nil {
			for _, n := range is.Streams["timers"] {
				sum += n
			}
		}
		return sum >= messages
	})
}

// One byte of the store changes after the server was killed. The loss is reported.
func TestLoss(t *testing.T) {
	t.Parallel()
	cl := startCluster(t, 1)
	c, _ := cl.open(t, Config{})
	const timers, messages = 2000, 100
	for i := range messages {
		setMany(t, c, timers/messages, fmt.Sprint(strings.Repeat("key", 30), i, "."), time.Hour)
	}
	dir := cl.roles[0].Dir
	waitForNote(t, dir, messages)
	time.Sleep(5 * time.Second / 2) // the next note has the rest
	cl.nodes[0].kill()
	blocks, err := filepath.Glob(filepath.Join(dir, "jetstream", "$G", "streams", "timers", "msgs", "*.blk"))
	if err != nil || len(blocks) == 0 {
		t.Fatalf("files of the store: %q, %v", blocks, err)
	}
	body, err := os.ReadFile(blocks[0])
	fatalIf(t, err)
	body[len(body)/2] ^= 1
	fatalIf(t, os.WriteFile(blocks[0], body, 0o600))
	var log logged
	for range 2 { // it is not forgotten
		err := tryEmbedded(dir, log.option())
		if !errors.Is(err, ErrLoss) || !strings.Contains(err.Error(), "stream timers") ||
			!strings.Contains(err.Error(), "messages there were until") {
			t.Fatalf("Embedded of a damaged store: %v, want %v", err, ErrLoss)
		}
	}
	s := embedded(t, dir, AcceptLoss(), log.option())
	if !log.has("a loss was accepted") {
		t.Errorf("log:\n%s", &log.text)
	}
	s.Close()
	s = embedded(t, dir, log.option())
	counts, err := open(t, connect(t, s), Config{}).Counts(t.Context())
	if err != nil || counts.Pending == 0 || counts.Pending >= timers {
		t.Errorf("Counts = %+v, %v: want some of the %d timers", counts, err, timers)
	}
	t.Logf("%d of %d timers are left", counts.Pending, timers)
}

// The server crashes again soon after a crash. The loss of timers set in between is reported.
func TestLossAfterCrashes(t *testing.T) {
	t.Parallel()
	cl := startCluster(t, 1)
	c, nc := cl.open(t, Config{})
	dir := cl.roles[0].Dir
	const timers = 150
	for round := range 2 {
		setMany(t, c, timers, fmt.Sprint(round, "."), time.Hour)
		waitForNote(t, dir, uint64(4*(round+1)))
		cl.nodes[0].kill()
		if round == 0 {
			cl.start(t, 0)
			waitFor(t, nc.IsConnected)
		}
	}
	fatalIf(t, os.RemoveAll(filepath.Join(dir, "jetstream")))
	var log logged
	if err := tryEmbedded(dir, log.option()); !errors.Is(err, ErrLoss) || !strings.Contains(err.Error(), "8 of the 8 messages") {
		t.Errorf("Embedded = %v, want %v of all timers", err, ErrLoss)
	}
}

// Timers that were cancelled or fired are not reported as lost.
func TestNoLoss(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for range 3 {
		s := embedded(t, dir)
		c := open(t, connect(t, s), Config{})
		fired := make(chan Fired, 100)
		stop := serveWith(t, c, func(_ context.Context, f Fired) error {
			fired <- f
			return nil
		})
		setMany(t, c, 50, "fires", 0)
		setMany(t, c, 50, "key", time.Hour)
		for range 50 {
			receive(t, fired)
		}
		for i := range 50 {
			mustCancel(t, c, fmt.Sprint("key", i))
		}
		stop()
		s.Close()
	}
	name := filepath.Join(dir, "timers.json")
	fatalIf(t, os.WriteFile(name, []byte("{"), 0o600))
	if err := tryEmbedded(dir); err == nil || !strings.Contains(err.Error(), "timers.json") {
		t.Errorf("with a note that cannot be read: %v", err)
	}
}

// certificates returns a certificate for the server and its clients, and a pool with its issuer.
func certificates(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	fatalIf(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	fatalIf(t, err)
	leaf, err := x509.ParseCertificate(der)
	fatalIf(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

// A client needs the credentials that the server requires.
func TestSecurity(t *testing.T) {
	t.Parallel()
	certificate, pool := certificates(t)
	encrypted := &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
	mutual := encrypted.Clone()
	mutual.ClientAuth, mutual.ClientCAs = tls.RequireAndVerifyClientCert, pool
	client := nats.Secure(&tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12})
	known := nats.Secure(&tls.Config{RootCAs: pool, Certificates: encrypted.Certificates, MinVersion: tls.VersionTLS12})
	for name, test := range map[string]struct {
		option ServerOption
		good   nats.Option
		bad    []nats.Option
	}{
		"password": {Password("me", "secret"), nats.UserInfo("me", "secret"),
			[]nats.Option{nats.UserInfo("me", "wrong"), nats.Token("secret"), nats.Name("")}},
		"token": {Token("secret"), nats.Token("secret"), []nats.Option{nats.Token("wrong"), nats.Name("")}},
		"TLS": {TLS(encrypted), client,
			[]nats.Option{nats.Name(""), nats.Secure(&tls.Config{MinVersion: tls.VersionTLS12})}},
		"certificates": {TLS(mutual), known, []nats.Option{client, nats.Name("")}},
	} {
		t.Run(name, func(t *testing.T) {
			address := addresses(t, 1)[0]
			var log logged // of those that are turned away
			s := embedded(t, t.TempDir(), Listen(address), test.option, log.option())
			for i, option := range test.bad {
				if nc, err := nats.Connect("nats://"+address, option); err == nil {
					nc.Close()
					t.Errorf("bad client %d is let in", i)
				}
			}
			waitFor(t, func() bool { // the server gives a client little time for its credentials
				nc, err := nats.Connect("nats://"+address, test.good, nats.Timeout(time.Minute))
				if err != nil {
					return false
				}
				defer nc.Close()
				c, err := Open(t.Context(), nc, Config{})
				return err == nil && c.Schedule(t.Context(), "key", time.Now(), nil) == nil
			})
			if f := receive(t, serve(t, open(t, connect(t, s), Config{}))); f.Key != "key" {
				t.Errorf("fired %+v", f)
			}
		})
	}
}

// Nodes of a cluster authenticate each other like clients, and refuse other nodes.
func TestSecureCluster(t *testing.T) {
	t.Parallel()
	certificate, pool := certificates(t)
	mutual := &tls.Config{Certificates: []tls.Certificate{certificate}, RootCAs: pool,
		MinVersion: tls.VersionTLS12, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool}
	list := addresses(t, 6)
	var log logged
	node := func(i int, token string) *Server {
		return embedded(t, t.TempDir(), Listen(list[i]), Cluster("c", fmt.Sprint("node", i), list[3+i], list[3:5]...),
			Token(token), TLS(mutual), log.option())
	}
	nc := connect(t, node(0, "secret"))
	node(1, "secret")
	open(t, nc, Config{Replicas: 2})
	if log.has("uthentication error") {
		t.Errorf("log:\n%s", &log.text)
	}
	node(2, "wrong")
	waitFor(t, func() bool { return log.has("uthentication error") || log.has("uthorization") })
}

// Embedded refuses invalid options, and access for other machines without authentication. A server that cannot start
// returns an error at once, with the reason.
func TestEmbeddedRefuses(t *testing.T) {
	t.Parallel()
	used, unreadable := t.TempDir(), t.TempDir()
	s := embedded(t, used)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	fatalIf(t, err)
	t.Cleanup(func() { l.Close() })
	fatalIf(t, os.WriteFile(filepath.Join(unreadable, "jetstream"), nil, 0o600))
	certificate, _ := certificates(t)
	taken, list := l.Addr().String(), addresses(t, 2)
	port := list[0][len("127.0.0.1"):]
	encrypted := TLS(&tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12})
	loopback, all := Listen(list[1]), Listen("0.0.0.0"+port)
	const open, ok = "other machines would have full access", ""
	for name, test := range map[string]struct {
		dir     string // "": a new one
		options []ServerOption
		want    string // an error with this
	}{
		"folder in use":          {used, nil, fmt.Sprintf("in use by another server, process %d on ", os.Getpid())},
		"folder unreadable":      {unreadable, nil, "storage directory"},
		"port in use":            {"", []ServerOption{Listen(taken)}, taken},
		"node, port in use":      {"", []ServerOption{Listen(taken), Cluster("c", "n", list[0], list[0])}, taken},
		"cluster without Listen": {"", []ServerOption{Cluster("c", "n", "127.0.0.1:1")}, "want Listen"},
		"no port":                {"", []ServerOption{Listen("127.0.0.1")}, "missing port"},
		"port 0":                 {"", []ServerOption{Listen("127.0.0.1:0")}, "port from 1 to 65535"},
		"store of 0 bytes":       {"", []ServerOption{MaxStore(0)}, "at least 1"},
		"no password":            {"", []ServerOption{Password("me", "")}, "a user and a password"},
		"all":                    {"", []ServerOption{all}, open},
		"empty":                  {"", []ServerOption{Listen(port)}, open},
		"encrypted":              {"", []ServerOption{all, encrypted}, open},
		"node":                   {"", []ServerOption{loopback, Cluster("c", "n", "0.0.0.0"+port)}, open},
		"password":               {"", []ServerOption{all, Password("me", "secret")}, ok},
		"Insecure":               {"", []ServerOption{all, Insecure()}, ok},
		"loopback":               {"", []ServerOption{loopback}, ok},
		"loopback name":          {"", []ServerOption{Listen("localhost" + port)}, ok},
	} {
		var log logged
		begin := time.Now()
		err := tryEmbedded(cmp.Or(test.dir, t.TempDir()), append(test.options, log.option())...)
		if (err == nil) != (test.want == ok) || err != nil && (!strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), test.dir)) {
			t.Errorf("%s: %v, want an error with %q", name, err, test.want)
		}
		if took := time.Since(begin); took > 10*time.Second {
			t.Errorf("%s: the error comes after %v", name, took)
		}
	}
	s.Close()
	embedded(t, used)
}
