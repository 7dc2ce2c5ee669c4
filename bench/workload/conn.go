package workload

import (
	"math"
	"time"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// ConnDeadline models the deadlines of keep-alive connections: each has one for
// reading and one for writing, and every message pushes both on. A connection
// whose deadline passes is closed, and so is one that has had its share of
// messages; another one takes its place. n timers are n/2 connections.
type ConnDeadline struct {
	Read     Duration `toml:"read" comment:"deadline to read, from the last message on"`
	Write    Duration `toml:"write" comment:"deadline to write, from the last message on"`
	Every    Duration `toml:"every" comment:"mean time between two messages of a connection, exponential"`
	Messages Count    `toml:"messages" comment:"after which a connection is closed"`
	Lazy     Share    `toml:"lazy,omitempty" comment:"of a deadline that must have passed for it to be moved"`
}

// newConnDeadline has a million connections with two timers each, as in
// golang/go#15133, under the timeouts of nginx: keepalive_timeout 75 s,
// send_timeout 60 s, keepalive_requests 1000. A message every 5 s is chosen: it
// lets e^-12, about one message in 160,000, come too late for its deadline, so
// that hardly any fire. Of the deadlines that are set, 999 in 1000 are moved.
func newConnDeadline() Workload {
	return Workload{
		Name:     "conn-deadline",
		Category: Program,
		Summary:  "read and write deadlines of keep-alive connections, pushed on at each message",
		Source:   "golang/go#15133: 1M connections; nginx's default timeouts; a message every 5 s chosen",
		Tick:     millisecond,
		Resident: 2_000_000,
		Model: &ConnDeadline{
			Read:     Duration(75 * time.Second),
			Write:    Duration(60 * time.Second),
			Every:    Duration(5 * time.Second),
			Messages: 1000,
		},
	}
}

// newConnDeadlineLazy moves a deadline only after a quarter of it has passed
// (valyala/fasthttp#293).
func newConnDeadlineLazy() Workload {
	w := newConnDeadline()
	w.Name += "-lazy"
	w.Summary = "the same, but a deadline is moved only after a quarter of it has passed"
	w.Source = "valyala/fasthttp#293; otherwise as conn-deadline"
	w.Extra = true
	w.Model.(*ConnDeadline).Lazy = 0.25
	return w
}

// New returns the process with n/2 connections.
func (m *ConnDeadline) New(n int, tick time.Duration) script.Process {
	return &connDeadlines{
		conns:    make([]conn, max(1, n/2)),
		timeout:  [2]float64{m.Read.in(tick), m.Write.in(tick)},
		gap:      m.Every.in(tick),
		messages: int(m.Messages),
		lazy:     float64(m.Lazy),
	}
}

type connDeadlines struct {
	loop[connEvent]
	conns    []conn
	timeout  [2]float64 // to read, to write
	gap      float64
	messages int
	lazy     float64
	arrival  float64 // of the next message, whoever gets it
}

type conn struct {
	deadlines [2]alarm
	set       [2]structures.Tick // when they were set
	left      int                // messages to come
}

// connEvent is a deadline that has passed, or the arrival of a message.
type connEvent struct {
	conn int // -1: a message, for any connection
	kind int // of the deadline: to read or to write
}

// Fill sets each deadline as one finds it at a random moment.
func (p *connDeadlines) Fill(w *script.Writer, r *script.Rand) {
	for i := range p.conns {
		c := &p.conns[i]
		c.left = 1 + r.IntN(p.messages)
		last := p.age(r, 0)
		for kind, timeout := range p.timeout {
			age := last
			if p.lazy > 0 {
				age = p.age(r, float64(p.lazy*timeout))
			}
			c.set[kind] = w.Now() - structures.Tick(age)
			p.push(w, i, kind, ticks(timeout-age))
		}
	}
	p.nextMessage(w, r)
}

// age draws the time since a deadline was set that is set again at the first
// message after quiet ticks. Its density is the share of deadlines that last so
// long: 1 until then, and exponential from there.
func (p *connDeadlines) age(r *script.Rand, quiet float64) float64 {
	if float64(r.Float64()*(quiet+p.gap)) < quiet {
		return float64(r.Float64() * quiet)
	}
	return quiet + float64(p.gap*r.Exp())
}

// Step is one message, or one deadline that passes.
func (p *connDeadlines) Step(w *script.Writer, r *script.Rand) {
	p.step(w, func(e connEvent) {
		if e.conn >= 0 {
			// The other deadline may have passed at the same tick and closed it.
			if !p.conns[e.conn].deadlines[e.kind].pending(w) {
				p.reopen(w, e.conn)
			}
			return
		}
		p.message(w, r.IntN(len(p.conns)))
		p.nextMessage(w, r)
	})
}

// nextMessage plans the next message to any of the connections: all their Poisson
// processes together are one, and each is as likely to be the one that gets it.
func (p *connDeadlines) nextMessage(w *script.Writer, r *script.Rand) {
	p.arrival += float64(r.Exp()*p.gap) / float64(len(p.conns))
	p.plan(max(w.Now(), structures.Tick(math.Ceil(p.arrival))), connEvent{conn: -1})
}

func (p *connDeadlines) message(w *script.Writer, i int) {
	c := &p.conns[i]
	if c.left--; c.left == 0 {
		p.reopen(w, i)
		return
	}
	for kind, timeout := range p.timeout {
		if float64(w.Now()-c.set[kind]) >= float64(p.lazy*timeout) {
			c.set[kind] = w.Now()
			p.push(w, i, kind, ticks(timeout))
		}
	}
}

// reopen closes a connection and opens another one in its place.
func (p *connDeadlines) reopen(w *script.Writer, i int) {
	c := &p.conns[i]
	for kind := range c.deadlines {
		p.stop(w, &c.deadlines[kind])
	}
	c.left = p.messages
	for kind, timeout := range p.timeout {
		c.set[kind] = w.Now()
		p.push(w, i, kind, ticks(timeout))
	}
}

func (p *connDeadlines) push(w *script.Writer, i, kind int, delay structures.Tick) {
	p.set(w, &p.conns[i].deadlines[kind], w.Now()+delay, connEvent{i, kind})
}
