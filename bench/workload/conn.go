package workload

import (
	"math"
	"time"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// ConnDeadline models the deadlines of keep-alive connections. Each connection has a read and a write deadline. Every
// message moves both to a later time. A connection is closed when a deadline passes or when its number of messages is
// reached. A new one replaces it. n timers are n/2 connections.
type ConnDeadline struct {
	Read     Duration `toml:"read" comment:"deadline to read, from the last message on"`
	Write    Duration `toml:"write" comment:"deadline to write, from the last message on"`
	Every    Duration `toml:"every" comment:"mean time between two messages of a connection, exponential"`
	Messages Count    `toml:"messages" comment:"after which a connection is closed"`
	Lazy     Share    `toml:"lazy,omitempty" comment:"of a deadline that must have passed for it to be moved"`
	Cleared  Share    `toml:"cleared,omitempty" comment:"of the deadlines that are cleared before they are set again"`
}

// New returns the process with n/2 connections.
func (m *ConnDeadline) New(n int, tick time.Duration) script.Process {
	conns := max(1, n/2)
	return &connDeadlines{
		newEventLoop(tick, conns, 2), m, make([]conn, conns), [2]float64{m.Read.in(tick), m.Write.in(tick)}, m.Every.in(tick),
	}
}

type connDeadlines struct {
	eventLoop // the kinds of timers are the deadlines: to read, to write; messages arrive to any connection
	*ConnDeadline
	conns        []conn
	timeout      [2]float64 // to read, to write
	meanInterval float64
}

type conn struct {
	setAt        [2]structures.Tick // when its deadlines were set
	messagesLeft int                // messages to come
}

// connMessage is the event that a message arrives, for any connection.
const connMessage = 2

// Fill sets each deadline as it is at a random moment of the steady state.
func (p *connDeadlines) Fill(w *script.Writer, r *script.Rand) {
	for i := range p.conns {
		c := &p.conns[i]
		c.messagesLeft = 1 + r.IntN(int(p.Messages))
		last := p.age(r, 0)
		for kind, timeout := range p.timeout {
			age := last
			if p.Lazy > 0 {
				age = p.age(r, float64(float64(p.Lazy)*timeout))
			}
			c.setAt[kind] = w.Now() - structures.Tick(age)
			p.set(w, w.Now()+ticks(timeout-age), of(i, kind))
		}
	}
	p.nextMessage(w, r)
}

// age draws the time since a deadline was set. A deadline is set again at the first
// message that comes quiet ticks or more after the last time it was set. The density of
// the age is constant up to quiet and decreases exponentially after it.
func (p *connDeadlines) age(r *script.Rand, quiet float64) float64 {
	if float64(r.Float64()*(quiet+p.meanInterval)) < quiet {
		return float64(r.Float64() * quiet)
	}
	return quiet + float64(p.meanInterval*r.Exp())
}

// Step is one message, or one deadline that passes.
func (p *connDeadlines) Step(w *script.Writer, r *script.Rand) {
	p.nextTick(w, func(e event) {
		switch {
		case e.kind == connMessage:
			p.message(w, r, r.IntN(len(p.conns)))
			p.nextMessage(w, r)
		case !p.pending(w, e): // the other deadline may have closed it at the same tick
			p.reopen(w, int(e.owner))
		}
	})
}

// nextMessage plans the next message. The Poisson processes of all connections together
// are one Poisson process, and each connection is equally likely to get the message.
func (p *connDeadlines) nextMessage(w *script.Writer, r *script.Rand) {
	p.planArrival(w, float64(r.Exp()*p.meanInterval)/float64(len(p.conns)), of(0, connMessage))
}

func (p *connDeadlines) message(w *script.Writer, r *script.Rand, i int) {
	c := &p.conns[i]
	if c.messagesLeft--; c.messagesLeft == 0 {
		p.reopen(w, i)
		return
	}
	for kind, timeout := range p.timeout {
		if float64(w.Now()-c.setAt[kind]) >= float64(float64(p.Lazy)*timeout) {
			c.setAt[kind] = w.Now()
			if p.Cleared > 0 && r.Float64() < float64(p.Cleared) {
				p.cancel(w, of(i, kind))
			}
			p.set(w, w.Now()+ticks(timeout), of(i, kind))
		}
	}
}

func (p *connDeadlines) reopen(w *script.Writer, i int) {
	c := &p.conns[i]
	for kind := range p.timeout {
		p.cancel(w, of(i, kind))
	}
	c.messagesLeft = int(p.Messages)
	for kind, timeout := range p.timeout {
		c.setAt[kind] = w.Now()
		p.set(w, w.Now()+ticks(timeout), of(i, kind))
	}
}

// ResetEarlier models deadlines that are moved to an earlier time and back. At regular intervals a goroutine moves
// its timer to an early deadline and immediately to a late one. Nothing fires. n timers are n goroutines, whose turns
// are spread evenly over the interval.
type ResetEarlier struct {
	Every Duration `toml:"every" comment:"between two turns of a goroutine"`
	Early Duration `toml:"early" comment:"the deadline it sets first"`
	Late  Duration `toml:"late" comment:"the deadline it sets at once after that"`
}

// New returns the process with n goroutines.
func (m *ResetEarlier) New(n int, tick time.Duration) script.Process {
	return &resets{newEventLoop(tick, n, 1), m, n}
}

type resets struct {
	eventLoop
	*ResetEarlier
	goroutines int
}

// The kinds of events: the timer of a goroutine fires, which means nothing, or a goroutine has its turn.
const (
	resetTimer = iota
	resetTurn
)

func (p *resets) Fill(w *script.Writer, _ *script.Rand) {
	for i := range p.goroutines {
		p.set(w, w.Now()+p.in(p.Late), of(i, resetTimer))
	}
	p.planTurn(0)
}

// planTurn plans a turn, counted from 0. Every goroutine has one turn in each interval.
func (p *resets) planTurn(i int) {
	n := p.goroutines
	at := structures.Tick(i/n)*p.in(p.Every) + structures.Tick(i%n)*p.in(p.Every)/structures.Tick(n) + 1
	p.plan(at, event{int32(i % n), resetTurn, structures.Tick(i)})
}

func (p *resets) Step(w *script.Writer, _ *script.Rand) {
	p.nextTick(w, func(e event) {
		if e.kind == resetTurn {
			timer := of(int(e.owner), resetTimer)
			p.set(w, w.Now()+p.in(p.Early), timer)
			p.set(w, w.Now()+p.in(p.Late), timer)
			p.planTurn(int(e.tick) + 1)
		}
	})
}

// Peers models peers that exchange messages. For each message that a peer sends it sets a deadline, which is never cleared:
// the next message moves it, and it passes in vain if no message follows in time. A second deadline is for the answer: a
// message sets it unless it is pending, and each message that is received stops it, pending or not. n timers are n divided
// by the mean number of pending timers of a peer.
type Peers struct {
	Left    Duration `toml:"left" comment:"deadline that is left set, from the last message that was sent on"`
	Answer  Duration `toml:"answer" comment:"deadline for an answer, from the first message without one on"`
	Send    Duration `toml:"send" comment:"mean time between two messages that a peer sends, exponential"`
	Receive Duration `toml:"receive" comment:"mean time between two messages that it receives, exponential"`
}

// New returns the process.
func (m *Peers) New(n int, tick time.Duration) script.Process {
	send, receive, left := m.Send.in(tick), m.Receive.in(tick), m.Left.in(tick)
	answer := receive / (send + receive)
	pending := 1 - script.Exp(-left/send) + answer // timers of a peer, on average
	return &peers{newEventLoop(tick, max(1, int(math.Round(float64(n)/pending))), 2), m, send, receive, answer}
}

type peers struct {
	eventLoop // messages arrive to or from any peer
	*Peers
	send, receive float64 // ticks
	answer        float64 // probability that the deadline is pending
}

// The kinds of timers, and the event of a message, to or from any peer.
const (
	leftSet = iota
	answerDue
	peerMessage
)

func (p *peers) count() int { return len(p.timers) / p.kinds }

// Fill draws the ages of the deadlines at a random moment, which are exponential.
func (p *peers) Fill(w *script.Writer, r *script.Rand) {
	for i := range p.count() {
		if age := float64(p.send * r.Exp()); age < float64(p.in(p.Left)) {
			p.set(w, w.Now()+ticks(float64(p.in(p.Left))-age), of(i, leftSet))
		}
		if r.Float64() < p.answer { // its age has the distribution of the time to the next message that is received
			p.set(w, w.Now()+ticks(float64(p.in(p.Answer))-float64(p.receive*r.Exp())), of(i, answerDue))
		}
	}
	p.planMessage(w, r)
}

// Step is one message, or deadlines that pass.
func (p *peers) Step(w *script.Writer, r *script.Rand) {
	p.nextTick(w, func(e event) {
		if e.kind != peerMessage {
			return // a deadline has passed in vain
		}
		i := r.IntN(p.count())
		answer := of(i, answerDue)
		switch sent := r.Float64() < p.receive/(p.send+p.receive); {
		case sent:
			p.set(w, w.Now()+p.in(p.Left), of(i, leftSet))
			if !p.pending(w, answer) {
				p.set(w, w.Now()+p.in(p.Answer), answer)
			}
		case p.pending(w, answer):
			p.cancel(w, answer)
		default:
			w.Refuse(0)
		}
		p.planMessage(w, r)
	})
}

// planMessage plans the next message of all peers together, which are one Poisson process.
func (p *peers) planMessage(w *script.Writer, r *script.Rand) {
	p.planArrival(w, float64(r.Exp()/(1/p.send+1/p.receive))/float64(p.count()), of(0, peerMessage))
}
