package durable

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/timerbench/timerbench/durable/internal/cron"
)

const (
	maxWaiting      = 1 << 10 // timers that this worker has fired and not begun to handle
	againStep       = 250 * time.Millisecond
	stallTime       = 10 * time.Second
	unreadablePause = time.Minute      // between tries to compute a next run
	zonePause       = 10 * time.Minute // between looks at the rules of a time zone
)

// wake makes the worker look at what is due.
func (w *worker) wake() { poke(w.poked) }

// wakeAt does so if a time is before the next look.
func (w *worker) wakeAt(at int64) {
	if at < w.next.Load() {
		w.wake()
	}
}

// fireDue fires due timers until ctx ends.
func (w *worker) fireDue(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-w.poked:
		case <-ctx.Done():
			return
		}
		w.next.Store(math.MaxInt64) // whoever comes now wakes it again
		next := w.cfg.Now().Add(time.Second).UnixNano()
		for _, p := range w.all() {
			next = min(next, p.fire())
		}
		w.next.Store(next)
		w.silent.Store(0)
		timer.Reset(time.Until(time.Now().Add(time.Duration(next - w.cfg.Now().UnixNano()))))
	}
}

// ran is what is due and the record about it, or opKeep of a timer of Every, whose run must be computed.
type ran struct {
	due
	record
}

// fire sends what is due to the log, and returns when it must be called again.
func (p *partition) fire() (next int64) {
	w := p.w
	now := w.cfg.Now()
	ns := now.UnixNano()
	next = ns + int64(time.Second)
	connection, up := w.link()
	if !up || !p.loaded.Load() {
		return next
	}
	var list []ran
	p.mu.Lock()
	if p.firing || p.closed || connection != p.connection || time.Now().Before(p.resume) { // over a new connection, read first
		p.mu.Unlock()
		return next
	}
	wasFire, wasTake := w.roomFor()
	room, takes := wasFire, wasTake
	for len(p.soon) > 0 && p.soon[0].at <= ns && room > 0 {
		r := ran{due: heap.Pop(&p.soon).(due)}
		switch {
		case r.due.stale():
			continue
		case r.due.state == isFired:
			if takes--; takes < 0 {
				heap.Push(&p.soon, r.due)
				room = 0
				continue
			}
			r.record = record{op: opTake, id: r.more.id, rev: r.due.rev, attempts: r.more.attempts + 1}
		case r.isCron():
			r.record = r.keep(nil)
		default:
			r.record = record{op: opFire, key: r.due.key(), rev: r.due.rev}
		}
		list = append(list, r)
		room--
	}
	switch {
	case len(p.soon) > 0 && room > 0:
		next = min(next, p.soon[0].at)
	case room <= 0: // a handler will say so, unless one has begun or returned before it could know
		w.short.Store(true)
		if fire, take := w.roomFor(); fire > wasFire || take > wasTake {
			next = ns
		}
	}
	p.firing = len(list) > 0
	p.mu.Unlock()
	var sent []due
	var body []byte
	for _, r := range list {
		rec, ok := r.record, true
		if rec.op == opKeep {
			rec, ok = w.run(p, r, now)
		}
		if ok {
			body = rec.append(body)
			sent = append(sent, r.due)
		}
	}
	p.send(sent, body)
	return next
}

// flight is a message on its way back to the partition, and what this worker handles if it counts.
type flight struct {
	seq   uint64
	takes []record // opRelease for each
}

// append appends records about entries to the log, one for each, and calls then. If the partition is no longer served before
// it has read them, it gives back what they may have taken.
func (p *partition) append(sent []due, body []byte, then func(err error)) {
	w := p.w
	w.flying.Add(int64(len(sent)))
	takes := make([]record, len(sent)) // the reverse
	for i, d := range sent {
		if takes[i].op = opRelease; d.state == isFired {
			takes[i].id, takes[i].attempts = d.more.id, d.more.attempts
		}
	}
	done := func(pos uint64, _ bool, err error) {
		f := flight{pos / perMessage, takes}
		for i := range takes {
			takes[i].id = cmp.Or(takes[i].id, pos+uint64(i))
		}
		p.mu.Lock()
		closed := p.closed
		if err == nil && !closed && (f.seq > p.replica.applied || !p.loaded.Load()) {
			p.unseen = append(p.unseen, f)
		}
		p.mu.Unlock()
		if err == nil && closed {
			w.giveBack(p.number, f)
		}
		w.flying.Add(-int64(len(sent))) // before the worker looks for room again
		then(err)
	}
	w.senders[p.number].put(item{body: body, count: len(sent), work: true, done: done})
}

// giveBack releases what this worker will not read that it has taken.
func (w *worker) giveBack(partition int, flights ...flight) {
	for _, f := range flights {
		for _, rec := range f.takes {
			j := &job{jobID: jobID{partition, rec.id}}
			w.jobs.mu.Lock()
			known := w.jobs.known[j.jobID] != nil
			w.jobs.mu.Unlock()
			if !known {
				w.write(j, rec)
			}
		}
	}
}

// send appends the records that fire entries. Without an answer they are tried again, all together and in order.
func (p *partition) send(sent []due, body []byte) {
	then := func(err error) {
		p.mu.Lock()
		p.firing = false
		if err != nil {
			p.w.cfg.Logger.Debug("firing is tried again", "partition", p.number, "after", againStep, "error", err)
			p.resume = time.Now().Add(againStep)
			time.AfterFunc(againStep, p.w.wake)
			for _, d := range sent {
				if p.replica.has(d.entry) {
					heap.Push(&p.soon, d)
				}
			}
		}
		p.mu.Unlock()
		p.w.wake()
	}
	if len(sent) == 0 {
		p.mu.Lock()
		p.firing = false
		p.mu.Unlock()
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookTimeout)
	defer cancel()
	if err := p.w.claim(ctx, &p.w.firing, int64(len(body)+perLogged)); err != nil {
		then(err)
		return
	}
	p.append(sent, body, then)
}

// later schedules d again.
func (p *partition) later(d due, at time.Time, zone bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.replica.has(d.entry) {
		p.push(due{at.UnixNano(), d.entry, zone})
	}
}

// run returns the record about a timer of Every, if one is needed.
func (w *worker) run(p *partition, r ran, now time.Time) (rec record, ok bool) {
	rec = record{op: opRun, key: r.key, rev: r.rev}
	if rec.deadline = r.rightRun(); rec.deadline != r.deadline {
		return rec, true
	}
	if r.zone {
		p.later(r.due, now.Add(zonePause), true)
		return rec, false
	}
	fires, next, err := w.nextRun(r.cron, r.missed, r.last, time.Unix(0, r.deadline), now)
	if year := next.UTC().Year(); err == nil && year > lastYear { // the clock is wrong
		err = fmt.Errorf("the next run is in the year %d: want %d at most", year, lastYear)
	}
	if err != nil {
		return w.unreadable(p, r, err)
	}
	rec.fires, rec.last, rec.deadline = fires, !fires && !next.After(now), next.UnixNano()
	return rec, true
}

// rightRun returns the deadline that a timer of Every should have. It differs from the one stored if the rules of its time
// zone do.
func (r *record) rightRun() int64 {
	if r.byZone() {
		right, err := cron.RightRun(r.cron, time.Unix(0, r.stored), time.Unix(0, r.deadline))
		if err == nil { // otherwise it is reported when the timer is due
			return right.UnixNano()
		}
	}
	return r.deadline
}

// unreadable keeps a timer whose next run cannot be computed, for example because the machine does not know its time
// zone, and computes the run again after a pause. The first worker stores the error with the timer.
func (w *worker) unreadable(p *partition, r ran, err error) (rec record, ok bool) {
	if r.err == "" {
		text := clip(err.Error(), maxError)
		return record{op: opRun, key: r.key, rev: r.rev, deadline: r.at, extra: extra{last: r.last, err: text}}, true
	}
	level := slog.LevelDebug
	if p.cannotRead(r.entry, err) {
		level = slog.LevelError
	}
	w.cfg.Logger.Log(context.Background(), level, "the next run of a timer cannot be computed: it is tried again",
		"key", r.key, "after", unreadablePause, "error", err)
	time.AfterFunc(unreadablePause, func() { p.later(r.due, time.Unix(0, r.at), false) })
	return rec, false
}

// stalled reports whether nobody has looked at what is due for stallTime. Seconds of watch are counted, so that a process
// that was suspended does not seem stalled.
func (w *worker) stalled() bool { return w.silent.Load() > int32(stallTime/time.Second) }
