package main

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/timerbench/timerbench/internal/doctest"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/internal/tracetest"
	"github.com/timerbench/timerbench/trace"
	"github.com/timerbench/timerbench/trace/tracestat"
)

// readAll reads the traces of the repository.
var readAll = sync.OnceValues(func() (all []*tracestat.Summary, err error) {
	paths, _ := filepath.Glob("../../traces/*.trace") // the pattern is right
	for _, path := range paths {
		s, read := tracestat.Read(path)
		if read == nil && s.Header.Name+".trace" != filepath.Base(path) {
			read = fmt.Errorf("%s is named %s", path, s.Header.Name)
		}
		all, err = append(all, s), errors.Join(err, read)
	}
	return all, err
})

// recordings returns the summaries of the traces of the repository, ordered by name.
func recordings(t *testing.T) []*tracestat.Summary {
	t.Helper()
	all, err := readAll()
	if err != nil || len(all) < 10 {
		t.Fatalf("%d traces, error %v", len(all), err)
	}
	return all
}

const recordingsDoc, tracesDoc = "../../docs/recordings.md", "../../traces/README.md"

// The document of each recording shows the output of trace info. The recordings are small.
func TestTracesSayWhatTheyHold(t *testing.T) {
	const most, mostOfLarge, mostOfAll = 600_000, 3_000_000, 6_000_000 // bytes
	all := int64(0)
	table := "| Recording | Program | Licence | Covers | Pending (most) | Calls a second | Cancelled | Moves | kB |\n" +
		"|:---" + strings.Repeat(" |:---", 8) + " |\n" // in Markdown, as the facts are
	for _, s := range recordings(t) {
		name := s.Header.Name
		limit := int64(most)
		if s.Totals.Keys >= 100_000 {
			limit = mostOfLarge
		}
		if all += s.Bytes; s.Bytes > limit || all > mostOfAll {
			t.Errorf("%s: %d bytes, %d so far", name, s.Bytes, all)
		}
		var info strings.Builder
		showSummary(&info, s)
		beside := "../../traces/" + name + ".md"
		doctest.Generated(t, *update, beside, "make docs -->\n```\n", "```\n<!-- end of info -->", info.String())
		fact := func(what string) string {
			found := regexp.MustCompile(`(?m)^\| ` + what + ` \| (.*) \|$`).FindStringSubmatch(fail.Read(t, beside))
			if found == nil {
				t.Fatalf("%s does not say %s", beside, what)
			}
			return found[1]
		}
		for _, what := range []string{"load", "machine", "recorded", "by"} {
			fact(what)
		}
		program, _, _ := strings.Cut(fact("program"), ", `")
		p := traitsOf(s)
		table += "| " + strings.Join([]string{
			fmt.Sprintf("[%s](%[1]s.md)", name), program, fact("licence"), s.Duration().Round(time.Second).String(),
			p.pending, show.Grouped(int(math.Round(s.Rate()))), show.Percent(s.CancelRate), show.Percent(p.moves),
			fmt.Sprint(s.Bytes / 1000),
		}, " | ") + " |\n"
	}
	doctest.Generated(t, *update, tracesDoc, "<!-- corpus: written by make docs -->\n", "<!-- end of corpus -->", table)
}

// traits are the figures by which models and recordings are compared.
type traits struct {
	pending             string
	moves               float64 // of all calls that set a timer
	delays              string
	ofTimers, firesWake float64
}

func traitsOf(s *tracestat.Summary) traits {
	ops := s.Totals.Ops
	sets := float64(ops[trace.Schedule] + ops[trace.Reschedule])
	delays := s.Delays
	if s.Moves.Count > delays.Count {
		delays = s.Moves
	}
	changes := sets + float64(ops[trace.Cancel]+s.Totals.Fired)
	return traits{
		pending:   fmt.Sprintf("%s (%s)", show.Grouped(int(math.Round(s.Resident))), show.Grouped(s.Totals.Keys)),
		moves:     float64(ops[trace.Reschedule]) / sets,
		delays:    fmt.Sprintf("%s, %s, %s", show.Duration(delays.P50), show.Duration(delays.P90), show.Duration(delays.P99)),
		ofTimers:  changes / s.Duration().Seconds() / s.Resident,
		firesWake: float64(s.Totals.Fired) / float64(max(1, ops[trace.Advance]-s.Idle)),
	}
}

// modelled lists the model for each recorded program.
var modelled = []struct{ recording, model string }{
	{"http", "http-server"}, {"caddy", "http-server"}, {"nginx", "http-server"}, {"mqtt", "conn-deadline"},
	{"coredns", "conn-deadline"}, {"nats", "kafka-purgatory"}, {"etcd", "kafka-purgatory"}, {"grpc", "kafka-purgatory"},
	{"quic", "tcp"}, {"prometheus", "cron-aligned"}, {"consumers", "cache-ttl-12"}, {"wireguard", "left-deadline"}, {"centrifugo", "left-deadline"}, {"cometbft", "periodic"}, {"pion", "periodic"}, {"gobgp", "periodic"},
}

// The table compares each recording with its model at the same number of timers.
func TestModelsAreLaidBesideRecordings(t *testing.T) {
	table := show.Table{
		Header: []string{"", "Pending (most)", "Cancelled", "Moves", "Delays 50 %, 90 %, 99 %", "Changes a timer a second", "Fires a wake-up"}, Align: "l",
	}
	add := func(name any, s *tracestat.Summary) {
		p := traitsOf(s)
		table.Add(name, p.pending, show.Percent(s.CancelRate), show.Percent(p.moves), p.delays, show.Figure(p.ofTimers), show.Figure(p.firesWake))
	}
	found := map[string]*tracestat.Summary{}
	var names []string
	var refused, moves, idle []float64
	for _, s := range recordings(t) {
		found[s.Header.Name] = s
		ops := s.Totals.Ops
		if share := float64(ops[trace.RefusedCancel]) / float64(s.Totals.Count()); share >= 0.1 {
			refused, names = append(refused, share), append(names, s.Header.Name)
		}
		moves, idle = append(moves, traitsOf(s).moves), append(idle, float64(s.Idle)/float64(ops[trace.Advance]))
	}
	count := func(in func(float64) bool) (n int) {
		for _, m := range moves {
			if in(m) {
				n++
			}
		}
		return n
	}
	doctest.Generated(t, *update, recordingsDoc, "<!-- shares: written by make docs -->\n", "<!-- end of shares -->", fmt.Sprintf(
		"Of the %d recordings, %d move less than 12 %% of their deadlines, and %d more than 60 %%. In %s, %s to %s of the operations are stops of timers that are "+
			"not pending. %s to %s of the steps of the clock fire nothing.\n", len(moves), count(func(m float64) bool { return m < 0.12 }), count(func(m float64) bool { return m > 0.6 }),
		strings.Join(names, " and "), show.Percent(slices.Min(refused)), show.Percent(slices.Max(refused)), show.Percent(slices.Min(idle)), show.Percent(slices.Max(idle))))
	for _, m := range modelled {
		s := found[m.recording]
		if s == nil {
			t.Fatalf("no recording %s", m.recording)
		}
		add(show.Words(m.recording).In(show.Bold), s)
		add(m.model, made(t, m.model, max(2, int(s.Resident))))
		delete(found, m.recording)
	}
	if len(found) > 0 {
		t.Errorf("no model for %v", found)
	}
	doctest.Generated(t, *update, recordingsDoc, "<!-- models: written by make docs -->\n", "<!-- end of models -->", table.Markdown())
}

// A trace without timers answers no question.
func TestATraceWithoutTimersAnswersNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.trace")
	tracetest.Write(t, path, trace.Header{Name: "none", Tick: time.Millisecond}, func(w *trace.Writer) { w.Advance(5) })
	must(t, "trace", "info", path)
	refused(t, []string{"trace", "replay", path}, path, "1 operations are too few")
	refused(t, []string{"recommend", "--trace", path}, path, "no timer is scheduled")
	stdout, _ := must(t, "advise", path)
	fail.Unless(t, stdout, path+": no timers were set: nothing to do")
}

// A trace that lost more than 5 % of the operations is refused without --force.
func TestATraceThatLostOperations(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, lost := range map[string]uint64{"few": 400, "many": 16_000} {
		tracetest.Write(t, name+".trace", trace.Header{Name: name, Tick: time.Millisecond}, func(w *trace.Writer) {
			o, now := trace.NewObserver(w, 0), int64(0)
			for i := range uint64(4000) {
				now = int64(i) * 1e6
				o.Observe(trace.Event{Kind: trace.EventSet, Timer: i + 1, Now: now, When: now + 30e6})
				if i >= 10 {
					o.Observe(trace.Event{Kind: trace.EventStop, Timer: i - 9, Now: now, Pending: true})
				}
			}
			o.Lose(trace.EventFire, lost)
			fail.If(t, o.Close(now))
		})
	}
	stdout, _ := must(t, "recommend", "--trace", "few.trace")
	fail.Unless(t, stdout, "few.trace: 12,391 operations, of which 3.23 % were lost.", asTyped("trace", "replay", "few.trace"))
	fail.UnlessLacks(t, stdout, "record it") // a recording is not to be recorded
	stdout, _ = must(t, "trace", "info", "many.trace")
	fail.Unless(t, stdout, "16,000 operations (57.2 %)", "the recorder could not keep up", "16,000 fired")

	const want = "many.trace: 57.2 %"
	refused(t, []string{"recommend", "--trace", "many.trace"}, "--trace: "+want, "want at most 5 %", "--force")
	refused(t, []string{"trace", "replay", "many.trace", "-o", "out"}, want, "--force")
	refused(t, []string{"run", "--traces", ".", "-o", "out"}, "--traces: "+want)
	refused(t, []string{"advise", "many.trace"}, want, "--force")
	stdout, _ = must(t, "recommend", "--trace", "many.trace", "--force")
	fail.Unless(t, stdout, " % were lost.", asTyped("trace", "replay", "many.trace", "--force"))
	must(t, "trace", "replay", "many.trace", "--force", "-s", "^hwheel$", "--trials", "1", "-o", "out")
}

// made returns the summary of a model with n timers.
func made(t *testing.T, name string, n int) *tracestat.Summary {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	ops := 60_000 + 20*n // among which filling it is little
	tracetest.File(t, path, name, n, uint64(ops))
	s, err := tracestat.Read(path)
	fail.If(t, err)
	return s
}
