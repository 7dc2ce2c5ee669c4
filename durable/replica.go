package durable

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// state is where a timer is in its life.
type state uint8

const (
	isPending state = iota
	isFired         // and not handled yet
	isDead          // a dead letter
	isEnded         // not in a replica any more
)

// entry is a timer in memory. Most are pending and far, so it is small.
type entry struct {
	data     string // the key, and then the payload if it is in memory
	deadline int64
	rev      uint64 // the position of the last change
	more     *more  // nil for a timer that was set once, and waits
	size     uint32 // of the payload
	keySize  uint16
	state    state
}

// more is the rest of a timer.
type more struct {
	extra
	home     uint64 // the position of its last whole record, or 0: rev
	id       uint64 // the position where it became fired or dead
	holder   uint64 // the client that handles it, or 0
	attempts int    // the call of the handler that may have begun, or was the last; 0 if that is the first one
	at       int64  // without a holder: when the next attempt is due
}

func (e *entry) key() string { return e.data[:e.keySize] }

// whole reports whether the payload is in memory.
func (e *entry) whole() bool { return len(e.data) == int(e.keySize)+int(e.size) }

func (e *entry) home() uint64 {
	if e.more != nil && e.more.home != 0 {
		return e.more.home
	}
	return e.rev
}

func (e *entry) need() *more {
	if e.more == nil {
		e.more = &more{}
	}
	return e.more
}

func (e *entry) isCron() bool { return e.more != nil && e.more.cron != "" }

// bytes is about what the entry takes in a log, once it is repeated.
func (e *entry) bytes() int64 {
	n := int64(e.keySize) + int64(e.size) + 24
	if e.more != nil {
		n += int64(len(e.more.cron)+len(e.more.err)) + 16
	}
	return n
}

// keep returns the record that repeats all about e.
func (e *entry) keep(payload []byte) record {
	r := record{op: opKeep, state: e.state, key: e.key(), payload: payload, deadline: e.deadline, rev: e.rev}
	if m := e.more; m != nil {
		r.id, r.holder, r.attempts, r.extra = m.id, m.holder, m.attempts, m.extra
		if e.state == isFired && m.holder == 0 {
			r.stored = m.at // a timer that has fired has no use for the other time
		}
	}
	return r
}

// timer returns e as a Timer.
func (e *entry) timer(payload []byte) Timer {
	r := e.keep(payload)
	return r.timer(e.rev)
}

// payload returns the payload, which must be in memory.
func (e *entry) payload() []byte {
	if e.size == 0 {
		return nil
	}
	return []byte(e.data[e.keySize:])
}

// replica is the state of a partition: what follows from its log up to some message. All replicas that have read the
// same log are equal.
type replica struct {
	base    base
	pending map[string]*entry
	others  map[uint64]*entry // fired timers and dead letters, by id
	dead    int               // how many of others are dead letters
	applied uint64            // the last message
	void    []uint64          // as base.Void, up to applied
	total   int64             // bytes of the log, with the removed ones
	live    int64             // bytes of what is still needed
	read    []uint64          // the messages from base.First on

	near   func(e *entry) bool        // whether the payload must be in memory
	placed func(e *entry)             // called when e is pending, or without a holder, and may be due
	took   func(e *entry, isNew bool) // called when somebody has begun to handle e, or if that is repeated
	freed  func(e *entry)             // called when somebody no longer handles e
	parsed []record
}

func newReplica(b base) *replica {
	return &replica{base: b, total: int64(b.Bytes), pending: make(map[string]*entry), others: make(map[uint64]*entry), void: slices.Clone(b.Void),
		near: func(*entry) bool { return true }, placed: func(*entry) {}, took: func(*entry, bool) {}, freed: func(*entry) {}}
}

func loggedSize(body []byte) int64 { return int64(len(body)) + perLogged }

// size is how many bytes the log has.
func (r *replica) size() int64 { return r.total - int64(r.base.Bytes) }

// perLogged is about how many bytes a message takes in the store, without its body.
const perLogged = 64

// apply applies a message of the log. It returns the ID of the message, and the answer to each of its records that has one.
// A message that cannot be read has no effect.
func (r *replica) apply(seq uint64, at time.Time, body []byte) (id messageID, answers []byte, err error) {
	r.applied = seq
	r.total += loggedSize(body)
	r.read = append(r.read, seq)
	id, r.parsed, err = parseMessage(body, r.parsed)
	if err != nil {
		return id, nil, fmt.Errorf("message %d: %w", seq, err)
	}
	for i := range r.parsed {
		rec := &r.parsed[i]
		answer := byte(0)
		if r.do(position(seq, i), at, id.sender, rec) {
			answer = 1
		}
		if rec.op.asks() {
			answers = append(answers, answer)
		}
	}
	return id, answers, nil
}

// asks reports whether the sender of a record waits for an answer.
func (o op) asks() bool { return o == opAdd || o == opEvery || o == opMove || o == opCancel }

// do applies one record and reports whether it had an effect.
func (r *replica) do(pos uint64, at time.Time, sender uint64, rec *record) (ok bool) {
	blind := pos/perMessage <= r.base.Complete
	switch rec.op {
	case opAdd, opEvery, opBury, opKeep:
		// In the first part of the log, the timer that decides about it may be missing: its writer has noted the answer.
		if blind {
			if _, void := slices.BinarySearch(r.base.Void, pos); void {
				return false
			}
		} else if !r.can(rec, sender) {
			r.void = append(r.void, pos)
			return false
		}
	}
	switch rec.op {
	case opSet, opAdd, opEvery:
		if rec.cron != "" {
			rec.stored = at.UnixNano()
		}
		rec.state = isPending
		r.put(pos, rec)
		return true
	case opKeep:
		r.put(pos, rec)
		return true
	case opBury:
		if e := r.others[rec.id]; e != nil {
			r.freed(e)
			r.drop(e)
		}
		dead := *rec
		dead.state, dead.id = isDead, pos
		r.put(pos, &dead)
		return true
	case opMove, opCancel, opFire, opRun:
		e := r.pending[rec.key]
		if e == nil || rec.op >= opFire && (e.rev != rec.rev || e.isCron() != (rec.op == opRun)) {
			return false
		}
		r.change(e, pos, at, sender, rec)
		return true
	}
	e := r.others[rec.id]
	if e == nil || (e.state == isDead) != (rec.op == opRevive || rec.op == opDiscard) {
		return false
	}
	m := e.more
	switch rec.op {
	case opDone, opDiscard:
		r.freed(e)
		r.drop(e)
		return true
	case opTake:
		if e.rev != rec.rev {
			return false
		}
		m.holder, m.attempts, e.rev = sender, rec.attempts, pos
		r.took(e, true)
		return true
	case opRevive:
		r.drop(e)
		m.holder, m.attempts, m.at, m.err = 0, 0, 0, ""
		r.fire(e, pos)
		r.placed(e)
		return true
	}
	if m.holder != sender {
		return false
	}
	r.freed(e)
	e.rev, m.holder, m.attempts, m.at = pos, 0, rec.attempts, rec.deadline
	r.placed(e)
	return true
}

// can reports whether a record that depends on the timer with its key has an effect.
func (r *replica) can(rec *record, sender uint64) bool {
	e := r.pending[rec.key]
	switch rec.op {
	case opAdd:
		return e == nil
	case opEvery:
		return e == nil || !e.isCron() || e.more.cron != rec.cron || e.more.missed != rec.missed || e.more.limits != rec.limits ||
			e.data[e.keySize:] != string(rec.payload)
	}
	if rec.op == opBury {
		e = r.others[rec.id]
		return e != nil && e.state == isFired && e.more.holder == sender
	}
	if rec.state != isPending {
		e = r.others[rec.id]
	}
	return e != nil && e.rev == rec.rev
}

// has reports whether e is in the replica.
func (r *replica) has(e *entry) bool {
	return e.state == isPending && r.pending[e.key()] == e || e.state != isPending && e.more != nil && r.others[e.more.id] == e
}

// put adds the timer of a record, in place of the one with its key or ID.
func (r *replica) put(pos uint64, rec *record) {
	e := &entry{data: rec.key, deadline: rec.deadline, rev: pos, size: uint32(len(rec.payload)), keySize: uint16(len(rec.key)), state: rec.state}
	if rec.extra != (extra{}) || e.state != isPending {
		e.more = &more{extra: rec.extra}
	}
	if len(rec.payload) > 0 && (e.state != isPending || e.isCron() || r.near(e)) { // it is needed soon, or has to be compared
		var b strings.Builder
		b.Grow(len(rec.key) + len(rec.payload))
		b.WriteString(rec.key)
		b.Write(rec.payload)
		e.data = b.String()
	}
	m := e.more
	switch e.state {
	case isPending:
		r.drop(r.pending[rec.key])
		r.pending[e.key()] = e
	case isFired:
		m.at, m.stored = rec.stored, 0
	case isDead:
		r.dead++
	}
	if e.state != isPending {
		m.home, m.id, m.holder, m.attempts = pos, rec.id, rec.holder, rec.attempts
		r.drop(r.others[rec.id])
		r.others[rec.id] = e
	}
	r.live += e.bytes()
	switch {
	case e.state == isFired && m.holder != 0:
		r.took(e, false)
	case e.state != isDead:
		r.placed(e)
	}
}

// drop ends e, if it is not nil.
func (r *replica) drop(e *entry) {
	if e == nil {
		return
	}
	r.live -= e.bytes()
	if e.state == isPending {
		delete(r.pending, e.key())
	} else {
		delete(r.others, e.more.id)
	}
	if e.state == isDead {
		r.dead--
	}
	e.state = isEnded
}

// change applies a record about a pending timer.
func (r *replica) change(e *entry, pos uint64, at time.Time, sender uint64, rec *record) {
	switch rec.op {
	case opCancel:
		r.drop(e)
	case opFire:
		r.drop(e)
		m := e.need()
		m.holder, m.attempts = sender, 0
		r.fire(e, pos)
		r.took(e, true)
	case opMove:
		r.live -= e.bytes()
		m := e.need()
		m.home = e.home()
		e.deadline, e.rev = rec.deadline, pos
		m.moved, m.last, m.err = m.cron != "", false, ""
		r.live += e.bytes()
		r.placed(e)
	case opRun:
		m := e.more
		home := e.home()
		if rec.fires {
			run := &entry{data: e.data, deadline: e.deadline, size: e.size, keySize: e.keySize, rev: e.rev,
				more: &more{home: home, extra: extra{limits: m.limits}, holder: sender}}
			r.fire(run, pos)
			r.took(run, true)
		}
		r.live -= e.bytes()
		m.moved = m.moved && rec.deadline == e.deadline // it is just the error that changes
		m.home, m.last, m.err, m.stored = home, rec.last, rec.err, at.UnixNano()
		e.deadline, e.rev = rec.deadline, pos
		r.live += e.bytes()
		r.placed(e)
	}
}

// fire adds e, which is not in the replica, as a timer that has fired.
func (r *replica) fire(e *entry, pos uint64) {
	e.more.home = e.home()
	e.state, e.rev, e.more.id = isFired, pos, pos
	r.others[pos] = e
	r.live += e.bytes()
}
