package workload

import (
	"time"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// WorkUnit models pairs of connections, a client and its server, with five kinds of timers whose outcome is known,
// after the benchmark of jsnell/ratas. A client sends a request; the server answers with R messages, one per pace
// interval; once they are all there, the client waits and sends the next request. The timers of a pair:
//
//   - idle, one a side: set at the beginning and for each message. It never fires.
//   - close, one a side: fires twice. The first time no request follows any more,
//     the second time the side is gone and its idle timer cancelled.
//   - pace, the server's: set for each message, always fires.
//   - request, the client's: always fires; after the first close for nothing.
//   - deadline, the client's: set with the request, moved to an *earlier* time at
//     the first message, which comes at once, and cancelled when the last one is there.
//
// Requests begin Pace + I apart, with I the interval after a response, so a pair sends Q = ceil(Close / ((R-1)
// Pace + I)) of them: 4 with the parameters of the list, whatever I is drawn, and 176 with the published ones. In Close +
// Linger each pair fires Q R paces, Q + 1 requests and 4 closes, cancels Q deadlines and 2 idle timers, and moves Q
// deadlines, and idle timers 2 Q R times. A pair that has ended is followed by another one. n timers are n/5 pairs.
type WorkUnit struct {
	Idle     Duration `toml:"idle" comment:"from the last message"`
	Close    Duration `toml:"close" comment:"from the beginning to the first close"`
	Linger   Duration `toml:"linger" comment:"from there to the second"`
	Pace     Duration `toml:"pace" comment:"between the messages of a response"`
	Request  Duration `toml:"request" comment:"least interval from a response to the next request"`
	Jitter   Duration `toml:"jitter" comment:"each pair's interval is longer by up to this"`
	Deadline Duration `toml:"deadline" comment:"for the first message of a response"`
	Earlier  Duration `toml:"earlier" comment:"for the rest of it, from the first message"`
	Messages Count    `toml:"messages" comment:"of a response"`
	Begin    Duration `toml:"begin" comment:"pairs begin within this time"`
}

// New returns the process with n/5 pairs.
func (m *WorkUnit) New(n int, tick time.Duration) script.Process {
	pairs := max(1, n/5)
	return &workUnits{newEventLoop(tick, pairs, unitTimers), m, make([]pair, pairs)}
}

type workUnits struct {
	eventLoop
	*WorkUnit
	pairs []pair
}

// pair is a client and its server.
type pair struct {
	began       structures.Tick
	interval    structures.Tick // from a response to the next request
	unsent      int             // messages of the response
	closesFired int             // close timers that have fired
}

// The timers of a pair.
const (
	unitIdleClient = iota
	unitIdleServer
	unitCloseClient
	unitCloseServer
	unitPace
	unitRequest
	unitDeadline
	unitTimers
)

// Fill creates all pairs. They begin at random ticks within p.Begin.
func (p *workUnits) Fill(w *script.Writer, r *script.Rand) {
	for i := range p.pairs {
		p.startPair(w, r, i)
	}
}

// startPair creates a pair that begins at a random tick within p.Begin.
func (p *workUnits) startPair(w *script.Writer, r *script.Rand, i int) {
	began := w.Now() + 1 + structures.Tick(r.IntN(int(p.in(p.Begin))))
	p.pairs[i] = pair{began: began, interval: p.in(p.Request) + structures.Tick(r.IntN(int(p.in(p.Jitter))))}
	for side := range 2 {
		p.set(w, began+p.in(p.Idle), of(i, unitIdleClient+side))
		p.set(w, began+p.in(p.Close), of(i, unitCloseClient+side))
	}
	p.set(w, began, of(i, unitRequest))
}

// Step handles the events of one tick.
func (p *workUnits) Step(w *script.Writer, r *script.Rand) {
	p.nextTick(w, func(e event) {
		i := int(e.owner)
		u := &p.pairs[i]
		if p.pending(w, e) {
			return // it was the timer of a pair that has ended at this very tick
		}
		switch e.kind {
		case unitRequest:
			if u.closesFired == 0 {
				p.set(w, w.Now()+p.in(p.Deadline), of(i, unitDeadline))
				u.unsent = int(p.Messages)
				p.send(w, i)
			}
		case unitPace:
			if u.unsent > 0 {
				p.send(w, i)
			}
		case unitCloseClient, unitCloseServer:
			if u.closesFired++; u.closesFired <= 2 {
				p.set(w, w.Now()+p.in(p.Linger), e)
			} else if u.closesFired == 4 {
				p.replacePair(w, r, i)
			}
		case unitIdleClient, unitIdleServer, unitDeadline:
			p.replacePair(w, r, i) // not with the published parameters
		}
	})
}

func (p *workUnits) send(w *script.Writer, i int) {
	u := &p.pairs[i]
	first := u.unsent == int(p.Messages)
	u.unsent--
	p.set(w, w.Now()+p.in(p.Pace), of(i, unitPace))
	p.set(w, w.Now()+p.in(p.Idle), of(i, unitIdleServer))
	p.set(w, w.Now()+p.in(p.Idle), of(i, unitIdleClient))
	if first {
		p.set(w, w.Now()+p.in(p.Earlier), of(i, unitDeadline))
	}
	if u.unsent == 0 {
		p.cancel(w, of(i, unitDeadline))
		p.set(w, w.Now()+u.interval, of(i, unitRequest))
	}
}

func (p *workUnits) replacePair(w *script.Writer, r *script.Rand, i int) {
	for t := range unitTimers {
		p.cancel(w, of(i, t))
	}
	p.startPair(w, r, i)
}
