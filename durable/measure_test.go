//go:build unix

package durable

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/timerbench/timerbench/durable/internal/folder"
	"github.com/timerbench/timerbench/internal/doctest"
)

var (
	measureTo = flag.String("measure", "", "measure durable timers, and write results.json into this `folder`")
	update    = flag.Bool("update", false, "write the kept run into docs/durable.md")
)

// run is what a run has measured, and where.
type run struct {
	Created time.Time
	Go, CPU string
	CPUs    int
	Results []result
}

// setup is one setup to measure.
type setup struct {
	Nodes, Workers int
	Pending        int // timers that stay pending; if there are some, memory is measured too
	Burst          int // timers due at the same time
	Rate           int // timers per second while lateness is measured
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

// How many timers are stored and fired per second, how late they are, how much memory and disk they take, and how long their
// recovery takes, on one node and on three. All servers and workers run in this process.
func TestMeasure(t *testing.T) {
	if *measureTo == "" {
		t.Skip("make bench-durable does it")
	}
	all := run{Created: time.Now(), Go: runtime.Version(), CPUs: runtime.NumCPU(), CPU: "unknown processor"}
	info, _ := os.ReadFile("/proc/cpuinfo") // on Linux
	if m := regexp.MustCompile(`model name\s*: (.*)`).FindSubmatch(info); m != nil {
		all.CPU = string(m[1])
	}
	for _, s := range []setup{
		{1, 1, 1_000_000, 30_000, 5000}, {1, 3, 0, 30_000, 5000}, {3, 1, 0, 10_000, 1000}, {3, 3, 0, 10_000, 1000},
	} {
		all.Results = append(all.Results, s.measure(t))
	}
	fmt.Print(all.markdown())
	data, err := json.MarshalIndent(all, "", "\t")
	err = errors.Join(err, os.MkdirAll(*measureTo, 0o755), os.WriteFile(filepath.Join(*measureTo, "results.json"), data, 0o644))
	fatalIf(t, err)
}

func TestTheKeptRunStandsInItsPage(t *testing.T) {
	data, err := os.ReadFile("../docs/durable/results.json")
	fatalIf(t, err)
	var kept run
	if err := json.Unmarshal(data, &kept); err != nil || len(kept.Results) < 4 {
		t.Fatalf("%d results, %v", len(kept.Results), err)
	}
	doctest.Generated(t, *update, "../docs/durable.md", "<!-- durable: written by make docs -->\n", "<!-- end of durable -->\n", kept.markdown())
}

// markdown returns the part of docs/durable.md.
func (a run) markdown() string {
	text := fmt.Sprintf("Measured on %s with %d processors, %s, %s:\n\n", a.CPU, a.CPUs, a.Created.Format("2 January 2006"), a.Go) +
		"| nodes | workers | pending | stored/s | µs each | fired/s | µs each | at timers/s | p50 | p99 | max |\n" +
		"|" + strings.Repeat(" ---: |", 11) + "\n"
	ms := func(x float64) string {
		if x >= 1000 {
			return fmt.Sprintf("%.1f s", x/1000)
		}
		return fmt.Sprintf("%.1f ms", x)
	}
	after := ""
	for _, r := range a.Results {
		text += fmt.Sprintf("| %d | %d | %d | %.0f | %.0f | %.0f | %.0f | %d | %s | %s | %s |\n",
			r.Nodes, r.Workers, r.Pending, r.Stored, r.StoredCPU, r.Fired, r.FiredCPU, r.Rate, ms(r.P50), ms(r.P99), ms(r.Max))
		if r.Recovery > 0 {
			after += fmt.Sprintf("\nA million timers, one node: %.0f MB of memory (server and worker), %.0f MB on disk, %.1f s to recover.\n",
				r.Memory, r.Disk, r.Recovery)
		}
	}
	return text + after
}

func (s setup) measure(t *testing.T) result {
	r, dir, before := result{setup: s}, t.TempDir(), heap()
	b := s.start(t, dir)
	far := time.Now().AddDate(1, 0, 0)
	n := max(s.Pending, s.Burst)
	r.Stored, r.StoredCPU = rate(n, func() { b.schedule(t, "far", n, func(int) time.Time { return far }) })
	if s.Pending > 0 {
		r.Memory = float64(heap()-before) / float64(n)
		size, err := folder.Size(dir)
		fatalIf(t, err)
		r.Disk = float64(size) / float64(n)
		b.close()
		began := time.Now()
		b = s.start(t, dir)
		r.Recovery = time.Since(began).Seconds() * 1e6 / float64(n)
	}

	// n timers are due at a time at which all of them are stored.
	after := func(n int) time.Time {
		return time.Now().Add(time.Second + time.Duration(2*float64(n)/r.Stored*float64(time.Second)))
	}
	due := after(s.Burst)
	b.schedule(t, "burst", s.Burst, func(int) time.Time { return due })
	if left := time.Until(due); left < 0 {
		t.Fatalf("the burst was due %v before it was stored", -left)
	}
	time.Sleep(time.Until(due))
	r.Fired, r.FiredCPU = rate(s.Burst, func() { b.wait(t, s.Burst) })

	// Timers due at a constant rate for three seconds, all stored before.
	n = 3 * s.Rate
	due = after(n)
	b.schedule(t, "steady", n, func(i int) time.Time { return due.Add(time.Duration(i) * time.Second / time.Duration(s.Rate)) })
	late := b.wait(t, n)
	slices.Sort(late)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	r.P50, r.P99, r.Max = ms(late[n/2]), ms(late[n*99/100]), ms(late[n-1])
	b.close()
	return r
}

// rate returns the timers per second of an f about n timers, and the processor time per timer in µs.
func rate(n int, f func()) (perSecond, cpu float64) {
	processor := func() time.Duration {
		var usage syscall.Rusage
		_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage) // the arguments are valid
		return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	began, used := time.Now(), processor()
	f()
	return float64(n) / time.Since(began).Seconds(), float64((processor() - used).Microseconds()) / float64(n)
}

// heap returns the bytes in use after a collection.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// bench holds the running servers and workers.
type bench struct {
	client *Client
	late   chan time.Duration // of the handled timers
	close  func()
}

// start starts servers and workers, and waits until all partitions have been read.
func (s setup) start(t *testing.T, dir string) *bench {
	list := addresses(t, 2*s.Nodes)
	var servers []*Server
	for i, clients := range list[:s.Nodes] {
		var options []ServerOption
		if s.Nodes > 1 {
			options = append(options, Listen(clients), Cluster("measure", fmt.Sprint("node", i), list[s.Nodes+i], list[s.Nodes:]...))
		}
		servers = append(servers, embedded(t, filepath.Join(dir, fmt.Sprint(i)), options...))
	}
	client := func(i int) *Client {
		return open(t, connect(t, servers[i%s.Nodes]), Config{Replicas: s.Nodes, Concurrency: 256})
	}
	b := &bench{client: client(0), late: make(chan time.Duration, 1<<16)}
	var workers []*Client
	var stops []func()
	for i := range s.Workers {
		c := client(i + 1)
		workers = append(workers, c)
		stops = append(stops, serveWith(t, c, func(_ context.Context, f Fired) error { b.late <- f.Lateness; return nil }))
	}
	b.close = func() {
		for _, stop := range stops {
			stop()
		}
		for _, s := range servers {
			s.Close()
		}
	}
	waitFor(t, func() bool {
		served := 0
		for _, c := range workers {
			served += c.Stats().Partitions
		}
		return served == defaultPartitions
	})
	return b
}

// schedule sets n timers.
func (b *bench) schedule(t *testing.T, name string, n int, at func(i int) time.Time) {
	const most = 10_000 // timers per Set
	payload, timers := make([]byte, 64), make([]Timer, 0, most)
	for i := range n {
		timers = append(timers, Timer{Key: fmt.Sprintf("%s-%d", name, i), Deadline: at(i), Payload: payload})
		if len(timers) == most || i == n-1 {
			mustSet(t, b.client, timers...)
			timers = timers[:0]
		}
	}
}

// wait waits until n more timers have been handled, and returns how late they were.
func (b *bench) wait(t *testing.T, n int) (late []time.Duration) {
	end := time.After(patience) // one for all, which costs no time
	for range n {
		select {
		case d := <-b.late:
			late = append(late, d)
		case <-end:
			t.Fatalf("%d of %d timers were handled", len(late), n)
		}
	}
	return late
}
