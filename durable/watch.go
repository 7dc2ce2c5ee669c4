package durable

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/timerbench/timerbench/durable/internal/folder"
	"github.com/timerbench/timerbench/internal/files"
)

const (
	startTimeout = 30 * time.Second
	watchPause   = time.Second
)

// start starts the nats-server, checks its store, and lets it listen.
func (s *Server) start() error {
	n, err := server.NewServer(s.opts.Clone())
	if err != nil {
		return err
	}
	l := &serverLog{log: s.log.With("from", "nats-server"), fatal: make(chan error, 1)}
	n.SetLoggerV2(l, false, false, false)
	go n.Start()
	ready := make(chan bool, 1)
	go func() { ready <- n.ReadyForConnections(startTimeout) }()
	select {
	case ok := <-ready:
		if !ok {
			err = fmt.Errorf("not ready after %v", startTimeout)
		}
	case err = <-l.fatal:
	}
	s.current.Store(n)
	if err == nil && s.opts.DontListen {
		err = errors.Join(s.limitStore(n), s.checkStore())
	}
	if err == nil && s.opts.DontListen && s.listens {
		n.AcceptLoop(make(chan struct{}))
	}
	select {
	case err = <-l.fatal:
	default:
	}
	if err != nil {
		s.shutdown()
	}
	return err
}

func (s *Server) shutdown() {
	n := s.current.Swap(nil)
	n.Shutdown()
	n.WaitForShutdown()
}

// watch keeps the server running until ctx ends or an error is final.
func (s *Server) watch(ctx context.Context) {
	defer close(s.ended)
	defer func() { _ = s.lock.Close() }() // nothing is written to it
	next, before := time.Now(), ""
	for sleep(ctx, watchPause) == nil {
		if err := s.broken(); err != nil {
			if text := err.Error(); text != before { // a stream that is being created or removed is reported, too: look again
				before = text
				continue
			}
			if s.err = s.restart(ctx, err); s.err != nil || s.current.Load() == nil {
				return
			}
		}
		before = ""
		if !s.opts.DontListen {
			continue
		}
		if err := s.limitStore(s.current.Load()); err != nil {
			s.log.Warn("the limit of the store could not be updated", "error", err)
		}
		begin := time.Now()
		if begin.After(next) {
			s.noteStore()
			next = time.Now().Add(countShare*time.Since(begin) - watchPause)
		}
	}
	if s.opts.DontListen {
		s.noteStore()
	}
	s.shutdown()
}

// broken returns why the server can no longer store messages, or nil. A node of a cluster turns
// its store off in that case.
func (s *Server) broken() error {
	health := s.current.Load().Healthz(&server.HealthzOptions{JSEnabledOnly: !s.opts.DontListen})
	if health.Error != "" {
		return errors.New(health.Error)
	}
	return nil
}

// restart shuts the server down, and starts it again as soon as the store can be written. If ctx
// ends first, the server stays down.
func (s *Server) restart(ctx context.Context, cause error) error {
	s.log.Error("the store cannot be written: the server is down until it can", "folder", s.dir, "error", cause)
	s.shutdown()
	for probe(s.dir) != nil {
		if sleep(ctx, watchPause) != nil {
			return nil
		}
	}
	if err := s.start(); err != nil {
		return fmt.Errorf("durable: embedded server in %s, which could not write its store (%w): "+
			"start again: %w", s.dir, cause, err)
	}
	s.log.Warn("the store can be written again: the server is up", "folder", s.dir)
	return nil
}

// probe returns the error of writing and syncing a file in dir.
func probe(dir string) error {
	const size = 128 << 10 // enough for the server to start and store some messages
	name := filepath.Join(dir, "probe")
	if err := files.WriteBytes(name, make([]byte, size)); err != nil {
		return err
	}
	return os.Remove(name)
}

// limitStore sets the limit of the account to MaxStore, and at most to half of what is stored plus the
// free disk: the server appends changes, and rewrites a file once half of it has been replaced. It
// reserves a few files more for the last one and the one being rewritten.
func (s *Server) limitStore(n *server.Server) error {
	room, err := folder.Room(s.dir)
	if err != nil {
		return err
	}
	info, err := n.Jsz(nil)
	if err != nil {
		return err
	}
	const files = 4 * 8 << 20
	limit := room + int64(info.Store)
	limit = (limit - min(limit/2, files)) / 2
	return n.GlobalAccount().UpdateJetStreamLimits(map[string]server.JetStreamAccountLimits{"": {
		MaxMemory: -1, MaxStore: max(min(limit, s.maxStore), 1), MaxStreams: -1, MaxConsumers: -1,
		MaxAckPending: -1, MemoryMaxStreamBytes: -1, StoreMaxStreamBytes: -1,
	}})
}

// serverLog is the log of the nats-server.
type serverLog struct {
	log   *slog.Logger
	fatal chan error // receives the first error that prevents the start
}

// Noticef logs at level Debug: each start and stop has several lines.
func (l *serverLog) Noticef(format string, v ...any) { l.log.Debug(fmt.Sprintf(format, v...)) }

// Warnf logs a warning.
func (l *serverLog) Warnf(format string, v ...any) { l.log.Warn(fmt.Sprintf(format, v...)) }

// Errorf logs an error.
func (l *serverLog) Errorf(format string, v ...any) { l.log.Error(fmt.Sprintf(format, v...)) }

// Fatalf reports an error that prevents the start.
func (l *serverLog) Fatalf(format string, v ...any) {
	select {
	case l.fatal <- fmt.Errorf(format, v...):
	default:
		l.Errorf(format, v...)
	}
}

// Debugf is never called, because debugging is off.
func (l *serverLog) Debugf(string, ...any) {}

// Tracef is never called, because tracing is off.
func (l *serverLog) Tracef(string, ...any) {}
