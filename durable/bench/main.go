// Command bench measures durable beside asynq on Redis, River on PostgreSQL and the message schedules of nats-server, with
// the same loads and the same faults.
package main

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
	"runtime/debug"
	"slices"
	"time"
)

// results is what a run has measured, and where.
type results struct {
	Created time.Time
	Go, CPU string
	CPUs    int
	Size    int       // timers of a load, at most
	Tries   int       // of which the median counts; 0 in old results
	Systems []*result `json:"Results"`
	Skipped []string  // with the reason
}

// result is what one system has shown. A zero figure was not measured.
type result struct {
	system
	Stored, Batched, Cancelled, Moved figure // one at a time from 32 goroutines, or 1,000 in a call
	Fired                             figure // of a backlog
	Rates                             []lateness
	Memory, Disk                      float64 // bytes per pending timer
	Restart                           float64 // seconds until a killed server stores again, with Pending timers
	Pending                           int
	Faults                            []faults
	Load                              float64 // of the machine, before
}

// figure is a number of timers per second, and their processor time in µs each: servers, worker and client.
type figure struct{ PerSecond, CPU float64 }

// lateness of timers at a constant rate, in ms.
type lateness struct {
	Rate, Missing int
	Early         int // handled before the deadline
	P50, P99, Max float64
}

func main() {
	if text := os.Getenv(roleEnv); text != "" {
		var r role
		err := json.Unmarshal([]byte(text), &r)
		if err == nil {
			err = r.run()
		}
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	out := flag.String("out", "", "write results.json into this `folder`")
	only := flag.String("systems", "", "measure only systems whose names match this `expression`")
	size := flag.Int("n", 100_000, "timers of a load, at most")
	pending := flag.Int("pending", 1_000_000, "pending timers for memory, disk and restart, at most")
	kills := flag.Int("kills", 20, "kills of the worker, of a server, and of both")
	limit := flag.Duration("for", 12*time.Minute, "measure for at most about this `time`; the rest is skipped")
	flag.Parse()
	if err := bench(*out, *only, *size, *pending, *kills, *limit); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(out, only string, size, pending, kills int, limit time.Duration) error {
	end := time.Now().Add(limit)
	match, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	if out == "" {
		return errors.New("-out: want a folder")
	}
	all := results{Created: time.Now().UTC(), Go: runtime.Version(), CPUs: runtime.NumCPU(), CPU: processorName(), Size: size, Tries: tries}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	chosen := slices.DeleteFunc(systems(), func(s system) bool { return !match.MatchString(s.Name) })
	for i, s := range chosen {
		began := time.Now()
		r := &result{system: s}
		all.Systems = append(all.Systems, r)
		text, _ := os.ReadFile("/proc/loadavg") // on Linux
		_, _ = fmt.Sscan(string(text), &r.Load) // or 0
		share := time.Until(end) / time.Duration(len(chosen)-i)
		ctx, cancel := context.WithTimeout(context.Background(), min(share*5/4, time.Until(end))) // some need less
		err := r.measure(ctx, size, pending, kills)
		if err != nil && ctx.Err() != nil {
			err = errors.New("no time was left for the rest")
		}
		cancel()
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s is skipped: %v\n", s.Name, err)
			all.Skipped = append(all.Skipped, fmt.Sprintf("%s: %v", s.Name, err))
		}
		fmt.Fprintf(os.Stderr, "%s: %.0f s\n", s.Name, time.Since(began).Seconds())
		data, err := json.MarshalIndent(all, "", "\t")
		if err == nil {
			err = os.WriteFile(filepath.Join(out, "results.json"), append(data, '\n'), 0o644)
		}
		if err != nil {
			return err
		}
	}
	fmt.Print(all.markdown())
	return nil
}

// find returns the system with this name.
func find(name string) system {
	list := systems()
	return list[slices.IndexFunc(list, func(s system) bool { return s.Name == name })]
}

// version returns the version of a module in this program, without the last part.
func version(module string) string {
	info, _ := debug.ReadBuildInfo()
	for _, m := range info.Deps {
		if m.Path == module {
			return regexp.MustCompile(`^v(\d+\.\d+)`).FindStringSubmatch(m.Version)[1]
		}
	}
	return "?"
}

func processorName() string {
	info, _ := os.ReadFile("/proc/cpuinfo") // on Linux
	if m := regexp.MustCompile(`model name\s*: (.*)`).FindSubmatch(info); m != nil {
		return string(m[1])
	}
	return "unknown processor"
}
