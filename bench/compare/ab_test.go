package compare

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/results/store"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/internal/fail"
)

// asProgram makes the test binary imitate a program that measures. Its value chooses the behavior.
const asProgram = "TIMERBENCH_TEST_AB"

func TestMain(m *testing.M) {
	if how := os.Getenv(asProgram); how != "" {
		os.Exit(program(how))
	}
	os.Exit(m.Run())
}

// program imitates timerbench run as a session sees it. The program named new takes 20 %
// longer.
func program(how string) int {
	flags := flag.NewFlagSet("run", flag.ExitOnError)
	out := flags.String("out", "", "")
	trials := flags.Int("trials", 2, "")
	for _, ignored := range []string{"budget", "s"} {
		_ = flags.String(ignored, "", "")
	}
	rounds := flags.Int("turns", 0, "")
	_ = flags.Parse(os.Args[2:])
	turn := WaitForTurn(os.Stdin, os.Stdout)
	name := filepath.Base(os.Args[0])
	r := &results.Run{Format: results.Format, Version: results.Version, Complete: true, Parameters: results.Parameters{Trials: *trials}}
	code := 0
	switch {
	case how == "hang":
		time.Sleep(time.Minute)
	case how == "fail" && strings.HasPrefix(name, "new"):
		fmt.Fprintln(os.Stderr, "timerbench: no structure matches \"hweel\"")
		return 1
	case how == "broken":
		r.Failures = []results.Failure{{Structure: "wheel", Where: "w, n 5", Reason: "lost"}}
		code = 1
	}
	cost := 100.0
	if strings.HasPrefix(name, "new") {
		cost = 120
	}
	cell := results.Cell{Workload: "w", N: 5, Unit: script.PerTick}
	for i, s := range []string{"a", "b", "c"} {
		row := results.Row{Structure: s, Role: results.RoleStructure, Latency: []results.Latency{{}}}
		for round := range *rounds {
			if turn() != nil {
				return 1
			}
			logTurn(name, i**rounds+round)
			row.Cost = append(row.Cost, results.Trial{Round: round, NS: cost * float64(10+round+i+len(*out)%3), Units: 10})
		}
		cell.Rows = append(cell.Rows, row)
	}
	r.Cells = append(r.Cells, cell)
	if err := os.MkdirAll(*out, 0o755); err != nil {
		return 3
	}
	if err := store.Write(filepath.Join(*out, "results.json"), r); err != nil {
		return 3
	}
	return code
}

// turnLog is the environment variable with the file to which programs append their turns.
const turnLog = "TIMERBENCH_TEST_AB_LOG"

func logTurn(program string, turn int) {
	if path := os.Getenv(turnLog); path != "" {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			os.Exit(3)
		}
		fmt.Fprintln(f, program[:3], turn)
		_ = f.Close()
	}
}

// programs returns paths of the test binary that make it an old or a new program.
func programs(t *testing.T, name string, layouts int) []string {
	t.Helper()
	self, err := os.Executable()
	fail.If(t, err)
	var out []string
	for i := range layouts {
		path := filepath.Join(t.TempDir(), fmt.Sprintf("%s-%d.test", name, i))
		if err := os.Symlink(self, path); err != nil {
			t.Skipf("this system has no links: %v", err)
		}
		out = append(out, path)
	}
	return out
}

// session returns a session of programs with a given behavior.
func session(t *testing.T, how string, pairs, rounds int) Session {
	t.Helper()
	t.Setenv(asProgram, how)
	return Session{Old: programs(t, "old", 1), New: programs(t, "new", 1), Pairs: pairs, Rounds: rounds, Dir: t.TempDir(), Progress: func(int, int, string) {}}
}

func TestASessionIsMergedPairByPair(t *testing.T) {
	var said []string
	s := session(t, "ok", 6, Ages)
	s.Old, s.New = programs(t, "old", 6), programs(t, "new", 6)
	s.Progress = func(done, all int, name string) { said = append(said, fmt.Sprintf("%d/%d %s", done, all, name)) }
	old, new, err := s.Run(t.Context())
	fail.If(t, err)
	for _, r := range []*results.Run{old, new} {
		if err := r.Validate(); err != nil || len(r.Cells[0].Rows) != 3 || r.Parameters.Layouts != 6 {
			t.Errorf("%v: %+v", err, r.Parameters)
		}
		for i, trial := range r.Cells[0].Rows[1].Cost {
			if trial.Instance != i/Ages || len(r.Cells[0].Rows[1].Cost) != 6*Ages {
				t.Errorf("trial %d has instance %d", i, trial.Instance)
			}
		}
	}
	if len(said) != 7 || said[6] != "6/6 " || !strings.HasSuffix(said[0], "pair 1 of 6") {
		t.Errorf("%q", said)
	}
	c, err := Runs(old, new, usual)
	if err != nil || len(c.Of(Slower)) != 3 || !c.Session {
		t.Errorf("%+v, %v: want all three slower by 20 %%", c, err)
	}
}

func TestAProgramThatFails(t *testing.T) {
	s := session(t, "fail", 2, 1)
	s.Args = []string{"-s", "hweel"}
	_, _, err := s.Run(t.Context())
	fail.UnlessError(t, err, "run 1 of the new build", `no structure matches "hweel"`)
	s.New = []string{filepath.Join(t.TempDir(), "none")}
	_, _, err = s.Run(t.Context())
	fail.UnlessError(t, err, "the new build", "none")
}

// If a structure breaks its contract, the run ends with an error but its results are complete.
func TestAStructureThatFailsDoesNotEndTheSession(t *testing.T) {
	old, _, err := session(t, "broken", 3, 1).Run(t.Context())
	if err != nil || len(old.Failures) != 1 {
		t.Errorf("%v, failures %v, want one", err, old.Failures)
	}
}

func TestASessionCanBeCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := session(t, "hang", 1, 1)
	s.Progress = func(int, int, string) { time.AfterFunc(50*time.Millisecond, cancel) }
	start := time.Now()
	if _, _, err := s.Run(ctx); !errors.Is(err, context.Canceled) || time.Since(start) > 20*time.Second {
		t.Errorf("%v after %s", err, time.Since(start))
	}
}

// Each turn has one trial of each program, and each program comes first in some turns.
func TestProgramsTakeTurns(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	t.Setenv(turnLog, log)
	const rounds, turns = 10, 30 // of three structures
	s := session(t, "turns", 1, rounds)
	old, new, err := s.Run(t.Context())
	if err != nil || len(old.Cells[0].Rows[0].Cost) != rounds || len(new.Cells[0].Rows[0].Cost) != rounds {
		t.Fatalf("%v", err)
	}
	lines := strings.Split(strings.TrimSpace(fail.Read(t, log)), "\n")
	if len(lines) != 2*turns {
		t.Fatalf("%d turns, want %d of each program", len(lines), turns)
	}
	first := make(map[string]int)
	for i := range turns {
		pair := slices.Clone(lines[2*i : 2*i+2])
		first[pair[0][:3]]++
		slices.Sort(pair)
		fail.UnlessSame(t, "the turns", pair, []string{fmt.Sprintf("new %d", i), fmt.Sprintf("old %d", i)})
	}
	if first["old"] < 5 || first["new"] < 5 {
		t.Errorf("first in a pair of turns: %v, want each program in about half", first)
	}
}

// A program ends if its session has ended.
func TestWaitingForATurnThatNeverComes(t *testing.T) {
	t.Parallel()
	var asked bytes.Buffer
	turn := WaitForTurn(strings.NewReader("x"), &asked)
	if err := turn(); err != nil || asked.Len() != 1 {
		t.Errorf("%v, asked %d times", err, asked.Len())
	}
	if err := turn(); !errors.Is(err, io.EOF) {
		t.Errorf("%v, want the end of the input", err)
	}
}
