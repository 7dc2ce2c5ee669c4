// Command retries shows a queue of jobs that are tried again when they fail, each time after a
// delay twice as long. What waits for its next try holds no goroutine.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
	"time"

	"github.com/timerbench/timerbench/driver"
)

// Queue runs jobs until they succeed.
type Queue struct {
	d     *driver.Driver
	jobs  *driver.Queue[job]
	first time.Duration // the delay after the first failure
	tries int
}

type job struct {
	do     func() error
	done   func(error) // called once, with the last error
	failed int
}

// New returns a queue that tries each job so often at most.
func New(d *driver.Driver, first time.Duration, tries int) *Queue {
	return &Queue{d: d, jobs: driver.NewQueue[job](d), first: first, tries: tries}
}

// Add adds a job. It is tried as soon as a worker is free.
func (q *Queue) Add(do func() error, done func(error)) { q.jobs.Push(0, job{do: do, done: done}) }

// Run works with so many workers until ctx ends. Jobs that wait then are dropped by Close.
func (q *Queue) Run(ctx context.Context, workers int) {
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for {
				j, err := q.jobs.Take(ctx)
				if err != nil {
					return
				}
				q.try(j)
			}
		})
	}
	all.Wait()
}

// try runs a job, and puts it back if it fails.
func (q *Queue) try(j job) {
	err := j.do()
	if j.failed++; err == nil || j.failed == q.tries {
		j.done(err)
		return
	}
	q.jobs.Push(q.delay(j.failed), j)
}

// delay returns how long a job waits after so many failures: half of that and a random part of
// the rest, so that those who have failed together do not come back together.
func (q *Queue) delay(failed int) time.Duration {
	full := q.first << min(failed-1, 16)
	return q.d.Jitter(full/2, full/2)
}

// Close drops all jobs that wait.
func (q *Queue) Close() error { return q.jobs.Close() }

func main() {
	d, err := driver.New()
	if err != nil {
		log.Fatal(err)
	}
	defer d.Close()
	q := New(d, 10*time.Millisecond, 5)
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	q.Add(func() error {
		if n++; n < 4 {
			return errors.New("no connection")
		}
		return nil
	}, func(err error) {
		fmt.Println("after", n, "tries:", err)
		cancel()
	})
	q.Run(ctx, 2)
}
