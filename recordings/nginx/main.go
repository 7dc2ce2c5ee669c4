// Command nginx writes a trace of the timers of nginx from a debug log. nginx must be built --with-debug, as in Debian, and
// have "worker_processes 1" and "error_log FILE debug;" in its configuration.
//
//	go run ./recordings/nginx -about "nginx 1.26 under load" -o nginx.trace /var/log/nginx/error.log
package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/timerbench/timerbench/internal/files"
	"github.com/timerbench/timerbench/trace"
)

func main() {
	out := flag.String("o", "", "`file` for the trace")
	about := flag.String("about", "the timers of nginx", "`text` that describes the trace")
	flag.Parse()
	if err := write(*out, *about, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "nginx:", err)
		os.Exit(1)
	}
}

// write writes the trace of a log. The file is written only after the whole log is read.
func write(out, about string, logs []string) error {
	if out == "" || len(logs) != 1 {
		return errors.New("want -o FILE and the log of one run")
	}
	in, err := os.Open(logs[0])
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // opened for reading
	var made bytes.Buffer
	w, err := trace.NewWriter(&made, trace.Header{
		Name:        strings.TrimSuffix(filepath.Base(out), filepath.Ext(out)),
		Description: about, Tick: time.Millisecond,
	})
	if err == nil {
		err = readLog(in, logs[0], w)
	}
	if err != nil {
		return err
	}
	return files.WriteBytes(out, made.Bytes())
}

// readLog writes the timers of a log to a trace with ticks of a millisecond, which it closes. nginx does not move a timer by less
// than 300 ms. The trace lacks such moves, because they never reach nginx's tree.
//
// The times in the log are in seconds. The clock of nginx, in milliseconds, follows from the deadline minus the delay
// of each timer that is added, and from the time that nginx says it has waited. The log does not tell who adds a
// timer. The site is the last action of the connection's HTTP that the log tells, such as "http upstream request".
func readLog(in io.Reader, name string, out *trace.Writer) error {
	n := nginx{writer: out, pending: map[timer][]uint64{}, doing: map[string]string{}}
	lines := bufio.NewScanner(in)
	number := 0
	for lines.Scan() {
		number++
		if err := n.line(lines.Text()); err != nil {
			return fmt.Errorf("%s:%d: %w", name, number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s:%d: %w", name, number+1, err)
	}
	if n.out == nil {
		return fmt.Errorf("%s: no timer: want lines \"event timer add\", of a build --with-debug and error_log at the level debug", name)
	}
	return n.out.Close(n.clock * 1e6) // removals without a known time are left out
}

// nginx is the state of an import. Times are in milliseconds. nginx waits, tells what happened to its files, tells how long it
// has waited, and tells which timers were due.
type nginx struct {
	writer  *trace.Writer
	out     *trace.Observer // nil: no timer yet
	worker  string          // the process with timers
	timers  uint64          // so far
	pending map[timer][]uint64
	doing   map[string]string // by connection: what nginx does

	clock   int64
	known   bool    // the clock is that of the lines that come
	expires bool    // what was due is being told
	held    []timer // removed: before the clock is known, or to be added again
	again   bool    // the last line says that a timer is removed, so it may be moved
}

// timer identifies a timer in the log. The read and the write timer of a connection can be alike.
type timer struct{ fd, deadline int64 }

var (
	logLine = regexp.MustCompile(`^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d \[\w+\] (\d+)#\d+: (?:(\*\d+) )?(.*)$`)
	waits   = regexp.MustCompile(`^(?:epoll|kevent|poll|select|eventport|devpoll) timer: `)
	does    = regexp.MustCompile(`^(?:accept|(?:set )?http [a-z ]*[a-z])`)
)

// line reads a line of the log. Those of other forms are the rest of a message.
func (n *nginx) line(text string) error {
	parts := logLine.FindStringSubmatch(text)
	if parts == nil {
		return nil
	}
	pid, connection, message := parts[1], parts[2], parts[3]
	again := n.again
	n.again = false
	what, _, _ := strings.Cut(message, ": ")
	var t timer
	var delay int64
	var err error
	switch {
	case what == "event timer add":
		if err = scan(message, "event timer add: %d: %d:%d", &t.fd, &delay, &t.deadline); err == nil {
			err = n.add(pid, t, t.deadline-delay, n.doing[connection], again)
		}
	case what == "event timer del":
		if err = scan(message, "event timer del: %d: %d", &t.fd, &t.deadline); err == nil {
			n.release()
			n.held, n.again = append(n.held, t), true
		}
	case what == "timer delta":
		if err = scan(message, "timer delta: %d", &delay); err == nil {
			if !n.known {
				n.clock += delay
			}
			n.known = true
			n.release()
			n.expires = true
		}
	case waits.MatchString(message):
		n.release()
		n.known, n.expires = false, false
	case strings.HasPrefix(message, "close http connection"):
		delete(n.doing, connection)
	}
	if err != nil {
		return err
	}
	if action := does.FindString(message); action != "" && connection != "" {
		n.doing[connection] = action
	}
	return nil
}

// scan parses the numbers of a message.
func scan(message, form string, numbers ...any) error {
	if _, err := fmt.Sscanf(message, form, numbers...); err != nil {
		return fmt.Errorf("%q: %w, want %q", message, err, form)
	}
	return nil
}

// add takes a timer that nginx adds at the time now. again says that nginx has removed one just before.
func (n *nginx) add(pid string, t timer, now int64, site string, again bool) error {
	switch {
	case n.out == nil:
		n.worker, n.out = pid, trace.NewObserver(n.writer, now*1e6)
	case pid != n.worker:
		return fmt.Errorf("timers of process %s after those of %s: want the log of one worker", pid, n.worker)
	case now < n.clock-1000:
		return fmt.Errorf("nginx's clock is at %d ms after %d ms: want the log of one run", now, n.clock)
	}
	n.clock, n.known = max(n.clock, now), true
	id := uint64(0)
	if last := len(n.held) - 1; again && last >= 0 {
		if before := n.held[last]; before.fd == t.fd && len(n.pending[before]) > 0 && !n.due(before) {
			id, n.held = n.take(before), n.held[:last]
		}
	}
	n.release()
	moved := id > 0
	if !moved {
		n.timers++
		id = n.timers
	}
	n.pending[t] = append(n.pending[t], id)
	n.observe(trace.Event{Kind: trace.EventSet, Timer: id, When: t.deadline * 1e6, Pending: moved, Site: trace.Site{Place: site}})
	return n.out.Err()
}

// due reports whether a timer that is removed has fired.
func (n *nginx) due(t timer) bool { return n.expires && t.deadline <= n.clock }

// release cancels or fires the timers that were removed and not added again, if the time is known. It leaves out those that were
// added before the log begins.
func (n *nginx) release() {
	if !n.known {
		return
	}
	for _, t := range n.held {
		if len(n.pending[t]) == 0 {
			continue
		}
		e := trace.Event{Kind: trace.EventStop, Timer: n.take(t), Pending: true}
		if n.due(t) {
			e.Kind = trace.EventFire
		}
		n.observe(e)
	}
	n.held = n.held[:0]
}

// take removes a pending timer and returns its number.
func (n *nginx) take(t timer) uint64 {
	ids := n.pending[t]
	if n.pending[t] = ids[1:]; len(ids) == 1 {
		delete(n.pending, t)
	}
	return ids[0]
}

// observe records an event at the present.
func (n *nginx) observe(e trace.Event) {
	e.Now = n.clock * 1e6
	n.out.Observe(e)
}
