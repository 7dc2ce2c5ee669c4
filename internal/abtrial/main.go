// Command abtrial tries out the commands that compare, on this machine and on a small
// choice of cells, and prints a table in Markdown:
//
//   - Two runs of one program, one after the other, are compared, many times. No
//     difference should be found.
//   - A slowdown is planted in the cancel of one structure. Sessions of ab with and
//     without it should find it, and nothing else.
//
// The slowdown is a loop in the Remove of minheap. Its length is chosen by a session
// before, so that one cell gets slower by the wanted share. All is built from a clone of
// the last commit; the work tree is not touched. Run it on a quiet machine:
//
//	go run ./internal/abtrial >docs/abtrial.md
//
// With the default flags the first half takes five minutes, and a session of the second six.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/ab"
	"github.com/timerbench/timerbench/bench/compare"
	"github.com/timerbench/timerbench/bench/doctor"
	"github.com/timerbench/timerbench/bench/results"
)

// The choice of cells. The slowdown is planted in the first structure and seen in the
// first workload. The second workload never cancels.
const (
	planted    = "minheap"
	plantedIn  = "churn"
	structures = "^(minheap|quadheap|hwheel|rbtree)$"
	workloads  = "^(churn|hold)$"
	sizes      = "1e3,1e4"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "abtrial:", err)
		os.Exit(1)
	}
}

// trial holds what all parts of the trial share.
type trial struct {
	out       io.Writer
	dir       string // temporary
	old, slow []string
	pairs     int
	minEffect float64
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("abtrial", flag.ContinueOnError)
	same := flags.Int("same", 20, "comparisons of two runs of one program")
	slow := flags.Int("slow", 20, "sessions with the slowdown")
	percent := flags.Float64("percent", 5, "the slowdown of the cell")
	layouts := flags.Int("layouts", 8, "code layouts of each program")
	t := &trial{out: out}
	flags.IntVar(&t.pairs, "pairs", 32, "pairs of runs in a session")
	flags.Float64Var(&t.minEffect, "min-effect", 0.02, "smallest difference that counts in a session, as a share")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *same < 0 || *slow < 0 || *percent <= 0 || *layouts < 1 || t.pairs < 2 || flags.NArg() > 0 {
		return fmt.Errorf("%q: want counts of at least 0, a slowdown above 0, one layout and two pairs at least, and no arguments", args)
	}
	if t.dir, err = os.MkdirTemp("", "timerbench-abtrial-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(t.dir)) }()
	if err := t.build(ctx, *layouts); err != nil {
		return err
	}
	t.header()
	var failed error
	if *same > 0 {
		failed = errors.Join(failed, t.compareTheSame(ctx, *same))
	}
	if *slow > 0 && ctx.Err() == nil {
		failed = errors.Join(failed, t.findTheSlowdown(ctx, *slow, *percent/100))
	}
	return failed
}

func (t *trial) header() {
	clock := bench.MeasureClock()
	r := bench.NewRun(results.Parameters{})
	fmt.Fprintf(t.out, "# What compare and ab find\n\nWritten by `go run ./internal/abtrial`. Machine: %s, %d processors; %s.\n",
		r.Environment.CPU, r.Environment.Cores, doctor.Summary(doctor.Here(clock.ReadNS, clock.StepNS).Check()))
}

// build builds the program as it is and with the slowdown, from a clone of the last
// commit.
func (t *trial) build(ctx context.Context, layouts int) error {
	root, err := ab.Repository(ctx, ".")
	if err != nil {
		return err
	}
	source := filepath.Join(t.dir, "source")
	if text, err := exec.CommandContext(ctx, "git", "clone", "--quiet", "--shared", root, source).CombinedOutput(); err != nil {
		return fmt.Errorf("git clone: %w\n%s", err, text)
	}
	for _, side := range []struct {
		name     string
		programs *[]string
	}{{"old", &t.old}, {"new", &t.slow}} {
		dir := filepath.Join(t.dir, side.name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
		if *side.programs, err = ab.Build(ctx, source, "", dir, layouts); err != nil {
			return err
		}
		if err := plant(source); err != nil { // for the second one
			return err
		}
	}
	return nil
}

// spinsVariable is the environment variable that says how long the planted loop runs.
const spinsVariable = "ABTRIAL_SPINS"

// plantedFile is added to the structure.
const plantedFile = `package minheap

import (
	"os"
	"strconv"
)

var (
	spins, _ = strconv.Atoi(os.Getenv("` + spinsVariable + `"))
	spun     = uint64(1)
)

//go:noinline
func spin() {
	x := spun
	for range spins {
		x ^= x >> 7
	}
	spun = x
}
`

// plant adds the slowdown to the source.
func plant(source string) error {
	dir := filepath.Join(source, "structures", planted)
	path := filepath.Join(dir, "core.go")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	const before = "func (c *core) Remove(slot uint32) {\n"
	if strings.Contains(string(text), before+"\tspin()\n") {
		return nil
	}
	if strings.Count(string(text), before) != 1 {
		return fmt.Errorf("%s: want one line %q", path, before)
	}
	changed := strings.Replace(string(text), before, before+"\tspin()\n", 1)
	return errors.Join(os.WriteFile(path, []byte(changed), 0o644), os.WriteFile(filepath.Join(dir, "spin.go"), []byte(plantedFile), 0o644))
}

// args are the flags of all runs.
func args(trials int, seed int) []string {
	return []string{
		"--profile", "smoke", "--structure", structures, "--workload", workloads, "--n", sizes,
		"--trials", strconv.Itoa(trials), "--seed", strconv.Itoa(seed),
	}
}

// session runs a session of the old and the slow program, with a planted loop of that
// many steps.
func (t *trial) session(ctx context.Context, name string, seed, spins int) (*compare.Comparison, error) {
	if err := os.Setenv(spinsVariable, strconv.Itoa(spins)); err != nil {
		return nil, err
	}
	s := ab.Session{
		Old: t.old, New: t.slow, Args: args(2, seed), Pairs: t.pairs, Seed: uint64(seed), Dir: filepath.Join(t.dir, name),
		Progress: func(done, all int, run string) {
			if run != "" {
				fmt.Fprintf(os.Stderr, "\r%s: run %d of %d   ", name, done+1, all)
			}
		},
	}
	old, new, err := s.Run(ctx)
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(os.Stderr)
	return compare.Runs(old, new, compare.Options{Alpha: 0.05, MinEffect: t.minEffect})
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
	const many = 64
	var at [2]float64
	for i, spins := range []int{0, many} {
		c, err := t.session(ctx, fmt.Sprintf("calibration-%d", i), 1000+i, spins)
		if err != nil {
			return 0, err
		}
		row, err := cellRow(c)
		if err != nil {
			return 0, err
		}
		at[i] = row.Ratio.Center
	}
	slope := (at[1] - at[0]) / many
	if slope <= 0 {
		return 0, fmt.Errorf("a loop of %d steps makes no difference: ratios %v", many, at)
	}
	spins := int(math.Round((1 + share - at[0]) / slope))
	fmt.Fprintf(t.out, "The loop has %d steps of %.2f %% each; without steps the slow program takes %.3f of the time.\n", spins, 100*slope, at[0])
	return max(1, spins), nil
}

// findTheSlowdown runs the sessions with the slowdown.
func (t *trial) findTheSlowdown(ctx context.Context, times int, share float64) error {
	fmt.Fprintf(t.out, "\n## A slowdown of %.0f %% in the cancel of %s\n\n", 100*share, planted)
	spins, err := t.calibrate(ctx, share)
	if err != nil {
		return err
	}
	fmt.Fprintf(t.out, "Sessions of %d pairs, %d layouts, `--min-effect %g%%`. The ratio is that of %s on %s, n 1000.\n\n", t.pairs, len(t.old), 100*t.minEffect, planted, plantedIn)
	fmt.Fprint(t.out, "| session | ratio | 95 % interval | p | counts from | slower | others called | exit code |\n|---|---|---|---|---|---|---|---|\n")
	found, clean := 0, 0
	for i := range times {
		c, err := t.session(ctx, fmt.Sprintf("slow-%02d", i), i+1, spins)
		if err != nil {
			return err
		}
		row, err := cellRow(c)
		if err != nil {
			return err
		}
		var slower, others []string
		for _, r := range c.Rows {
			name := fmt.Sprintf("%s %s %d", r.Structure, r.Workload, r.N)
			switch {
			case r.Verdict == compare.Same:
			case r.Verdict == compare.Slower && r.Structure == planted && r.Workload == plantedIn:
				slower = append(slower, name)
			default:
				others = append(others, fmt.Sprintf("%s %s %.3f", name, r.Verdict, r.Ratio.Center))
			}
		}
		code := 0
		if len(c.Regressions()) > 0 {
			code = 1
		}
		if len(slower) > 0 {
			found++
		}
		if len(others) == 0 {
			clean++
		}
		fmt.Fprintf(t.out, "| %d | %.3f | %.3f to %.3f | %.3g | %.1f %% | %s | %s | %d |\n", i+1, row.Ratio.Center, row.Ratio.Lo, row.Ratio.Hi, row.P, 100*row.Least,
			listOf(slower), listOf(others), code)
	}
	fmt.Fprintf(t.out, "\nFound and named in %d of %d sessions; nothing else called in %d.\n", found, times, clean)
	if found < times*18/20 {
		return fmt.Errorf("the slowdown was found in %d of %d sessions, want at least 18 of 20", found, times)
	}
	return nil
}

// compareTheSame compares two runs of the old program.
func (t *trial) compareTheSame(ctx context.Context, times int) error {
	fmt.Fprint(t.out, "\n## Two runs of one program\n\nOne after the other, 6 rounds, default flags of compare. The shift is the median of all ratios.\n\n"+
		"| comparison | rows | shift | smallest p | largest ratio | smallest ratio | called |\n|---|---|---|---|---|---|---|\n")
	clean := 0
	for i := range times {
		fmt.Fprintf(os.Stderr, "\rcomparison %d of %d   ", i+1, times)
		var runs [2]*results.Run
		for k := range runs {
			var err error
			if runs[k], err = t.runOnce(ctx, fmt.Sprintf("same-%02d-%d", i, k)); err != nil {
				return err
			}
		}
		c, err := compare.Runs(runs[0], runs[1], compare.Options{Alpha: 0.05, MinEffect: 0.05})
		if err != nil {
			return err
		}
		p, most, least := 1.0, 0.0, math.Inf(1)
		var called []string
		for _, r := range c.Rows {
			p, most, least = min(p, r.P), max(most, r.Ratio.Center), min(least, r.Ratio.Center)
			if r.Verdict != compare.Same {
				called = append(called, fmt.Sprintf("%s %s %d %s", r.Structure, r.Workload, r.N, r.Verdict))
			}
		}
		if len(called) == 0 {
			clean++
		}
		fmt.Fprintf(t.out, "| %d | %d | %.3f | %.3g | %.3f | %.3f | %s |\n", i+1, len(c.Rows), c.Shift, p, most, least, listOf(called))
	}
	fmt.Fprintln(os.Stderr)
	fmt.Fprintf(t.out, "\nNo difference called in %d of %d comparisons.\n", clean, times)
	if clean < times*19/20 {
		return fmt.Errorf("%d of %d comparisons of the same called no difference, want at least 19 of 20", clean, times)
	}
	return nil
}

// runOnce runs the old program alone.
func (t *trial) runOnce(ctx context.Context, name string) (*results.Run, error) {
	out := filepath.Join(t.dir, name)
	flags := append([]string{"run", "--out", out}, args(6, 1)...)
	if text, err := exec.CommandContext(ctx, t.old[0], flags...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(flags, " "), err, text)
	}
	return results.Read(filepath.Join(out, "results.json"))
}

func listOf(names []string) string {
	if len(names) == 0 {
		return "–"
	}
	return strings.Join(names, ", ")
}
