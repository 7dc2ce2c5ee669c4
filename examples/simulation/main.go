// Command simulation simulates a thousand queues M/M/1 with balking and reneging on one event list. It prints the events per
// second with each of six structures, and the mean number of customers next to its value in theory.
//
// A customer who finds n others stays with probability 1 - n/limit, and balks otherwise. Who has to wait gives up after an
// exponential time: a timer, which is cancelled when the service starts. A customer has one pending timer at any time.
//
// All structures here are FIFO among equal deadlines, so a seed gives the same run, event by event, with each of them. With a
// structure that is not, a seed gives the same run only with the same structure and version.
package main

import (
	"flag"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/bucketheap"
	"github.com/timerbench/timerbench/structures/calendar"
	"github.com/timerbench/timerbench/structures/hwheellist"
	"github.com/timerbench/timerbench/structures/radixheap"
	"github.com/timerbench/timerbench/structures/rbtree"
	"github.com/timerbench/timerbench/structures/wheel"
)

// lists are structures with FIFO ties, by their names in the list of structures.
var lists = []struct {
	name string
	make func() structures.Scheduler[event]
}{
	{"hwheel-list", func() structures.Scheduler[event] { return hwheellist.New[event]() }},
	{"radixheap", func() structures.Scheduler[event] { return radixheap.New[event]() }},
	{"wheel", func() structures.Scheduler[event] { return wheel.New[event]() }},
	{"calendar", func() structures.Scheduler[event] { return calendar.New[event]() }},
	{"bucketheap", func() structures.Scheduler[event] { return bucketheap.New[event]() }},
	{"rbtree", func() structures.Scheduler[event] { return rbtree.New[event]() }},
}

type event struct {
	what    func(*simulation, *station, structures.ID)
	station *station
}

// model has the rates of a queue, per tick. No more than limit customers are there at a time.
type model struct {
	arrive, serve, giveUp float64
	limit                 int
}

// call is a call center: one tick is a millisecond, a service takes a second on average.
var call = model{arrive: 1.5e-3, serve: 1e-3, giveUp: 1e-4, limit: 20}

func (m model) joins(n int) float64 { return 1 - float64(n)/float64(m.limit) }

// theory returns the mean number of customers in the steady state of a birth-death process, and the standard error of a mean
// over many ticks (Whitt 1992, "Asymptotic formulas for Markov processes with applications to simulation").
func (m model) theory(ticks float64) (mean, deviation float64) {
	p, sum := make([]float64, m.limit+1), 1.0
	p[0] = 1
	for n := range m.limit {
		p[n+1] = p[n] * m.arrive * m.joins(n) / (m.serve + float64(n)*m.giveUp)
		sum += p[n+1]
		mean += float64(n+1) * p[n+1]
	}
	mean /= sum
	variance, below := 0.0, 0.0
	for n := range m.limit {
		below += (float64(n) - mean) * p[n] / sum
		variance += 2 * below * below / (m.arrive * m.joins(n) * p[n] / sum)
	}
	return mean, math.Sqrt(variance / ticks)
}

// station is a queue. The customer in service has left waiting, which has the timers of the others, who came first first.
type station struct {
	busy    bool
	waiting []structures.ID
}

type simulation struct {
	model
	timers structures.Scheduler[event]
	random *rand.Rand
	now    structures.Tick
	counts
}

type counts struct {
	arrived, balked, served, gaveUp int
	present                         int   // customers in all queues
	area                            int64 // present, added up over the ticks after the first ones
}

func (c counts) events() int { return c.arrived + c.served + c.gaveUp }

// after schedules an event after an exponential time, rounded to ticks.
func (s *simulation) after(rate float64, e event) structures.ID {
	return s.timers.Schedule(s.now+structures.Tick(math.Round(s.random.ExpFloat64()/rate)), e)
}

func arrival(s *simulation, at *station, _ structures.ID) {
	s.after(s.arrive, event{arrival, at})
	s.arrived++
	n := len(at.waiting)
	if at.busy {
		n++
	}
	switch {
	case s.random.Float64() >= s.joins(n):
		s.balked++
		return
	case at.busy:
		at.waiting = append(at.waiting, s.after(s.giveUp, event{reneging, at}))
	default:
		at.busy = true
		s.after(s.serve, event{departure, at})
	}
	s.present++
}

func departure(s *simulation, at *station, _ structures.ID) {
	s.served++
	s.present--
	if at.busy = len(at.waiting) > 0; at.busy {
		s.timers.Cancel(at.waiting[0])
		at.waiting = slices.Delete(at.waiting, 0, 1)
		s.after(s.serve, event{departure, at})
	}
}

func reneging(s *simulation, at *station, id structures.ID) {
	s.gaveUp++
	s.present--
	i := slices.Index(at.waiting, id)
	at.waiting = slices.Delete(at.waiting, i, i+1)
}

// run simulates n queues until tick end. The first ticks, in which the queues fill, do not count for the area.
func run(timers structures.Scheduler[event], m model, n int, seed uint64, first, end structures.Tick) counts {
	s := &simulation{model: m, timers: timers, random: rand.New(rand.NewPCG(seed, 0))}
	for range n {
		s.after(s.arrive, event{arrival, &station{waiting: make([]structures.ID, 0, m.limit)}})
	}
	pass := func(now structures.Tick) {
		s.area += int64(s.present) * int64(max(now, first)-max(s.now, first))
		s.now = now
	}
	for at, ok := timers.Next(); ok && at <= end; at, ok = timers.Next() {
		pass(at)
		for t := range structures.Due(timers, at) {
			t.Value.what(s, t.Value.station, t.ID)
		}
	}
	pass(end)
	return s.counts
}

func main() {
	queues := flag.Int("queues", 1000, "number of queues")
	length := flag.Duration("length", time.Hour, "simulated `time`")
	seed := flag.Uint64("seed", 1, "seed of the random numbers")
	flag.Parse()
	const first = 100_000
	end := structures.Tick(length.Milliseconds())
	if *queues < 1 || end <= first {
		log.Fatalf("%d queues for %v: want at least one, for more than 100 s", *queues, *length)
	}
	ticks := float64(end-first) * float64(*queues)
	mean, deviation := call.theory(ticks)
	fmt.Printf("%d queues for %v, %.4f customers in a queue in theory, with a standard error of %.4f\n", *queues, *length, mean, deviation)
	for _, list := range lists {
		start := time.Now()
		c := run(list.make(), call, *queues, *seed, first, end)
		seconds := time.Since(start).Seconds()
		fmt.Printf("%-11s  %5.2f million events a second: %d served, %d balked, %d gave up, %.4f customers in a queue\n", list.name,
			float64(c.events())/seconds/1e6, c.served, c.balked, c.gaveUp, float64(c.area)/ticks)
	}
}
