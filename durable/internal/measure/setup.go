//go:build unix

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
	"syscall"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/timerbench/timerbench/durable"
	"github.com/timerbench/timerbench/durable/internal/address"
	"github.com/timerbench/timerbench/durable/internal/folder"
)

// setup is one setup to measure.
type setup struct {
	Nodes, Workers int
	Pending        int // timers that stay pending; if there are some, memory is measured too
	Burst          int // timers due at the same time
	Rate           int // timers per second while lateness is measured
}

func (s setup) String() string {
	return fmt.Sprintf("nodes: %d, workers: %d", s.Nodes, s.Workers)
}

// result is the result of a setup. Lateness is in ms.
type result struct {
	setup
	Stored, Fired       float64 // timers per second; Fired includes handling
	StoredCPU, FiredCPU float64 // processor time per timer, in µs
	P50, P99, Max       float64
	Memory, Disk        float64 // bytes per timer
	Recovery            float64 // of a million timers, in s
}

// steady is how long lateness is measured.
const steady = 3 * time.Second

func (s setup) measure(ctx context.Context) (r result, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r = result{setup: s}
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
	n := max(s.Pending, s.Burst)
	began, used := time.Now(), processorTime()
	if err := b.schedule(ctx, "far", n, func(int) time.Time { return far }); err != nil {
		return r, err
	}
	r.Stored = float64(n) / time.Since(began).Seconds()
	r.StoredCPU = float64((processorTime() - used).Microseconds()) / float64(n)
	if s.Pending > 0 {
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
		r.Recovery = time.Since(began).Seconds() * 1e6 / float64(n)
	}

	// n timers are due at a time at which all of them are stored.
	after := func(n int) time.Time {
		return time.Now().Add(time.Second + time.Duration(2*float64(n)/r.Stored*float64(time.Second)))
	}
	due := after(s.Burst)
	if err := b.schedule(ctx, "burst", s.Burst, func(int) time.Time { return due }); err != nil {
		return r, err
	}
	if left := time.Until(due); left < 0 {
		return r, fmt.Errorf("the burst was due %v before it was stored", -left)
	}
	time.Sleep(time.Until(due))
	used = processorTime()
	if _, err := b.wait(ctx, s.Burst); err != nil {
		return r, err
	}
	r.Fired = float64(s.Burst) / time.Since(due).Seconds()
	r.FiredCPU = float64((processorTime() - used).Microseconds()) / float64(s.Burst)

	// Timers due at a constant rate, all stored before.
	n = int(float64(s.Rate) * steady.Seconds())
	due = after(n)
	if err := b.schedule(ctx, "steady", n, func(i int) time.Time {
		return due.Add(time.Duration(i) * time.Second / time.Duration(s.Rate))
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

// heap returns the bytes in use after a collection.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// processorTime returns the processor time that this process has used, or 0 after an error.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// bench holds the running servers and workers.
type bench struct {
	servers []*durable.Server
	conns   []*nats.Conn
	client  *durable.Client
	stop    context.CancelFunc
	serving sync.WaitGroup

	mu   sync.Mutex
	late []time.Duration // of the handled timers
}

// start starts servers and workers, and waits until all partitions have been read.
func (s setup) start(ctx context.Context, dir string) (b *bench, err error) {
	b = &bench{}
	ctx, b.stop = context.WithCancel(ctx)
	defer func() {
		if err != nil {
			b.close()
		}
	}()
	list, err := address.Free(2 * s.Nodes)
	if err != nil {
		return nil, err
	}
	for i, clients := range list[:s.Nodes] {
		var options []durable.ServerOption
		if s.Nodes > 1 {
			options = append(options, durable.Listen(clients),
				durable.Cluster("measure", fmt.Sprintf("node%d", i), list[s.Nodes+i], list[s.Nodes:]...))
		}
		server, err := durable.Embedded(filepath.Join(dir, fmt.Sprint(i)), options...)
		if err != nil {
			return nil, err
		}
		b.servers = append(b.servers, server)
	}
	if b.client, err = b.open(ctx, s); err != nil {
		return nil, err
	}
	var workers []*durable.Client
	for range s.Workers {
		c, err := b.open(ctx, s)
		if err != nil {
			return nil, err
		}
		workers = append(workers, c)
		b.serving.Go(func() { _ = c.Serve(ctx, b.handle) }) // stop ends it
	}
	for served := 0; served != 16; {
		if served = 0; ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		time.Sleep(10 * time.Millisecond)
		for _, c := range workers {
			served += c.Stats().Partitions
		}
	}
	return b, nil
}

// open opens a client at the next server.
func (b *bench) open(ctx context.Context, s setup) (*durable.Client, error) {
	nc, err := b.servers[len(b.conns)%len(b.servers)].Connect()
	if err != nil {
		return nil, err
	}
	b.conns = append(b.conns, nc)
	cfg := durable.Config{Replicas: s.Nodes, Concurrency: 256}
	return durable.Open(ctx, nc, cfg)
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
	defer b.mu.Unlock()
	b.late = append(b.late, f.Lateness)
	return nil
}

// schedule sets n timers.
func (b *bench) schedule(ctx context.Context, name string, n int, at func(i int) time.Time) error {
	const most = 10_000 // timers per Set
	payload, timers := make([]byte, 64), make([]durable.Timer, 0, most)
	for i := range n {
		timers = append(timers, durable.Timer{Key: fmt.Sprintf("%s-%d", name, i), Deadline: at(i), Payload: payload})
		if len(timers) < most && i < n-1 {
			continue
		}
		if err := b.client.Set(ctx, timers...); err != nil {
			return err
		}
		timers = timers[:0]
	}
	return nil
}

// wait waits until n more timers have been handled, and returns how late they were.
func (b *bench) wait(ctx context.Context, n int) (late []time.Duration, err error) {
	for end := time.Now().Add(2 * time.Minute); len(late) < n; time.Sleep(time.Millisecond) {
		if ctx.Err() != nil || time.Now().After(end) {
			return nil, fmt.Errorf("%d of %d timers were handled", len(late), n)
		}
		b.mu.Lock()
		late = append(late, b.late...)
		b.late = b.late[:0]
		b.mu.Unlock()
	}
	if len(late) != n {
		return nil, fmt.Errorf("%d timers were handled, want %d", len(late), n)
	}
	return late, nil
}
