package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/timerbench/timerbench/bench/ab"
	"github.com/timerbench/timerbench/bench/compare"
)

// session runs a session of two builds. A planted loop has that many steps.
func (t *trial) session(ctx context.Context, name string, seed, spins int, old, new []string) (*compare.Comparison, error) {
	if err := os.Setenv(spinsVariable, strconv.Itoa(spins)); err != nil {
		return nil, err
	}
	s := ab.Session{
		Old: old, New: new, Args: cells(seed), Pairs: t.pairs, Rounds: t.rounds, Seed: uint64(seed), Dir: filepath.Join(t.dir, name),
		Progress: func(done, all int, _ string) { t.say("%s: %d of %d pairs", name, done, all) },
	}
	a, b, err := s.Run(ctx)
	if err != nil {
		return nil, err
	}
	return compare.Runs(a, b, compare.Options{Alpha: 0.05, MinEffect: t.minEffect})
}

// shuffled returns the programs in random order. A session takes the first ones: layouts
// are drawn anew for each session, so that what one of them does is not in all sessions.
func shuffled(programs []string, seed, side int) []string {
	out := make([]string, len(programs))
	for to, from := range rand.New(rand.NewPCG(uint64(seed), uint64(side))).Perm(len(programs)) {
		out[to] = programs[from]
	}
	return out
}

// sessionColumns are those of the tables that say what was called.
const sessionColumns = "session | seconds | rows | shift | smallest p | largest ratio | smallest ratio | standard error |"

// summary returns the cells of a table for sessionColumns, save the first two.
func summary(c *compare.Comparison) string {
	p, most, least := 1.0, 0.0, math.Inf(1)
	var errors float64
	for _, r := range c.Rows {
		p, most, least = min(p, r.P), max(most, r.Ratio.Center), min(least, r.Ratio.Center)
		errors += r.Ratio.SE / float64(len(c.Rows))
	}
	return fmt.Sprintf("%d | %.3f | %.3g | %.3f | %.3f | %.2f %%", len(c.Rows), c.Shift, p, most, least, 100*errors)
}

// called lists the differences, those of the planted slowdown apart.
func called(c *compare.Comparison) (slowdown, others []string) {
	for _, r := range c.Rows {
		name := fmt.Sprintf("%s %s %d %s %.3f", r.Structure, r.Workload, r.N, r.Verdict, r.Ratio.Center)
		switch {
		case r.Verdict == compare.Same:
		case r.Verdict == compare.Slower && r.Structure == planted && r.Workload == plantedIn:
			slowdown = append(slowdown, name)
		default:
			others = append(others, name)
		}
	}
	return slowdown, others
}

func (t *trial) sessionsAre() string {
	return fmt.Sprintf("Sessions of %d pairs of runs with %d rounds each, %d code layouts of each build, drawn anew from %d for each session, `--min-effect %g%%`. "+
		"The standard error is the mean of those of all rows.", t.pairs, t.rounds, t.layouts, len(t.old), 100*t.minEffect)
}

// compareEqualBuilds runs sessions of the old program with other layouts of itself.
func (t *trial) compareEqualBuilds(ctx context.Context, times int) error {
	fmt.Fprintf(t.out, "\n## Sessions of two equal builds\n\n%s The old and the new build share no layout.\n\n| %s called |\n|---|---|---|---|---|---|---|---|---|\n", t.sessionsAre(), sessionColumns)
	return t.wantNothing(times, "sessions", func(i int) (*compare.Comparison, error) {
		programs := shuffled(t.old, i, 0)
		return t.session(ctx, fmt.Sprintf("equal-%02d", i), i, 0, programs[:t.layouts], programs[t.layouts:])
	})
}

// findTheSlowdown runs sessions with the slowdown.
func (t *trial) findTheSlowdown(ctx context.Context, times int, share float64) error {
	fmt.Fprintf(t.out, "\n## A slowdown of %.0f %% in the cancel of %s\n\n", 100*share, planted)
	spins, err := t.calibrate(ctx, share)
	if err != nil {
		return err
	}
	fmt.Fprintf(t.out, "%s The ratio is that of %s on %s, n 1000.\n\n| session | seconds | ratio | 95 %% interval | p | found | others called | exit code |\n|---|---|---|---|---|---|---|---|\n",
		t.sessionsAre(), planted, plantedIn)
	found, clean := 0, 0
	for i := range times {
		started := time.Now()
		c, err := t.slowSession(ctx, fmt.Sprintf("slow-%02d", i+1), i+1, spins)
		if err != nil {
			return err
		}
		row, err := cellRow(c)
		if err != nil {
			return err
		}
		slowdown, others := called(c)
		code := 0
		if len(c.Regressions()) > 0 {
			code = 1
		}
		if len(slowdown) > 0 {
			found++
		}
		if len(others) == 0 {
			clean++
		}
		fmt.Fprintf(t.out, "| %d | %.0f | %.3f | %.3f to %.3f | %.2g | %s | %s | %d |\n", i+1, time.Since(started).Seconds(),
			row.Ratio.Center, row.Ratio.Lo, row.Ratio.Hi, row.P, listOf(slowdown), listOf(others), code)
	}
	fmt.Fprintf(t.out, "\nFound and named in %d of %d sessions; nothing else called in %d.\n", found, times, clean)
	if found < times*18/20 {
		return fmt.Errorf("the slowdown was found in %d of %d sessions, want at least 18 of 20", found, times)
	}
	return nil
}

// slowSession runs a session of the old and the slow program.
func (t *trial) slowSession(ctx context.Context, name string, seed, spins int) (*compare.Comparison, error) {
	return t.session(ctx, name, seed, spins, shuffled(t.old, seed, 0)[:t.layouts], shuffled(t.slow, seed, 1)[:t.layouts])
}

// cellRow returns the row of the cell for which the slowdown is chosen.
func cellRow(c *compare.Comparison) (compare.Row, error) {
	for _, r := range c.Rows {
		if r.Structure == planted && r.Workload == plantedIn && r.N == 1000 {
			return r, nil
		}
	}
	return compare.Row{}, fmt.Errorf("no row of %s on %s, n 1000", planted, plantedIn)
}

// calibrate returns the steps of the loop that slow the cell down by that share.
func (t *trial) calibrate(ctx context.Context, share float64) (int, error) {
	const few, many = 4, 64 // the call and the first steps hide behind other work
	var at [2]float64
	for i, spins := range []int{few, many} {
		c, err := t.slowSession(ctx, fmt.Sprintf("calibration-%d", i), 1000+i, spins)
		if err != nil {
			return 0, err
		}
		row, err := cellRow(c)
		if err != nil {
			return 0, err
		}
		at[i] = row.Ratio.Center
	}
	slope := (at[1] - at[0]) / (many - few)
	if slope <= 0 {
		return 0, fmt.Errorf("a loop of %d steps takes no longer than one of %d: ratios %v", many, few, at)
	}
	spins := max(0, few+int(math.Round((1+share-at[0])/slope)))
	fmt.Fprintf(t.out, "The loop has %d steps: with %d the cell takes %.3f of the time, with %d %.3f.\n", spins, few, at[0], many, at[1])
	return spins, nil
}
