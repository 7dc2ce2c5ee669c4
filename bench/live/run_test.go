package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/report/section"
)

// tiny is a configuration that measures everything in little time.
func tiny(list ...Subject) Config {
	cfg := Default()
	cfg.Contenders, cfg.Resident, cfg.Goroutines = list, []int{200}, []int{1, 2}
	cfg.Rounds, cfg.Turns, cfg.MaxOps, cfg.Rate, cfg.Sleep = 2, 2, 2*maxInFlight, 1000, time.Sleep
	return cfg
}

func hwheel() Subject { return driversOf("hwheel")[0] }

func TestRunMeasuresEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := tiny(Floor(), Time(), hwheel())
		cfg.Resident, cfg.For = []int{200, results.FewTimers}, time.Minute
		l, failures, err := Run(t.Context(), cfg)
		if err != nil || len(failures) > 0 {
			t.Fatal(err, failures)
		}
		if l.Rounds != 2 || len(l.Rows) != 6 {
			t.Fatalf("%d rounds, %d rows", l.Rounds, len(l.Rows))
		}
		for _, row := range l.Rows {
			forms := map[string]int{"floor": 0, "time": 2, "hwheel tickless": 4}[row.Name]
			ops := map[string]int{"floor": 2, "time": 4, "hwheel tickless": 6}[row.Name]
			loops := loopTurns * 2 * len(results.Loops) * 2
			if row.Name == "floor" {
				loops = 0
			}
			if len(row.Throughput) != ops*2*2+loops || len(row.Lateness) != 2 {
				t.Errorf("%s: %d slices, %d lateness", row.Name, len(row.Throughput), len(row.Lateness))
			}
			if row.Resident < results.FewTimers {
				forms = 0
			}
			fail.UnlessSame(t, "forms of "+row.Name+" with memory", len(row.Memory), forms)
			for _, s := range row.Throughput {
				least := 2 * maxInFlight * s.Goroutines
				switch {
				case s.Op == results.LoopBurst:
					least = s.Ops
				case s.Op.Loop():
					least = loopBatch * s.Goroutines
				case s.Op == results.OpFire:
					least = maxFiring * s.Goroutines
				case s.Op.Moves() && row.Resident == 200: // three batches of all timers of a goroutine
					least = 600
				}
				fail.UnlessSame(t, "operations of "+row.Name+", "+string(s.Op), s.Ops, least)
			}
		}
		if tables := section.LiveTables(l); len(tables) != 6 || len(tables[5].Rows) != len(results.Loops) || len(tables[0].Rows) != 3 || !strings.Contains(tables[0].Title, "200 timers") {
			t.Errorf("%+v", tables)
		}
	})
}

// A contender with a fault has no figures. The others have theirs.
func TestAFailureGivesNoFigures(t *testing.T) {
	for name, c := range map[string]struct {
		timers wrongTimers
		reason string
	}{
		"in the check":    {faults["early"].timers, "fired early"},
		"never fires":     {wrongTimers{start: func(t Timers, i int, delay time.Duration) { t.Start(i, delay+time.Hour) }}, "never fired"},
		"loses residents": {wrongTimers{stop: func(t Timers, i int) bool { return t.Stop(i) && i != 30 }}, "pending"},
		"panics":          {wrongTimers{reset: func(Timers, int, time.Duration) bool { panic("no") }}, "afterfunc: it panics: no"},
	} {
		bubble(t, name, func(t *testing.T) {
			cfg := tiny(wrong(c.timers), Time())
			cfg.Rounds, cfg.Goroutines = 1, []int{1}
			l, failures, err := Run(t.Context(), cfg)
			fail.If(t, err)
			if len(failures) != 1 || failures[0].Structure != "wrong" || !strings.Contains(failures[0].Reason, c.reason) {
				t.Errorf("%v", failures)
			}
			if len(l.Rows) != 1 || l.Rows[0].Name != "time" {
				t.Errorf("%d rows", len(l.Rows))
			}
			time.Sleep(2 * time.Hour)
		})
	}
}

// Resident timers are stopped in the end: one that has fired, or was lost, shows.
func TestAPopulationCountsItsTimers(t *testing.T) {
	for name, c := range map[string]struct {
		timers wrongTimers
		wait   time.Duration
		reason string
	}{
		"right":       {wrongTimers{}, residentMin - 1, ""},
		"fired":       {wrongTimers{}, residentMin + residentSpan, "was not pending"},
		"not stopped": {wrongTimers{stop: func(Timers, int) bool { return true }}, residentMin + residentSpan, "200 timers fired"},
		"lost":        {wrongTimers{stop: func(t Timers, i int) bool { t.Stop(i); return i != 30 }}, 0, "resident timer 30 of 100 was not pending"},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := populationOf(t, c.timers, 200)
			time.Sleep(c.wait)
			if err := p.empty(); c.reason == "" {
				fail.If(t, err, name)
			} else {
				fail.UnlessError(t, err, c.reason)
			}
			time.Sleep(time.Hour)
		})
	}
}

func TestRunStopsWhenAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cfg := tiny(Time(), hwheel())
		cfg.Progress = func(done, total int, _ string) {
			if total != 2 && total != 2+(1+2)*2 {
				t.Errorf("%d steps", total)
			}
			if done == 3 {
				cancel()
			}
		}
		if l, _, err := Run(ctx, cfg); l != nil || !errors.Is(err, context.Canceled) {
			t.Error(l, err)
		}
		time.Sleep(time.Hour)
	})
	// The rows of a group that was measured are kept, without those of the group that is being measured, and without memory.
	for last, kept := range map[string]int{"check": 0, "round 1": 2, "round 2": 4, "memory": 4} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			cfg, seen := tiny(Time(), hwheel()), 0
			cfg.Resident, cfg.Goroutines, cfg.For = []int{200, results.FewTimers}, []int{1}, 20*time.Second
			cfg.Progress = func(_, _ int, name string) {
				if strings.HasPrefix(name, last) {
					if seen++; seen == min(4, 4*kept+1) || last == "round 1" && seen == 3 {
						cancel()
					}
				}
			}
			l, failures, err := Run(ctx, cfg)
			if !errors.Is(err, context.Canceled) || len(failures) > 0 || (l == nil) != (kept == 0) || l != nil && len(l.Rows) != kept {
				t.Errorf("%s: %+v, %v, %v", last, l, failures, err)
			}
			for i := 0; l != nil && i < len(l.Rows); i++ {
				if row := l.Rows[i]; len(row.Lateness) == 0 || len(row.Throughput)%len(row.Lateness) != 0 || last != "memory" && len(row.Memory) > 0 {
					t.Errorf("%s: %s has %d slices, %d lateness, %d memory", last, row.Name, len(row.Throughput), len(row.Lateness), len(row.Memory))
				}
			}
			time.Sleep(time.Hour)
		})
	}
}

func TestRunSaysWhatDoesNotFit(t *testing.T) {
	all := contenders()
	cfg := tiny(all...)
	cfg.For = 2 * time.Second
	want := fmt.Sprintf("2s is too short for %d contenders, which take", len(all))
	_, _, err := Run(t.Context(), cfg)
	fail.UnlessError(t, err, want)
	limited := Time()
	limited.Limit = 100
	_, _, err = Run(t.Context(), tiny(limited))
	fail.UnlessError(t, err, "no contender takes [200] resident timers")
}

// The measurements fit into the time, and use it.
func TestPlanFillsTheTime(t *testing.T) {
	for _, cfg := range []struct{ length, n, contenders int }{{20, 100_000, 6}, {180, 1_000_000, 11}, {600, 1_000_000, 20}} {
		c := tiny(slices.Repeat([]Subject{Time()}, cfg.contenders)...)
		c.Resident, c.For, c.Turns = []int{cfg.n}, time.Duration(cfg.length)*time.Second, 1000
		p, err := c.plan()
		if err != nil {
			t.Errorf("%+v: %v", cfg, err)
			continue
		}
		n := time.Duration(cfg.contenders)
		slices, warmUp := c.turn(c.entries())
		turns := time.Duration(p.turns) * (slices*p.slice + warmUp)
		fixed := n*(perCheck+perEntry+time.Duration(cfg.n)*perTimerMemory) + time.Duration(p.rounds)*n*(perEntry+time.Duration(cfg.n)*perTimer)
		loops, loopWarmUp := c.loopTurn(c.entries())
		took := fixed + time.Duration(p.rounds)*(turns+loopTurns*(loops*p.loop+loopWarmUp)+n*p.lateness)
		if took > c.For || took < c.For*8/10 || p.turns < minTurns {
			t.Errorf("%+v takes %v: %+v", cfg, took, p)
		}
	}
}
