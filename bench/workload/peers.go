package workload

import (
	"math"
	"time"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

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
	p := &peers{model: *m, send: send, receive: receive, left: 1 - script.Exp(-left/send), answer: receive / (send + receive)}
	p.eventLoop = newEventLoop(tick, max(1, int(math.Round(float64(n)/(p.left+p.answer)))), 2)
	return p
}

type peers struct {
	eventLoop
	model         Peers
	send, receive float64 // ticks
	left, answer  float64 // probability that the deadline is pending
	nextMessage   float64
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
		if age := float64(p.send * r.Exp()); age < float64(p.in(p.model.Left)) {
			p.set(w, w.Now()+ticks(float64(p.in(p.model.Left))-age), of(i, leftSet))
		}
		if r.Float64() < p.answer { // its age has the distribution of the time to the next message that is received
			p.set(w, w.Now()+ticks(float64(p.in(p.model.Answer))-float64(p.receive*r.Exp())), of(i, answerDue))
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
			p.set(w, w.Now()+p.in(p.model.Left), of(i, leftSet))
			if !p.pending(w, answer) {
				p.set(w, w.Now()+p.in(p.model.Answer), answer)
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
	p.nextMessage += float64(r.Exp()/(1/p.send+1/p.receive)) / float64(p.count())
	p.plan(max(w.Now(), structures.Tick(math.Ceil(p.nextMessage))), of(0, peerMessage))
}
