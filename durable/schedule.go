package durable

import (
	"container/heap"
	"context"
	"fmt"
	"slices"
	"time"
)

// Far timers are grouped by deadline into widths, widths of them to a horizon. The payloads of a group are read when its
// first deadline is a horizon away.
const widths = 4

// maxStale limits how many timers that have changed are still in the groups or the schedule.
const maxStale = 10_000

// due is when an entry must be looked at.
type due struct {
	at int64
	*entry
	zone bool // just for the rules of its time zone
}

// stale reports whether the entry has changed since.
func (d due) stale() bool {
	switch d.state {
	case isPending:
		return !d.zone && d.deadline != d.at || d.zone && !d.more.byZone()
	case isFired:
		return d.more.holder != 0 || d.more.at != d.at
	}
	return true
}

// since returns a position that orders what is due at the same time: timers that were given back begin as they fired.
func (e *entry) since() uint64 {
	if e.state == isFired {
		return e.more.id
	}
	return e.rev
}

// schedule is a heap of entries by time.
type schedule []due

func (s schedule) Len() int { return len(s) }
func (s schedule) Less(i, j int) bool {
	return s[i].at < s[j].at || s[i].at == s[j].at && s[i].since() < s[j].since()
}
func (s schedule) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
func (s *schedule) Push(x any)   { *s = append(*s, x.(due)) }
func (s *schedule) Pop() any {
	last := len(*s) - 1
	d := (*s)[last]
	*s = (*s)[:last]
	return d
}

func (p *partition) width() int64 { return int64(p.w.cfg.Horizon / widths) }

// near reports whether the payload of a timer is needed within the horizon. p.mu must be held, as for all hooks of the replica.
func (p *partition) near(e *entry) bool {
	return e.deadline <= p.w.cfg.Now().UnixNano()+int64(p.w.cfg.Horizon)
}

// placed schedules e.
func (p *partition) placed(e *entry) {
	switch {
	case e.state == isFired:
		p.push(due{e.more.at, e, false})
	case e.isCron():
		if e.more.byZone() {
			p.push(due{min(e.deadline, p.w.cfg.Now().Add(time.Second).UnixNano()), e, true}) // two workers may disagree
		}
		p.push(due{e.deadline, e, false})
	case e.whole() && p.near(e):
		p.push(due{e.deadline, e, false})
	default:
		group := e.deadline / p.width()
		p.far[group] = append(p.far[group], e)
		if p.farSize++; p.farSize > 2*len(p.replica.pending)+maxStale {
			p.dropStale()
		}
		if p.near(e) { // it has moved
			poke(p.look)
		}
	}
}

func (p *partition) push(d due) {
	if len(p.soon) > 2*(len(p.replica.pending)+len(p.replica.others))+maxStale {
		p.soon = slices.DeleteFunc(p.soon, due.stale)
		heap.Init(&p.soon)
	}
	heap.Push(&p.soon, d)
	if p.soon[0].entry == d.entry && p.loaded.Load() {
		p.w.wakeAt(d.at)
	}
}

// dropStale drops far timers that have changed.
func (p *partition) dropStale() {
	p.farSize = 0
	for group, list := range p.far {
		list = slices.DeleteFunc(list, func(e *entry) bool { return !p.isFar(e, group) })
		p.far[group] = list
		p.farSize += len(list)
	}
}

// isFar reports whether e still belongs into a group.
func (p *partition) isFar(e *entry, group int64) bool {
	return e.state == isPending && e.deadline/p.width() == group
}

// readFar reads the payloads of the timers that have entered the horizon.
func (p *partition) readFar(ctx context.Context) error {
	p.mu.Lock()
	until := p.w.cfg.Now().UnixNano() + int64(p.w.cfg.Horizon)
	var list []*entry
	for group, entries := range p.far {
		if group*p.width() > until {
			continue
		}
		for _, e := range entries {
			if p.isFar(e, group) && e.whole() {
				p.push(due{e.deadline, e, false})
			} else if p.isFar(e, group) {
				list = append(list, e)
			}
		}
		delete(p.far, group)
		p.farSize -= len(entries)
	}
	p.mu.Unlock()
	return p.loadAll(ctx, list)
}

// loadAll reads the payloads of timers into memory.
func (p *partition) loadAll(ctx context.Context, list []*entry) error {
	homes := make(map[uint64][]*entry)
	p.mu.Lock()
	for _, e := range list {
		seq := e.home() / perMessage
		homes[seq] = append(homes[seq], e)
	}
	p.mu.Unlock()
	var seqs []uint64
	for seq := range homes {
		seqs = append(seqs, seq)
	}
	slices.Sort(seqs)
	return inParallel(ctx, readers, seqs, func(ctx context.Context, seq uint64) error {
		records, err := p.w.records(ctx, seq)
		if err != nil {
			if p.unchanged(homes[seq], seq) {
				return err
			}
			return p.loadAll(ctx, homes[seq]) // they have been kept elsewhere
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, e := range homes[seq] {
			home := e.home()
			if e.state == isEnded || e.whole() {
				continue
			}
			if i := int(home % perMessage); home/perMessage == seq && i < len(records) && records[i].key == e.key() {
				e.data = e.key() + string(records[i].payload)
			}
			if e.state == isPending {
				p.push(due{e.deadline, e, false})
			}
		}
		return nil
	})
}

const readers = 16 // requests for messages at a time

func (p *partition) unchanged(list []*entry, seq uint64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(list, func(e *entry) bool { return e.state != isEnded && !e.whole() && e.home()/perMessage == seq })
}

// load returns the payload of e.
func (p *partition) load(ctx context.Context, e *entry) ([]byte, error) {
	p.mu.Lock()
	whole, payload, home := e.whole(), []byte(nil), e.home()
	if whole {
		payload = e.payload()
	}
	p.mu.Unlock()
	if whole {
		return payload, nil
	}
	records, err := p.w.records(ctx, home/perMessage)
	if err != nil {
		return nil, err
	}
	if i := int(home % perMessage); i < len(records) {
		return records[i].payload, nil
	}
	return nil, fmt.Errorf("message %d has %d records", home/perMessage, len(records))
}
