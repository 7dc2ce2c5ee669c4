// Package ab measures two builds of timerbench in one session: runs of both take turns,
// so that what the machine does happens to both.
//
// The runs are child processes. Two of them, one of each build, are a pair. Both are
// alive at the same time and take turns trial by trial, so that trials of the same
// operations are milliseconds apart, whatever the machine does in between. Which of the
// two comes first is random each time.
//
// Several layouts of each build take turns too. So the session holds all that varies
// between two runs: the process, the placement in memory, the code layout and the time.
// The results are merged into those of two runs, which package compare compares pair by
// pair.
package ab

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
)

// Session describes the runs of a session.
type Session struct {
	Old, New []string // programs, one for each layout; the same number on both sides
	Args     []string // flags of the command run, without --out and --trials
	Pairs    int      // runs of each side, at least 1
	Rounds   int      // of each run, at least 1
	Seed     uint64   // of the order of the runs
	Dir      string   // an empty folder for the results of the single runs

	// Progress is called before each pair and once at the end.
	Progress func(done, all int, name string)
}

// side is one of the two builds.
type side struct {
	name     string
	programs []string
	runs     []*results.Run
}

// Run runs the session and returns the merged results of both sides. It ends with the
// first run that fails, and with the error of ctx when that is cancelled.
func (s Session) Run(ctx context.Context) (old, new *results.Run, err error) {
	sides := [2]*side{{name: "old", programs: s.Old}, {name: "new", programs: s.New}}
	for pair, oldFirst := range s.order() {
		s.Progress(pair, s.Pairs, fmt.Sprintf("pair %d of %d", pair+1, s.Pairs))
		order := sides
		if !oldFirst {
			order = [2]*side{sides[1], sides[0]}
		}
		if err := s.runPair(ctx, order, pair); err != nil {
			return nil, nil, err
		}
	}
	s.Progress(s.Pairs, s.Pairs, "")
	name := crand.Text()
	return merge(sides[0].runs, name, len(s.Old)), merge(sides[1].runs, name, len(s.New)), nil
}

// order says for each pair whether the old build begins: in half of the pairs, at
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

// runPair runs one program of each build in turns, and adds the results to the sides. A
// structure that fails the proof makes a program fail, but not the session.
func (s Session) runPair(ctx context.Context, order [2]*side, pair int) error {
	var players []*player
	defer func() {
		for _, p := range players {
			_ = p.end()
		}
	}()
	for _, side := range order {
		p, err := start(ctx, side.programs[pair%len(side.programs)], s.flags(s.folder(side, pair)))
		if err != nil {
			return fmt.Errorf("the %s build: %w", side.name, err)
		}
		players = append(players, p)
	}
	takeTurns(ctx, rand.New(rand.NewPCG(s.Seed, uint64(pair)+1)), players)
	for i, side := range order {
		if err := s.read(ctx, side, pair, players[i].end()); err != nil {
			return err
		}
	}
	return nil
}

// ages is the number of rounds of a run after which the operations repeat: the instances
// of a pass are measured at that many ages (chosen).
const ages = 4

// flags returns the command line of a run, whose results go to the folder out.
func (s Session) flags(out string) []string {
	return append([]string{"run", "--out", out, "--trials", strconv.Itoa(ages), "--budget", "0",
		turnsFlag, strconv.Itoa(s.Rounds)}, s.Args...)
}

// folder returns the folder for the results of a run. The paths of both sides have the
// same length, because the environment of a process shifts its stack.
func (s Session) folder(of *side, pair int) string {
	return filepath.Join(s.Dir, fmt.Sprintf("%s-%03d", of.name, pair))
}

// read adds the results of a run that has ended, with an error or without.
func (s Session) read(ctx context.Context, side *side, pair int, ended error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r, err := results.Read(filepath.Join(s.folder(side, pair), "results.json"))
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
