package workload

import (
	"cmp"
	"slices"
	"time"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// Cache models cache entries with a time to live (TTL). The sets of a key come at random (Poisson), and so do its
// deletes. A set of a key without an entry schedules its expiry, another set moves it, and a delete cancels it. A delete
// of a key without an entry does nothing. n timers are n entries: the rates of the classes are scaled to that number.
type Cache struct {
	Classes []Keys `toml:"class"`
}

// Keys is a class of keys.
type Keys struct {
	Rate        Rate     `toml:"rate" comment:"sets a second, of all keys; only the ratio to other classes counts"`
	TTL         Delay    `toml:"ttl,inline" comment:"from a set to the expiry"`
	SetEvery    Duration `toml:"set_every" comment:"mean time between two sets of a key"`
	DeleteEvery Duration `toml:"delete_every,omitempty" comment:"mean time between two deletes of a key; left out: there are none"`
}

// Check returns an error if there is no class.
func (m *Cache) Check() []ParameterError {
	if len(m.Classes) == 0 {
		return []ParameterError{{"class", "", "at least one class of keys"}}
	}
	return nil
}

// New returns the process with n entries.
func (m *Cache) New(n int, tick time.Duration) script.Process {
	p, entries := &cache{n: n}, 0.0
	for _, c := range m.Classes {
		k := keys{ttl: c.TTL.dist(tick), set: 1 / c.SetEvery.in(tick), rate: c.Rate.perTick(tick)}
		if c.DeleteEvery > 0 {
			k.delete = 1 / c.DeleteEvery.in(tick)
		}
		k.entries = float64(k.rate * meanFirstEnd(k.ttl, script.Exponential(1/(k.set+k.delete))))
		entries += k.entries
		p.keys = append(p.keys, k)
	}
	for i := range p.keys {
		k := &p.keys[i]
		k.entries *= float64(n) / entries
		k.rate *= float64(n) / entries
		// Of k.rate / k.set keys, those without an entry get one at their next set.
		k.rate = max(0, k.rate-float64(k.set*k.entries))
		p.rate += k.rate
		p.rates = append(p.rates, k.rate)
	}
	return p
}

// cache is the process of a Cache. The owner of an event is the key of a timer, and its kind the class of keys.
type cache struct {
	eventLoop
	n     int
	rate  float64        // new entries per tick
	rates script.Weights // of the classes
	keys  []keys
}

// keys is a class of keys, in ticks.
type keys struct {
	ttl         script.Dist
	set, delete float64 // per tick, of a key
	rate        float64 // new entries per tick
	entries     float64 // mean number
}

// Fill schedules the entries at the ticks at which they were set, and ends in the steady state. It also schedules the
// entries that were set again or deleted since and would expire later, and cancels each when that happened. So dead
// entries come due from the start as they do later: without them, that would take the longest TTL, a day.
func (p *cache) Fill(w *script.Writer, r *script.Rand) {
	type entry struct {
		set, end structures.Tick // before the end of the fill; end 0: it is there
		ttl      structures.Tick
		class    int
	}
	var entries []entry
	present, sum, oldest := 0, 0.0, structures.Tick(0)
	for i, k := range p.keys {
		for sum += k.entries; present < int(sum+1e-6); {
			ttl := k.ttl.DrawBiased(r)
			age := float64(r.Float64() * ttl)
			e := entry{set: structures.Tick(age), ttl: ticks(ttl), class: i}
			if e.set >= e.ttl {
				continue
			}
			if life := r.Exp(); life > float64(age*(k.set+k.delete)) {
				present++
			} else if e.end = e.set - structures.Tick(life/(k.set+k.delete)); e.end == 0 {
				continue // it ends in the last tick
			}
			entries, oldest = append(entries, e), max(oldest, e.set)
		}
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return cmp.Compare(b.set, a.set) })
	var ends script.Queue[uint32]
	until := func(to structures.Tick) {
		for ends.Len() > 0 {
			at, key := ends.First()
			if at > to {
				break
			}
			ends.Pop()
			w.Advance(at)
			w.Cancel(key)
		}
		if to > w.Now() {
			w.Advance(to)
		}
	}
	for _, e := range entries {
		until(oldest - e.set)
		deadline := w.Now() + e.ttl
		if key := w.Schedule(deadline); e.end == 0 {
			p.begin(r, key, e.class, oldest, deadline)
		} else {
			ends.Push(oldest-e.end, key)
		}
	}
	until(oldest)
}

// Step advances to the tick of the next event.
func (p *cache) Step(w *script.Writer, r *script.Rand) {
	now := p.nextOrArrival(w, r, p.rate)
	w.Advance(now)
	for ; p.arrival <= float64(now); p.arrival += r.Exp() / p.rate {
		class := p.rates.Pick(r)
		deadline := now + ticks(p.keys[class].ttl.Draw(r))
		p.begin(r, w.Schedule(deadline), class, now, deadline)
	}
	p.happen(now, func(e event) {
		class, key := int(e.kind), uint32(e.owner)
		if e.tick > 0 {
			w.Cancel(key)
			return
		}
		deadline := now + ticks(p.keys[class].ttl.Draw(r))
		w.Reschedule(key, deadline)
		p.begin(r, key, class, now, deadline)
	})
}

// begin plans how an entry ends that is there at a tick: its key is set again or deleted, unless the entry expires
// first. The tick of the event is 1 for a delete.
func (p *cache) begin(r *script.Rand, key uint32, class int, from, deadline structures.Tick) {
	k := &p.keys[class]
	at, e := from+ticks(r.Exp()/(k.set+k.delete)), of(int(key), class)
	if float64(r.Float64()*(k.set+k.delete)) >= k.set {
		e.tick = 1
	}
	if at < deadline {
		p.plan(at, e)
	}
}
