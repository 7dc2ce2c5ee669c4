package workload

import (
	"math"
	"time"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// ConnDeadline models the deadlines of keep-alive connections. Each connection has a
// read and a write deadline. Every message moves both to a later time. A connection is
// closed when a deadline passes or when its number of messages is reached. A new one
// replaces it. n timers are n/2 connections.
type ConnDeadline struct {
	Read     Duration `toml:"read" comment:"deadline to read, from the last message on"`
	Write    Duration `toml:"write" comment:"deadline to write, from the last message on"`
	Every    Duration `toml:"every" comment:"mean time between two messages of a connection, exponential"`
	Messages Count    `toml:"messages" comment:"after which a connection is closed"`
	Lazy     Share    `toml:"lazy,omitempty" comment:"of a deadline that must have passed for it to be moved"`
	Cleared  Share    `toml:"cleared,omitempty" comment:"of the deadlines that are cleared before they are set again"`
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

// newHTTPServer is as the recordings of HTTP servers are (docs/recordings.md), which clear most
// deadlines when a request has come, and set others: of Caddy with 10,000 connections, 24.5 %
// of the deadlines that are set are moved, their delays are 60 s and 300 s, and a pending
// timer is set or cleared 0.32 times a second, which a message every 5 s leads to. In those of
// nginx and net/http 25 and 47 % are moved.
func newHTTPServer() Workload {
	return Workload{
		Name:     "http-server",
		Category: Program,
		Summary:  "read and write deadlines of an HTTP server, three of four cleared by a message and set again",
		Source:   "recordings of Caddy, nginx and net/http: docs/recordings.md",
		Tick:     millisecond,
		Resident: 10_000,
		Unit:     script.PerLifecycle,
		Model: &ConnDeadline{
			Read:     Duration(300 * time.Second),
			Write:    Duration(60 * time.Second),
			Every:    Duration(5 * time.Second),
			Messages: 1000,
			Cleared:  0.75,
		},
	}
}

// Kind returns the kind of model.
func (*ConnDeadline) Kind() Kind { return Kind{Name: "conn-deadline", Unit: script.PerReschedule} }

// New returns the process with n/2 connections.
func (m *ConnDeadline) New(n int, tick time.Duration) script.Process {
	conns := max(1, n/2)
	return &connDeadlines{
		eventLoop:    newEventLoop(conns, len(connDeadlines{}.timeout)),
		conns:        make([]conn, conns),
		timeout:      [2]float64{m.Read.in(tick), m.Write.in(tick)},
		meanInterval: m.Every.in(tick),
		messages:     int(m.Messages),
		lazy:         float64(m.Lazy),
		cleared:      float64(m.Cleared),
	}
}

type connDeadlines struct {
	eventLoop    // the kinds of timers are those of deadlines: to read, to write
	conns        []conn
	timeout      [2]float64 // to read, to write
	meanInterval float64
	messages     int
	lazy         float64
	cleared      float64
	nextArrival  float64 // of the next message, to any connection
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
		c.messagesLeft = 1 + r.IntN(p.messages)
		last := p.age(r, 0)
		for kind, timeout := range p.timeout {
			age := last
			if p.lazy > 0 {
				age = p.age(r, float64(p.lazy*timeout))
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
	p.nextArrival += float64(r.Exp()*p.meanInterval) / float64(len(p.conns))
	p.plan(max(w.Now(), structures.Tick(math.Ceil(p.nextArrival))), of(0, connMessage))
}

func (p *connDeadlines) message(w *script.Writer, r *script.Rand, i int) {
	c := &p.conns[i]
	if c.messagesLeft--; c.messagesLeft == 0 {
		p.reopen(w, i)
		return
	}
	for kind, timeout := range p.timeout {
		if float64(w.Now()-c.setAt[kind]) >= float64(p.lazy*timeout) {
			c.setAt[kind] = w.Now()
			if p.cleared > 0 && r.Float64() < p.cleared {
				p.cancel(w, of(i, kind))
			}
			p.set(w, w.Now()+ticks(timeout), of(i, kind))
		}
	}
}

// reopen closes a connection and replaces it by a new one.
func (p *connDeadlines) reopen(w *script.Writer, i int) {
	c := &p.conns[i]
	for kind := range p.timeout {
		p.cancel(w, of(i, kind))
	}
	c.messagesLeft = p.messages
	for kind, timeout := range p.timeout {
		c.setAt[kind] = w.Now()
		p.set(w, w.Now()+ticks(timeout), of(i, kind))
	}
}
