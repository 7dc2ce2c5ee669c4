// Package ab measures two builds of timerbench in one session: short runs of both take
// turns, so that what the machine does happens to both.
//
// The runs are child processes. Two of them, one of each build, are a pair; which of
// them comes first is random, each equally often. Several layouts of each build take
// turns too. So the session holds all that varies between two runs: the process, the
// placement in memory, the code layout and the time. The results are merged into those
// of two runs, which package compare compares pair by pair.
package ab

import (
	"bytes"
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/timerbench/timerbench/bench/results"
)

// Session describes the runs of a session.
type Session struct {
	Old, New []string // programs, one for each layout; the same number on both sides
	Args     []string // flags of the command run, without --out
	Pairs    int      // runs of each side, at least 1
	Seed     uint64   // of the order of the runs
	Dir      string   // an empty folder for the results of the single runs

	// Progress, if not nil, is called before each run and once at the end.
	Progress func(done, all int, name string)
}

// Check returns an error if the session cannot be run.
func (s Session) Check() error {
	if s.Pairs < 1 {
		return fmt.Errorf("%d pairs of runs, want at least 1", s.Pairs)
	}
	if len(s.Old) == 0 || len(s.Old) != len(s.New) {
		return fmt.Errorf("%d programs of the old build and %d of the new one, want the same number, at least 1", len(s.Old), len(s.New))
	}
	return nil
}

// side is one of the two builds.
type side struct {
	name     string
	programs []string
	flags    []string // flags that only this build knows
	runs     []*results.Run
}

// Run runs the session and returns the merged results of both sides. It ends with the
// first run that fails, and with the error of ctx when that is cancelled.
func (s Session) Run(ctx context.Context) (old, new *results.Run, err error) {
	if err := s.Check(); err != nil {
		return nil, nil, err
	}
	sides := [2]*side{{name: "old", programs: s.Old}, {name: "new", programs: s.New}}
	for _, side := range sides {
		if side.flags, err = extraFlags(ctx, side.programs[0]); err != nil {
			return nil, nil, fmt.Errorf("the %s build: %w", side.name, err)
		}
	}
	oldFirst := s.order()
	for pair := range s.Pairs {
		for turn := range 2 {
			side := sides[turn]
			if !oldFirst[pair] {
				side = sides[1-turn]
			}
			if s.Progress != nil {
				s.Progress(2*pair+turn, 2*s.Pairs, fmt.Sprintf("%s, pair %d of %d", side.name, pair+1, s.Pairs))
			}
			r, err := s.runOne(ctx, side, pair)
			if err != nil {
				return nil, nil, err
			}
			side.runs = append(side.runs, r)
		}
	}
	if s.Progress != nil {
		s.Progress(2*s.Pairs, 2*s.Pairs, "")
	}
	name := crand.Text()
	return merge(sides[0].runs, name, len(s.Old)), merge(sides[1].runs, name, len(s.New)), nil
}

// order says for each pair whether the old build runs first: in half of the pairs, at
// random.
func (s Session) order() []bool {
	random := rand.New(rand.NewPCG(s.Seed, 0))
	first := make([]bool, s.Pairs)
	start := random.IntN(2) // of an odd number of pairs either build has one more
	for i := range first {
		first[i] = (i+start)%2 == 0
	}
	random.Shuffle(len(first), func(i, j int) { first[i], first[j] = first[j], first[i] })
	return first
}

// runOne runs one program once and reads its results. A structure that fails the proof
// makes the program fail, but not the session.
func (s Session) runOne(ctx context.Context, side *side, pair int) (*results.Run, error) {
	out := filepath.Join(s.Dir, fmt.Sprintf("%s-%03d", side.name, pair)) // paths of the same length: the environment of a process shifts its stack
	args := append([]string{"run", "--out", out}, s.Args...)
	err := execute(ctx, side.programs[pair%len(side.programs)], append(args, side.flags...))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	r, unread := results.Read(filepath.Join(out, "results.json"))
	switch {
	case unread == nil && r.Complete:
		return r, nil
	case err == nil:
		err = unread
	}
	return nil, fmt.Errorf("run %d of the %s build: %w", pair+1, side.name, err)
}

// execute runs a program. When ctx is cancelled, it interrupts the program and gives it
// time to end. The error holds the end of what the program says on standard error.
func execute(ctx context.Context, program string, args []string) error {
	const grace = 10 * time.Second
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stderr = &stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = grace
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", program, strings.Join(args, " "), err, lastLines(stderr.String(), 5))
	}
	return nil
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// extraFlags returns the flags that keep a run short, of those that the program knows:
// builds before racing know none of them.
func extraFlags(ctx context.Context, program string) ([]string, error) {
	help, err := output(ctx, "", program, "run", "--help")
	if err != nil {
		return nil, err
	}
	if !strings.Contains(help, "--trials") {
		return nil, errors.New(program + " run --help names no flag --trials: is this timerbench?")
	}
	var flags []string
	for _, f := range []struct {
		name  string
		value int
	}{{"--budget", 0}, {"--layouts", 1}} {
		if strings.Contains(help, f.name+" ") {
			flags = append(flags, f.name, strconv.Itoa(f.value))
		}
	}
	return flags, nil
}
