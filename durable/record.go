package durable

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// Timer is a pending timer, or a timer to set.
type Timer struct {
	Key      string    // 1 to MaxKey bytes
	Deadline time.Time // in the years 1700 to 2199
	Payload  []byte
	Cron     string        // the expression of Every, or "" for a timer that fires once
	Missed   driver.Missed // how Every treats missed runs
	Limits
	Revision uint64 // increases with each change of a timer of its partition; Set ignores it
	Error    string // why a worker could not compute the next run of Every so far, or ""; Set ignores it
}

// Limits are the limits of one timer. A zero field means the value of Config.
type Limits struct {
	Timeout     time.Duration // instead of Config.HandlerTimeout
	MaxAttempts int           // instead of Config.MaxAttempts
}

// MaxKey is the maximum length of a key, in bytes.
const MaxKey = 512

// Deadlines are limited to these years, which fit into an int64 of ns in any time zone.
const firstYear, lastYear = 1700, 2199

var (
	firstDeadline = time.Date(firstYear, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()
	lastDeadline  = time.Date(lastYear+1, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano() - 1
)

// layout maps timers to the subjects of a stream. A stream named timers has these for partition 7:
//
//	timers.l.7    the log
//	timers.b.7    the base of the log: one message, which says where it begins
//	timers.ask.7  not in the stream: questions to the workers that have read the partition
type layout struct {
	name       string
	partitions int
}

func (l layout) subjects() []string { return []string{l.name + ".l.*", l.name + ".b.*"} }

func (l layout) log(partition int) string  { return l.name + ".l." + strconv.Itoa(partition) }
func (l layout) base(partition int) string { return l.name + ".b." + strconv.Itoa(partition) }
func (l layout) ask(partition int) string  { return l.name + ".ask." + strconv.Itoa(partition) }

func (l layout) partition(key string) int {
	h := fnv.New32a()
	h.Write([]byte(key))
	return int(h.Sum32() % uint32(l.partitions))
}

// op is what a record does. The rules are in replica.go.
type op byte

const (
	opSet     op = iota + 1 // sets a timer, or replaces it
	opAdd                   // sets a timer if its key is free
	opEvery                 // sets a timer of Every unless it is there already
	opMove                  // changes the deadline of a timer
	opCancel                // ends a timer
	opFire                  // fires a timer
	opRun                   // fires a run of a timer of Every, or skips it, and moves the timer to the next one
	opTake                  // makes the sender handle a timer that has fired
	opRetry                 // an attempt has failed: another one is due at the deadline
	opRelease               // the same, if the sender has not handled it
	opDone                  // a timer is handled
	opBury                  // a timer becomes a dead letter: all about it
	opRevive                // a dead letter fires again
	opDiscard               // ends a dead letter
	opKeep                  // repeats all about a timer, so that earlier messages can be removed
	opEnd
)

// record is one record of a log. Which fields count depends on op.
type record struct {
	op       op
	state    state  // of opKeep
	key      string // not of opTake and later, but of opBury and opKeep
	payload  []byte
	deadline int64
	rev      uint64 // the position of the last change that the sender knows: otherwise the record has no effect
	id       uint64 // of what has fired, or of a dead letter
	holder   uint64
	attempts int
	extra
	fires bool // of opRun
}

// extra is what few timers have.
type extra struct {
	cron   string
	missed driver.Missed
	limits Limits
	last   bool // the deadline is that of the last of missed runs
	moved  bool // of Every: a client has chosen the deadline, which need not be a run
	err    string
	stored int64 // of Every: when, by the server's clock
}

// The fields of a record that differ from zero, as bits of a number before them.
const (
	hasKey = 1 << iota
	hasPayload
	hasDeadline
	hasRev
	hasID
	hasCron
	hasLimits
	hasLast
	hasMoved
	hasFires
	hasError
	hasStored
	hasHolder
	hasAttempts
	hasState
)

// append appends the record to the body of a message.
func (r *record) append(b []byte) []byte {
	has := 0
	set := func(is bool, bit int) {
		if is {
			has |= bit
		}
	}
	set(r.key != "", hasKey)
	set(len(r.payload) > 0, hasPayload)
	set(r.deadline != 0, hasDeadline)
	set(r.rev != 0, hasRev)
	set(r.id != 0, hasID)
	set(r.cron != "", hasCron)
	set(r.limits != Limits{}, hasLimits)
	set(r.last, hasLast)
	set(r.moved, hasMoved)
	set(r.fires, hasFires)
	set(r.err != "", hasError)
	set(r.stored != 0, hasStored)
	set(r.holder != 0, hasHolder)
	set(r.attempts != 0, hasAttempts)
	set(r.state != 0, hasState)
	b = binary.AppendUvarint(append(b, byte(r.op)), uint64(has))
	if has&hasKey != 0 {
		b = append(binary.AppendUvarint(b, uint64(len(r.key))), r.key...)
	}
	if has&hasPayload != 0 {
		b = append(binary.AppendUvarint(b, uint64(len(r.payload))), r.payload...)
	}
	if has&hasDeadline != 0 {
		b = binary.LittleEndian.AppendUint64(b, uint64(r.deadline))
	}
	if has&hasRev != 0 {
		b = binary.AppendUvarint(b, r.rev)
	}
	if has&hasID != 0 {
		b = binary.AppendUvarint(b, r.id)
	}
	if has&hasCron != 0 {
		b = append(binary.AppendUvarint(b, uint64(len(r.cron))), r.cron...)
		b = append(b, byte(r.missed))
	}
	if has&hasLimits != 0 {
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(r.limits.Timeout)), uint64(r.limits.MaxAttempts))
	}
	if has&hasError != 0 {
		b = append(binary.AppendUvarint(b, uint64(len(r.err))), r.err...)
	}
	if has&hasStored != 0 {
		b = binary.LittleEndian.AppendUint64(b, uint64(r.stored))
	}
	if has&hasHolder != 0 {
		b = binary.LittleEndian.AppendUint64(b, r.holder)
	}
	if has&hasAttempts != 0 {
		b = binary.AppendUvarint(b, uint64(r.attempts))
	}
	if has&hasState != 0 {
		b = append(b, byte(r.state))
	}
	return b
}

// reader reads the body of a message, which any program may have written.
type reader struct {
	rest []byte
	bad  string // the first field that is wrong
}

func (r *reader) fail(field string) {
	if r.bad == "" {
		r.bad = field
	}
	r.rest = nil
}

func (r *reader) uint(field string, most uint64) uint64 {
	n, size := binary.Uvarint(r.rest)
	if size <= 0 || n > most {
		r.fail(field)
		return 0
	}
	r.rest = r.rest[size:]
	return n
}

func (r *reader) bytes(field string, n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.fail(field)
		return nil
	}
	b := r.rest[:n:n]
	r.rest = r.rest[n:]
	return b
}

func (r *reader) text(field string, most uint64) []byte { return r.bytes(field, r.uint(field, most)) }

func (r *reader) fixed(field string) uint64 {
	if b := r.bytes(field, 8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (r *reader) byte(field string, most byte) byte {
	if b := r.bytes(field, 1); b != nil && b[0] <= most {
		return b[0]
	}
	r.fail(field)
	return 0
}

const maxInt = 1<<31 - 1

// next reads a record. Its payload is a part of the message.
func (r *reader) next() (rec record) {
	rec.op = op(r.byte("operation", byte(opEnd)-1))
	has := r.uint("fields", 1<<15-1)
	if has&hasKey != 0 {
		rec.key = string(r.text("key", MaxKey))
	}
	if has&hasPayload != 0 {
		rec.payload = r.text("payload", maxInt)
	}
	if has&hasDeadline != 0 {
		if rec.deadline = int64(r.fixed("deadline")); rec.deadline < firstDeadline || rec.deadline > lastDeadline {
			r.fail("deadline")
		}
	}
	if has&hasRev != 0 {
		rec.rev = r.uint("revision", 1<<63)
	}
	if has&hasID != 0 {
		rec.id = r.uint("id", 1<<63)
	}
	if has&hasCron != 0 {
		rec.cron = string(r.text("cron expression", maxInt))
		rec.missed = driver.Missed(r.byte("missed runs", byte(driver.CatchUp)))
	}
	if has&hasLimits != 0 {
		rec.limits = Limits{time.Duration(r.uint("timeout", 1<<63-1)), int(r.uint("attempts", maxInt))}
	}
	if has&hasError != 0 {
		rec.err = string(r.text("error", maxInt))
	}
	if has&hasStored != 0 {
		rec.stored = int64(r.fixed("time"))
	}
	if has&hasHolder != 0 {
		rec.holder = r.fixed("holder")
	}
	if has&hasAttempts != 0 {
		rec.attempts = int(r.uint("attempts", maxInt))
	}
	if has&hasState != 0 {
		rec.state = state(r.byte("state", byte(isDead)))
	}
	rec.last, rec.moved, rec.fires = has&hasLast != 0, has&hasMoved != 0, has&hasFires != 0
	if rec.op == 0 || rec.key == "" && (rec.op <= opRun || rec.op == opKeep || rec.op == opBury) {
		r.fail("key")
	}
	return rec
}

// format is the version of messages and of the layout. Each message begins with it.
const format = 2

// messageID names a message of a log: its sender, and the number that the sender gave it.
type messageID struct{ sender, number uint64 }

func (id messageID) append(b []byte) []byte {
	return binary.AppendUvarint(binary.LittleEndian.AppendUint64(append(b, format), id.sender), id.number)
}

// parseID reads the beginning of a message.
func parseID(body []byte) (messageID, *reader, error) {
	r := &reader{rest: body}
	if v := r.byte("format", 255); v != format {
		return messageID{}, nil, fmt.Errorf("it has format %d: want %d", v, format)
	}
	id := messageID{r.fixed("sender"), r.uint("number", 1<<63)}
	return id, r, r.err()
}

func (r *reader) err() error {
	if r.bad != "" {
		return errors.New("its " + r.bad + " cannot be read")
	}
	return nil
}

// A position is the place of a record: the sequence number of its message, and the number of the record in it.
const perMessage = 1 << 16

func position(seq uint64, index int) uint64 { return seq*perMessage + uint64(index) }

// parseMessage reads all records of a message into list.
func parseMessage(body []byte, list []record) (messageID, []record, error) {
	id, r, err := parseID(body)
	list = list[:0]
	for err == nil && len(r.rest) > 0 {
		if list = append(list, r.next()); len(list) > perMessage {
			r.fail("length")
		}
		err = r.err()
	}
	return id, list, err
}

// record returns the record that sets t.
func (t *Timer) record(o op) record {
	return record{op: o, key: t.Key, payload: t.Payload, deadline: t.Deadline.UnixNano(), extra: extra{
		cron: t.Cron, missed: t.Missed, limits: t.Limits}}
}

// timer returns the timer that a record sets or keeps.
func (r *record) timer(revision uint64) Timer {
	return Timer{Key: r.key, Deadline: time.Unix(0, r.deadline), Payload: r.payload, Cron: r.cron, Missed: r.missed,
		Limits: r.limits, Revision: revision, Error: r.err}
}

// byZone reports whether the deadline follows from the rules of a time zone.
func (x *extra) byZone() bool {
	return !x.moved && (strings.HasPrefix(x.cron, "CRON_TZ=") || strings.HasPrefix(x.cron, "TZ="))
}

// id identifies one deadline of one key.
func id(key string, deadline int64) string {
	return key + "@" + strconv.FormatInt(deadline, 10)
}

func checkKey(key string) error {
	if key == "" || len(key) > MaxKey {
		return fmt.Errorf("durable: key %.40q has %d bytes: want 1 to %d", key, len(key), MaxKey)
	}
	return nil
}

func (l Limits) check(key string) error {
	if l.Timeout < 0 || l.MaxAttempts < 0 || l.MaxAttempts > maxInt {
		return fmt.Errorf("durable: key %q: limits %+v: want at least 0, and at most %d attempts", key, l, maxInt)
	}
	return nil
}

func checkDeadline(key string, at time.Time) error {
	if year := at.UTC().Year(); year < firstYear || year > lastYear {
		return fmt.Errorf("durable: key %q: deadline %v: want a year from %d to %d", key, at, firstYear, lastYear)
	}
	return nil
}
