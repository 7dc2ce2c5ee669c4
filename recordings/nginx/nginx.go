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
// --with-debug, and writes them to a trace with ticks of a millisecond. It calls create at the
// first timer, and closes the Writer. Errors contain log, the name of the log.
//
// The workers of one nginx have separate timers. The trace holds all of them, as that of a Go
// program holds the timers of all processors. nginx does not move a timer by less than 300 ms.
// The trace lacks such moves, because they never reach nginx's tree.
//
// The times in the log are in seconds. The clock of nginx, in milliseconds, follows from the deadline minus the delay
// of each timer that is added, and from the time that nginx says it has waited. The log does not tell who adds a
// timer. The site is the last action of the connection's HTTP that the log tells, such as "http upstream request".
func readLog(in io.Reader, name string, create func() (*trace.Writer, error)) error {
	n := nginx{
		create: create, workers: map[string]*nginxWorker{}, pending: map[nginxTimer][]uint64{}, doing: map[string]string{},
	}
	return errors.Join(readLines(in, name, n.line, n.end), n.close())
}

// nginx is the state of an import. Times are in milliseconds.
type nginx struct {
	create  func() (*trace.Writer, error)
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
	if what, ok := strings.CutPrefix(message, "event timer add: "); ok {
		numbers, err := nginxNumbers(what, 3)
		if err != nil {
			return err
		}
		fd, delay, key := numbers[0], numbers[1], numbers[2]
		return n.add(w, nginxTimer{pid, fd, key}, key-delay, n.doing[connection], again)
	}
	if what, ok := strings.CutPrefix(message, "event timer del: "); ok {
		numbers, err := nginxNumbers(what, 2)
		if err != nil {
			return err
		}
		if err := n.release(w); err != nil {
			return err
		}
		w.held, w.again = append(w.held, nginxTimer{pid, numbers[0], numbers[1]}), true
		return nil
	}
	if what, ok := strings.CutPrefix(message, "timer delta: "); ok {
		numbers, err := nginxNumbers(what, 1)
		if err != nil {
			return err
		}
		if !w.known {
			w.clock += numbers[0]
		}
		w.known = true
		err = n.release(w)
		w.expires = true
		return err
	}
	if nginxWait.MatchString(message) {
		err := n.release(w)
		w.known, w.expires = false, false
		return err
	}
	if what := nginxDoes.FindString(message); what != "" && connection != "" {
		n.doing[connection] = what
	} else if strings.HasPrefix(message, "close http connection") {
		delete(n.doing, connection)
	}
	return nil
}

// nginxNumbers parses numbers that are separated by colons.
func nginxNumbers(text string, want int) ([]int64, error) {
	fields := strings.Split(strings.ReplaceAll(text, " ", ""), ":")
	numbers := make([]int64, len(fields))
	for i, field := range fields {
		var err error
		if numbers[i], err = strconv.ParseInt(field, 10, 64); err != nil || len(fields) != want {
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
		to, err := n.create()
		if err != nil {
			return err
		}
		n.last = now
		n.out = trace.NewObserver(to, now*1e6)
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

// end drops removals without a known time, and returns an error if the log has no timer.
func (n *nginx) end() error {
	for _, w := range n.workers {
		w.held = nil // their time is unknown
	}
	if n.out == nil {
		return errors.New("no timer: want lines \"event timer add\", " +
			"of a build --with-debug and error_log at the level debug")
	}
	return nil
}

// close completes the trace.
func (n *nginx) close() error {
	if n.out == nil {
		return nil
	}
	return n.out.Close(n.last * 1e6)
}

// readLines calls line with each line of a text, and then end. Errors contain name, the name of the text.
func readLines(in io.Reader, name string, line func(string) error, end func() error) error {
	lines := bufio.NewReader(in)
	for n := 1; ; n++ {
		text, err := lines.ReadString('\n')
		if text != "" {
			wrong := line(strings.TrimRight(text, "\r\n"))
			if wrong == nil && errors.Is(err, io.EOF) {
				wrong = errors.New("cut short: want a whole line")
			}
			if wrong != nil {
				return fmt.Errorf("%s:%d: %w", name, n, wrong)
			}
		}
		if errors.Is(err, io.EOF) {
			err = end()
			if err == nil {
				return nil
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
}
