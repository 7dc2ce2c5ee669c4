package durable

import (
	"errors"
	"fmt"
	"hash/fnv"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/durable/internal/cron"
)

// Timer is a pending timer, or a timer to set.
type Timer struct {
	Key      string
	Deadline time.Time
	Payload  []byte
	Cron     string        // the expression of Every, or "" for a timer that fires once
	Missed   driver.Missed // how Every treats missed runs
	Limits
	Revision uint64 // increases with each change of any timer of the stream; Set ignores it
	Error    string // why a worker could not compute the next run of Every so far, or ""; Set ignores it

	last   bool      // the deadline is that of the last of missed runs
	moved  bool      // of Every: a client has chosen the deadline, which need not be a run
	stored time.Time // when, by the server's clock
}

// Limits are the limits of one timer. A zero field means the value of Config.
type Limits struct {
	Timeout     time.Duration // instead of Config.HandlerTimeout
	MaxAttempts int           // instead of Config.MaxAttempts
}

func (l Limits) write(m *nats.Msg) {
	if l != (Limits{}) {
		m.Header[headerLimits] = []string{fmt.Sprint(int64(l.Timeout), l.MaxAttempts)}
	}
}

func readLimits(header nats.Header) (l Limits, err error) {
	if text := header.Get(headerLimits); text != "" {
		_, err = fmt.Sscan(text, (*int64)(&l.Timeout), &l.MaxAttempts)
		if err == nil && !l.valid() {
			err = errors.New("want at least 0")
		}
		if err != nil {
			return Limits{}, fmt.Errorf("header %s is %q: %w", headerLimits, text, err)
		}
	}
	return l, nil
}

// MaxKey is the maximum length of a key, in bytes.
const MaxKey = 512

// The headers of stored messages, in addition to the headers of JetStream.
const (
	headerDeadline = "At"       // of a timer: its deadline, in ns since 1970
	headerCron     = "Cron"     // of a timer of Every: the expression
	headerMissed   = "Missed"   // of a timer of Every: a driver.Missed
	headerLast     = "Last"     // of a timer of Every: 1 if its deadline is that of the last of missed runs
	headerMoved    = "Moved"    // of a timer of Every: 1 if a client has chosen its deadline
	headerBack     = "Back"     // of a note: 1 if a server has restored what it lists
	headerSummary  = "Summary"  // of a summary: its first and last revision
	headerError    = "Error"    // of a dead letter: the error of the last attempt; of a timer of Every: Timer.Error
	headerAttempts = "Attempts" // of a dead letter: how many there were
	headerLimits   = "Limits"   // the timer's own limits: the timeout in ns, and the attempts
)

// Headers of JetStream that the client package does not name.
const (
	headerSchedule       = "Nats-Schedule"
	headerScheduleTarget = "Nats-Schedule-Target"
	headerScheduler      = "Nats-Scheduler"
	headerScheduleNext   = "Nats-Schedule-Next"
	headerExpect         = "Nats-Expected-Last-Subject-Sequence"
	headerExpectSubject  = "Nats-Expected-Last-Subject-Sequence-Subject"
)

// never is the schedule of a timer that the server must not fire. The timer needs a schedule,
// because JetStream stores one message and purges another in one step only if the latter has one.
const never = "@at 2200-01-01T00:00:00Z"

// Deadlines are limited to these years, which fit into an int64 of ns in any time zone.
const firstYear, lastYear = 1700, 2199

var (
	firstDeadline = time.Date(firstYear, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()
	lastDeadline  = time.Date(lastYear+1, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano() - 1
)

// layout maps timers to subjects and messages.
type layout struct {
	name       string
	partitions int
}

// The subjects of a stream named timers with partition 7 and the key job 4.2:
//
//	timers.p.7.t.job%204%2E2           the timer, one message at most
//	timers.p.7.c                       a Cancel, until a worker has noted it
//	timers.p.n.7                       what was removed: see removed.go
//	timers.p.a.4711                    a tally: how many calls the fired timer of message 4711 had
//	timers.w.7.job%204%2E2.1767225600  a timer that has fired and is not handled yet
//	timers.d.7.job%204%2E2.1767225600  a dead letter
func (l layout) subjects() []string {
	return []string{l.subject("p.>"), l.allFired(), l.allDead()}
}

func (l layout) subject(tokens string) string { return l.name + "." + tokens }

func (l layout) partition(key string) int {
	h := fnv.New32a()
	h.Write([]byte(key))
	return int(h.Sum32() % uint32(l.partitions))
}

func (l layout) timer(key string) string {
	return l.name + ".p." + strconv.Itoa(l.partition(key)) + ".t." + escape(key)
}

func (l layout) changes(partition int) string {
	return l.subject("p." + strconv.Itoa(partition) + ".>")
}

func (l layout) cancelled(partition int) string {
	return l.subject("p." + strconv.Itoa(partition) + ".c")
}

func (l layout) notes(partition int) string { return l.allNotes(strconv.Itoa(partition)) }

func (l layout) fired(key string, deadline int64) string { return l.last(".w.", key, deadline) }

func (l layout) dead(key string, deadline int64) string { return l.last(".d.", key, deadline) }

func (l layout) last(kind, key string, deadline int64) string {
	return l.name + kind + strconv.Itoa(l.partition(key)) + "." + escape(key) + "." + strconv.FormatInt(deadline, 10)
}

// The subjects of one partition or, for "*", of all.
func (l layout) allCancelled(partition string) string { return l.subject("p." + partition + ".c") }
func (l layout) allNotes(partition string) string     { return l.subject("p.n." + partition) }
func (l layout) firedIn(partition string) string      { return l.subject("w." + partition + ".>") }

func (l layout) allFired() string   { return l.subject("w.>") }
func (l layout) allTimers() string  { return l.subject("p.*.t.*") }
func (l layout) allDead() string    { return l.subject("d.>") }
func (l layout) allTallies() string { return l.subject("p.a.*") }

func (l layout) tally(revision uint64) string {
	return l.subject("p.a." + strconv.FormatUint(revision, 10))
}

// parseTimer returns the key in the subject of a timer, and false for any other subject.
func (l layout) parseTimer(subject string) (key string, ok bool) {
	key, ok = unescape(subject[strings.LastIndexByte(subject, '.')+1:])
	return key, ok && subject == l.timer(key)
}

// partitionOf returns the partition in the subject of a timer, a Cancel, a fired timer or a note.
func (l layout) partitionOf(subject string) (partition int, ok bool) {
	token, note := strings.CutPrefix(subject, l.subject("p.n."))
	if tokens := strings.Split(subject, "."); !note && len(tokens) > 2 {
		token = tokens[2]
	}
	partition, err := strconv.Atoi(token)
	return partition, err == nil && partition >= 0 && partition < l.partitions && strconv.Itoa(partition) == token
}

// parseFired returns the key and the deadline in the subject of a fired timer or a dead letter.
func (l layout) parseFired(subject string) (key string, deadline int64, ok bool) {
	tokens := strings.Split(subject, ".")
	if len(tokens) != 5 {
		return "", 0, false
	}
	deadline, err := parseNumber(tokens[4], firstDeadline, lastDeadline)
	if err != nil {
		return "", 0, false
	}
	key, ok = unescape(tokens[3])
	return key, deadline, ok
}

// newMessage returns a message that replaces the messages of its subject. A limit of one message
// per subject would have the same effect, but the server does not write such removals to the
// disk: if it is killed after the newer message was removed too, it restores the older one.
func newMessage(subject string, body []byte) *nats.Msg {
	m := nats.NewMsg(subject)
	m.Data = body
	m.Header[jetstream.MsgRollup] = []string{jetstream.MsgRollupSubject}
	return m
}

// firedMessage returns the message that workers get. It replaces none: for each message that
// does, the server would write the state of all deliveries anew.
func (l layout) firedMessage(t Timer) *nats.Msg {
	m := nats.NewMsg(l.fired(t.Key, t.Deadline.UnixNano()))
	m.Data = t.Payload
	t.Limits.write(m)
	return m
}

// cancelMessage returns the message that cancels a timer. A partition keeps all of them until a worker has noted them.
func (l layout) cancelMessage(t Timer) *nats.Msg {
	m := nats.NewMsg(l.cancelled(l.partition(t.Key)))
	m.Data = []byte(t.Key)
	l.removing(m, t)
	return m
}

// message returns the message that stores a timer.
func (l layout) message(t Timer) *nats.Msg {
	m := newMessage(l.timer(t.Key), t.Payload)
	setNumber(m, headerDeadline, t.Deadline.UnixNano())
	m.Header[headerSchedule] = []string{never}
	m.Header[headerScheduleTarget] = []string{l.subject("w.0")}
	t.Limits.write(m)
	if t.Cron != "" {
		m.Header[headerCron] = []string{t.Cron}
		setNumber(m, headerMissed, int(t.Missed))
		if t.last {
			setNumber(m, headerLast, 1)
		}
		if t.moved {
			setNumber(m, headerMoved, 1)
		}
		if t.Error != "" {
			m.Header[headerError] = []string{quote(t.Error, maxError/4)}
		}
	}
	return m
}

// removal returns what states that t, and all before with its key, were removed.
func (t Timer) removal() removal { return removal{t.Revision, digestOf(t.Key)} }

// rightRun returns the deadline that t should have. It differs from the one stored if the rules of its time zone do.
func (t Timer) rightRun() time.Time {
	if t.byZone() {
		if right, err := cron.RightRun(t.Cron, t.stored, t.Deadline); err == nil { // otherwise it is reported when t is due
			return right
		}
	}
	return t.Deadline
}

// byZone reports whether the deadline follows from the rules of a time zone.
func (t Timer) byZone() bool {
	return !t.moved && (strings.HasPrefix(t.Cron, "CRON_TZ=") || strings.HasPrefix(t.Cron, "TZ="))
}

// parse returns the timer stored in a message.
func (l layout) parse(subject string, header nats.Header, body []byte, revision uint64) (t Timer, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("message %d of stream %s: %w", revision, l.name, err)
		}
	}()
	key, ok := l.parseTimer(subject)
	if !ok {
		return t, fmt.Errorf("subject %q is not that of a timer", subject)
	}
	ns, err := number(header, headerDeadline, firstDeadline, lastDeadline)
	if err != nil {
		return t, err
	}
	t = Timer{Key: key, Deadline: time.Unix(0, ns), Payload: body, Cron: header.Get(headerCron), Revision: revision}
	if t.Limits, err = readLimits(header); err == nil && t.Cron != "" {
		var missed int64
		missed, err = number(header, headerMissed, int64(driver.Coalesce), int64(driver.CatchUp))
		t.Missed, t.last = driver.Missed(missed), header.Get(headerLast) == "1"
		t.moved = header.Get(headerMoved) == "1"
		t.Error, _ = strconv.Unquote(header.Get(headerError)) // "" without an error
	}
	return t, err
}

func setNumber[I int | int64 | uint64](m *nats.Msg, header string, n I) {
	m.Header[header] = []string{strconv.FormatInt(int64(n), 10)}
}

func number(header nats.Header, name string, least, most int64) (int64, error) {
	n, err := parseNumber(header.Get(name), least, most)
	if err != nil {
		return 0, fmt.Errorf("header %s: %w", name, err)
	}
	return n, nil
}

// parseNumber parses a number of a stored message, which any program may have written.
func parseNumber(text string, least, most int64) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err == nil && (n < least || n > most) {
		err = fmt.Errorf("%d: want %d to %d", n, least, most)
	}
	return n, err
}

// quote returns text on one line, as in a header, cut to at most n bytes.
func quote(text string, n int) string {
	quoted := strconv.Quote(text)
	for keep := min(n, len(text)); len(quoted) > n; keep -= max(keep/4, 1) {
		quoted = strconv.Quote(text[:keep])
	}
	return quoted
}

// expect makes the server store m only if the timer with this key has this revision.
func (l layout) expect(m *nats.Msg, key string, revision uint64) {
	setNumber(m, headerExpect, revision)
	m.Header[headerExpectSubject] = []string{l.timer(key)}
}

// removing makes the server remove the timer in the same step in which it stores m.
func (l layout) removing(m *nats.Msg, t Timer) {
	l.expect(m, t.Key, t.Revision)
	m.Header[headerScheduler] = []string{l.timer(t.Key)}
	m.Header[headerScheduleNext] = []string{"purge"}
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

func (l Limits) valid() bool { return l.Timeout >= 0 && l.MaxAttempts >= 0 }

func (l Limits) check(key string) error {
	if !l.valid() {
		return fmt.Errorf("durable: key %q: limits %+v: want at least 0", key, l)
	}
	return nil
}

func checkDeadline(key string, at time.Time) error {
	if year := at.UTC().Year(); year < firstYear || year > lastYear {
		return fmt.Errorf("durable: key %q: deadline %v: want a year from %d to %d", key, at, firstYear, lastYear)
	}
	return nil
}

// escape turns a key into one token of a subject. Letters, digits and some marks stay; any other byte becomes %
// and two hex digits. So the escaped form of a prefix is a prefix of the escaped form.
func escape(key string) string {
	const hex = "0123456789ABCDEF"
	first := slices.IndexFunc([]byte(key), func(c byte) bool { return !plain(c) })
	if first < 0 {
		return key
	}
	var b strings.Builder
	b.WriteString(key[:first])
	for i := first; i < len(key); i++ {
		if c := key[i]; plain(c) {
			b.WriteByte(c)
		} else {
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}

func plain(c byte) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		return true
	}
	return strings.IndexByte("-_/:=@+,;!~", c) >= 0
}

func unescape(token string) (string, bool) {
	key, err := url.PathUnescape(token)
	return key, err == nil
}
