package durable

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/internal/longtest"
)

// logOf is a log that a test writes.
type logOf struct {
	messages []message
	last     uint64
}

func (l *logOf) add(sender uint64, records ...record) message {
	l.last += 1 + l.last%3 // other partitions have messages, too
	b := messageID{sender, l.last}.append(nil)
	for _, r := range records {
		b = r.append(b)
	}
	m := message{l.last, time.Unix(int64(l.last), 0), b}
	l.messages = append(l.messages, m)
	return m
}

// view is what a replica says about its timers. Positions of whole records differ once a log was cleaned.
func (r *replica) view() map[string]string {
	all := make(map[string]string)
	add := func(name string, e *entry) {
		k := e.keep(e.payload())
		k.rev = 0
		all[name] = fmt.Sprintf("%+v", k)
	}
	for key, e := range r.pending {
		add(key, e)
	}
	for id, e := range r.others {
		add(fmt.Sprint(id), e)
	}
	return all
}

// A log is written at random, by clients that know its state or an older one, and cleaned at random. Replicas that read it
// from each of its bases agree at each message from where the base is complete, and so do the answers. They agree with a model
// that knows nothing of logs, cleaning and positions.
func TestReplicasAgree(t *testing.T) {
	for seed := range uint64(longtest.Scale(t, 15, 15, 2000)) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var l logOf
		hot := newReplica(base{})
		var cold []*replica       // one for each base
		lag := newReplica(base{}) // of a worker that knows an older state
		complete := true          // it has read all messages
		m := newModel()
		keys := []string{"a", "b", "c", "d", "e"}
		for range 300 {
			sender := uint64(1 + rng.IntN(3))
			var records []record
			for range 1 + rng.IntN(4) {
				records = append(records, m.random(rng, keys, []*replica{hot, lag}[rng.IntN(2)]))
			}
			msg := l.add(sender, records...)
			_, answers, err := hot.apply(msg.seq, msg.at, msg.body)
			fatalIf(t, err)
			if want := m.apply(sender, msg, records); !bytes.Equal(answers, want) {
				t.Fatalf("seed %d, message %d, %+v: answers %v, want %v", seed, msg.seq, records, answers, want)
			}
			for i, r := range cold {
				_, got, err := r.apply(msg.seq, msg.at, msg.body)
				fatalIf(t, err)
				if !bytes.Equal(got, answers) || !reflect.DeepEqual(r.view(), hot.view()) {
					t.Fatalf("seed %d, message %d, %+v: after base %d there is\n%v, %v\nwant\n%v, %v", seed, msg.seq, records, i, got, r.view(), answers, hot.view())
				}
			}
			if live := liveBytes(hot); live != hot.live {
				t.Fatalf("seed %d: %d bytes are live, want %d", seed, hot.live, live)
			}
			if len(hot.others) != len(m.others) {
				t.Logf("seed %d: %+v by %d", seed, records, sender)
			}
			m.compare(t, hot)
			if rng.IntN(5) == 0 {
				for _, msg := range l.messages {
					if msg.seq > lag.applied {
						_, _, _ = lag.apply(msg.seq, msg.at, msg.body)
					}
				}
			}
			if rng.IntN(20) == 0 && len(l.messages) > 5 {
				r, b := l.clean(t, rng, hot, m, cold)
				for i, r := range append(cold, hot) {
					if !r.advance(b) {
						t.Fatalf("seed %d: replica %d says that it has missed messages before %d", seed, i, b.First)
					}
				}
				if complete = complete && lag.applied >= b.First-1; lag.advance(b) != complete {
					t.Fatalf("seed %d: it has read up to %d, and nothing is missing before %d: %v", seed, lag.applied, b.First, !complete)
				}
				cold = append(cold, r)
			}
		}
	}
}

// Every that changes nothing leaves records that the base has to name. Before they are too many for a message, the log is cleaned.
func TestRecordsWithoutEffect(t *testing.T) {
	var l logOf
	r := newReplica(base{})
	add := func(records ...record) {
		m := l.add(1, records...)
		_, _, err := r.apply(m.seq, m.at, m.body)
		fatalIf(t, err)
	}
	every := record{op: opEvery, key: "key", extra: extra{cron: "@hourly"}}
	add(every)
	for i := range 10 {
		add(record{op: opSet, key: fmt.Sprint(i), payload: make([]byte, 1_000_000)})
	}
	for !(&Client{}).wasteful(r, setFactor, slack) {
		add(every)
	}
	if b := r.cleaned(0, 0, 0); len(b.append()) > 2*maxBatch { // of MaxMsgSize
		t.Errorf("the base has %d bytes after %d records", len(b.append()), len(b.Void))
	}
}

func liveBytes(r *replica) (n int64) {
	for _, e := range r.pending {
		n += e.bytes()
	}
	for _, e := range r.others {
		n += e.bytes()
	}
	return n
}

// clean removes the oldest messages, as Client.clean does, while others write. It returns a replica that reads the rest, and the
// base.
func (l *logOf) clean(t *testing.T, rng *rand.Rand, hot *replica, m *model, cold []*replica) (*replica, base) {
	put := func(sender uint64, records ...record) {
		msg := l.add(sender, records...)
		for _, r := range append([]*replica{hot}, cold...) {
			_, _, err := r.apply(msg.seq, msg.at, msg.body)
			fatalIf(t, err)
		}
		m.apply(sender, msg, records)
	}
	n := 1 + rng.IntN(len(l.messages)-1)
	first := l.messages[n-1].seq + 1
	homes := make(map[uint64]record)
	for _, msg := range l.messages[:n] {
		_, records, err := parseMessage(msg.body, nil)
		fatalIf(t, err)
		for i, rec := range records {
			homes[position(msg.seq, i)] = rec
		}
	}
	for {
		var keeps []record
		for _, e := range slices.Concat(slices.Collect(maps.Values(hot.pending)), slices.Collect(maps.Values(hot.others))) {
			if e.home()/perMessage < first {
				keeps = append(keeps, e.keep(homes[e.home()].payload))
			}
		}
		if len(keeps) == 0 {
			break
		}
		for range rng.IntN(3) { // others are faster
			put(1, m.random(rng, []string{"a", "b", "c", "d", "e"}, hot))
		}
		put(9, keeps...)
	}
	hot.cleaned(hot.applied+1, 0, 0) // which is not stored
	b := hot.cleaned(first, hot.base.Removed+uint64(n), 0)
	back, err := parseBase(hot.applied, b.append())
	if err != nil || !reflect.DeepEqual(back.Void, b.Void) && len(b.Void) > 0 || back.First != first || back.Complete != b.Complete {
		t.Fatalf("%+v is read as %+v, %v", b, back, err)
	}
	l.messages = l.messages[n:]
	r := newReplica(back)
	for _, msg := range l.messages {
		_, _, err := r.apply(msg.seq, msg.at, msg.body)
		fatalIf(t, err)
	}
	if !reflect.DeepEqual(r.view(), hot.view()) {
		t.Fatalf("from %d on there is\n%v\nwant\n%v", first, r.view(), hot.view())
	}
	return r, back
}

// model is the same state machine in simple terms.
type model struct {
	pending map[string]*modelTimer
	others  map[uint64]*modelTimer
}

type modelTimer struct {
	key, payload, cron, err string
	deadline, at            int64
	missed                  driver.Missed
	last, moved             bool
	state                   state
	known                   uint64 // the position that a client must know
	holder                  uint64
	attempts                int
}

func newModel() *model { return &model{make(map[string]*modelTimer), make(map[uint64]*modelTimer)} }

// random returns a record as some client could write it that knows the state of r.
func (m *model) random(rng *rand.Rand, keys []string, r *replica) record {
	key := keys[rng.IntN(len(keys))]
	rec := record{key: key, deadline: int64(rng.IntN(1000)), payload: []byte(fmt.Sprint(rng.IntN(3)))}
	if rng.IntN(3) == 0 {
		rec.cron, rec.missed = "@hourly", driver.Missed(rng.IntN(2))
	}
	known := r.pending[key]
	var other *entry
	if len(r.others) > 0 && rng.IntN(2) == 0 {
		ids := slices.Sorted(maps.Keys(r.others))
		other = r.others[ids[rng.IntN(len(ids))]]
	}
	switch {
	case other != nil:
		ops := []op{opTake, opRetry, opRelease, opDone, opBury, opRevive, opDiscard}
		o, at := ops[rng.IntN(len(ops))], int64(rng.IntN(1000))
		if o == opBury {
			at = other.deadline
		}
		return record{op: o, key: other.key(), payload: other.payload(), id: other.more.id, rev: other.rev, attempts: 1 + rng.IntN(3),
			deadline: at, extra: extra{err: []string{"", "on purpose"}[rng.IntN(2)]}}
	case known != nil && rng.IntN(2) == 0:
		if known.isCron() {
			return record{op: opRun, key: key, rev: known.rev, deadline: known.deadline + int64(rng.IntN(2)), fires: rng.IntN(2) == 0, extra: extra{last: rng.IntN(2) == 0}}
		}
		return record{op: opFire, key: key, rev: known.rev}
	}
	switch n := rng.IntN(6); n {
	case 0:
		return record{op: opMove, key: key, deadline: rec.deadline}
	case 1:
		return record{op: opCancel, key: key}
	case 2:
		rec.op = opAdd
	case 3:
		rec.op, rec.cron = opEvery, "@hourly"
	default:
		rec.op = opSet
	}
	return rec
}

func (m *model) apply(sender uint64, msg message, records []record) (answers []byte) {
	for i, rec := range records {
		pos := position(msg.seq, i)
		old := m.pending[rec.key]
		answer := func(ok bool) {
			answers = append(answers, map[bool]byte{true: 1}[ok])
		}
		set := func() {
			m.pending[rec.key] = &modelTimer{key: rec.key, payload: string(rec.payload), cron: rec.cron, missed: rec.missed, deadline: rec.deadline, known: pos}
		}
		switch rec.op {
		case opSet:
			set()
			continue
		case opAdd:
			if answer(old == nil); old == nil {
				set()
			}
			continue
		case opEvery:
			same := old != nil && old.cron == rec.cron && old.missed == rec.missed && old.payload == string(rec.payload)
			if answer(!same); !same {
				set()
			}
			continue
		case opMove:
			if answer(old != nil); old != nil {
				old.deadline, old.moved, old.last, old.err, old.known = rec.deadline, old.cron != "", false, "", pos
			}
			continue
		case opCancel:
			answer(old != nil)
			delete(m.pending, rec.key)
			continue
		case opFire, opRun:
			if old == nil || old.known != rec.rev || (old.cron != "") != (rec.op == opRun) {
				continue
			}
			if rec.op == opFire || rec.fires {
				m.others[pos] = &modelTimer{key: old.key, payload: old.payload, deadline: old.deadline, state: isFired, holder: sender, known: pos}
			}
			if delete(m.pending, rec.key); rec.op == opRun {
				old.moved = old.moved && rec.deadline == old.deadline
				old.deadline, old.last, old.err, old.known = rec.deadline, rec.last, rec.err, pos
				m.pending[rec.key] = old
			}
			continue
		case opKeep:
			if rec.state == isPending && old != nil && old.known == rec.rev {
				old.known = pos
			} else if o := m.others[rec.id]; rec.state != isPending && o != nil && o.known == rec.rev {
				o.known = pos
			}
			continue
		}
		o := m.others[rec.id]
		if o == nil || (o.state == isDead) != (rec.op == opRevive || rec.op == opDiscard) {
			continue
		}
		mine := o.holder == sender
		switch {
		case rec.op == opDone || rec.op == opDiscard:
			delete(m.others, rec.id)
		case rec.op == opTake && o.known == rec.rev:
			o.holder, o.attempts, o.known = sender, rec.attempts, pos
		case (rec.op == opRetry || rec.op == opRelease) && mine:
			o.holder, o.attempts, o.at, o.known = 0, rec.attempts, rec.deadline, pos
		case rec.op == opBury && mine && o.state == isFired:
			delete(m.others, rec.id)
			m.others[pos] = &modelTimer{key: o.key, payload: o.payload, deadline: o.deadline, state: isDead, attempts: rec.attempts, err: rec.err, known: pos}
		case rec.op == opRevive:
			delete(m.others, rec.id)
			m.others[pos] = &modelTimer{key: o.key, payload: o.payload, deadline: o.deadline, state: isFired, known: pos}
		}
	}
	return answers
}

func (m *model) compare(t *testing.T, r *replica) {
	t.Helper()
	if len(m.pending) != len(r.pending) || len(m.others) != len(r.others) {
		t.Fatalf("after %d there are %d and %d timers, want %d and %d", r.applied, len(r.pending), len(r.others), len(m.pending), len(m.others))
	}
	same := func(w *modelTimer, e *entry) {
		t.Helper()
		if e == nil || w == nil {
			t.Fatalf("there is %v, want %v", e, w)
		}
		got := modelTimer{key: e.key(), payload: string(e.payload()), deadline: e.deadline, state: e.state, known: e.rev}
		if x := e.more; x != nil {
			got.cron, got.missed, got.last, got.moved, got.err = x.cron, x.missed, x.last, x.moved, x.err
			got.holder, got.attempts = x.holder, x.attempts
			if x.holder == 0 && e.state == isFired {
				got.at = x.at
			}
		}
		want := *w
		if want.holder != 0 {
			want.at = 0
		}
		if got != want {
			t.Fatalf("there is\n%+v, want\n%+v", got, want)
		}
	}
	for key, w := range m.pending {
		same(w, r.pending[key])
	}
	for id, w := range m.others {
		same(w, r.others[id])
	}
}
