package durable

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/timerbench/timerbench/internal/files"
)

// ErrLoss is returned by Embedded if the store holds fewer timers than the server has noted, and the messages
// stored since cannot account for the difference: files were damaged, removed or replaced, or the power failed
// before they were on the disk. The server skips damaged messages, so the timers are lost for good once it
// has started: restore the folder from a copy, or go on with AcceptLoss.
var ErrLoss = errors.New("timers are missing")

// The server counts the timers each second, or less often in a large store: counting takes at
// most this part of the time.
const countShare = 50

// settleTime is how long after a crash timers that had been removed may be back, until a worker removes them again.
const settleTime = 10 * time.Second

// inventory is the content of the streams of a store at some time.
type inventory struct {
	At      time.Time
	Clean   bool // the server was closed next, and held no restored timers
	Streams map[string]holding
}

// holding is what one stream held. Each change of a timer stores a message, and a restored timer
// is noted before it is removed. Last was read a second before the timers were counted, so the
// removals of all messages up to Last are complete.
type holding struct {
	Timers uint64 // at least
	Last   uint64 // message

	now     uint64 // the last message, just before the timers were counted
	changes uint64 // how many timers may have been removed since an earlier inventory
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
		return inventory{}, fmt.Errorf("%s, with the number of timers in the store, cannot be read: %w",
			s.inventoryPath(), err)
	}
	return is, nil
}

// checkStore compares the store with the last inventory, and takes another one.
func (s *Server) checkStore() error {
	was, lost := s.readInventory()
	is, err := s.takeInventory(was, true)
	if err != nil {
		return err
	}
	for name, n := range was.Streams {
		found := is.Streams[name]
		if found.Timers+found.changes < n.Timers {
			lost = errors.Join(lost, fmt.Errorf("stream %s: %w: %d of the %d there were at %s",
				name, ErrLoss, n.Timers-found.Timers-found.changes, n.Timers, was.At.Format(time.RFC3339)))
		}
	}
	if lost != nil && !s.acceptLoss {
		return lost
	}
	if lost != nil {
		s.log.Warn("a loss was accepted", "folder", s.dir, "error", lost)
	}
	crashed := !was.Clean && !was.At.IsZero() && lost == nil
	s.last, s.extra, s.settled = make(map[string]uint64), make(map[string]uint64), time.Now()
	if crashed {
		s.settled = s.settled.Add(settleTime)
	}
	for name, n := range is.Streams {
		s.last[name] = n.now // no change is in progress yet
		if crashed {
			certain := was.Streams[name].Timers
			s.extra[name] = n.Timers - min(n.Timers, certain-min(certain, n.changes))
		}
	}
	return s.writeInventory(is, false)
}

// noteStore records the last message of each stream and, if counts is set, writes the number of
// timers to a file. clean is set before the server is closed.
func (s *Server) noteStore(counts, clean bool) {
	is, err := s.takeInventory(inventory{}, counts)
	if err == nil && counts {
		err = s.writeInventory(is, clean)
	}
	if err != nil {
		s.log.Warn("the number of timers in the store could not be noted", "folder", s.dir, "error", err)
		return
	}
	for name, n := range is.Streams {
		s.last[name] = n.now
	}
}

// writeInventory writes is to a file. It subtracts the timers that the server may have restored
// after a crash, because they can disappear without a message in the next crash.
func (s *Server) writeInventory(is inventory, clean bool) error {
	settled := time.Now().After(s.settled)
	is.Clean = clean && settled
	for name, n := range is.Streams {
		n.Last = s.last[name] // 0 for a stream that is new
		if !settled {
			n.Timers -= min(n.Timers, s.extra[name])
		}
		is.Streams[name] = n
	}
	text, err := json.Marshal(is)
	if err != nil {
		return err
	}
	return files.WriteBytes(s.inventoryPath(), text)
}

// takeInventory returns the last message of each stream of timers and, if counts is set, how many
// timers it holds and how many may have been removed since was.
func (s *Server) takeInventory(was inventory, counts bool) (inventory, error) {
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
	is := inventory{At: time.Now(), Streams: make(map[string]holding)}
	list := js.ListStreams(ctx)
	for info := range list.Info() {
		name := info.Config.Name
		if info.Config.Metadata[metadataPartitions] == "" || checkStream(info.Config, layout{name: name}) != nil {
			continue // it has no timers
		}
		n := holding{now: info.State.LastSeq}
		if counts {
			stream, err := js.Stream(ctx, name)
			if err == nil {
				c := &Client{nc: nc, stream: stream, layout: layout{name: name}}
				err = c.countTimers(ctx, &n, was.Streams[name])
			}
			if err != nil {
				return inventory{}, err
			}
		}
		is.Streams[name] = n
	}
	return is, list.Err()
}

// countTimers counts the timers of the stream, and the possible removals since it held was. The
// removal of a restored timer has no message of its own, but is listed in a note.
func (c *Client) countTimers(ctx context.Context, n *holding, was holding) (err error) {
	n.changes = n.now - min(n.now, was.Last)
	if n.Timers, err = c.count(ctx, c.layout.allTimers()); err != nil || n.Timers+n.changes >= was.Timers {
		return err
	}
	since := whole
	since.DeliverPolicy, since.OptStartSeq = jetstream.DeliverByStartSequencePolicy, was.Last+1
	return c.read(ctx, since, c.layout.allNotes("*"), func(m message) error {
		if m.Headers().Get(headerBack) != "" {
			list, _ := parseNote(m.Data()) // a note that nobody understands has removed nothing
			n.changes += uint64(len(list))
		}
		return nil
	})
}

// ErrFull is returned by methods that set timers if the rest of the store is reserved for moving,
// cancelling and firing the existing ones. It has room again when timers fire or are cancelled.
var ErrFull = errors.New("durable: the store is full")

// A tenth of the store is reserved, at most maxKept, and maxGrowth for each message: the message that fires or cancels a
// timer is larger than the timer by as much if the key has 40 bytes. Such messages may use half of the tenth, too, for
// longer keys and handlers that lag behind, and dead letters without an error three quarters. The rest is for moves,
// whose old message goes at once, for notes, which make room, and for signs of life.
const maxKept, maxGrowth = 1 << 30, 136

const (
	lookPause   = 250 * time.Millisecond // between requests for the room that is left
	noLimit     = 10 * time.Second       // the same, if the server has no limit or does not tell it
	lookTimeout = time.Second            // of requests for metrics
)

type space struct {
	mutex
	share  int64     // 2 for what may use half of the reserve, 1 for nothing of it
	next   time.Time // of the next request
	server string    // the ID of the server, which changes at each start
	left   int64     // how many bytes this client may store until then
	most   int64     // the largest message
}

func newSpace(share int64) space { return space{mutex: newMutex(), share: share} }

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
			if s.most = kept / 4; s.share > 1 {
				s.most = kept
			}
			if size > s.most { // the reserve must hold it when it moves
				return fmt.Errorf("%w: a message of %d bytes is larger than a fortieth of the %d bytes of the store", ErrFull, size, limit)
			}
			room := limit - kept/s.share - stored
			if s.share == 1 {
				info, err := c.stream.Info(ctx)
				if err != nil {
					return err
				}
				room -= maxGrowth * int64(info.State.Msgs)
			}
			if room < size {
				s.left = 0
				return fmt.Errorf("%w: %d bytes of %d are used, and the rest is reserved for existing timers",
					ErrFull, stored, limit)
			}
			s.left, s.next = max(room/4, size), time.Now().Add(lookPause)
		}
	}
	s.left -= size
	return nil
}

func reserved(limit int64) int64 { return min(limit/10, maxKept) }

// followRoom limits how many bytes the worker may store to fire timers, until ctx ends. Without room it lets it fire one
// timer at a time while none waits to be handled, because that makes room in the end.
func (w *worker) followRoom(ctx context.Context) {
	for ctx.Err() == nil {
		room := int64(1 << 62)
		if stored, limit, err := w.stored(ctx); err == nil && limit > 0 { // otherwise the server decides
			room = max(limit-reserved(limit)/2-stored, 0) / 4
			if room == 0 {
				_ = sleep(ctx, lookPause) // ctx is asked next
				if info, err := w.consumer.Info(ctx); err == nil && info.NumPending == 0 && info.NumAckPending == 0 {
					room = 1
				}
			}
		}
		w.room.Store(room)
		select {
		case <-w.tight:
			_ = sleep(ctx, changingPause) // ctx is asked next
		case <-time.After(noLimit):
		case <-ctx.Done():
		}
	}
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
