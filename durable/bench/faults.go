package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// faults are the consequences of kills.
type faults struct {
	Victim    string
	Kills     int
	Set       int     // acknowledged, and not cancelled
	Cancelled int     // acknowledged
	Missing   int     // of Set, not handled 30 s after the load
	Early     int     // handled before the deadline
	Twice     int     // handled again
	Back      int     // of Cancelled, handled
	First     float64 // the lateness of the first timer after a restart in s, the median of the kills
}

const (
	between = 1200 * time.Millisecond // from one kill to the next, at least
	rest    = 300 * time.Millisecond  // from a kill to the start
)

// suffer kills the worker, a server and both again and again, each on a site of its own.
func (r *result) suffer(ctx context.Context, dir string, kills int) error {
	if end, limited := ctx.Deadline(); limited && time.Until(end) < patience+time.Duration(kills)*rest {
		return errors.New("no time was left for the kills")
	}
	victims := []string{"worker", "server", "both"}
	list, errs := make([]faults, len(victims)), make([]error, len(victims))
	var wg sync.WaitGroup
	for i, victim := range victims {
		wg.Go(func() {
			list[i], errs[i] = r.faults(ctx, filepath.Join(dir, victim), victim, kills)
		})
	}
	wg.Wait()
	r.Faults = list
	return errors.Join(errs...)
}

// told is what a client knows of a timer.
type told struct {
	set, cancelled, unsure bool
}

func (r *result) faults(ctx context.Context, dir, victim string, kills int) (f faults, err error) {
	s, err := r.run(ctx, dir)
	if err != nil {
		return f, err
	}
	defer s.close()
	f.Victim = victim
	var mu sync.Mutex
	known := make(map[int]told)
	load, stop := context.WithCancel(ctx)
	var loading sync.WaitGroup
	for g := range 8 {
		loading.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(g)))
			for n := g; load.Err() == nil; n += 8 {
				k := s.change(ctx, rng, timer{n: n, at: time.Now().Add(time.Second + rand.N(2*time.Second))})
				mu.Lock()
				known[n] = k
				mu.Unlock()
				time.Sleep(rand.N(40 * time.Millisecond))
			}
		})
	}
	var starts []time.Time
	time.Sleep(between)
	end, limited := ctx.Deadline()
	for len(starts) < kills && (!limited || time.Until(end) > patience) {
		node := rand.IntN(s.nodes)
		if victim != "server" {
			s.killWorker()
		}
		if victim != "worker" {
			s.killServer(node)
		}
		time.Sleep(rest)
		if victim != "worker" {
			err = errors.Join(err, s.startServer(node))
		}
		if victim != "server" {
			err = errors.Join(err, s.startWorker())
		}
		starts = append(starts, time.Now())
		time.Sleep(between)
	}
	stop()
	loading.Wait()
	for end := time.Now().Add(patience); time.Now().Before(end) && s.count() < len(known); time.Sleep(100 * time.Millisecond) {
		if s.judge(known, &f); f.Missing == 0 {
			time.Sleep(2 * time.Second) // for what comes again
			break
		}
	}
	s.judge(known, &f)
	f.Kills = len(starts)
	f.first(starts, s.since(0))
	return f, err
}

// change sets a timer, and cancels one in three.
func (s *site) change(ctx context.Context, rng *rand.Rand, t timer) (k told) {
	try := func(f func(context.Context) error) error {
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		return f(ctx)
	}
	if try(func(ctx context.Context) error { return s.client.Set(ctx, &t) }) != nil {
		return told{unsure: true}
	}
	k.set = true
	if rng.IntN(3) > 0 {
		return k
	}
	time.Sleep(rand.N(max(time.Until(t.at), 0) + time.Millisecond)) // some are about to fire, or have fired while a server was down
	err := try(func(ctx context.Context) (err error) { k.cancelled, err = s.client.Cancel(ctx, t); return err })
	k.unsure = err != nil
	return k
}

// judge compares what clients know with what was handled.
func (s *site) judge(known map[int]told, f *faults) {
	handled := make(map[int]int)
	f.Set, f.Cancelled, f.Missing, f.Early, f.Twice, f.Back = 0, 0, 0, 0, 0, 0
	for _, e := range s.since(0) {
		if handled[e.n]++; handled[e.n] == 2 {
			f.Twice++
		}
		if e.late() < 0 {
			f.Early++
		}
	}
	for n, k := range known {
		switch {
		case k.unsure:
		case k.cancelled:
			f.Cancelled++
			f.Back += min(handled[n], 1)
		default:
			f.Set++
			f.Missing += 1 - min(handled[n], 1)
		}
	}
}

// first notes how late the first timer after each start was.
func (f *faults) first(starts []time.Time, events []event) {
	var late []float64
	for _, start := range starts {
		if i := slices.IndexFunc(events, func(e event) bool { return e.handled.After(start) }); i >= 0 {
			late = append(late, events[i].late().Seconds())
		}
	}
	if slices.Sort(late); len(late) > 0 {
		f.First = late[len(late)/2]
	}
}
