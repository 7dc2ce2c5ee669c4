// Command abtrial tries out the commands that compare, on this machine and on a small
// choice of cells, and prints tables in Markdown:
//
//   - Sessions of ab in which both builds are the same program, with other code layouts.
//     No difference should be found.
//   - Sessions of ab in which one build has a slowdown in the cancel of one structure.
//     They should find it, and nothing else.
//   - Two runs of one program, one after the other, are compared, many times. No
//     difference should be found.
//   - A few longer runs of one program. The intervals of a cost should overlap.
//
// The slowdown is a loop in the Remove of minheap. Its length is chosen by sessions
// before, so that one cell gets slower by the wanted share. All is built from a clone of
// the last commit; the work tree is not touched:
//
//	go run ./internal/abtrial >docs/abtrial.md
//
// A session takes half a minute, and all of it half an hour.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/ab"
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
	dir       string   // temporary
	old, slow []string // programs, one for each layout
	pairs     int
	rounds    int
	layouts   int // of each build in a session
	minEffect float64
}

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("abtrial", flag.ContinueOnError)
	equal := flags.Int("equal", 20, "sessions of two builds of one program")
	slow := flags.Int("slow", 20, "sessions with the slowdown")
	same := flags.Int("same", 20, "comparisons of two runs of one program")
	identical := flags.Int("identical", 4, "runs of which the intervals are compared")
	percent := flags.Float64("percent", 5, "the slowdown of the cell")
	t := &trial{out: out}
	flags.IntVar(&t.layouts, "layouts", 8, "code layouts of each build in a session")
	flags.IntVar(&t.pairs, "pairs", 8, "pairs of runs in a session")
	flags.IntVar(&t.rounds, "rounds", 24, "rounds of a run in a session")
	flags.Float64Var(&t.minEffect, "min-effect", 0.02, "smallest difference that counts in a session, as a share")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if min(*equal, *slow, *same) < 0 || *identical < 0 || *identical == 1 || *percent <= 0 || t.layouts < 1 || t.pairs < 2 || t.rounds < 1 || flags.NArg() > 0 {
		return fmt.Errorf("%q: want counts of at least 0, not 1 run to compare with others, a slowdown above 0, one layout, one round and two pairs at least, and no arguments", args)
	}
	if t.dir, err = os.MkdirTemp("", "timerbench-abtrial-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(t.dir)) }()
	if err := t.build(ctx, *equal > 0, *slow > 0); err != nil {
		return err
	}
	t.header()
	var failed error
	for _, part := range []struct {
		times int
		do    func(context.Context, int) error
	}{
		{*equal, t.compareEqualBuilds},
		{*slow, func(ctx context.Context, times int) error { return t.findTheSlowdown(ctx, times, *percent/100) }},
		{*same, t.compareTheSame},
		{*identical, t.compareIntervals},
	} {
		if part.times > 0 && ctx.Err() == nil {
			failed = errors.Join(failed, part.do(ctx, part.times))
		}
	}
	return failed
}

func (t *trial) header() {
	clock := bench.MeasureClock()
	r := bench.NewRun(results.Parameters{})
	fmt.Fprintf(t.out, "# What compare and ab find\n\nWritten by `go run ./internal/abtrial`. Machine: %s, %d processors; %s.\n",
		r.Environment.CPU, r.Environment.Cores, doctor.Summary(doctor.Here(clock.ReadNS, clock.StepNS).Check()))
}

// say tells whoever waits how far it is.
func (t *trial) say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "\r"+format+"    ", args...)
}

// build builds the program as it is, and if wanted with the slowdown, from a clone of the
// last commit. There are twice as many layouts as a session takes.
func (t *trial) build(ctx context.Context, equal, slow bool) error {
	layouts := 1
	if equal || slow {
		layouts = 2 * t.layouts
	}
	root, err := ab.Repository(ctx, ".")
	if err != nil {
		return err
	}
	source := filepath.Join(t.dir, "source")
	if text, err := exec.CommandContext(ctx, "git", "clone", "--quiet", "--shared", root, source).CombinedOutput(); err != nil {
		return fmt.Errorf("git clone: %w\n%s", err, text)
	}
	build := func(name string) ([]string, error) {
		dir := filepath.Join(t.dir, name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			return nil, err
		}
		return ab.Build(ctx, source, "", dir, layouts)
	}
	if t.old, err = build("old"); err != nil || !slow {
		return err
	}
	if err := plant(source); err != nil {
		return err
	}
	t.slow, err = build("new")
	return err
}

// runOnce runs the old program alone.
func (t *trial) runOnce(ctx context.Context, name string, args []string) (*results.Run, error) {
	out := filepath.Join(t.dir, name)
	flags := append([]string{"run", "--out", out}, args...)
	if text, err := exec.CommandContext(ctx, t.old[0], flags...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(flags, " "), err, text)
	}
	return results.Read(filepath.Join(out, "results.json"))
}

// cells are the flags that choose the cells.
func cells(seed int) []string {
	return []string{"--profile", "smoke", "--structure", structures, "--workload", workloads, "--n", sizes, "--seed", strconv.Itoa(seed)}
}

func listOf(names []string) string {
	if len(names) == 0 {
		return "–"
	}
	return strings.Join(names, ", ")
}
