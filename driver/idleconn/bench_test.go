package idleconn

import (
	"fmt"
	"math/rand/v2"
	"net"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// polled is a connection in memory that costs what one of the poller costs. A Read takes a lock, resets what it would
// wait for, makes a short system call, and copies 64 bytes. Without a system call, the processor would load the memory
// of several connections at once. A deadline takes another lock, and sets a timer of the runtime.
type polled struct {
	net.Conn
	reading sync.Mutex
	from    *[64]byte
	poll    *poll
}

// poll is what the poller keeps for a connection.
type poll struct {
	ready atomic.Uint64
	mu    sync.Mutex
	timer *time.Timer
}

func (p *polled) Read(to []byte) (int, error) {
	p.reading.Lock()
	defer p.reading.Unlock()
	p.poll.ready.Store(0)
	syscall.Getppid()
	return copy(to, p.from[:]), nil
}

func (p *polled) SetReadDeadline(t time.Time) error {
	p.poll.mu.Lock()
	defer p.poll.mu.Unlock()
	if delay := time.Until(t); p.poll.timer == nil {
		p.poll.timer = time.AfterFunc(delay, func() {})
	} else {
		p.poll.timer.Reset(delay)
	}
	return nil
}

func (p *polled) SetWriteDeadline(time.Time) error { return nil }

func (p *polled) Close() error {
	if p.poll.timer != nil {
		p.poll.timer.Stop()
	}
	return nil
}

// resetting sets a deadline before a Read if less than least is left.
type resetting struct {
	net.Conn
	least    time.Duration
	deadline time.Time
}

func (c *resetting) Read(to []byte) (int, error) {
	if now := time.Now(); c.deadline.Sub(now) < c.least {
		c.deadline = now.Add(timeout)
		_ = c.SetReadDeadline(c.deadline)
	}
	return c.Conn.Read(to)
}

const timeout = 5 * time.Minute

// contender is one way to end idle connections.
type contender struct {
	name  string
	wrap  func(*polled) net.Conn
	conns []net.Conn
	bytes float64 // for each, without the connection that is wrapped
	next  int
}

// fill makes the connections, and reads from each.
func (c *contender) fill(n int, text *[64]byte) {
	below, buf := make([]*polled, n), make([]byte, 64)
	for i := range below {
		below[i] = &polled{from: text, poll: new(poll)}
	}
	c.conns = make([]net.Conn, n)
	before := heap()
	for i := range below {
		c.conns[i] = c.wrap(below[i])
		_, _ = c.conns[i].Read(buf)
	}
	c.bytes = float64(int64(heap()-before)) / float64(n)
	runtime.KeepAlive(below)
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// turn reads from n connections, in the order of order, and returns the ns of each Read.
func (c *contender) turn(n int, order []int32) float64 {
	buf := make([]byte, 64)
	start := time.Now()
	for range n {
		_, _ = c.conns[order[c.next]].Read(buf)
		if c.next++; c.next == len(order) {
			c.next = 0
		}
	}
	return float64(time.Since(start)) / float64(n)
}

// BenchmarkRead compares a Read of 64 bytes without a timeout, with a deadline each time, with a deadline now and then,
// and with a Conn, on connections in random order, in turns of 200 Reads. others are timers that are pending as well,
// half in package time and half in the driver.
//
//	go test -run '^$' -bench Read -benchtime 5000x ./driver/idleconn
func BenchmarkRead(b *testing.B) {
	for _, size := range [][2]int{{1000, 0}, {100_000, 0}, {100_000, 1_000_000}} {
		conns, others := size[0], size[1]
		b.Run(fmt.Sprintf("conns=%d/others=%d", conns, others), func(b *testing.B) {
			rng, text := rand.New(rand.NewPCG(1, 1)), new([64]byte)
			d := newDriver(b)
			olds := make([]*time.Timer, others/2)
			for i := range olds {
				delay := time.Hour + time.Duration(rng.Int64N(int64(time.Hour)))
				olds[i] = time.AfterFunc(delay, func() {})
				d.Schedule(delay, func() {})
			}
			order := make([]int32, conns)
			for i := range order {
				order[i] = int32(i)
			}
			rng.Shuffle(conns, func(i, j int) { order[i], order[j] = order[j], order[i] })
			all := []*contender{
				{name: "none", wrap: func(p *polled) net.Conn { return p }},
				{name: "always", wrap: func(p *polled) net.Conn { return &resetting{Conn: p, least: timeout} }},
				{name: "lazy", wrap: func(p *polled) net.Conn { return &resetting{Conn: p, least: timeout / 2} }},
				{name: "idleconn", wrap: func(p *polled) net.Conn { return New(d, p, timeout) }},
			}
			ns := make([][]float64, len(all))
			for _, c := range all {
				c.fill(conns, text)
			}
			for b.Loop() {
				for _, i := range rng.Perm(len(all)) {
					ns[i] = append(ns[i], all[i].turn(200, order))
				}
			}
			for i, c := range all {
				slices.Sort(ns[i])
				b.ReportMetric(ns[i][len(ns[i])/2], c.name+"-ns")
				b.ReportMetric(c.bytes, c.name+"-B")
				for _, conn := range c.conns {
					_ = conn.Close()
				}
			}
			b.ReportMetric(0, "ns/op")
			for _, old := range olds {
				old.Stop()
			}
		})
	}
}
