package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/advice"
	"github.com/timerbench/timerbench/trace/tracestat"
)

type recommendFlags struct {
	n, cancel, reschedule, perWake string
	delays, weights, trace         string
	late, judge                    bool
}

func newRecommend() *cobra.Command {
	var f recommendFlags
	cmd := &cobra.Command{
		Use:   "recommend [RESULTS]",
		Short: "Name the structure that fits, with the evidence",
		Long: `Name the structure that fits so many timers, of which so many are cancelled, and what the next
best costs. The answer comes from the cells of the results that are nearest to the question, and
says when none is near. The results are a file or a folder of runs. Without them it takes the last
whole run in ` + runsFolder + `/, or else the run that is part of this program. A run is whole if it has all
structures, workloads and sizes of the normal or the full profile. If the last run is not whole, it
answers for its own cells, provided that it has all structures, and recommend says so.`,
		Example: `  timerbench recommend --n 1e6 --cancel 90%
  timerbench recommend --n 1e5 --cancel 50% --dist clustered --weights throughput=1,tail=2 --late
  timerbench recommend --trace my.trace
  timerbench recommend --judge ` + runsFolder + `/latest`,
		Args: cobra.MaximumNArgs(1),
		RunE: stoppable(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			return f.run(ctx, args, cmd.OutOrStdout())
		}),
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.n, "n", "n", "", "how many timers are pending, such as 200k or 1e6")
	flags.StringVar(&f.cancel, "cancel", "", "`share` of the timers that is cancelled, such as 90% or 0.9 (default: not known)")
	flags.StringVar(&f.delays, "dist", "", "`shape` of the delays, such as uniform or clustered (default: any)")
	flags.StringVar(&f.reschedule, "reschedule", "", "`share` of the calls that move a timer, such as 30% (default: not known)")
	flags.StringVar(&f.perWake, "per-wake", "", "`number` of calls between two wake-ups (default: not known)")
	flags.StringVar(&f.weights, "weights", "", "what matters, of throughput, tail, memory and idle, such as throughput=1,tail=2 (default: throughput)")
	flags.BoolVar(&f.late, "late", false, "name structures that fire late, too")
	flags.StringVar(&f.trace, "trace", "", "take the question from this trace; the other flags replace parts of it")
	flags.BoolVar(&f.judge, "judge", false, "ask the question of each workload of a program, answer it without that workload, and show hits and misses")
	return cmd
}

func (f *recommendFlags) run(ctx context.Context, args []string, stdout io.Writer) error {
	var q advice.Question
	if !f.judge {
		var err error
		if q, err = f.question(ctx); err != nil {
			return err
		}
	}
	r, from, note, err := adviceResults(args)
	if err != nil {
		return err
	}
	a := advice.New(r)
	if f.judge {
		if err := showJudgements(stdout, a.Judge()); err != nil {
			return fmt.Errorf("%s: %w", from, err)
		}
		showSource(stdout, r, from, note)
		return nil
	}
	if f.delays == "" {
		q = a.Measured(q) // the shape is that of the recording
	}
	x, err := a.Answer(q)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	showAnswer(stdout, x)
	showSource(stdout, r, from, note)
	return nil
}

// question returns the question of the trace and the flags.
func (f *recommendFlags) question(ctx context.Context) (advice.Question, error) {
	q := advice.Question{Cancel: advice.Unknown, Reschedule: advice.Unknown}
	if f.trace != "" {
		s, err := interruptible(ctx, tracestat.Read, f.trace)
		if err != nil {
			return q, fmt.Errorf("--trace: %w", err)
		}
		q = advice.QuestionOf(s)
	} else if f.n == "" {
		return q, errors.New("--n is missing: want the number of pending timers, such as --n 1e6, or a recording, such as --trace my.trace")
	}
	for _, flag := range []struct {
		name, text string
		into       *float64
		share      bool
	}{
		{"n", f.n, &q.N, false}, {"cancel", f.cancel, &q.Cancel, true},
		{"reschedule", f.reschedule, &q.Reschedule, true}, {"per-wake", f.perWake, &q.PerWake, false},
	} {
		if flag.text == "" {
			continue
		}
		parse := func(text string) (float64, error) { return parseNumber(text, maxSize) }
		if flag.share {
			parse = parseShare
		}
		v, err := parse(flag.text)
		if err != nil {
			return q, fmt.Errorf("--%s: %w", flag.name, err)
		}
		*flag.into = v
	}
	q.Delays = cmp.Or(f.delays, q.Delays)
	q.Late = f.late
	if f.weights != "" {
		var err error
		if q.Matters, err = advice.ParseWeights(f.weights); err != nil {
			return q, fmt.Errorf("--weights: %w", err)
		}
	}
	return q, q.Check()
}

// parseShare reads a share as a number or in percent.
func parseShare(text string) (float64, error) {
	var s share
	if err := s.Set(text); err != nil || s > 1 {
		return 0, fmt.Errorf("%q: want a share, from 0%% to 100%% or from 0 to 1", text)
	}
	return float64(s), nil
}

// adviceResults reads the results that the user has named, or else those of answering.
func adviceResults(args []string) (r *results.Run, from, note string, err error) {
	if len(args) == 0 {
		return answering()
	}
	if from, err = locate(args[0]); err == nil {
		r, err = results.Read(from)
	}
	return r, from, "", err
}

func showSource(out io.Writer, r *results.Run, from, note string) {
	fmt.Fprintln(out, wrapped(fmt.Sprintf("\nFrom %s: %s", from, aboutRun(r))))
	if note != "" {
		fmt.Fprintln(out, wrapped(note))
	}
}

// aboutRun says when and where a run was made.
func aboutRun(r *results.Run) string {
	e := r.Environment
	return fmt.Sprintf("the %s run of %s on %s, %d cores, %s/%s, %s.",
		cmp.Or(r.Parameters.Profile, "unnamed"), r.Created.Format("2006-01-02 15:04 UTC"), cmp.Or(e.CPU, "an unknown processor"), e.Cores, e.OS, e.Arch, e.Go)
}

func showAnswer(out io.Writer, x advice.Answer) {
	fmt.Fprintln(out, wrapped(x.Sentence))
	for _, line := range append([]string{x.Far}, x.Missing...) {
		if line != "" {
			fmt.Fprintln(out, wrapped(line))
		}
	}
	fmt.Fprintln(out)
	showRanking(out, x)
	fmt.Fprintln(out)
	showEvidence(out, x)
}

func showRanking(out io.Writer, x advice.Answer) {
	t := newTable("structure", "score", "to the first", "cost", "ns", "tail", "tail ns", "bytes", "wakes", "")
	for i, s := range x.Ranking {
		to := show.Times(s.Times.Center)
		if lo, hi := show.Times(s.Times.Lo), show.Times(s.Times.Hi); s.Times.Bounded() && lo != hi {
			to = lo + "–" + hi
		}
		t.AppendRow(table.Row{s.Structure, show.Times(s.Score), to, known(s.Cost, show.Times), known(s.NS, nanoseconds),
			known(s.TailTimes, show.Times), known(s.TailNS, nanoseconds), known(s.Bytes, nanoseconds), known(s.Wakeups, show.Times), remark(s, i == 0)})
	}
	fmt.Fprintln(out, aligned(t, 2, 9))
	fmt.Fprintln(out, wrapped(fmt.Sprintf("Score: the weighted geometric mean of the multiples of the best in what matters. Cost, tail, wakes (wake-ups): multiples of "+
		"the best. ns: a %s, and a call of the slowest kind (99.9th percentile), in %s, n %d.", x.Evidence[0].Unit, x.Evidence[0].Workload, x.Evidence[0].N)))
}

// remark says what else there is to a structure.
func remark(s advice.Ranked, first bool) string {
	var out []string
	switch standing := s.Times.Standing(); {
	case first:
	case standing == stats.Tie:
		out = append(out, "tie")
	case standing == stats.Unclear:
		out = append(out, "unclear")
	}
	if s.Late != "" {
		out = append(out, "late")
	}
	return strings.Join(out, ", ")
}

// known formats a figure; 0 is not known.
func known(v float64, format func(float64) string) string {
	if v == 0 {
		return "–"
	}
	return format(v)
}

func showEvidence(out io.Writer, x advice.Answer) {
	t := newTable("it rests on", "n", "weight", "distance", "fastest there", "differs from the question")
	for _, e := range x.Evidence {
		t.AppendRow(table.Row{e.Workload, e.N, percent0(e.Weight), fmt.Sprintf("%.1f", e.Distance), e.Fastest, cmp.Or(e.Differs, "–")})
	}
	fmt.Fprintln(out, aligned(t, 2, 4))
	fmt.Fprintf(out, "Distance: up to %.1f is the question itself, beyond %.1f is far.\n", advice.Measured, advice.TooFar)
}

func percent0(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// showJudgements shows how the answers do on workloads that they do not know.
func showJudgements(out io.Writer, list []advice.Judgement) error {
	if len(list) == 0 {
		return errors.New("no workload of a program beside other workloads, so there is nothing to judge by")
	}
	t := newTable("workload", "n", "named", "times the fastest", "hit", "may be the fastest")
	hits := 0
	for _, j := range list {
		hit := "miss"
		switch {
		case j.Hit:
			hit, hits = "hit", hits+1
		case slices.Contains(j.Fastest, j.Named):
			hit = "miss, not certain"
		}
		times := "–"
		if !math.IsNaN(j.Times) {
			times = show.Times(j.Times)
		}
		t.AppendRow(table.Row{j.Workload, j.N, j.Named, times, hit, strings.Join(j.Fastest, ", ")})
	}
	fmt.Fprintln(out, aligned(t, 2, 2))
	fmt.Fprintln(out, wrapped(fmt.Sprintf("Hits: %d of %d. A hit is within %.0f %% of the fastest. Each answer is made without the cells of its workload. "+
		"A miss is not certain if the structure that is named may be the fastest.", hits, len(list), 100*(advice.Near-1))))
	return nil
}

// showTypical prints the answers to the typical questions, or to those of the recorded workloads.
func showTypical(out io.Writer, r *results.Run) {
	for _, x := range advice.New(r).Typical() {
		fmt.Fprintln(out, wrapped(strings.Join(slices.DeleteFunc([]string{x.Sentence, x.Far}, func(s string) bool { return s == "" }), " ")))
	}
}
