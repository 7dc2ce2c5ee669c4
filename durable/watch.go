package durable

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

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

// ErrLoss is returned by Embedded if the logs of timers hold fewer messages than the server has noted: files were damaged,
// removed or replaced, or the power failed before they were on the disk. The server skips damaged messages, so the timers in
// them are lost for good once it has started: restore the folder from a copy, or go on with AcceptLoss.
var ErrLoss = errors.New("timers are missing")

// The server counts the messages each second, or less often with many partitions: counting takes at most this part of the
// time.
const countShare = 50

// inventory is how many messages the logs of a store have had at some time, by partition. These numbers never fall: a base
// says how many messages were removed.
type inventory struct {
	At      time.Time
	Streams map[string][]uint64
}

func (s *Server) inventoryPath() string { return filepath.Join(s.dir, "timers.json") }

func (s *Server) readInventory() (is inventory, err error) {
	text, err := os.ReadFile(s.inventoryPath())
	if errors.Is(err, fs.ErrNotExist) {
		return is, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &is)
	}
	if err != nil {
		return inventory{}, fmt.Errorf("%s, with the number of messages in the store, cannot be read: %w",
			s.inventoryPath(), err)
	}
	return is, nil
}

// checkStore compares the store with the last inventory, and takes another one.
func (s *Server) checkStore() error {
	was, lost := s.readInventory()
	is, err := s.takeInventory()
	if err != nil {
		return err
	}
	for name, logs := range was.Streams {
		missing, all := uint64(0), uint64(0)
		for i, n := range logs {
			now := uint64(0)
			if i < len(is.Streams[name]) {
				now = is.Streams[name][i]
			}
			missing, all = missing+n-min(n, now), all+n
		}
		if missing > 0 {
			lost = errors.Join(lost, fmt.Errorf("stream %s: %w: %d of the %d messages there were until %s",
				name, ErrLoss, missing, all, was.At.Format(time.RFC3339)))
		}
	}
	if lost != nil && !s.acceptLoss {
		return lost
	}
	if lost != nil {
		s.log.Warn("a loss was accepted", "folder", s.dir, "error", lost)
	}
	return s.writeInventory(is)
}

// noteStore writes the number of messages to a file.
func (s *Server) noteStore() {
	is, err := s.takeInventory()
	if err == nil {
		err = s.writeInventory(is)
	}
	if err != nil {
		s.log.Warn("the number of messages in the store could not be noted", "folder", s.dir, "error", err)
	}
}

func (s *Server) writeInventory(is inventory) error {
	text, err := json.Marshal(is)
	if err != nil {
		return err
	}
	return files.WriteBytes(s.inventoryPath(), text)
}

// takeInventory counts the messages of each log.
func (s *Server) takeInventory() (inventory, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
	defer cancel()
	nc, err := s.Connect()
	for err != nil && sleep(ctx, watchPause/4) == nil { // a busy server closes connections
		nc, err = s.Connect()
	}
	if err != nil {
		return inventory{}, err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return inventory{}, err
	}
	get, err := nc.JetStream()
	if err != nil {
		return inventory{}, err
	}
	is := inventory{At: time.Now(), Streams: make(map[string][]uint64)}
	list := js.ListStreams(ctx)
	for info := range list.Info() {
		name := info.Config.Name
		partitions, err := strconv.Atoi(info.Config.Metadata[metadataPartitions])
		if err != nil || partitions < 1 || partitions > maxPartitions || checkStream(info.Config, layout{name: name}) != nil {
			continue // it has no timers
		}
		stream, err := js.Stream(ctx, name)
		if err != nil {
			return inventory{}, err
		}
		c := &Client{nc: nc, get: get, stream: stream, layout: layout{name, partitions}}
		for n := range partitions {
			total, err := c.messages(ctx, n)
			if err != nil {
				return inventory{}, err
			}
			is.Streams[name] = append(is.Streams[name], total)
		}
	}
	return is, list.Err()
}

// messages returns how many messages the log of a partition has had. It counts again if the log was cleaned meanwhile.
func (c *Client) messages(ctx context.Context, partition int) (uint64, error) {
	for {
		b, err := c.readBase(ctx, partition)
		if err != nil {
			return 0, err
		}
		n, err := c.count(ctx, c.layout.log(partition), b.First)
		if err != nil {
			return 0, err
		}
		if now, err := c.readBase(ctx, partition); err != nil || now.seq == b.seq {
			return b.Removed + n, err
		}
	}
}
