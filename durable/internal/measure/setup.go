package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/timerbench/timerbench/durable"
	"github.com/timerbench/timerbench/durable/internal/address"
	"github.com/timerbench/timerbench/durable/internal/folder"
)

// setup is one thing to measure.
type setup struct {
	backend        durable.Backend
	nodes, workers int
	pending        int  // timers that are there all the time
	burst          int  // timers that are due at once
	rate           int  // timers a second while lateness is measured
	recovers       bool // measure memory, disk and recovery as well
}

func (s setup) String() string {
	text := fmt.Sprintf("%v, %d nodes, %d workers", s.backend, s.nodes, s.workers)
	if s.nodes == 1 {
		text = fmt.Sprintf("%v, 1 node, %d workers", s.backend, s.workers)
	}
	return text
}

// result is what was found. Durations are in milliseconds.
type result struct {
	Backend        string
	Nodes, Workers int
	Pending        int
	Stored         float64 // a second
	StoredCPU      float64 // processor time of a timer in all, microseconds
	Fired          float64 // a second, until handled
	FiredCPU       float64 // processor time of a timer in all, microseconds
	Rate           int     // offered while lateness was measured, a second
	P50, P99, Max  float64
	Memory, Disk   float64 `json:",omitempty"` // bytes a timer
	Recovery       float64 `json:",omitempty"` // for a million
}

const (
	callers = 256             // goroutines that schedule
	steady  = 3 * time.Second // how long lateness is measured
)

func (s setup) measure(ctx context.Context) (r result, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r = result{Backend: s.backend.String(), Nodes: s.nodes, Workers: s.workers, Pending: s.pending,
		Rate: s.rate}
	dir, err := os.MkdirTemp("", "durable")
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	before := heap()
	b, err := s.start(ctx, dir)
	if err != nil {
		return r, err
	}
	defer func() { b.close() }()

	far := time.Now().AddDate(1, 0, 0)
	n := max(s.pending, s.burst)
	began, used := time.Now(), processorTime()
	if err := b.schedule(ctx, "far", n, func(int) time.Time { return far }); err != nil {
		return r, err
	}
	r.Stored = float64(n) / time.Since(began).Seconds()
	r.StoredCPU = float64((processorTime() - used).Microseconds()) / float64(n)
	if s.recovers {
		r.Memory = float64(heap()-before) / float64(n)
		size, err := folder.Size(dir)
		if err != nil {
			return r, err
		}
		r.Disk = float64(size) / float64(n)
		b.close()
		began = time.Now()
		if b, err = s.start(ctx, dir); err != nil {
			return r, err
		}
		r.Recovery = time.Since(began).Seconds() * 1000 * 1e6 / float64(n)
	}

	// When n timers are due, with time enough to store them before.
	after := func(n int) time.Time {
		return time.Now().Add(time.Second + time.Duration(2*float64(n)/r.Stored*float64(time.Second)))
	}
	due := after(s.burst)
	if err := b.schedule(ctx, "burst", s.burst, func(int) time.Time { return due }); err != nil {
		return r, err
	}
	if left := time.Until(due); left < 0 {
		return r, fmt.Errorf("the burst was due %v before it was stored", -left)
	}
	time.Sleep(time.Until(due))
	used = processorTime()
	if _, err := b.wait(ctx, s.burst); err != nil {
		return r, err
	}
	r.Fired = float64(s.burst) / time.Since(due).Seconds()
	r.FiredCPU = float64((processorTime() - used).Microseconds()) / float64(s.burst)

	// Evenly, stored before.
	n = int(float64(s.rate) * steady.Seconds())
	due = after(n)
	if err := b.schedule(ctx, "steady", n, func(i int) time.Time {
		return due.Add(time.Duration(i) * time.Second / time.Duration(s.rate))
	}); err != nil {
		return r, err
	}
	late, err := b.wait(ctx, n)
	if err != nil {
		return r, err
	}
	slices.Sort(late)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	r.P50, r.P99, r.Max = ms(late[n/2]), ms(late[n*99/100]), ms(late[n-1])
	return r, nil
}

// heap returns what is in use after a collection.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// bench is servers and workers that run.
type bench struct {
	servers []*durable.Server
	conns   []*nats.Conn
	client  *durable.Client
	stop    context.CancelFunc
	serving sync.WaitGroup

	handled atomic.Int64
	mu      sync.Mutex
	late    []time.Duration
}

// start returns when the servers are there and all partitions have been read.
func (s setup) start(ctx context.Context, dir string) (b *bench, err error) {
	b = &bench{}
	ctx, b.stop = context.WithCancel(ctx)
	defer func() {
		if err != nil {
			b.close()
		}
	}()
	if err := b.startServers(dir, s.nodes); err != nil {
		return nil, err
	}
	var clients []*durable.Client
	for i := range s.workers {
		c, err := b.open(ctx, i, durable.Config{Backend: s.backend, Replicas: s.nodes, Concurrency: 256})
		if err != nil {
			return nil, err
		}
		clients = append(clients, c)
		b.serving.Go(func() { _ = c.Serve(ctx, b.handle) }) // it ends by stop
	}
	if b.client, err = b.open(ctx, s.workers, durable.Config{Backend: s.backend}); err != nil {
		return nil, err
	}
	for {
		served := 0
		for _, c := range clients {
			served += c.Stats().Partitions
		}
		if served == 16 {
			return b, nil
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func (b *bench) startServers(dir string, nodes int) error {
	list, err := address.Free(2 * nodes)
	if err != nil {
		return err
	}
	clients, addresses := list[:nodes], list[nodes:]
	for i := range nodes {
		var options []durable.ServerOption
		if nodes > 1 {
			options = append(options, durable.Listen(clients[i]),
				durable.Cluster("measure", fmt.Sprintf("node%d", i), addresses[i], addresses...))
		}
		s, err := durable.Embedded(filepath.Join(dir, fmt.Sprint(i)), options...)
		if err != nil {
			return err
		}
		b.servers = append(b.servers, s)
	}
	return nil
}

// open opens a client at one of the servers, once these have found each other.
func (b *bench) open(ctx context.Context, i int, cfg durable.Config) (*durable.Client, error) {
	nc, err := b.servers[i%len(b.servers)].Connect()
	if err != nil {
		return nil, err
	}
	b.conns = append(b.conns, nc)
	for end := time.Now().Add(20 * time.Second); ; {
		try, cancel := context.WithTimeout(ctx, 2*time.Second)
		c, err := durable.Open(try, nc, cfg)
		cancel()
		if err == nil || ctx.Err() != nil || time.Now().After(end) {
			return c, err
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func (b *bench) close() {
	b.stop()
	b.serving.Wait()
	for _, nc := range b.conns {
		nc.Close()
	}
	for _, s := range b.servers {
		_ = s.Close() // it is always nil
	}
}

func (b *bench) handle(_ context.Context, f durable.Fired) error {
	b.mu.Lock()
	b.late = append(b.late, f.Lateness)
	b.mu.Unlock()
	b.handled.Add(1)
	return nil
}

// schedule sets n timers from many goroutines.
func (b *bench) schedule(ctx context.Context, name string, n int, at func(i int) time.Time) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	payload := make([]byte, 64)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if err := b.client.Schedule(ctx, fmt.Sprintf("%s-%d", name, i), at(i), payload); err != nil {
					cancel(err)
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// wait waits until n more timers have been handled, and returns how late they were.
func (b *bench) wait(ctx context.Context, n int) ([]time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for b.handled.Load() < int64(n) {
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%d of %d timers were handled: %w",
				b.handled.Load(), n, context.Cause(ctx))
		case <-time.After(time.Millisecond):
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	late := b.late
	b.late = nil
	if len(late) != n {
		return nil, fmt.Errorf("%d timers were handled, want %d", len(late), n)
	}
	b.handled.Store(0)
	return late, nil
}
