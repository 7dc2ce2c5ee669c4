package advise

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/trace"
	"github.com/timerbench/timerbench/trace/tracestat"
)

func scriptOf(t *testing.T, path string, s *tracestat.Summary, c Change, driver bool) *script {
	t.Helper()
	w, err := newScript(path, s, c, driver)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// The wake-ups of each change are counted by hand.
func TestChangesCountWakeups(t *testing.T) {
	p := newProgram(t)
	moved := p.set(100)
	p.now = 50
	p.reset(moved, 100) // due at 150 now: Go and the driver wake up at 100, too
	p.now = 60
	p.stop(p.set(500))
	p.now = 160
	for _, delay := range []int64{41, 43, 45} {
		p.set(delay)
	}
	path, s := p.end(400)
	for _, c := range []struct {
		name    string
		change  Change
		driver  bool
		wakeups uint64
		atOnce  int
		latest  time.Duration
		steps   string
	}{
		{"now", Change{}, false, 5, 1, 0, "set move set stop stop set set set stop stop stop"},
		{"lazily", Change{Lazy: true}, false, 5, 1, 0, "set set stop move stop set set set stop stop stop"},
		{"on the driver", Change{}, true, 5, 1, 0, "set move set stop stop set set set stop stop stop"},
		{"rounded", Change{Tick: 100 * time.Millisecond}, false, 3, 3, 99 * time.Millisecond, ""},
		{"rounded, on the driver", Change{Tick: 100 * time.Millisecond}, true, 3, 3, 99 * time.Millisecond, ""},
	} {
		w := scriptOf(t, path, s, c.change, c.driver)
		steps := ""
		for _, x := range w.Steps {
			steps += " " + [...]string{set: "set", move: "move", stop: "stop"}[x.kind]
		}
		if w.Wakeups != c.wakeups || w.AtOnce != c.atOnce || w.Fired != 4 || time.Duration(w.Latest) > c.latest || w.Partial {
			t.Errorf("%s: %d wake-ups, %d at once, %d fired, late by %v; want %d, %d, 4, %v; %s", c.name, w.Wakeups, w.AtOnce, w.Fired,
				time.Duration(w.Latest), c.wakeups, c.atOnce, c.latest, steps)
		}
		if c.steps != "" && steps != " "+c.steps {
			t.Errorf("%s: steps%s, want %s", c.name, steps, c.steps)
		}
	}
}

// Go wakes up at the place of a stopped timer, unless more than a quarter of the timers are stopped.
func TestStoppedTimersStayInTheHeapOfGo(t *testing.T) {
	for others, want := range map[int]uint64{0: 0, 9: 1} {
		p := newProgram(t)
		for range others {
			p.set(9000)
		}
		timer := p.set(100)
		p.now = 20
		p.stop(timer)
		p.now = 300
		path, s := p.end(500)
		if w := scriptOf(t, path, s, Change{}, false); w.Wakeups != want {
			t.Errorf("with %d other timers: %d wake-ups, want %d", others, w.Wakeups, want)
		}
		if w := scriptOf(t, path, s, Change{}, true); w.Wakeups != 0 {
			t.Errorf("the driver, with %d other timers: %d wake-ups, want none", others, w.Wakeups)
		}
	}
}

// The heap of Go may be empty when the deadline of a moved timer comes.
func TestAMovedTimerIsStopped(t *testing.T) {
	p := newProgram(t)
	timer := p.set(100)
	p.reset(timer, 200)
	p.now = 20
	p.stop(timer)
	p.now = 300
	p.set(50)
	path, s := p.end(500)
	if w := scriptOf(t, path, s, Change{}, false); w.Wakeups < 1 || w.Wakeups > 2 || w.Fired != 1 {
		t.Errorf("%d wake-ups, %d fired, want one timer fired", w.Wakeups, w.Fired)
	}
}

func TestSpreadParts(t *testing.T) {
	p := newProgram(t)
	for range 1000 {
		p.set(1000)
	}
	path, s := p.end(2000)
	w := scriptOf(t, path, s, Change{Spread: 0.05}, false)
	if late := time.Duration(w.Latest); w.AtOnce > 60 || w.Wakeups < 40 || w.Fired != 1000 || late < 40*time.Millisecond || late > 50*time.Millisecond {
		t.Errorf("%d at once, %d wake-ups, %d fired, late by up to %v", w.AtOnce, w.Wakeups, w.Fired, late)
	}
}

// Channels that nobody waits for are not in the heap of Go, and wake nobody.
func TestUnreadChannelsWakeNobody(t *testing.T) {
	place.Form = trace.ChannelForm
	defer func() { place.Form = trace.FuncForm }()
	p := newProgram(t)
	for i := range 100 {
		p.set(int64(10 + 10*i))
	}
	p.heaped = 25
	path, s := p.end(2000)
	if now, driver := scriptOf(t, path, s, Change{}, false), scriptOf(t, path, s, Change{}, true); now.Wakeups != 25 || driver.Wakeups < 100 ||
		now.Most[unread] != 75 || now.Most[own] != 25 {
		t.Errorf("%d wake-ups of Go, %d of the driver, most %v; want 25, 100 and 25 read", now.Wakeups, driver.Wakeups, now.Most)
	}
}

func TestSentences(t *testing.T) {
	use := func(core, bytes float64) Use {
		return Use{Core: stats.Interval{Center: core, Lo: 0.9 * core, Hi: 1.1 * core}, Bytes: bytes}
	}
	for want, uses := range map[string][3]Use{
		"Keep package time: your timers cost 0.02 % of a core and 40 kB.":                                             {use(0.0002, 40e3), use(0.0001, 9e3), use(0.0001, 9e3)},
		"Keep package time: your timers cost 2 % of a core and 40 kB, and the driver would save too little of it.":    {use(0.02, 40e3), use(0.018, 9e3), use(0.019, 9e3)},
		"The driver would save 3.1 % of a core (4.1 % to 1 %) and 90 MB.":                                             {use(0.041, 100e6), use(0.01, 10e6), use(0.001, 1e6)},
		"The driver would save 3.1 % of a core (4.1 % to 1 %), and take 10 MB more.":                                  {use(0.041, 100e6), use(0.01, 110e6), use(0.001, 1e6)},
		"The driver would save 90 MB (100 MB to 10 MB).":                                                              {use(0.001, 100e6), use(0.001, 10e6), use(0.001, 1e6)},
		"The driver, with timers that are fields of your structs, would save 4 % of a core (4.1 % to 0.1 %).":         {use(0.041, 1e6), use(0.039, 1e6), use(0.001, 1e6)},
		"Keep package time: your timers cost 0.1 % of a core and 100 MB, and the driver would save too little of it.": {use(0.001, 100e6), use(0.01, 10e6), use(0.01, 10e6)},
	} {
		a := Advice{Kept: 0.5, Question: Question{Core: 0.005, Bytes: 1e6}, Now: uses[0], OnDriver: uses[1], InStructs: uses[2]}
		if got := a.Sentence(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		a.Kept = 1
		if got := a.Sentence(); !strings.HasPrefix(got, "Keep package time") || !strings.HasSuffix(got, "the driver can replace none of them.") {
			t.Errorf("nothing can be replaced: %s", got)
		}
	}
}

// A program is measured, and the whole advice is written. The times differ from machine to machine.
func TestAdviceIsWhole(t *testing.T) {
	p := newProgram(t)
	timer := p.set(5000)
	p.every(5, func(i int) {
		p.reset(timer, 5000)
		if i%200 == 0 {
			p.set(10)
		}
	})
	path, s := p.end(10_000)
	q := Question{Path: path, Summary: s, Core: 0.9, Bytes: 1e9, Driver: true, Change: Change{Tick: 20 * time.Millisecond}, rounds: 1}
	a, err := For(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for name, u := range map[string]Use{"now": a.Now, "driver": a.OnDriver, "structs": a.InStructs, "lazily": *a.Lazily, "changed": *a.Changed} {
		if !(u.Core.Center > u.Calls && u.Calls > 0 && u.Core.Center < 1 && u.Bytes >= 0 && u.Bytes < 1e6) {
			t.Errorf("%s: %+v", name, u)
		}
	}
	if sum := a.Sites[0]; len(a.Sites) != 1 || sum < 0.99*a.Now.Core.Center || sum > 1.01*a.Now.Core.Center {
		t.Errorf("the places cost %v, all timers %v", a.Sites, a.Now.Core.Center)
	}
	text := a.Text().Markdown()
	for _, want := range []string{"Keep package time", "the driver, tick 20ms", "package time, moved lazily", "main.run main.go:7", "Moved on and on.", "Less than 90 % of a core"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text does not say %q:\n%s", want, text)
		}
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := For(ctx, q); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestChangesOfFarTimesDoNotWrapAround(t *testing.T) {
	path, s := newProgram(t).end(1000)
	s.Header.Tick = math.MaxInt64
	if w := scriptOf(t, path, s, Change{Tick: time.Hour}, false); w.Ticks != 1000 && w.Ticks != 1001 {
		t.Errorf("%d ticks", w.Ticks)
	}
	for _, change := range []Change{{Spread: 1}, {Tick: math.MaxInt64}} {
		w := &writer{change: change, tick: max(1, structures.Tick(change.Tick)), random: rand.New(rand.NewPCG(1, 1))}
		for _, clock := range []structures.Tick{0, math.MaxInt64 / 2, math.MaxInt64 - 100} {
			if deadline := clock + 99; w.changed(deadline, clock) < deadline {
				t.Errorf("%+v: deadline %d becomes %d", change, deadline, w.changed(deadline, clock))
			}
			if deadline := structures.Tick(math.MaxInt64 - 1); w.changed(deadline, deadline-1<<60) < deadline {
				t.Errorf("%+v: deadline %d becomes %d", change, deadline, w.changed(deadline, deadline-1<<60))
			}
		}
	}
}

func TestABriefTraceSaysSo(t *testing.T) {
	for _, c := range []struct {
		ms   int64
		want bool
	}{{900, true}, {1100, false}} {
		p := newProgram(t)
		p.set(10)
		path, s := p.end(c.ms)
		a := Advice{Question: Question{Path: path, Summary: s}, Sites: []float64{0}, Now: Use{Core: stats.Interval{Center: 0.1, Lo: 0.09, Hi: 0.11}}}
		if text := a.Text().String(); strings.Contains(text, "But the trace covers only 901ms") != c.want {
			t.Errorf("%d ms: %s", c.ms, text)
		}
	}
}

func TestProgramsWithoutTimers(t *testing.T) {
	path, s := newProgram(t).end(1000)
	if _, err := For(t.Context(), Question{Path: path, Summary: s}); !errors.Is(err, ErrNoTimers) {
		t.Errorf("no timers: %v", err)
	}
}
