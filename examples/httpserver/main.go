// Command httpserver is an HTTP server whose connections have their read, write
// and idle deadlines in a structure of this module, instead of in Go's runtime.
//
// It shows how to drive a structure by a real clock (deadlines.go), and it can be
// recorded: "make trace-http" puts it under load and makes traces/http.trace.
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

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/hwheel"
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

	timers, stop, err := trace.FromEnv(hwheel.New[*side](), trace.Header{
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

// serve serves until ctx ends. Afterwards nobody uses timers.
func serve(ctx context.Context, server *http.Server, addr string, timers structures.Scheduler[*side]) error {
	tcp, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	log.Print("listening on ", tcp.Addr())
	d := newDeadlines(timers, tick)
	defer d.stop()
	context.AfterFunc(ctx, func() {
		_ = server.Close() // Serve returns; its error says the same
	})
	if err := server.Serve(listener{tcp, d}); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// answer waits for as long as the request asks, as if it had work to do, and
// sends a page.
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
