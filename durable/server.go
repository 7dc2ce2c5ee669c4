package durable

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Server is a nats-server in this process.
type Server struct {
	server *server.Server
}

// ServerOption is an option of Embedded.
type ServerOption func(*server.Options) error

// Listen makes the server listen at an address, "127.0.0.1:4222", so that other
// processes can connect. Without it only Connect does. Whoever can reach the address
// can do everything: options for that are those of a nats-server of its own.
func Listen(address string) ServerOption {
	return func(o *server.Options) error {
		host, port, err := splitAddress(address)
		if err != nil {
			return fmt.Errorf("durable: listen: %w", err)
		}
		o.DontListen, o.Host, o.Port = false, host, port
		return nil
	}
}

// Cluster makes the server a node of a cluster: of this name, which listens at
// address for the other nodes and finds them at routes, addresses as well. name is
// that of the node, and stays the same when it is started again.
func Cluster(cluster, name, address string, routes ...string) ServerOption {
	return func(o *server.Options) error {
		host, port, err := splitAddress(address)
		if err != nil {
			return fmt.Errorf("durable: cluster: %w", err)
		}
		o.ServerName = name
		o.Cluster.Name, o.Cluster.Host, o.Cluster.Port = cluster, host, port
		for _, route := range routes {
			o.Routes = append(o.Routes, &url.URL{Scheme: "nats", Host: route})
		}
		return nil
	}
}

// MaxStore limits what the server stores, in bytes. When it is full new timers are
// refused with an error, and timers that are due wait until there is room.
func MaxStore(bytes int64) ServerOption {
	return func(o *server.Options) error {
		if bytes <= 0 {
			return fmt.Errorf("durable: a store of %d bytes: want at least 1", bytes)
		}
		o.JetStreamMaxStore = bytes
		return nil
	}
}

// SyncAlways makes the server bring each change to the disk before it answers. It
// does so every two minutes by default: what kill -9 leaves is complete, what a
// loss of power leaves may not be, unless there are replicas elsewhere.
func SyncAlways() ServerOption {
	return func(o *server.Options) error {
		o.SyncAlways = true
		return nil
	}
}

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

const startTimeout = 30 * time.Second

// Embedded starts a nats-server in this process that stores its streams in files
// under dir, which it makes unless it is there. No other server may use dir.
func Embedded(dir string, options ...ServerOption) (*Server, error) {
	if dir == "" {
		return nil, errors.New("durable: embedded server: want a folder")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("durable: embedded server: %w", err)
	}
	opts := &server.Options{DontListen: true, JetStream: true, StoreDir: dir, NoSigs: true, NoLog: true}
	for _, option := range options {
		if err := option(opts); err != nil {
			return nil, err
		}
	}
	if opts.DontListen && opts.Cluster.Name != "" {
		return nil, errors.New("durable: embedded server: a node of a cluster has clients elsewhere: want Listen as well as Cluster")
	}
	s, err := server.NewServer(opts)
	if err != nil {
		return nil, fmt.Errorf("durable: embedded server: %w", err)
	}
	go s.Start()
	if !s.ReadyForConnections(startTimeout) {
		s.Shutdown()
		return nil, fmt.Errorf("durable: embedded server in %s: not ready after %v: is its address in use?", dir, startTimeout)
	}
	return &Server{s}, nil
}

// Connect returns a connection to the server that reconnects without end. It needs
// no network.
func (s *Server) Connect(options ...nats.Option) (*nats.Conn, error) {
	options = append([]nats.Option{nats.InProcessServer(s.server), nats.MaxReconnects(-1)}, options...)
	nc, err := nats.Connect(s.server.ClientURL(), options...)
	if err != nil {
		return nil, fmt.Errorf("durable: connect to the embedded server: %w", err)
	}
	return nc, nil
}

// Close ends the server, once what it has stored is in its files.
func (s *Server) Close() error {
	s.server.Shutdown()
	s.server.WaitForShutdown()
	return nil
}
