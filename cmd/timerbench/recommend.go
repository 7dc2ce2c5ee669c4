// The command that answers. Flags and traces become one answer.Question, so that both get the same answer, and find decides which results
// answer it: a named run, or the last whole one, so that a part of a run never answers for all of it.

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/results/store"
	"github.com/timerbench/timerbench/bench/workload"
	kept "github.com/timerbench/timerbench/docs/results"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/trace"
	"github.com/timerbench/timerbench/trace/tracestat"
)

func newRecommend() *cobra.Command {
	// The flags; a trace completes them.
	q := answer.Question{Cancel: answer.Unknown, Reschedule: answer.Unknown, By: answer.Time}
	var recording string
	var external, force, asJSON bool
	cmd := &cobra.Command{
		Use:   "recommend [RESULTS]",
		Short: "Name the best structure for a question, from measured cells",
		Long: `Say whether timers matter in a program, and name one structure for them: auto,
unless another one is certainly better. The answer comes from the measured cells
of a program, or from the nearest ones of the grid, and names them.
RESULTS is a file or a folder of runs. The default is the last whole run in
` + store.Parent + `/, or the run that is part of this program if there is none, or if the
budget left out what is nearest to the question. A run is
whole if it has all structures, workloads and sizes of the normal or the full
profile. If a later run has only some cells but all structures, its cells
replace those of the whole run, and recommend says so.`,
		Example: `  timerbench recommend --n 1e6 --cancel 90% --rate 50000/s
  timerbench recommend --n 1e5 --cancel 50% --dist clustered --by tail
  timerbench recommend --program http-server
  timerbench recommend --trace my.trace`,
		Args: argsFrom(0, 1, "at most one file or folder of results"),
		RunE: func(cmd *cobra.Command, args []string) error {
			recorded, err := completeQuestion(cmd.ErrOrStderr(), &q, recording, force)
			if err != nil {
				return err
			}
			found, err := find(append(args, "")[0])
			if err != nil {
				return err
			}
			if external {
				if len(found.run.External) == 0 {
					return fmt.Errorf("--external: %s has no external programs: want results of run --external", found.from)
				}
				found.run = found.run.Among(results.RoleExternal)
			}
			out := cmd.OutOrStdout()
			x, err := found.answer(q, external || len(args) > 0)
			switch {
			case err != nil:
				return fmt.Errorf("%s: %w", found.from, err)
			case asJSON:
				return printJSON(out, x)
			}
			for _, line := range slices.Concat(x.Lines, x.Notes) {
				fmt.Fprintln(out, show.Wrapped(line))
			}
			t, legend := x.Table()
			fmt.Fprintf(out, "\n%s\n%s\n", t.Terminal(), show.Wrapped(legend))
			if recorded != nil {
				showNext(out, recording, recorded)
			}
			fmt.Fprintln(out, show.Wrapped(fmt.Sprintf("\nFrom %s: %s", found.from, About(found.run))))
			if found.note != "" {
				fmt.Fprintln(out, show.Wrapped(found.note))
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.FuncP("n", "n", "`number` of pending timers, such as 200k or 1e6 (default: any)", valueTo(&q.N, readNumber(maxSize)))
	flags.Func("cancel", "`share` of the timers that are cancelled, such as 90% or 0.9 (default: any)", valueTo(&q.Cancel, readShare))
	flags.StringVar(&q.Delays, "dist", "", "`shape` of the delays, such as constant, uniform or clustered (default: any)")
	flags.Func("reschedule", "`share` of the calls that move a timer, such as 30% (default: any)", valueTo(&q.Reschedule, readShare))
	flags.StringVar(&q.Program, "program", "", "workload of a `program`, recorded or modelled, such as http-server")
	flags.Func("rate", "`number` of timers started (or mostly moved) per second, such as 50000/s: "+
		"shows whether timers matter (default: the rate of the trace, if there is one)",
		valueTo(&q.Rate, func(text string) (answer.Rate, error) {
			rate, err := readRate(text)
			return answer.Rate{Timers: rate, Moves: rate}, err
		}))
	flags.Func("by", "what matters: `"+"time`, tail, memory, idle (wake-ups) or longest (call) (default: time)", valueTo(&q.By, answer.ParseBy))
	flags.StringVar(&q.Order, "order", "", "only structures that fire timers of one deadline in this `order`: fifo")
	flags.BoolVar(&q.Late, "late", false, "compare the structures that fire late, instead of the exact ones")
	flags.StringVar(&recording, "trace", "", "take the question from this trace; other flags override parts of it")
	flags.BoolVar(&force, "force", false, "answer for a trace even if "+lossy)
	flags.BoolVar(&asJSON, "json", false, "print the answer as one JSON object, see docs/data.md")
	flags.BoolVar(&external, "external", false, "include the external programs of the run, see run --external")
	return cmd
}

// completeQuestion completes the question from a trace, if there is one, and returns the summary of the trace.
func completeQuestion(stderr io.Writer, q *answer.Question, path string, force bool) (s *tracestat.Summary, err error) {
	switch {
	case path != "":
		if s, err = tracestat.Read(path); err == nil {
			err = checkLost(path, s, force)
		}
		if err != nil {
			return nil, fmt.Errorf("--trace: %w", err)
		}
		warnCutShort(stderr, s)
		if brief := s.Brief(); brief != "" {
			fmt.Fprintf(stderr, "warning: %s\n", brief)
		}
		if s.Totals.Ops[trace.Schedule] == 0 {
			return nil, fmt.Errorf("--trace %s: no timer is scheduled in it", path)
		}
		of := questionOf(s)
		q.N, q.Delays = cmp.Or(q.N, of.N), cmp.Or(q.Delays, of.Delays)
		q.Rate = cmp.Or(q.Rate, of.Rate)
		if q.Cancel == answer.Unknown {
			q.Cancel = of.Cancel
		}
		if q.Reschedule == answer.Unknown {
			q.Reschedule = of.Reschedule
		}
	case force:
		return nil, errors.New("--force: needs --trace")
	}
	return s, q.Check()
}

// questionOf returns the question that describes a recorded program, which schedules a timer at least.
func questionOf(s *tracestat.Summary) answer.Question {
	q := answer.Question{N: max(1, s.Resident), Cancel: s.CancelRate, By: answer.Time}
	if s.Totals.Fired == 0 {
		q.Cancel = 1
	}
	q.Delays = workload.ShapeOf(s.Set().Quantiles())
	ops := s.Totals.Ops
	calls := float64(ops[trace.Schedule] + ops[trace.Cancel] + ops[trace.Reschedule] + s.Totals.Fired)
	q.Reschedule = float64(ops[trace.Reschedule]) / calls
	if seconds := float64(s.Totals.Span()) * s.Header.Tick.Seconds(); seconds > 0 {
		q.Rate = answer.Rate{
			Timers: float64(ops[trace.Schedule]) / seconds, Moves: float64(ops[trace.Reschedule]) / seconds, Calls: calls / seconds,
		}
	}
	return q
}

// showNext prints how many operations the trace lost, and the commands that tell more about it.
func showNext(out io.Writer, path string, s *tracestat.Summary) {
	var force []string
	if s.CheckLost() != nil {
		force = []string{"--force"}
	}
	fmt.Fprintln(out, show.Wrapped(fmt.Sprintf("\n%s: %s, of which %s were lost. These are prices of calls. To measure structures on it, "+
		"and the whole price of its timers, with wake-ups and goroutines:", path, show.Count(s.Totals.Count()+s.Totals.Lost, "operation"), show.Percent(s.LostShare()))))
	fmt.Fprintln(out, asTyped(append([]string{"trace", "replay", path}, force...)...))
	fmt.Fprintln(out, asTyped(append([]string{"advise", path}, force...)...))
}

// source is the results that answer a question.
type source struct {
	run  *results.Run
	from string // the path of the results, or builtIn
	note string // which cells come from a later run, or why that run does not answer; empty: none
}

// answer takes the answer from the results. The built-in run answers instead, and a note says so, if the budget left out what is nearest
// to the question and the user has not named the results. One answer never mixes the two.
func (s *source) answer(q answer.Question, named bool) (answer.Answer, error) {
	x, err := answer.Of(s.run, catalog.All()).Adviser().Answer(q)
	if named || len(s.run.NotMeasured) == 0 {
		return x, err
	}
	last, failed := lastKept()
	if failed != nil {
		return x, failed
	}
	y, failed := answer.Of(last, catalog.All()).Adviser().Answer(q)
	if failed != nil || err == nil && y.Off() >= x.Off() {
		return x, err
	}
	y.Notes = append(y.Notes, fmt.Sprintf("%s does not answer: its budget left out what is nearest to the question. More time may suffice: %s",
		s.from, asTyped("run", "--budget", fmt.Sprintf("%.0fs", 2*s.run.Parameters.Budget))))
	*s = source{run: last, from: builtIn}
	return y, nil
}

// builtIn is the origin of the results in docs/results.
const builtIn = "the run that is part of this program (docs/results)"

// lastKept returns the same run at each call, which must not be changed.
var lastKept = sync.OnceValues(kept.Last)

// find returns the results at a path, as [store.Read] does. For an empty path it returns the last whole run in
// [store.Parent], or the run that is part of this program if there is none. A run is whole if it is complete and has
// all structures, workloads and sizes of the normal or the full profile ([bench.Whole]). If a later run is not
// whole but has all structures, its cells replace the same cells of the whole run. Runs without workloads are ignored.
func find(path string) (s source, err error) {
	if path != "" {
		s.run, s.from, err = store.Read(path)
		return s, err
	}
	found, _ := store.FoundIn(store.Parent) // files that cannot be read do not answer
	found = slices.DeleteFunc(found, func(f store.Found) bool { return len(f.Parameters.Workloads) == 0 })
	isPart := func(f store.Found) bool { return !f.Complete || !bench.Whole(f.Parameters, catalog.All()) }
	if whole := slices.DeleteFunc(slices.Clone(found), isPart); len(whole) > 0 {
		s.from = store.LastFound(whole).Path
		s.run, err = store.ReadFile(s.from)
	} else {
		s.from = builtIn
		s.run, err = lastKept()
	}
	if err != nil || len(found) == 0 {
		return s, err
	}
	last := store.LastFound(found)
	if !isPart(last) {
		return s, nil
	}
	part, err := store.ReadFile(last.Path)
	if err != nil {
		return source{}, err
	}
	var taken []results.Cell
	s.run, taken = store.WithCells(s.run, part)
	if len(taken) == 0 {
		s.note = last.Path + " is a part of a run and lacks structures, so it does not answer unless it is named."
		return s, nil
	}
	cells := fmt.Sprintf("%s, n %d", taken[0].Workload, taken[0].N)
	if more := len(taken) - 1; more > 0 {
		cells += " and " + show.Count(more, "more cell")
	}
	s.note = fmt.Sprintf("%s: from %s, %s", cells, last.Path, About(part))
	return s, nil
}

// About says in a sentence when, where and by which profile results were measured.
func About(r *results.Run) string {
	e := r.Environment
	return fmt.Sprintf("the %s run of %s on %s, %d cores, %s/%s, %s.",
		cmp.Or(r.Parameters.Profile, "unnamed"), store.Minute(r.Created),
		cmp.Or(e.CPU, "an unknown processor"), e.Cores, e.OS, e.Arch, e.Go)
}
