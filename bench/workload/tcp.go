package workload

import (
	"fmt"
	"math"
	"time"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// TCP models the kernel's timers for the connections of a server that answers requests:
//
//   - the retransmission timer runs from each segment sent to its acknowledgement;
//     where one of them is lost it fires, and runs again for twice as long;
//   - the delayed acknowledgement runs from each request to the reply, which
//     carries the acknowledgement if it comes first;
//   - TIME_WAIT runs from the end of a connection, to its end;
//   - keepalive runs as long as the connection. Peers that vanish without a word
//     are found by it: after so long a silence it fires, and again for each probe.
//
// A connection that ends is followed by another one. n timers are fewer
// connections, as some have more than one and TIME_WAIT outlives them.
type TCP struct {
	FirstRTO   Duration `toml:"first_rto" comment:"retransmission timeout while the round trip is unknown"`
	LeastRTO   Duration `toml:"least_rto" comment:"beyond the round trip, once that is known"`
	LargestRTO Duration `toml:"largest_rto" comment:"however often it has doubled"`
	DelayedAck Duration `toml:"delayed_ack"`
	TimeWait   Duration `toml:"time_wait"`
	Keepalive  Duration `toml:"keepalive" comment:"silence before the first probe"`
	Probe      Duration `toml:"probe" comment:"between two probes"`
	Probes     Count    `toml:"probes" comment:"without an answer, until the connection is given up"`

	RoundTrip Delay `toml:"round_trip,inline" comment:"drawn once for each connection"`
	Reply     Delay `toml:"reply,inline" comment:"from a request to the reply"`
	Think     Delay `toml:"think,inline" comment:"from a reply to the next request"`
	Exchanges Count `toml:"exchanges" comment:"mean number of requests on a connection, geometric"`
	Loss      Share `toml:"loss,omitempty" comment:"of the segments sent"`
	Vanish    Share `toml:"vanish,omitempty" comment:"of the connections, whose peer vanishes instead of closing"`
}

// Check returns an error if the share of lost segments leaves the timeouts without a finite mean.
func (m *TCP) Check() []ParameterError {
	if m.Loss < 0.5 {
		return nil
	}
	return []ParameterError{{"loss", fmt.Sprint(m.Loss), "a share below 0.5, as timeouts double"}}
}

// New returns the process with the number of connections that leads to n timers.
func (m *TCP) New(n int, tick time.Duration) script.Process {
	p := &tcp{TCP: m, roundTrip: m.RoundTrip.dist(tick), reply: m.Reply.dist(tick), think: m.Think.dist(tick)}
	p.tick = tick
	lifetime, pending := p.means()
	p.meanLifetime = lifetime
	p.conns = make([]tcpConn, max(1, int(float64(n)*lifetime/pending)))
	p.eventLoop = newEventLoop(tick, len(p.conns), tcpTimers)
	return p
}

type tcp struct {
	eventLoop
	*TCP
	conns        []tcpConn
	meanLifetime float64 // mean, of a connection

	roundTrip, reply, think script.Dist // of TCP, in ticks
}

type tcpConn struct {
	roundTrip    structures.Tick
	timeout      structures.Tick // for the segment on its way
	ackPending   bool            // its acknowledgement is on the way
	lastReceived structures.Tick // when the last segment of the peer came
}

// The kinds of events: first the timers of a connection.
const (
	tcpRetransmit = iota
	tcpDelayedAck // nothing follows
	tcpKeepalive
	tcpTimers // number of them

	tcpAnswer   = iota // the acknowledgement of what was sent has come
	tcpRequest         // a request has come
	tcpReply           // the reply to it is ready
	tcpProbe           // of a connection whose peer has vanished; the tick is when the silence began
	tcpTimeWait        // nothing follows
)

// means returns the mean lifetime of a connection and the mean sum of the times that its timers are pending.
func (p *tcp) means() (lifetime, pending float64) {
	trip := p.roundTrip.Mean
	// Each loss adds a timeout, twice as long as the one before.
	answer := func(timeout float64) float64 { return trip + float64(float64(p.Loss)*timeout)/(1-2*float64(p.Loss)) }
	awaiting := answer(float64(p.in(p.FirstRTO))) + float64(float64(p.Exchanges)*answer(float64(p.in(p.LeastRTO))+trip))
	replying := float64(float64(p.Exchanges) * p.reply.Mean)
	lifetime = awaiting + replying + float64(float64(p.Exchanges)*p.think.Mean)
	after := float64((1-float64(p.Vanish))*float64(p.in(p.TimeWait))) + float64(float64(p.Vanish)*float64(p.probeTime()))
	return lifetime, lifetime + awaiting + replying + after
}

// probeTime returns the time until a vanished peer is given up.
func (p *tcp) probeTime() structures.Tick {
	return p.in(p.Keepalive) + structures.Tick(p.Probes)*p.in(p.Probe)
}

// Fill creates the population of a random moment in the steady state: the connections,
// and the timers that closed connections have left.
func (p *tcp) Fill(w *script.Writer, r *script.Rand) {
	for i := range p.conns {
		c := &p.conns[i]
		c.roundTrip = ticks(p.roundTrip.Draw(r))
		age := structures.Tick(math.Min(float64(p.meanLifetime*r.Exp()), float64(p.in(p.Keepalive)-1)))
		p.set(w, w.Now()+p.in(p.Keepalive)-age, of(i, tcpKeepalive))
		p.resume(w, r, i)
	}
	ended := float64(len(p.conns)) / p.meanLifetime // connections a tick
	for range int(ended * float64((1-float64(p.Vanish))*float64(p.in(p.TimeWait)))) {
		p.schedule(w, w.Now()+1+structures.Tick(r.IntN(int(p.in(p.TimeWait)))), of(0, tcpTimeWait))
	}
	for range int(ended * float64(float64(p.Vanish)*float64(p.probeTime()))) {
		silent := structures.Tick(r.IntN(int(p.probeTime())))
		at := p.in(p.Keepalive)
		for at <= silent {
			at += p.in(p.Probe)
		}
		p.schedule(w, w.Now()+at-silent, event{kind: tcpProbe, tick: w.Now() - silent})
	}
}

// resume puts a connection into the middle of an exchange.
func (p *tcp) resume(w *script.Writer, r *script.Rand, i int) {
	c := &p.conns[i]
	trip, reply := float64(c.roundTrip), p.reply.Mean
	switch at := float64(r.Float64() * (trip + reply + p.think.Mean)); {
	case at < trip:
		c.ackPending = true
		c.timeout = min(p.in(p.LeastRTO)+c.roundTrip, p.in(p.LargestRTO))
		p.set(w, w.Now()+ticks(float64(c.timeout)-at), of(i, tcpRetransmit))
		p.plan(w.Now()+ticks(trip-at), of(i, tcpAnswer))
	case at < trip+reply:
		p.set(w, w.Now()+p.in(p.DelayedAck), of(i, tcpDelayedAck))
		p.plan(w.Now()+ticks(script.Residual(p.reply, r)), of(i, tcpReply))
	default:
		p.plan(w.Now()+ticks(script.Residual(p.think, r)), of(i, tcpRequest))
	}
}

// Step handles the events of one tick.
func (p *tcp) Step(w *script.Writer, r *script.Rand) {
	p.nextTick(w, func(e event) {
		i := int(e.owner)
		c := &p.conns[i]
		switch e.kind {
		case tcpAnswer:
			c.ackPending, c.lastReceived = false, w.Now()
			p.cancel(w, of(i, tcpRetransmit))
			if float64(r.Float64()*(float64(p.Exchanges)+1)) < 1 {
				p.end(w, r, i)
			} else {
				p.plan(w.Now()+ticks(p.think.Draw(r)), of(i, tcpRequest))
			}
		case tcpRequest:
			c.lastReceived = w.Now()
			p.set(w, w.Now()+p.in(p.DelayedAck), of(i, tcpDelayedAck))
			p.plan(w.Now()+ticks(p.reply.Draw(r)), of(i, tcpReply))
		case tcpReply:
			p.cancel(w, of(i, tcpDelayedAck))
			c.timeout = min(p.in(p.LeastRTO)+c.roundTrip, p.in(p.LargestRTO))
			p.transmit(w, r, i)
		case tcpRetransmit:
			c.timeout = min(2*c.timeout, p.in(p.LargestRTO))
			p.transmit(w, r, i)
		case tcpKeepalive:
			// Traffic does not move this timer. When it fires, it is set again from the last segment of the peer.
			p.set(w, max(c.lastReceived, w.Now()-p.in(p.Keepalive)+1)+p.in(p.Keepalive), e)
		case tcpProbe:
			next := e.tick + p.in(p.Keepalive)
			for next <= w.Now() {
				next += p.in(p.Probe)
			}
			if next <= e.tick+p.probeTime() { // otherwise all probes are sent
				p.schedule(w, next, e)
			}
		}
	})
}

func (p *tcp) open(w *script.Writer, r *script.Rand, i int) {
	c := &p.conns[i]
	p.forget(i)
	*c = tcpConn{roundTrip: ticks(p.roundTrip.Draw(r)), timeout: p.in(p.FirstRTO), lastReceived: w.Now()}
	p.set(w, w.Now()+p.in(p.Keepalive), of(i, tcpKeepalive))
	p.transmit(w, r, i)
}

func (p *tcp) transmit(w *script.Writer, r *script.Rand, i int) {
	c := &p.conns[i]
	p.set(w, w.Now()+c.timeout, of(i, tcpRetransmit))
	if lost := r.Float64() < float64(p.Loss); !lost && !c.ackPending {
		c.ackPending = true
		p.plan(w.Now()+c.roundTrip, of(i, tcpAnswer))
	}
}

// end replaces a connection by a new one. If the peer has vanished, the keepalive timer
// of the old connection continues.
func (p *tcp) end(w *script.Writer, r *script.Rand, i int) {
	if r.Float64() < float64(p.Vanish) {
		p.fires[p.timer(of(i, tcpKeepalive)).key] = event{kind: tcpProbe, tick: p.conns[i].lastReceived}
	} else {
		p.cancel(w, of(i, tcpKeepalive))
		p.schedule(w, w.Now()+p.in(p.TimeWait), of(0, tcpTimeWait))
	}
	p.open(w, r, i)
}
