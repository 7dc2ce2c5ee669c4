package durable

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/timerbench/timerbench/internal/files"
)

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

// ErrFull is returned by methods that set timers if the rest of the store is reserved for moving,
// cancelling and firing the existing ones. It has room again when timers fire or are cancelled.
var ErrFull = errors.New("durable: the store is full")

// A tenth of the store is reserved, at most maxKept. Moves and cancels may use half of the tenth, and what
// fires timers a quarter. Errors of dead letters need four times the tenth. The rest is for what cleans the logs and so makes room, and for signs of life.
const maxKept, muchRoom = 1 << 30, 1 << 28

const (
	lookPause   = 250 * time.Millisecond // between requests for the room that is left
	noLimit     = 10 * time.Second       // the same, if the server has no limit or does not tell it
	lookTimeout = time.Second            // of requests for metrics
)

type space struct {
	mutex
	keeps  float64   // how much of the reserve, or how many times as much, must stay
	next   time.Time // of the next request
	server string    // the ID of the server, which changes at each start
	left   int64     // how many bytes this client may store until then
	most   int64     // the largest message
}

func newSpace(keeps float64) space { return space{mutex: newMutex(), keeps: keeps} }

// claim returns ErrFull if there is no room for a message. Each client checks on its own, and takes at
// most a quarter of the room at a time.
func (c *Client) claim(ctx context.Context, s *space, size int64) error {
	if err := s.lock(ctx); err != nil {
		return err
	}
	defer s.unlock()
	server := c.nc.ConnectedServerId()
	if s.left < size || s.most < size || time.Now().After(s.next) || s.server != server {
		stored, limit, err := c.stored(ctx)
		if errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return err // without an answer the reserved room might be used up
		}
		s.server, s.left, s.most, s.next = server, 1<<62, 1<<62, time.Now().Add(noLimit)
		if err == nil && limit > 0 { // otherwise the server decides
			kept := reserved(limit)
			c.batch.Store(batchFor(limit))
			if s.most = kept / 4; s.keeps < 1 {
				s.most = kept
			}
			if size > s.most { // the reserve must hold it when it moves
				return fmt.Errorf("%w: a message of %d bytes is larger than a fortieth of the %d bytes of the store", ErrFull, size, limit)
			}
			room := limit - int64(float64(kept)*s.keeps) - stored
			if room < size {
				s.left = 0
				return fmt.Errorf("%w: %d bytes of %d are used, and the rest is reserved for existing timers",
					ErrFull, stored, limit)
			}
			if s.left, s.next = max(room/4, size), time.Now().Add(lookPause); room > muchRoom {
				s.next = time.Now().Add(noLimit)
			}
		}
	}
	s.left -= size
	return nil
}

func reserved(limit int64) int64 { return min(limit/10, maxKept) }

// batchFor limits messages with several records, so that cleaning needs little room.
func batchFor(limit int64) int64 { return min(reserved(limit)/8, maxBatch) }

// room claims room for a message. If there is none, it cleans logs that no worker cleans, or waits for a worker to do so if
// the message is about an existing timer.
func (c *Client) room(ctx context.Context, s *space, size int64) error {
	err := c.claim(ctx, s, size)
	for tries := 0; errors.Is(err, ErrFull) && tries < 12; tries++ {
		factor := tightFactor
		if s.keeps == 1 {
			factor = setFactor
		}
		if made := c.makeRoom(ctx, factor); made != nil {
			return made
		}
		if again := c.claim(ctx, s, size); !errors.Is(again, ErrFull) || s.keeps == 1 {
			return again
		}
		if sleep(ctx, lookPause) != nil {
			return context.Cause(ctx)
		}
	}
	return err
}

// stored returns how many bytes the client's account stores, and their limit or 0.
func (c *Client) stored(ctx context.Context) (stored, limit int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	info, err := c.js.AccountInfo(ctx)
	if err != nil {
		return 0, 0, err
	}
	return int64(info.Store), max(info.Limits.MaxStore, 0), nil
}

func asFull(err error) error {
	if hasCode(err, server.JSInsufficientResourcesErr, server.JSAccountResourcesExceededErr,
		server.JSStorageResourcesExceededErr) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return err
}
