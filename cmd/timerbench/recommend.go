package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/results"
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
	q := answer.Question{Cancel: answer.Unknown, Reschedule: answer.Unknown}
	var recording string
	var external, force, asJSON bool
	cmd := &cobra.Command{
		Use:   "recommend [RESULTS]",
		Short: "Name the best structure for a question, with the evidence",
		Long: `Name one structure for a number of timers and a mix of operations, and the
cost of the others. It is auto, unless another one is certainly better. The
answer comes from the nearest cells of the results, and says so if none is near.
RESULTS is a file or a folder of runs. The default is the last whole run in
` + results.Parent + `/, or the run that is part of this program if there is none. A run is
whole if it has all structures, workloads and sizes of the normal or the full
profile. If a later run has only some cells but all structures, its cells
replace those of the whole run, and recommend says so.`,
		Example: `  timerbench recommend --n 1e6 --cancel 90% --rate 50000/s
  timerbench recommend --n 1e5 --cancel 50% --dist clustered \
    --weights throughput=1,tail=2 --late
  timerbench recommend --trace my.trace`,
		Args: argsFrom(0, 1, "at most one file or folder of results"),
		RunE: func(cmd *cobra.Command, args []string) error {
			recorded, err := completeQuestion(cmd.ErrOrStderr(), &q, recording, force)
			if err != nil {
				return err
			}
			source, err := Find(append(args, "")[0])
			if err != nil {
				return err
			}
			r, from := source.Run, source.From
			if external {
				if len(r.External) == 0 {
					return fmt.Errorf("--external: %s has no external programs: want results of run --external", from)
				}
				r = r.Among(results.RoleExternal)
			}
			a, out := answer.Of(r, catalog.All()).Adviser(), cmd.OutOrStdout()
			if !cmd.Flags().Changed("dist") {
				q = a.Measured(q) // the shape comes from the trace
			}
			if err := reply(out, a, q, asJSON); err != nil {
				return fmt.Errorf("%s: %w", from, err)
			}
			if asJSON {
				return nil
			}
			if recorded != nil {
				showNext(out, recording, recorded)
			}
			fmt.Fprintln(out, show.Wrapped(fmt.Sprintf("\nFrom %s: %s", from, About(r))))
			if source.Note != "" {
				fmt.Fprintln(out, show.Wrapped(source.Note))
			}
			return nil
		},
	}
	flags := cmd.Flags()
	size, share := readNumber(maxSize), readShare(1)
	flags.FuncP("n", "n", "`number` of pending timers, such as 200k or 1e6", valueTo(&q.N, size))
	flags.Func("cancel", "`share` of the timers that are cancelled, such as 90% or 0.9 (default: unknown)", valueTo(&q.Cancel, share))
	flags.StringVar(&q.Delays, "dist", "", "`shape` of the delays, such as constant, uniform or clustered (default: any)")
	flags.Func("reschedule", "`share` of the calls that move a timer, such as 30% (default: unknown)", valueTo(&q.Reschedule, share))
	flags.Func("per-wake", "`number` of calls between two wake-ups (default: unknown)", valueTo(&q.PerWake, size))
	flags.Func("rate", "`number` of timers started (or mostly moved) per second, such as 50000/s: "+
		"shows what the difference is worth (default: the rate of the trace, if there is one)",
		valueTo(&q.Rate, func(text string) (answer.Rate, error) {
			rate, err := readRate(text)
			return answer.Rate{Timers: rate, Moves: rate}, err
		}))
	flags.Func("weights",
		"`weights` of throughput, tail, memory, idle and pause (the longest call), such as throughput=1,tail=2 (default: throughput)",
		valueTo(&q.Matters, answer.ParseWeights))
	flags.BoolVar(&q.Late, "late", false, "include structures that fire late")
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
		q.Recorded = true
		q.N, q.PerWake, q.Delays = cmp.Or(q.N, of.N), cmp.Or(q.PerWake, of.PerWake), cmp.Or(q.Delays, of.Delays)
		q.Rate = cmp.Or(q.Rate, of.Rate)
		if q.Cancel == answer.Unknown {
			q.Cancel = of.Cancel
		}
		if q.Reschedule == answer.Unknown {
			q.Reschedule = of.Reschedule
		}
	case q.N == 0:
		return nil, errors.New("--n is missing: want the number of pending timers, such as --n 1e6, or a trace, such as --trace my.trace")
	case force:
		return nil, errors.New("--force: needs --trace")
	}
	return s, q.Check()
}

// questionOf returns the question that describes a recorded program, which schedules a timer at least.
func questionOf(s *tracestat.Summary) answer.Question {
	q := answer.Question{N: max(1, s.Resident), Cancel: s.CancelRate, Recorded: true}
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
	if wakes := float64(ops[trace.Advance]); wakes > 0 {
		q.PerWake = calls / wakes
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

// reply prints the answer to a question: the sentences, the ranking and the evidence, or one JSON object.
func reply(out io.Writer, a *answer.Adviser, q answer.Question, asJSON bool) error {
	x, err := a.Answer(q)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(out, x)
	}
	for _, line := range slices.Concat([]string{x.Sentence(), x.Far, x.Live}, x.Missing) {
		if line != "" {
			fmt.Fprintln(out, show.Wrapped(line))
		}
	}
	weighed := q.Matters != (answer.Weights{}) // the multiples matter, or else the times
	t := show.Table{Align: "llr", Header: []string{"structure", "best", "to " + x.Name, "cost"}}
	if weighed {
		t.Header = append(t.Header, "score", "tail")
		if q.Matters[answer.Pause] > 0 {
			t.Header = append(t.Header, "pause")
		}
	} else {
		t.Header = append(t.Header, "ns", "tail ns")
	}
	t.Header = append(t.Header, "bytes", "idle, tick", "idle, next")
	for _, s := range x.Ranking {
		to := show.Times(s.Times.Center)
		if s.Times.Bounded() && show.Times(s.Times.Lo) != show.Times(s.Times.Hi) {
			to = show.Interval(s.Times.Lo, s.Times.Hi, show.Times, "–")
		}
		name, best := s.Structure, ""
		if s.Late != "" {
			name += "*"
		}
		if s.Candidate() {
			best = "may"
		}
		if s.Structure == x.Name {
			best = "take"
		}
		var ticking, tickless any
		if s.Idle {
			ticking, tickless = s.Ticking, s.Tickless
		}
		line := []any{name, best, to, known(s.Cost, show.Times)}
		if weighed {
			line = append(line, show.Times(s.Score), known(s.TailTimes, show.Times))
			if q.Matters[answer.Pause] > 0 {
				line = append(line, known(s.PauseNS, show.Duration))
			}
		} else {
			line = append(line, known(s.NS, show.Figure), known(s.TailNS, show.Figure))
		}
		t.Add(append(line, known(s.Bytes, show.Figure), ticking, tickless)...)
	}
	nearest := x.Evidence[0]
	figures := fmt.Sprintf("ns: per %s, and for a call of the slowest kind (99th percentile), in %s, n %d; over several cells, of %s alone.",
		nearest.Unit, nearest.Workload, nearest.N, x.Name)
	if weighed {
		figures = "Score: the weighted geometric mean of the multiples of the best in what matters."
	}
	if x.BytesAmong > 0 {
		figures += fmt.Sprintf(" Bytes: per timer, measured among %s.", show.Grouped(x.BytesAmong))
	}
	if x.IdleAmong > 0 {
		figures += fmt.Sprintf(" Idle: wake-ups without a fire, per fired timer, with delays of 30 s at a tick of 1 ms and no cancels: "+
			"of a driver that wakes at every tick, among as many timers as in the question, and of one that sleeps until the next "+
			"deadline, counted among %s.", show.Grouped(x.IdleAmong))
	}
	fmt.Fprintf(out, "\n%s\n%s\n", t.Terminal(), show.Wrapped(fmt.Sprintf(
		"*: fires late. Best: the structures that may be the best. To %s: the ratio or its 95 %% interval. "+
			"Cost, tail: multiples of the best, over all cells below. %s", x.Name, figures)))

	t = show.Table{Align: "lrrrl",
		Header: []string{"evidence", "n", "weight", "distance", "fastest there",
			"differs from the question"}}
	for _, e := range x.Evidence {
		t.Add(e.Workload, show.Grouped(e.N), fmt.Sprintf("%.0f %%", 100*e.Weight), fmt.Sprintf("%.1f", e.Distance),
			e.Fastest, cmp.Or(e.Differs, show.Unknown))
	}
	fmt.Fprintf(out, "\n%s\nDistance: at most %.1f is the question itself, above %.1f is far.\n",
		t.Terminal(), answer.Measured, answer.TooFar)
	return nil
}

// Source is the results that answer a question.
type Source struct {
	Run  *results.Run
	From string // the path of the results, or "the run that is part of this program (docs/results)"
	Note string // which cells come from a later run, or why that run does not answer; empty: none
}

// builtIn is the origin of the results in docs/results.
const builtIn = "the run that is part of this program (docs/results)"

// Find returns the results at a path, as [results.Read] does. For an empty path it returns the last whole run in
// [results.Parent], or the run that is part of this program if there is none. A run is whole if it is complete and has
// all structures, workloads and sizes of the normal or the full profile ([bench.Whole]). If a later run is not
// whole but has all structures, its cells replace the same cells of the whole run. Runs without workloads are ignored.
func Find(path string) (s Source, err error) {
	if path != "" {
		s.Run, s.From, err = results.Read(path)
		return s, err
	}
	found, _ := results.FoundIn(results.Parent) // files that cannot be read do not answer
	found = slices.DeleteFunc(found, func(f results.Found) bool { return len(f.Parameters.Workloads) == 0 })
	isPart := func(f results.Found) bool { return !f.Complete || !bench.Whole(f.Parameters, catalog.All()) }
	if whole := slices.DeleteFunc(slices.Clone(found), isPart); len(whole) > 0 {
		s.From = results.LastFound(whole).Path
		s.Run, err = results.ReadFile(s.From)
	} else {
		s.From = builtIn
		s.Run, err = kept.Last()
	}
	if err != nil || len(found) == 0 {
		return s, err
	}
	last := results.LastFound(found)
	if !isPart(last) {
		return s, nil
	}
	part, err := results.ReadFile(last.Path)
	if err != nil {
		return Source{}, err
	}
	var taken []results.Cell
	s.Run, taken = s.Run.WithCells(part)
	if len(taken) == 0 {
		s.Note = last.Path + " is a part of a run and lacks structures, so it does not answer unless it is named."
		return s, nil
	}
	cells := fmt.Sprintf("%s, n %d", taken[0].Workload, taken[0].N)
	if more := len(taken) - 1; more > 0 {
		cells += " and " + show.Count(more, "more cell")
	}
	s.Note = fmt.Sprintf("%s: from %s, %s", cells, last.Path, About(part))
	return s, nil
}

// About says in a sentence when, where and by which profile results were measured.
func About(r *results.Run) string {
	e := r.Environment
	return fmt.Sprintf("the %s run of %s on %s, %d cores, %s/%s, %s.",
		cmp.Or(r.Parameters.Profile, "unnamed"), results.Minute(r.Created),
		cmp.Or(e.CPU, "an unknown processor"), e.Cores, e.OS, e.Arch, e.Go)
}
