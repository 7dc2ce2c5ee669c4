package durable

import (
	"context"
	"errors"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// ask returns the answer of a client to a request for a path.
func ask(c *Client, path string) (int, string) {
	w := httptest.NewRecorder()
	c.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w.Code, w.Body.String()
}

func TestHandler(t *testing.T) {
	t.Parallel()
	s := embedded(t, t.TempDir())
	c := open(t, connect(t, s), Config{MaxAttempts: 1})
	gone := []byte(`{"serves":[],"lease":500000000}`) // it does not count among the workers soon
	_, err := c.members.Put(t.Context(), "gone", gone)
	fatalIf(t, err)
	if code, text := ask(c, "/ready"); code != http.StatusOK {
		t.Errorf("a client that does not serve: %d, %s", code, text)
	}
	serveWith(t, c, func(_ context.Context, f Fired) error {
		if f.Key == "bad" {
			return errors.New("on purpose")
		}
		return nil
	})
	for _, key := range []string{"good", "better", "bad"} {
		set(t, c, key, 0)
	}
	set(t, c, "near", 10*time.Minute)
	set(t, c, "far", 10*time.Hour)
	var text, missing string
	defer func() {
		if missing != "" {
			t.Errorf("there is no %q in\n%s", missing, text)
		}
	}()
	waitFor(t, func() bool {
		code, _ := ask(c, "/ready")
		_, text = ask(c, "/metrics")
		missing = ""
		for _, want := range []string{
			"# TYPE durable_fired_total counter\ndurable_fired_total 3\n", "durable_handled_total 2\n",
			"durable_failed_total 1\n", "durable_buried_total 1\n", "durable_partitions 4\n",
			"# TYPE durable_near gauge\ndurable_near 1\n", "durable_far 1\n", "durable_up 1\n", "durable_workers 1\n",
			"durable_dead_letters 1\n", "durable_waiting 0\n", "durable_in_hand 0\n",
			"durable_lateness_seconds_bucket{le=\"+Inf\"} 3\n", "durable_handler_seconds_count 3\n",
		} {
			if !strings.Contains(text, want) {
				missing = want
			}
		}
		return code == http.StatusOK && missing == ""
	})
	form := regexp.MustCompile(`^(# TYPE \w+ (counter|gauge|histogram)|\w+(\{le="[^"]+"\})? [0-9.e+-]+)$`)
	for line := range strings.Lines(text) {
		if !form.MatchString(strings.TrimSuffix(line, "\n")) {
			t.Errorf("line %q", line)
		}
	}
	s.Close()
	if code, text := ask(c, "/ready"); code != http.StatusServiceUnavailable || !strings.Contains(text, "store") {
		t.Errorf("without a server: %d, %s", code, text)
	}
	if code, _ := ask(c, "/live"); code != http.StatusOK {
		t.Errorf("without a server it is not live: %d", code)
	}
	waitFor(t, func() bool { return c.Stats().Partitions == 0 }) // none can be read
	if _, text := ask(c, "/metrics"); !strings.Contains(text, "durable_up 0\n") || !strings.Contains(text, "durable_near 1\n") {
		t.Errorf("without a server:\n%s", text)
	}
}

// A worker notices when an operator changes a setting so that timers are lost or delayed, and when that is over.
func TestSettingsAreWatched(t *testing.T) {
	t.Parallel()
	nc := start(t)
	var log logged
	c, other := open(t, nc, Config{Logger: log.logger()}), open(t, nc, Config{})
	stop := serveWith(t, c, func(context.Context, Fired) error { return nil })
	waitFor(t, func() bool { return c.Ready(t.Context()) == nil })
	stream := c.stream.CachedInfo().Config
	change := func(cfg jetstream.StreamConfig, f func(*jetstream.StreamConfig)) error {
		f(&cfg)
		_, err := c.js.UpdateStream(t.Context(), cfg)
		return err
	}
	fatalIf(t, change(stream, func(s *jetstream.StreamConfig) { s.MaxAge, s.Duplicates = 2*time.Second, 2*time.Second }))
	waitFor(t, func() bool { return strings.Contains(c.Stats().Unfit, "MaxAge 2s") && log.has("level=ERROR") }) // which asks no server
	if log.count("level=ERROR") != 1 || !log.has("MaxAge 2s removes old timers") {
		t.Errorf("want one error in the log:\n%s", &log.text)
	}
	for _, step := range []struct {
		want string
		do   func() error
	}{
		{"MaxMsgs 100 removes timers", func() error { return change(stream, func(s *jetstream.StreamConfig) { s.MaxMsgs = 100 }) }},
		{"", func() error { return change(stream, func(*jetstream.StreamConfig) {}) }},
		{"AllowDirect is false", func() error { return change(stream, func(s *jetstream.StreamConfig) { s.AllowDirect = false }) }},
		{"", func() error { return change(stream, func(*jetstream.StreamConfig) {}) }},
	} {
		fatalIf(t, step.do())
		for _, c := range []*Client{c, other} { // whether it serves or not
			waitFor(t, func() bool {
				_, metrics := ask(c, "/metrics")
				unfit := c.Stats().Unfit
				code, text := ask(c, "/ready")
				if step.want == "" {
					return code == http.StatusOK && unfit == "" && strings.Contains(metrics, "durable_unfit 0\n")
				}
				return code == http.StatusServiceUnavailable && strings.Contains(text, step.want) && strings.Contains(unfit, step.want) &&
					strings.Contains(metrics, "durable_unfit 1\n")
			})
		}
	}
	fatalIf(t, c.js.DeleteKeyValue(t.Context(), c.members.Bucket()))
	waitFor(t, func() bool {
		err := c.Ready(t.Context())
		return err != nil && strings.Contains(err.Error(), "do not know about this one")
	})
	stop()
	fatalIf(t, c.js.DeleteStream(t.Context(), c.layout.name))
	waitFor(t, func() bool {
		err := other.Ready(t.Context())
		return err != nil && strings.Contains(err.Error(), "was deleted") && strings.Contains(other.Stats().Unfit, "was deleted")
	})
}

func TestHistogram(t *testing.T) {
	var h histogram
	for _, d := range []time.Duration{-1, 0, time.Millisecond, time.Millisecond + 1, time.Hour} {
		h.add(d)
	}
	var centuries histogram // of timers that were due in 1700
	for range 3 {
		centuries.add(math.MaxInt64)
	}
	if sum := math.Float64frombits(centuries.sum.Load()); sum < 3*9.2e9 {
		t.Errorf("three times 292 years are %v s", sum)
	}
	var b strings.Builder
	h.write(&b, "x")
	for _, want := range []string{"# TYPE x histogram\n", `x_bucket{le="0.001"} 3`, `x_bucket{le="0.0025"} 4`, `x_bucket{le="300"} 4`,
		`x_bucket{le="+Inf"} 5`, "x_sum 3600.002", "x_count 5"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("there is no %q in\n%s", want, &b)
		}
	}
}

func TestReady(t *testing.T) {
	w := newWorker(&Client{cfg: Config{Now: time.Now}})
	m := &members{self: "self", signs: map[string]sign{"self": {}}}
	p := newPartition(w, 3)
	w.served[3] = p
	e := &entry{data: "key", keySize: 3}
	for _, step := range []struct {
		want string
		next func()
	}{
		{"do not know about this one", func() { w.share(t.Context(), m) }},
		{"partition 3 has not been read", func() { p.loaded.Store(true) }},
		{"", func() { p.cannotRead(e, errors.New("on purpose")) }},
		{"partition 3: the next runs of 1 due timers cannot be computed: on purpose", func() {
			w.silent.Store(11)
		}},
		{"no due timer has got on for 10s", func() { w.silent.Store(0) }},
		{"cannot be computed", func() { e.state = isEnded }},
		{"", func() { clear(m.signs); w.share(t.Context(), m) }},
		{"do not know about this one", func() {}},
	} {
		if err := w.ready(); (err == nil) != (step.want == "") || err != nil && !strings.Contains(err.Error(), step.want) {
			t.Errorf("%v, want %q", err, step.want)
		}
		step.next()
	}
}
