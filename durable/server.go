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
	"sync/atomic"

	"github.com/gofrs/flock"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/timerbench/timerbench/durable/internal/folder"
)

// Server is a nats-server in this process. Embedded starts it.
type Server struct {
	dir        string
	opts       *server.Options
	log        *slog.Logger
	maxStore   int64
	listens    bool
	insecure   bool
	acceptLoss bool

	lock  *flock.Flock
	stop  context.CancelFunc
	ended chan struct{} // closed when the server has stopped for good
	err   error         // the reason, unless Close; valid once ended is closed

	current atomic.Pointer[server.Server] // nil while it is down
}

// ServerOption is an option of Embedded.
type ServerOption func(*Server) error

// option returns an option that calls set, or fails if its argument is not valid.
func option(valid bool, set func(*Server), format string, args ...any) ServerOption {
	return func(s *Server) error {
		if !valid {
			return fmt.Errorf("durable: "+format, args...)
		}
		set(s)
		return nil
	}
}

// Listen makes the server listen at an address, such as "127.0.0.1:4222", so that other processes can connect.
// Without it only Connect works. Clients have full access. Therefore Embedded refuses an address that other
// machines can reach, unless it has Password, Token, TLS with client certificates, or Insecure.
func Listen(address string) ServerOption {
	host, port, err := splitAddress(address)
	return option(err == nil, func(s *Server) {
		s.listens, s.opts.Host, s.opts.Port = true, host, port
	}, "listen: %w", err)
}

// Cluster makes the server the node name of a cluster. It listens at address for the other nodes,
// and finds them at the addresses in routes. The name of a node must stay the same when it is
// restarted. The nodes authenticate each other with Password, Token and TLS.
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

// Password makes the server require this user and password from clients and from the nodes of its cluster.
func Password(user, password string) ServerOption {
	return option(user != "" && password != "",
		func(s *Server) { s.opts.Username, s.opts.Password = user, password },
		"embedded server: want a user and a password")
}

// Token makes the server require this token from clients and from the nodes of its cluster.
func Token(token string) ServerOption {
	return option(token != "", func(s *Server) { s.opts.Authorization = token }, "embedded server: want a token")
}

// TLS makes the server accept TLS only, with the Certificates of config. With ClientAuth
// tls.RequireAndVerifyClientCert, clients need a certificate signed by ClientCAs. The nodes of a
// cluster connect to each other in the same way, and verify each other by RootCAs.
func TLS(config *tls.Config) ServerOption {
	return option(len(config.Certificates) > 0 || config.GetCertificate != nil, func(s *Server) {
		s.opts.TLS, s.opts.TLSConfig = true, config
		s.opts.TLSVerify = config.ClientAuth == tls.RequireAndVerifyClientCert
	}, "embedded server: TLS: want a certificate")
}

// Insecure gives full access to anybody who can reach the address of Listen or Cluster.
func Insecure() ServerOption { return option(true, func(s *Server) { s.insecure = true }, "") }

// MaxStore limits the store of the server, in bytes. The default is half of the free disk, which is also the
// maximum. A tenth is reserved: new timers are refused with ErrFull, and existing ones
// can be moved and cancelled, and fire. In a cluster it is the limit of this node, and nothing is reserved.
func MaxStore(bytes int64) ServerOption {
	return option(bytes > 0, func(s *Server) { s.maxStore = bytes }, "a store of %d bytes: want at least 1", bytes)
}

// SyncAlways makes the server sync each change to the disk before it answers. By default it syncs every two minutes:
// the files are complete after kill -9, but possibly not after a power loss, against which replicas protect as well.
func SyncAlways() ServerOption {
	return option(true, func(s *Server) { s.opts.SyncAlways = true }, "")
}

// AcceptLoss makes Embedded start even if its store has lost timers. See ErrLoss.
func AcceptLoss() ServerOption { return option(true, func(s *Server) { s.acceptLoss = true }, "") }

// Log sets the logger for warnings and errors of the server. The default is slog.Default.
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

// Embedded starts a nats-server in this process. It stores its streams in files under dir, which it creates if
// necessary and locks: it is an error if another server uses dir. It is also an error if the store has lost
// timers since the last run, ErrLoss, except in a cluster, where a node gets its data back from the others.
//
// If the store can no longer be written, for example because the disk is full, the server stops
// until it can. Then clients reconnect and workers continue.
func Embedded(dir string, options ...ServerOption) (*Server, error) {
	if dir == "" {
		return nil, errors.New("durable: embedded server: no folder given")
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
		return nil, errors.Join(fmt.Errorf("durable: embedded server in %s: %w", dir, err), s.lock.Close())
	}
	var ctx context.Context
	ctx, s.stop = context.WithCancel(context.Background())
	go s.watch(ctx)
	return s, nil
}

// complete checks the combination of options, and sets the options that follow from them.
func (s *Server) complete() error {
	o := s.opts
	node := o.Cluster.Name != ""
	if node && !s.listens {
		return errors.New("durable: embedded server: clients must reach a node of a cluster: " +
			"want Listen as well as Cluster")
	}
	secret := o.Username != "" || o.Authorization != ""
	open := s.listens && !isLoopback(o.Host) || node && !isLoopback(o.Cluster.Host)
	if open && !secret && !o.TLSVerify && !s.insecure {
		return errors.New("durable: embedded server: other machines would have full access: " +
			"want a password, a token, client certificates, an address of this machine only, or Insecure")
	}
	// A single server listens once its store has been checked. Its limit is that of the account,
	// because clients can read that one.
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

// Connect returns a connection to the server that reconnects without limit. It needs no network and no credentials.
func (s *Server) Connect(options ...nats.Option) (*nats.Conn, error) {
	own := []nats.Option{nats.InProcessServer(s), nats.MaxReconnects(-1), nats.Timeout(startTimeout),
		nats.UserInfo(s.opts.Username, s.opts.Password), nats.Token(s.opts.Authorization)}
	nc, err := nats.Connect("", append(own, options...)...)
	if err != nil {
		return nil, fmt.Errorf("durable: connect to the embedded server: %w", err)
	}
	return nc, nil
}

// InProcessConn implements the interface of nats.InProcessServer. Use Connect instead.
func (s *Server) InProcessConn() (net.Conn, error) {
	if n := s.current.Load(); n != nil {
		return n.InProcessConn()
	}
	return nil, errors.New("durable: the embedded server is stopped")
}

// Wait blocks until the server has stopped for good. It returns nil after Close, and otherwise the
// error that prevented a restart.
func (s *Server) Wait() error {
	<-s.ended
	return s.err
}

// Close stops the server, writes its data to its files, and returns the result of Wait.
func (s *Server) Close() error {
	s.stop()
	return s.Wait()
}
