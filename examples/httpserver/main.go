// Command httpserver is an HTTP server whose connections have their read, write and idle
// deadlines in a driver of this module instead of in Go's runtime.
//
// It shows how to give a driver's timers to a package that expects the timers of Go (conn.go), and how
// to record a structure: record.sh puts it under load and writes traces/http.trace.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/auto"
	"github.com/timerbench/timerbench/trace"
)

const tick = time.Millisecond

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "`address` to listen on")
	read := flag.Duration("read-timeout", 10*time.Second, "longest time for a request to arrive")
	write := flag.Duration("write-timeout", 15*time.Second, "longest time from a request to the end of its answer")
	idle := flag.Duration("idle-timeout", 5*time.Second, "longest time between two requests on a connection")
	about := flag.String("about", "", "`description` of the load, for the recording")
	flag.Parse()

	timers, stop, err := trace.FromEnv(auto.New[driver.Task](), trace.Header{
		Name: "http", Tick: tick,
		Description: fmt.Sprintf("examples/httpserver: deadlines of net/http, read %v, write %v, idle %v; %s", *read, *write, *idle, *about),
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, done := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer done()
	server := &http.Server{
		Handler:     http.HandlerFunc(answer),
		ReadTimeout: *read, WriteTimeout: *write, IdleTimeout: *idle,
	}
	if err := errors.Join(serve(ctx, server, *addr, timers), stop()); err != nil {
		log.Fatal(err)
	}
}

// serve serves until ctx ends, with the deadlines of its connections in timers. Afterwards timers is unused.
func serve(ctx context.Context, server *http.Server, addr string, timers structures.Scheduler[driver.Task]) error {
	d, err := newDriver(timers)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	tcp, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	log.Print("listening on ", tcp.Addr())
	context.AfterFunc(ctx, func() {
		_ = server.Close() // Serve returns; its error says the same
	})
	if err := server.Serve(listener{tcp, d}); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// newDriver returns a driver of timers. It has one shard, because the recording is of one
// structure, and it runs functions inline, because they are short.
func newDriver(timers structures.Scheduler[driver.Task]) (*driver.Driver, error) {
	return driver.New(
		driver.StructureFunc(func() structures.Scheduler[driver.Task] { return timers }),
		driver.Shards(1), driver.Tick(tick), driver.Inline(),
	)
}

// answer waits for the time that the request asks for, as if it had work to do, and sends a page.
func answer(w http.ResponseWriter, r *http.Request) {
	if wait, err := time.ParseDuration(r.URL.Query().Get("wait")); err == nil && wait < time.Minute {
		select {
		case <-time.After(wait):
		case <-r.Context().Done():
			return
		}
	}
	_, _ = w.Write(page) // the client may have left
}

var page = []byte(strings.Repeat("timers, timers, timers\n", 50))
