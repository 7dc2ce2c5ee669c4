package live

import (
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/driver"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/structures/catalog"
)

// bubble runs a test of a name in virtual time.
func bubble(t *testing.T, name string, test func(t *testing.T)) {
	t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
}

// contenders are a driver on each structure, one that wakes up at every tick, and Go's own timers.
func contenders() []Subject {
	return append(Drivers(catalog.For[driver.Task]()), ticking(), Time())
}

const tickOfTicking = time.Millisecond

// ticking is a driver that wakes up at every tick. Only tests use it.
func ticking() Subject {
	return Subject{
		Name: "ticking", Role: results.RoleStructure, Late: func(time.Duration) time.Duration { return tickOfTicking },
		Open: func() (System, error) {
			d, err := driver.New(driver.Ticking(), driver.Shards(1))
			return systemOf(d), err
		},
	}
}

// driversOf is Drivers of a structure.
func driversOf(structure string, ticks ...time.Duration) []Subject {
	return slices.DeleteFunc(Drivers(catalog.For[driver.Task](), ticks...), func(c Subject) bool { return c.Structure != structure })
}

// wrongTimers are timers of which some methods are replaced.
type wrongTimers struct {
	Timers
	start func(Timers, int, time.Duration)
	stop  func(Timers, int) bool
	reset func(Timers, int, time.Duration) bool
}

func (w wrongTimers) Start(i int, delay time.Duration)      { w.start(w.Timers, i, delay) }
func (w wrongTimers) Stop(i int) bool                       { return w.stop(w.Timers, i) }
func (w wrongTimers) Reset(i int, delay time.Duration) bool { return w.reset(w.Timers, i, delay) }

// wrong returns Go's timers with methods replaced.
func wrong(w wrongTimers) Subject {
	if w.start == nil {
		w.start = Timers.Start
	}
	if w.stop == nil {
		w.stop = Timers.Stop
	}
	if w.reset == nil {
		w.reset = func(t Timers, i int, delay time.Duration) bool { return t.(Mover).Reset(i, delay) }
	}
	return Subject{Name: "wrong", Role: results.RolePeer, Open: func() (System, error) {
		s, err := Time().Open()
		right := s.Forms[results.FormAfterFunc]
		s.Forms = Forms{results.FormAfterFunc: func(functions []func()) Timers {
			own := w
			own.Timers = right(functions)
			return own
		}}
		return s, err
	}}
}

// faults lists the faults of a system, with the expected report of each. No delay is below a nanosecond: Go 1.26.8
// crashes otherwise under the race detector (28 November 2026; go.dev/issue/78156 may be the same).
var faults = map[string]struct {
	timers wrongTimers
	fault  Fault
}{
	"early":                 {wrongTimers{start: func(t Timers, i int, delay time.Duration) { t.Start(i, max(delay-2*time.Millisecond, 1)) }}, Early},
	"early by a nanosecond": {wrongTimers{start: func(t Timers, i int, delay time.Duration) { t.Start(i, max(delay-1, 1)) }}, Early},
	"late":                  {wrongTimers{start: func(t Timers, i int, delay time.Duration) { t.Start(i, delay+1) }}, Late},
	"moved late":            {wrongTimers{reset: func(t Timers, i int, delay time.Duration) bool { return t.(Mover).Reset(i, delay+1) }}, Late},
	"lost": {wrongTimers{start: func(t Timers, i int, delay time.Duration) {
		if i%2 == 1 {
			delay = time.Hour
		}
		t.Start(i, delay)
	}}, Lost},
	"twice": {wrongTimers{start: func(t Timers, i int, delay time.Duration) {
		t.Start(i, delay)
		if i == 3 {
			t.Start(i, delay+time.Millisecond)
		}
	}}, Twice},
	"not stopped": {wrongTimers{stop: func(Timers, int) bool { return true }}, Stopped},
	"refused":     {wrongTimers{stop: func(t Timers, i int) bool { t.Stop(i); return false }}, Refused},
	"move refused": {wrongTimers{reset: func(t Timers, i int, delay time.Duration) bool {
		t.(Mover).Reset(i, delay)
		return false
	}}, Refused},
	"claimed": {wrongTimers{reset: func(t Timers, i int, delay time.Duration) bool {
		t.(Mover).Reset(i, delay)
		return true
	}}, Claimed},
}

var small = Check{Goroutines: 3, Timers: 20, Steps: 20 * pace, Delay: 20 * time.Millisecond, Seed: 1}

// By the clock of a bubble nothing else takes time: what holds holds to the nanosecond.
func TestCheckPassesWhatIsRight(t *testing.T) {
	for _, c := range contenders() {
		bubble(t, c.Name, func(t *testing.T) {
			counts, wrong, err := small.Run(t.Context(), c)
			if err != nil || wrong.Err() != nil {
				t.Errorf("%v, %v", err, wrong.Err())
			}
			if counts.Started < 500 || counts.Stopped < 100 || counts.Moved < 100 || counts.Fired+counts.Stopped != counts.Started {
				t.Errorf("%+v", counts)
			}
		})
	}
}

func TestCheckFindsWhatIsWrong(t *testing.T) {
	for name, fault := range faults {
		bubble(t, name, func(t *testing.T) {
			_, wrong, err := small.Run(t.Context(), wrong(fault.timers))
			if err != nil || wrong[fault.fault] == 0 {
				t.Errorf("%v, %+v", err, wrong)
			}
			time.Sleep(2 * time.Hour) // what was lost
		})
	}
}

// A silent system is judged by the answers that it owed.
func TestCheckOfASilentSystem(t *testing.T) {
	silent := func(w wrongTimers) Subject {
		c := wrong(w)
		c.Silent = true
		return c
	}
	mute := func(t Timers, i int) bool { t.Stop(i); return false }
	move := func(t Timers, i int, delay time.Duration) bool { t.(Mover).Reset(i, delay); return false }
	for name, c := range map[string]struct {
		timers wrongTimers
		faults []Fault
	}{
		"right":       {wrongTimers{stop: mute, reset: move}, nil},
		"not stopped": {wrongTimers{stop: func(Timers, int) bool { return false }, reset: move}, []Fault{Early, Twice, Stopped}},
		"not moved":   {wrongTimers{stop: mute, reset: func(Timers, int, time.Duration) bool { return false }}, []Fault{Late, Lost}},
	} {
		bubble(t, name, func(t *testing.T) {
			counts, wrong, err := small.Run(t.Context(), silent(c.timers))
			if err != nil || counts.Stopped < 20 || counts.Moved < 20 {
				t.Errorf("%v, %+v", err, counts)
			}
			for fault, n := range wrong {
				if want := slices.Contains(c.faults, Fault(fault)); want != (n > 0) {
					t.Errorf("%d %s, expected: %t", n, faultTexts[fault], want)
				}
			}
			time.Sleep(time.Second)
		})
	}
}

func openLoop() OpenLoop {
	return OpenLoop{Rate: 1000, Length: time.Second, Delay: 50 * time.Millisecond, Seed: 1, Sleep: time.Sleep}
}

func measureLateness(t *testing.T, c Subject) (results.LiveLateness, Wrong) {
	t.Helper()
	s, err := c.Open()
	fail.If(t, err)
	late, wrong, err := openLoop().run(t.Context(), c, s, form(s))
	fail.If(t, err)
	fail.If(t, s.Close())
	return late, wrong
}

func TestLatenessIsThatOfTheSystem(t *testing.T) {
	for _, c := range contenders() {
		bubble(t, c.Name, func(t *testing.T) {
			late, wrong := measureLateness(t, c)
			most := float64(c.late(openLoop().Delay))
			if wrong.Err() != nil || late.Timers != 1000 || late.Max > most || late.P50 > late.P99 {
				t.Errorf("%v, %+v", wrong.Err(), late)
			}
			if c.Role == results.RoleStructure && (late.P50 < 0.2*float64(defaultTick) || late.P50 > most) {
				t.Errorf("half a tick is expected: %+v", late)
			}
		})
	}
}

// A system that takes 2 ms for each timer makes the load late, more and more: each timer is
// late from when it was to be started.
func TestLatenessCountsFromTheIntendedStart(t *testing.T) {
	slow := wrong(wrongTimers{start: func(t Timers, i int, delay time.Duration) {
		time.Sleep(2 * time.Millisecond)
		t.Start(i, delay)
	}})
	slow.Late = func(time.Duration) time.Duration { return 2 * time.Millisecond }
	synctest.Test(t, func(t *testing.T) {
		late, wrong := measureLateness(t, slow)
		if wrong.Err() != nil || math.Abs(late.Max-1e9) > 0.01e9 || math.Abs(late.P50-0.5e9) > 0.01e9 {
			t.Errorf("%v, %+v", wrong.Err(), late)
		}
	})
}

func TestLatenessFindsWhatIsWrong(t *testing.T) {
	for _, name := range []string{"early", "late", "lost", "twice"} {
		synctest.Test(t, func(t *testing.T) {
			fault := faults[name]
			if _, wrong := measureLateness(t, wrong(fault.timers)); wrong[fault.fault] == 0 {
				t.Errorf("%s: %+v", name, wrong)
			}
			time.Sleep(2 * time.Hour)
		})
	}
}
