package compare

import (
	"cmp"
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"strconv"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/results/store"
	"github.com/timerbench/timerbench/internal/parallel"
)

// Session measures two builds of timerbench. Each run is a child process. A pair is one process of each build. Both live at
// the same time and take turns trial by trial in random order, so that trials of the same operations are milliseconds apart.
// A pair has programs of one code layout. Pairs differ in it where there are several. The results of each side are merged into one run, and [Runs]
// compares the two pair by pair.
type Session struct {
	Old, New []string // programs, one per layout; the same number on both sides
	Args     []string // flags of timerbench run, without --out and --trials
	Pairs    int      // runs of each side, at least 1
	Rounds   int      // rounds of each run, at least 1
	Seed     uint64   // seed of the order of the runs
	Dir      string   // an empty folder for the results of the runs

	// Progress is called before each pair and once after the last one.
	Progress func(done, all int, name string)
}

type side struct {
	name     string
	programs []string
	runs     []*results.Run
}

// Run runs the session and returns the merged results of each side. It stops at the first
// run that fails. If ctx is cancelled, it returns the error of ctx.
func (s Session) Run(ctx context.Context) (old, new *results.Run, err error) {
	sides := [2]*side{{name: "old", programs: s.Old}, {name: "new", programs: s.New}}
	for pair := range s.Pairs {
		s.Progress(pair, s.Pairs, fmt.Sprintf("pair %d of %d", pair+1, s.Pairs))
		if err := s.runPair(ctx, sides[:], pair); err != nil {
			return nil, nil, err
		}
	}
	s.Progress(s.Pairs, s.Pairs, "")
	name := crand.Text()
	return merge(sides[0].runs, name, len(s.Old)), merge(sides[1].runs, name, len(s.New)), nil
}

// runPair starts one program of each build, in random order, runs them in turns, and appends the results to the sides. If
// a structure fails the proof, the program fails but the session continues.
func (s Session) runPair(ctx context.Context, sides []*side, pair int) error {
	random := rand.New(rand.NewPCG(s.Seed, uint64(pair)+1))
	order := parallel.Shuffled(random, sides)
	var children []*child
	defer func() {
		for _, p := range children {
			_ = p.end()
		}
	}()
	for _, side := range order {
		p, err := start(ctx, side.programs[pair%len(side.programs)], s.flags(s.folder(side, pair)))
		if err != nil {
			return fmt.Errorf("the %s build: %w", side.name, err)
		}
		children = append(children, p)
	}
	for _, p := range children {
		p.play(0) // until it asks for its first turn
	}
	for left := true; left && ctx.Err() == nil; {
		left = false
		for _, p := range parallel.Shuffled(random, children) {
			p.play(1)
			left = left || !p.silent
		}
	}
	for i, side := range order {
		if err := s.read(ctx, side, pair, children[i].end()); err != nil {
			return err
		}
	}
	return nil
}

// Ages is the number of rounds after which the operations of a run repeat: the instances
// of a pass are measured at this many ages (chosen).
const Ages = 4

// flags returns the arguments of a run that writes its results to the folder out.
func (s Session) flags(out string) []string {
	return append([]string{"run", "--out", out, "--trials", strconv.Itoa(Ages), "--budget", "0",
		turnsFlag, strconv.Itoa(s.Rounds)}, s.Args...)
}

// folder returns the folder for the results of a run. The paths of both sides have the
// same length, because the length of the command line shifts the stack of a process.
func (s Session) folder(of *side, pair int) string {
	return filepath.Join(s.Dir, fmt.Sprintf("%s-%03d", of.name, pair))
}

// read appends the results of a run that ended, with or without an error.
func (s Session) read(ctx context.Context, side *side, pair int, ended error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r, err := store.ReadFile(filepath.Join(s.folder(side, pair), "results.json"))
	if ended == nil && errors.Is(err, fs.ErrNotExist) {
		err = errors.New("it ended without results: want a program of timerbench")
	}
	if err == nil && !r.Complete {
		err = errors.New("its results are not complete")
	}
	if err != nil {
		return fmt.Errorf("run %d of the %s build: %w", pair+1, side.name, cmp.Or(ended, err))
	}
	side.runs = append(side.runs, r)
	return nil
}
