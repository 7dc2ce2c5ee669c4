package durable

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/url"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/timerbench/timerbench/durable/internal/folder"
)

// Server is a nats-server in this process.
type Server struct {
	dir        string
	opts       *server.Options
	log        *slog.Logger
	maxStore   int64
	listens    bool
	insecure   bool
	acceptLoss bool

	lock  *os.File
	stop  context.CancelFunc
	ended chan struct{} // closed when the server is down for good
	err   error         // why, but by Close; to be read once ended is closed

	// Of the goroutine that watches, by stream.
	last    map[string]uint64 // the last message, a tick ago
	extra   map[string]uint64 // at most so many timers were back after a crash
	settled time.Time         // when they are gone again

	mu      sync.Mutex
	current *server.Server // nil while it is down
}

// ServerOption is an option of Embedded.
type ServerOption func(*Server) error

// option returns one that sets something, if what was passed is valid.
func option(valid bool, set func(*Server), format string, args ...any) ServerOption {
	return func(s *Server) error {
		if !valid {
			return fmt.Errorf("durable: "+format, args...)
		}
		set(s)
		return nil
	}
}

// Listen makes the server listen at an address, "127.0.0.1:4222", so that other
// processes can connect. Without it only Connect does. Whoever can reach the address
// can do everything: one that other machines reach is refused without Password, Token
// or TLS that asks for certificates, unless there is Insecure.
func Listen(address string) ServerOption {
	host, port, err := splitAddress(address)
	return option(err == nil, func(s *Server) {
		s.listens, s.opts.Host, s.opts.Port = true, host, port
	}, "listen: %w", err)
}

// Cluster makes the server a node of a cluster: of this name, which listens at
// address for the other nodes and finds them at routes, addresses as well. name is
// that of the node, and stays the same when it is started again. The nodes know each
// other by what Password, Token and TLS say.
func Cluster(cluster, name, address string, routes ...string) ServerOption {
	host, port, err := splitAddress(address)
	return option(err == nil, func(s *Server) {
		s.opts.ServerName = name
		s.opts.Cluster.Name, s.opts.Cluster.Host, s.opts.Cluster.Port = cluster, host, port
		for _, route := range routes {
			s.opts.Routes = append(s.opts.Routes, &url.URL{Scheme: "nats", Host: route})
		}
	}, "cluster: %w", err)
}

// Password makes the server ask clients, and nodes of its cluster, for a user and a
// password.
func Password(user, password string) ServerOption {
	return option(user != "" && password != "",
		func(s *Server) { s.opts.Username, s.opts.Password = user, password },
		"embedded server: want a user and a password")
}

// Token makes the server ask clients, and nodes of its cluster, for a token.
func Token(token string) ServerOption {
	return option(token != "", func(s *Server) { s.opts.Authorization = token },
		"embedded server: want a token")
}

// TLS makes the server speak TLS only, with its Certificates. With ClientAuth
// tls.RequireAndVerifyClientCert clients have to show a certificate of ClientCAs. A
// node of a cluster speaks to the others in the same way, as a client by RootCAs.
func TLS(config *tls.Config) ServerOption {
	return option(len(config.Certificates) > 0 || config.GetCertificate != nil, func(s *Server) {
		s.opts.TLS, s.opts.TLSConfig = true, config
		s.opts.TLSVerify = config.ClientAuth == tls.RequireAndVerifyClientCert
	}, "embedded server: TLS: want a certificate")
}

// Insecure lets anybody who reaches the address of Listen or Cluster do everything.
func Insecure() ServerOption { return option(true, func(s *Server) { s.insecure = true }, "") }

// MaxStore limits what the server stores, in bytes. It is limited by the room on the
// disk in any case. When the last tenth is begun new timers are refused with ErrFull;
// those that are there can be moved and cancelled, and fire. In a cluster it is the
// limit of this node, and nothing is kept back.
func MaxStore(bytes int64) ServerOption {
	return option(bytes > 0, func(s *Server) { s.maxStore = bytes },
		"a store of %d bytes: want at least 1", bytes)
}

// SyncAlways makes the server bring each change to the disk before it answers. It
// does so every two minutes by default: what kill -9 leaves is complete, what a
// loss of power leaves may not be, unless there are replicas elsewhere.
func SyncAlways() ServerOption {
	return option(true, func(s *Server) { s.opts.SyncAlways = true }, "")
}

// AcceptLoss makes Embedded go on with a store that has lost timers. See ErrLoss.
func AcceptLoss() ServerOption { return option(true, func(s *Server) { s.acceptLoss = true }, "") }

// Log is where the warnings and errors of the server go, by default to slog.Default.
func Log(to *slog.Logger) ServerOption { return option(true, func(s *Server) { s.log = to }, "") }

func splitAddress(address string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, err
	}
	if port, err = strconv.Atoi(text); err != nil || port < 1 || port > 65535 {
		return "", 0, fmt.Errorf("address %q: want a port from 1 to 65535", address)
	}
	return host, port, nil
}

// Embedded starts a nats-server in this process that stores its streams in files
// under dir, which it makes unless it is there. It locks dir: another server that uses
// it is an error. So is a store that has lost timers since it was last looked at, but
// in a cluster, where a node gets from the others what it has lost: see ErrLoss.
//
// Where the store cannot be written any more, as the disk is full, the server is shut
// down until it can. Clients and workers that reconnect go on then.
func Embedded(dir string, options ...ServerOption) (*Server, error) {
	if dir == "" {
		return nil, errors.New("durable: embedded server: want a folder")
	}
	s := &Server{
		dir:      dir,
		opts:     &server.Options{JetStream: true, StoreDir: dir, NoSigs: true},
		log:      slog.Default(),
		maxStore: math.MaxInt64,
		ended:    make(chan struct{}),
	}
	for _, option := range options {
		if err := option(s); err != nil {
			return nil, err
		}
	}
	if err := s.complete(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("durable: embedded server: %w", err)
	}
	var err error
	if s.lock, err = folder.Lock(dir); err != nil {
		return nil, fmt.Errorf("durable: embedded server: %w", err)
	}
	if err := s.start(); err != nil {
		return nil, errors.Join(fmt.Errorf("durable: embedded server in %s: %w", dir, err),
			s.lock.Close())
	}
	var ctx context.Context
	ctx, s.stop = context.WithCancel(context.Background())
	go s.watch(ctx)
	return s, nil
}

// complete checks the options against each other, and fills in what follows from them.
func (s *Server) complete() error {
	o := s.opts
	node := o.Cluster.Name != ""
	if node && !s.listens {
		return errors.New("durable: embedded server: a node of a cluster has clients elsewhere: " +
			"want Listen as well as Cluster")
	}
	secret := o.Username != "" || o.Authorization != ""
	open := s.listens && !isLoopback(o.Host) || node && !isLoopback(o.Cluster.Host)
	if open && !secret && !o.TLSVerify && !s.insecure {
		return errors.New("durable: embedded server: other machines could do everything: " +
			"want a password, a token, certificates of clients, an address of this machine only, or Insecure")
	}
	// A single server listens once its store has been looked at, and has its limit as
	// that of the account, which clients can ask for.
	o.DontListen = !node
	if !node {
		o.JetStreamMaxStore = math.MaxInt64 / 2
		return nil
	}
	if s.maxStore < math.MaxInt64 {
		o.JetStreamMaxStore = s.maxStore
	}
	if secret {
		o.Cluster.Username, o.Cluster.Password = o.Username, o.Password
		if o.Authorization != "" {
			o.Cluster.Username, o.Cluster.Password = "token", o.Authorization
		}
		for _, route := range o.Routes {
			route.User = url.UserPassword(o.Cluster.Username, o.Cluster.Password)
		}
	}
	if o.TLSConfig != nil {
		o.Cluster.TLSConfig = o.TLSConfig.Clone()
	}
	return nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Connect returns a connection to the server that reconnects without end. It needs
// no network, and no password.
func (s *Server) Connect(options ...nats.Option) (*nats.Conn, error) {
	own := []nats.Option{nats.InProcessServer(s), nats.MaxReconnects(-1)}
	if s.opts.Username != "" {
		own = append(own, nats.UserInfo(s.opts.Username, s.opts.Password))
	}
	if s.opts.Authorization != "" {
		own = append(own, nats.Token(s.opts.Authorization))
	}
	nc, err := nats.Connect("", append(own, options...)...)
	if err != nil {
		return nil, fmt.Errorf("durable: connect to the embedded server: %w", err)
	}
	return nc, nil
}

// InProcessConn is what nats.InProcessServer needs. Use Connect.
func (s *Server) InProcessConn() (net.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		return nil, errors.New("durable: the embedded server is down")
	}
	return s.current.InProcessConn()
}

// Wait returns nil when the server has been closed, and an error when it cannot go
// on: it stays down.
func (s *Server) Wait() error {
	<-s.ended
	return s.err
}

// Close ends the server, once what it has stored is in its files.
func (s *Server) Close() error {
	s.stop()
	return s.Wait()
}
