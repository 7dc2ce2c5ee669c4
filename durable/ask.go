package durable

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// Questions to the workers that have read a partition. Any of them can answer, because their replicas are equal. Without a
// worker, the client reads the partition itself.
const (
	askVerdict = 'v' // the answers to the records of a message, once it was read
	askTimer   = 'g' // the timer with a key, as of a message or later
	askCounts  = 'c' // Counts of the partition, as of a message or later
)

// askTimeout is how long a worker may take to answer. It may have died.
const askTimeout = time.Second

// ask returns the answer of a worker, or nil, and whether any worker follows the partition.
func (c *Client) ask(ctx context.Context, partition int, question []byte) (answer []byte, served bool) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	m, err := c.nc.RequestWithContext(ctx, c.layout.ask(partition), question)
	if err != nil || len(m.Data) == 0 {
		return nil, !errors.Is(err, nats.ErrNoResponders)
	}
	return m.Data, true
}

// served reports whether a worker follows a partition. It may be too slow to answer.
func (c *Client) served(ctx context.Context, partition int) bool {
	_, served := c.ask(ctx, partition, question(askCounts, 0, ""))
	return served
}

func (c *Client) askVerdict(ctx context.Context, partition int, id messageID) []byte {
	if answer, _ := c.ask(ctx, partition, id.append([]byte{askVerdict})); answer != nil {
		return answer[1:]
	}
	return nil
}

// last returns the sequence number of the last message of a log, or 0.
func (c *Client) last(ctx context.Context, partition int) (uint64, error) {
	m, err := c.get.GetLastMsg(c.layout.name, c.layout.log(partition), nats.Context(ctx))
	if errors.Is(err, nats.ErrMsgNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return m.Sequence, nil
}

// cold is the replica of a client, for a partition that no worker has read.
type cold struct {
	mutex
	*Client
	partition int
	replica   *replica
	answers   map[uint64][]byte // to messages of this client, by number
	server    string            // the one it was read from
	forget    *time.Timer
}

// coldFor is how long a client keeps a replica.
const coldFor = 10 * time.Second

// withCold calls f with a replica that has read all that is stored.
func (c *Client) withCold(ctx context.Context, partition int, f func(*cold) error) error {
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	k := &c.colds[partition]
	if err := k.lock(ctx); err != nil {
		return err
	}
	defer k.unlock()
	if err := k.catchUp(ctx); err != nil {
		k.replica = nil
		return err
	}
	if k.forget == nil {
		k.forget = time.AfterFunc(coldFor, func() {
			if k.lock(context.Background()) == nil {
				k.replica, k.answers = nil, nil
				k.unlock()
			}
		})
	}
	k.forget.Reset(coldFor)
	return f(k)
}

func (k *cold) with(ctx context.Context, seq uint64, f func(*replica)) error {
	if k.replica.applied < seq {
		if err := k.catchUp(ctx); err != nil {
			return err
		}
	}
	f(k.replica)
	return nil
}

// catchUp reads all stored messages. It starts over if some were removed before, or another server may have lost some.
func (k *cold) catchUp(ctx context.Context) error {
	for {
		b, err := k.readBase(ctx, k.partition)
		if err != nil {
			return err
		}
		if server := k.nc.ConnectedServerId(); k.replica == nil || k.server != server {
			k.replica, k.answers, k.server = newReplica(b), make(map[uint64][]byte), server
		}
		last, err := k.last(ctx, k.partition)
		if err != nil {
			return err
		}
		r := k.replica
		for next := max(b.First, r.applied+1); next <= last; next = max(b.First, r.applied+1) {
			n, err := k.fetch(ctx, k.layout.log(k.partition), next, fetchBytes, func(m message) bool {
				id, answers, err := r.apply(m.seq, m.at, m.body)
				if err != nil {
					k.setAside("message of a log", err)
				} else if id.sender == k.id && len(answers) > 0 && m.seq > r.base.Complete {
					k.answers[id.number] = answers
				}
				return true
			})
			if err != nil {
				return err
			}
			if n == 0 { // a replica of the server that lags behind, or the messages were removed
				if err := sleep(ctx, changingPause); err != nil {
					return err
				}
				if last, err = k.last(ctx, k.partition); err != nil {
					return err
				}
			}
		}
		if b, err = k.readBase(ctx, k.partition); err != nil || r.advance(b) {
			return err
		}
		k.replica = nil
	}
}

// coldVerdict returns the answers to the records of a message without a worker.
func (c *Client) coldVerdict(ctx context.Context, partition int, id messageID) (answers []byte, err error) {
	err = c.withCold(ctx, partition, func(k *cold) error {
		answers = k.answers[id.number]
		if answers == nil {
			return errors.New("the log was cleaned before its answer was read")
		}
		for number := range k.answers {
			if number+perMessage < id.number {
				delete(k.answers, number)
			}
		}
		if k.wasteful(k.replica, setFactor, slack) && !c.served(ctx, partition) { // nobody else cleans it
			_ = k.clean(ctx, setFactor, slack, false) // a later call tries again
		}
		return nil
	})
	return answers, err
}

const (
	fetchBytes    = 4 << 20
	fetchLimit    = 1 << 16
	changingPause = 5 * time.Millisecond // before another look at what changes
)

// message is a message of a log.
type message struct {
	seq  uint64
	at   time.Time
	body []byte
}

// fetch calls f with the messages of a subject from a sequence number on, about size bytes of them, until it returns false.
// It returns with how many.
func (c *Client) fetch(ctx context.Context, subject string, from uint64, size int, f func(message) bool) (n int, err error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	inbox := c.nc.NewRespInbox()
	sub, err := c.nc.SubscribeSync(inbox)
	if err != nil {
		return 0, err
	}
	defer func() { _ = sub.Unsubscribe() }() // the connection may be closed
	_ = sub.SetPendingLimits(-1, -1)         // the request has a limit
	request := fmt.Appendf(nil, `{"seq":%d,"next_by_subj":%q,"batch":%d,"max_bytes":%d}`, max(from, 1), subject, fetchLimit, size)
	if err := c.nc.PublishRequest("$JS.API.DIRECT.GET."+c.layout.name, inbox, request); err != nil {
		return 0, err
	}
	for last := "0"; ; {
		m, err := sub.NextMsgWithContext(ctx)
		if err != nil {
			return n, err
		}
		status := m.Header.Get("Status")
		if before := m.Header.Get(server.JSLastSequence); before != last && (status == "" || status == "204") { // over another connection
			return n, fmt.Errorf("message %s after message %s was lost on its way", before, last)
		}
		switch last = m.Header.Get("Nats-Sequence"); status {
		case "":
		case "204", "404":
			return n, nil
		case "503":
			return n, nats.ErrNoResponders
		default:
			return n, fmt.Errorf("read: %s %s", status, m.Header.Get("Description"))
		}
		seq, err := strconv.ParseUint(last, 10, 64)
		if err != nil {
			return n, err
		}
		at, err := time.Parse(time.RFC3339Nano, m.Header.Get("Nats-Time-Stamp"))
		if err != nil {
			return n, err
		}
		n++
		if !f(message{seq, at, m.Data}) {
			return n, nil
		}
	}
}

// question returns a question about what is known once a message was read.
func question(kind byte, seq uint64, key string) []byte {
	return append(binary.AppendUvarint([]byte{kind}, seq), key...)
}

// find returns the timer with this key, with revision 0 if it does not exist.
func (c *Client) find(ctx context.Context, key string) (t Timer, err error) {
	partition := c.layout.partition(key)
	seq, err := c.last(ctx, partition)
	if err != nil {
		return t, err
	}
	if answer, _ := c.ask(ctx, partition, question(askTimer, seq, key)); answer != nil {
		if len(answer) == 1 {
			return Timer{}, nil
		}
		r := reader{rest: answer[1:]}
		revision := r.uint("revision", 1<<63)
		rec := r.next()
		if r.bad == "" {
			rec.payload = append([]byte(nil), rec.payload...)
			return rec.timer(revision), nil
		}
	}
	err = c.withCold(ctx, partition, func(k *cold) error {
		if e := k.replica.pending[key]; e != nil {
			t = e.timer(e.payload())
		}
		return nil
	})
	return t, err
}

// answer is called for each question about the partition.
func (p *partition) answer(m *nats.Msg) {
	if len(m.Data) == 0 {
		return
	}
	kind := m.Data[0]
	if kind == askVerdict {
		if id, _, err := parseID(m.Data[1:]); err == nil {
			p.answerVerdict(id, m)
		}
		return
	}
	r := reader{rest: m.Data[1:]}
	seq := r.uint("message", 1<<63)
	key := string(r.rest)
	if r.bad != "" {
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
		defer cancel()
		var answer []byte
		switch kind {
		case askCounts:
			_ = p.with(ctx, seq, func(r *replica) { // otherwise there is no answer
				n := r.counts()
				answer = []byte{askCounts}
				for _, v := range []uint64{n.Pending, n.Fired, n.Handled, n.Dead} {
					answer = binary.AppendUvarint(answer, v)
				}
			})
		case askTimer:
			answer = p.answerTimer(ctx, seq, key)
		}
		if answer != nil { // otherwise the client reads the log itself
			_ = m.Respond(answer) // the same if this fails
		}
	}()
}

// answerTimer returns the answer about the timer with a key, as of a message or later, or nil if that cannot be read.
func (p *partition) answerTimer(ctx context.Context, seq uint64, key string) (answer []byte) {
	var e *entry
	for err := error(nil); answer == nil && err == nil; {
		payload, unread := []byte(nil), errAgain
		if e != nil {
			payload, unread = p.load(ctx, e)
		}
		err = p.with(ctx, seq, func(r *replica) {
			switch now := r.pending[key]; {
			case now == nil:
				answer = []byte{askTimer}
			case now == e && unread == nil: // otherwise it has changed meanwhile
				rec := e.keep(payload)
				answer = rec.append(binary.AppendUvarint([]byte{askTimer}, e.rev))
			default:
				e = now
			}
		})
	}
	return answer
}

// counts counts the timers of a replica.
func (r *replica) counts() Counts {
	n := Counts{Pending: uint64(len(r.pending)), Fired: uint64(len(r.others) - r.dead), Dead: uint64(r.dead)}
	for _, e := range r.others {
		if e.state == isFired && e.more.holder != 0 {
			n.Handled++
		}
	}
	return n
}

// partitionCounts returns the counts of one partition.
func (c *Client) partitionCounts(ctx context.Context, partition int) (n Counts, err error) {
	seq, err := c.last(ctx, partition)
	if err != nil {
		return n, err
	}
	if answer, _ := c.ask(ctx, partition, question(askCounts, seq, "")); answer != nil {
		r := reader{rest: answer[1:]}
		for _, v := range []*uint64{&n.Pending, &n.Fired, &n.Handled, &n.Dead} {
			*v = r.uint("count", 1<<63)
		}
		if r.bad == "" {
			return n, nil
		}
	}
	err = c.withCold(ctx, partition, func(k *cold) error {
		n = k.replica.counts()
		return nil
	})
	return n, err
}
