package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/timerbench/timerbench/trace"
)

// readLog reads the timers of nginx from its error log at level debug, which needs a build with
// --with-debug, and writes them to a trace with ticks of a millisecond, which it closes. Errors
// contain name, the name of the log.
//
// The workers of one nginx have separate timers. The trace holds all of them, as that of a Go
// program holds the timers of all processors. nginx does not move a timer by less than 300 ms.
// The trace lacks such moves, because they never reach nginx's tree.
//
// The times in the log are in seconds. The clock of nginx, in milliseconds, follows from the deadline minus the delay
// of each timer that is added, and from the time that nginx says it has waited. The log does not tell who adds a
// timer. The site is the last action of the connection's HTTP that the log tells, such as "http upstream request".
func readLog(in io.Reader, name string, out *trace.Writer) error {
	n := nginx{writer: out, workers: map[string]*nginxWorker{}, pending: map[nginxTimer][]uint64{}, doing: map[string]string{}}
	lines := bufio.NewReader(in)
	for number := 1; ; number++ {
		text, err := lines.ReadString('\n')
		switch {
		case err == nil:
			err = n.line(strings.TrimRight(text, "\r\n"))
		case errors.Is(err, io.EOF) && text == "" && n.out != nil:
			return n.out.Close(n.last * 1e6) // removals without a known time are left out
		case errors.Is(err, io.EOF) && text == "":
			return fmt.Errorf("%s: no timer: want lines \"event timer add\", of a build --with-debug and error_log at the level debug", name)
		case errors.Is(err, io.EOF):
			err = errors.New("cut short: want a whole line")
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, number, err)
		}
	}
}

// nginx is the state of an import. Times are in milliseconds.
type nginx struct {
	writer  *trace.Writer
	out     *trace.Observer // nil: no timer yet
	last    int64
	timers  uint64 // so far
	workers map[string]*nginxWorker
	pending map[nginxTimer][]uint64 // as read and write timers of a connection can be alike
	doing   map[string]string       // by connection: what nginx does
}

// nginxTimer identifies a timer in the log.
type nginxTimer struct {
	worker string
	fd     int64
	key    int64 // the deadline
}

// nginxWorker is a process. It waits, tells what happened to its files, tells how long it has
// waited, and tells which timers were due.
type nginxWorker struct {
	clock   int64
	known   bool         // the clock is that of the lines that come
	expires bool         // what was due is being told
	held    []nginxTimer // removed: before the clock is known, or to be added again
	again   bool         // the last line says that a timer is removed, so it may be moved
}

var (
	nginxLine = regexp.MustCompile(`^\d{4}/\d\d/\d\d \d\d:\d\d:\d\d \[\w+\] (\d+)#\d+: (?:(\*\d+) )?(.*)$`)
	nginxWait = regexp.MustCompile(`^(?:epoll|kevent|poll|select|eventport|devpoll) timer: `)
	nginxDoes = regexp.MustCompile(`^(?:accept|(?:set )?http [a-z ]*[a-z])`)
)

// nginxTells has the messages about timers, and how many numbers each has.
var nginxTells = map[string]int{"event timer add": 3, "event timer del": 2, "timer delta": 1}

// line reads a line of the log.
func (n *nginx) line(text string) error {
	parts := nginxLine.FindStringSubmatch(text)
	if parts == nil {
		if n.out == nil && n.timers == 0 && len(n.workers) == 0 {
			return fmt.Errorf("%.60q: want a line of nginx's error log", text)
		}
		return nil // the rest of a message
	}
	pid, connection, message := parts[1], parts[2], parts[3]
	w := n.workers[pid]
	if w == nil {
		w = new(nginxWorker)
		n.workers[pid] = w
	}
	again := w.again
	w.again = false
	what, text, _ := strings.Cut(message, ": ")
	numbers, err := nginxNumbers(text, nginxTells[what])
	if err != nil {
		return err
	}
	switch {
	case what == "event timer add":
		fd, delay, key := numbers[0], numbers[1], numbers[2]
		return n.add(w, nginxTimer{pid, fd, key}, key-delay, n.doing[connection], again)
	case what == "event timer del":
		err := n.release(w)
		w.held, w.again = append(w.held, nginxTimer{pid, numbers[0], numbers[1]}), true
		return err
	case what == "timer delta":
		if !w.known {
			w.clock += numbers[0]
		}
		w.known = true
		err := n.release(w)
		w.expires = true
		return err
	case nginxWait.MatchString(message):
		err := n.release(w)
		w.known, w.expires = false, false
		return err
	case strings.HasPrefix(message, "close http connection"):
		delete(n.doing, connection)
	}
	if does := nginxDoes.FindString(message); does != "" && connection != "" {
		n.doing[connection] = does
	}
	return nil
}

// nginxNumbers parses numbers that are separated by colons.
func nginxNumbers(text string, want int) ([]int64, error) {
	numbers, fields := make([]int64, want), strings.Split(text, ":")
	for i := range numbers {
		err := strconv.ErrSyntax
		if len(fields) == want {
			numbers[i], err = strconv.ParseInt(strings.TrimSpace(fields[i]), 10, 64)
		}
		if err != nil {
			return nil, fmt.Errorf("event timer %q: want %d whole numbers and colons between them", text, want)
		}
	}
	return numbers, nil
}

// add takes a timer that nginx adds at the time now. again says that nginx has removed one just before.
func (n *nginx) add(w *nginxWorker, timer nginxTimer, now int64, site string, again bool) error {
	w.clock, w.known = now, true
	var id uint64
	if last := len(w.held) - 1; again && last >= 0 {
		if before := w.held[last]; before.fd == timer.fd && len(n.pending[before]) > 0 && !w.due(before) {
			id = n.take(before)
			w.held = w.held[:last]
		}
	}
	moved := id > 0
	if err := n.release(w); err != nil {
		return err
	}
	if n.out == nil {
		n.last = now
		n.out = trace.NewObserver(n.writer, now*1e6)
	}
	if !moved {
		n.timers++
		id = n.timers
	}
	n.pending[timer] = append(n.pending[timer], id)
	return n.observe(w, trace.Event{
		Kind: trace.EventSet, Timer: id, When: timer.key * 1e6, Pending: moved, Site: trace.Site{Place: site},
	})
}

// due reports whether a timer that is removed has fired.
func (w *nginxWorker) due(timer nginxTimer) bool { return w.expires && timer.key <= w.clock }

// release cancels or fires the timers that were removed and not added again, if the time is known.
func (n *nginx) release(w *nginxWorker) error {
	if !w.known {
		return nil
	}
	for _, timer := range w.held {
		if len(n.pending[timer]) == 0 {
			continue // it was added before the log begins
		}
		e := trace.Event{Kind: trace.EventStop, Timer: n.take(timer), Pending: true}
		if w.due(timer) {
			e.Kind = trace.EventFire
		}
		if err := n.observe(w, e); err != nil {
			return err
		}
	}
	w.held = w.held[:0]
	return nil
}

// take removes a pending timer and returns its number.
func (n *nginx) take(timer nginxTimer) uint64 {
	ids := n.pending[timer]
	if len(ids) == 1 {
		delete(n.pending, timer)
	} else {
		n.pending[timer] = ids[1:]
	}
	return ids[0]
}

// observe records an event by the clock of a worker.
func (n *nginx) observe(w *nginxWorker, e trace.Event) error {
	const skew = 1000 // between workers, of which one can be busy
	if w.clock < n.last-skew {
		return fmt.Errorf("nginx's clock is at %d ms after %d ms: want the log of one run", w.clock, n.last)
	}
	n.last = max(n.last, w.clock)
	e.Now = n.last * 1e6
	n.out.Observe(e)
	return n.out.Err()
}
