package workload

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// SIP models the transactions of a stateful proxy for telephony over UDP. RFC 3261 specifies every timer of a
// transaction (table 4). The times of the answers determine the whole timeline of a transaction:
//
//	client, INVITE   A from the request, doubling, until the answer
//	                 B from the request, 64 T1, until the answer
//	                 C from the request, and anew from the answer, until the final one
//	                 D from the final answer, if that refuses
//	server, INVITE   G from a final answer that refuses, doubling up to T2, until its ACK
//	                 H from there, 64 T1, until the ACK; I from the ACK, T4
//	client, others   E from the request, doubling up to T2, until the answer
//	                 F from the request, 64 T1, until the answer; K from the answer, T4
//	server, others   J from the answer, 64 T1
//
// A, E and G begin at T1, and at each of them something is sent again. The proxy is a server to one side and a client
// to the other, and each call has an INVITE and a BYE: the four kinds of transactions arrive equally often.
type SIP struct {
	T1 Duration `toml:"t1" comment:"estimate of the round trip"`
	T2 Duration `toml:"t2" comment:"longest interval of retransmissions other than A"`
	T4 Duration `toml:"t4" comment:"how long messages stay in the network"`
	C  Duration `toml:"c" comment:"how long a proxy waits for the final answer to an INVITE"`
	D  Duration `toml:"d" comment:"how long a client waits for repetitions of a refusal"`

	Answer  Delay `toml:"answer,inline" comment:"from a request to its answer, or from a refusal to its ACK"`
	Ring    Delay `toml:"ring,inline" comment:"from the first answer to an INVITE to the final one"`
	Refused Share `toml:"refused,omitempty" comment:"of the INVITEs"`
	Lost    Share `toml:"lost,omitempty" comment:"of the transactions, which are never answered"`
}

// New returns the process at the rate of arrivals that leads to n timers.
func (m *SIP) New(n int, tick time.Duration) script.Process {
	p := &sip{
		SIP: m, eventLoop: newEventLoop(tick, 0, sipTimers),
		answer: m.Answer.dist(tick), ring: m.Ring.dist(tick),
	}
	p.meanInterval = p.meanTimers() / float64(n)
	return p
}

type sip struct {
	*SIP
	eventLoop               // the owners of timers are the transactions, which arrive
	remaining    []timeline // by transaction
	free         []int      // indices of transactions that have ended
	meanInterval float64    // mean, between two arrivals

	answer, ring script.Dist // of SIP, in ticks
}

// The kinds of events: first the timers of a transaction. That one fires has no effect, because the timeline contains
// its consequences.
const (
	sipAgain  = iota // of retransmissions: A, E or G
	sipEnd           // ends them: B, F, H or J
	sipC             //
	sipAfter         // from the final answer on: D, I or K
	sipTimers        // number of them

	sipNext    = iota // the next action of a transaction
	sipArrival        // of the next transaction
)

type sipAction struct {
	at       structures.Tick
	timer    int
	deadline structures.Tick // 0: cancel
}

// timeline is the list of actions on the timers of one transaction, in order of time.
// The transaction begins at tick 0.
type timeline []sipAction

func (t *timeline) set(timer int, at, after structures.Tick) {
	*t = append(*t, sipAction{at, timer, at + after})
}

func (t *timeline) stop(timer int, at structures.Tick) { *t = append(*t, sipAction{at, timer, 0}) }

// retransmit sets the timer of retransmissions and sets it again whenever it fires, until a tick. The
// interval doubles each time, up to limit. Another timer ends that after giveUp.
func (t *timeline) retransmit(first, limit, until, giveUp structures.Tick) {
	for at, interval := structures.Tick(0), first; at < until; {
		t.set(sipAgain, at, interval)
		at, interval = at+interval, min(2*interval, limit)
	}
	t.stop(sipAgain, until)
	t.set(sipEnd, 0, giveUp)
	t.stop(sipEnd, until)
}

// inviteClient returns the timeline of an INVITE that gets its first answer after answer
// ticks and the final one ring ticks later.
func (p *sip) inviteClient(answer, ring structures.Tick, refused bool) (t timeline) {
	giveUp := 64 * p.in(p.T1)
	t.retransmit(p.in(p.T1), math.MaxInt64/4, min(answer, giveUp), giveUp)
	t.set(sipC, 0, p.in(p.C))
	if answer > giveUp {
		t.stop(sipC, giveUp)
		return t
	}
	t.set(sipC, answer, p.in(p.C))
	t.stop(sipC, answer+ring)
	if refused && ring <= p.in(p.C) {
		t.set(sipAfter, answer+ring, p.in(p.D))
	}
	return t
}

// exchange returns the timeline of a message that is sent again until its answer comes, or
// its ACK if it is a refusal, after answer ticks.
func (p *sip) exchange(answer structures.Tick) (t timeline) {
	giveUp := 64 * p.in(p.T1)
	t.retransmit(p.in(p.T1), p.in(p.T2), min(answer, giveUp), giveUp)
	if answer <= giveUp {
		t.set(sipAfter, answer, p.in(p.T4))
	}
	return t
}

func (p *sip) drawTimeline(r *script.Rand) timeline {
	answer := structures.Tick(maxDelay)
	if r.Float64() >= float64(p.Lost) {
		answer = ticks(p.answer.Draw(r))
	}
	var t timeline
	switch r.IntN(4) {
	case 0:
		t = p.inviteClient(answer, ticks(p.ring.Draw(r)), r.Float64() < float64(p.Refused))
	case 1:
		if r.Float64() < float64(p.Refused) { // an accepted INVITE needs no timer
			t = p.exchange(answer)
		}
	case 2:
		t = p.exchange(answer)
	case 3:
		t.set(sipEnd, 0, 64*p.in(p.T1)) // it answers at once
	}
	slices.SortStableFunc(t, func(a, b sipAction) int { return cmp.Compare(a.at, b.at) })
	return t
}

// meanTimers returns the sum of the times that the timers of a transaction are pending,
// on average. It assumes that answers come before 64 T1 and final answers before C.
func (p *sip) meanTimers() float64 {
	answer, giveUp := p.answer.Mean, float64(64*p.in(p.T1))
	quick := func(after float64) float64 {
		return float64((1-float64(p.Lost))*(2*answer+after)) + float64(float64(p.Lost)*2*giveUp)
	}
	inviteClient := quick(answer+p.ring.Mean+float64(float64(p.Refused)*float64(p.in(p.D)))) + float64(float64(p.Lost)*giveUp)
	return (inviteClient + float64(float64(p.Refused)*quick(float64(p.in(p.T4)))) + quick(float64(p.in(p.T4))) + giveUp) / 4
}

// Fill begins all past transactions that may still be in progress.
func (p *sip) Fill(w *script.Writer, r *script.Rand) {
	longest := 64*p.in(p.T1) + p.in(p.C) + p.in(p.D) // no transaction lasts longer
	for p.arrival = float64(w.Now() - longest); ; {
		after := float64(p.meanInterval * r.Exp())
		if p.arrival+after > float64(w.Now()) {
			p.planArrival(w, after, of(0, sipArrival))
			return
		}
		p.arrival += after
		p.begin(w, p.drawTimeline(r), structures.Tick(math.Ceil(p.arrival)))
	}
}

// Step handles the events of one tick.
func (p *sip) Step(w *script.Writer, r *script.Rand) {
	p.nextTick(w, func(e event) {
		switch e.kind {
		case sipNext:
			i := int(e.owner)
			action := p.remaining[i][0]
			p.remaining[i] = p.remaining[i][1:]
			if timer := of(i, action.timer); action.deadline > 0 {
				p.set(w, action.deadline, timer)
			} else {
				p.cancel(w, timer)
			}
			p.planNext(i)
		case sipArrival:
			p.begin(w, p.drawTimeline(r), w.Now())
			p.planArrival(w, float64(p.meanInterval*r.Exp()), of(0, sipArrival))
		}
	})
}

// begin adds a transaction that began at a tick, now or earlier.
func (p *sip) begin(w *script.Writer, t timeline, began structures.Tick) {
	var pending [sipTimers]sipAction
	for len(t) > 0 && began+t[0].at <= w.Now() {
		pending[t[0].timer] = t[0]
		t = t[1:]
	}
	for i := range t {
		t[i].at += began
		if t[i].deadline > 0 {
			t[i].deadline += began
		}
	}
	if len(p.free) == 0 {
		p.free = append(p.free, len(p.remaining))
		p.remaining = append(p.remaining, nil)
		p.timers = append(p.timers, make([]timerRef, sipTimers)...)
	}
	i := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	p.remaining[i] = t
	p.forget(i)
	for kind, action := range pending {
		if deadline := began + action.deadline; action.deadline > 0 && deadline > w.Now() {
			p.set(w, deadline, of(i, kind))
		}
	}
	p.planNext(i)
}

// planNext plans the next action of a transaction. Without one the transaction has ended.
func (p *sip) planNext(i int) {
	if t := p.remaining[i]; len(t) > 0 {
		p.plan(t[0].at, of(i, sipNext))
		return
	}
	p.free = append(p.free, i)
}
