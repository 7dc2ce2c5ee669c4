package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"regexp"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"github.com/google/pprof/profile"
	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/counters"
	"github.com/timerbench/timerbench/bench/doctor"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/internal/values"
	"github.com/timerbench/timerbench/structures/catalog"
)

const caseForm = "want a workload and a size, such as churn/n=1e6"

// parseCase reads "churn/n=1e6".
func parseCase(text string) (w workload.Workload, n int, err error) {
	name, rest, _ := strings.Cut(text, "/")
	if w, err = exactly("workload", workload.All(), nameOfWorkload, name); err != nil {
		return w, 0, err
	}
	value, ok := strings.CutPrefix(rest, "n=")
	switch {
	case ok:
		v, err := values.ParseNumber(value, values.MaxSize)
		if err != nil {
			return w, 0, fmt.Errorf("%q: n is %w", text, err)
		}
		return w, int(v), nil
	case rest != "" || w.Resident == 0:
		return w, 0, fmt.Errorf("%q: %s", text, caseForm)
	}
	return w, w.Resident, nil
}

type profileFlags struct {
	structure, out string
	seed           uint64
	length         time.Duration
}

func newProfile() *cobra.Command {
	var f profileFlags
	cmd := &cobra.Command{
		Use:   "profile CASE",
		Short: "Profile one structure on one workload",
		Long: `Profile one structure on one workload: replay it again and again, write a CPU profile
for go tool pprof, and print the functions that take the most time, and what the
hardware counted. The profile holds the replays alone, not the writing of scripts and
the checks.

CASE is a workload and a size. Workloads with a size of their own need none.`,
		Example: `  timerbench profile churn/n=1e6 -s hwheel -o cpu.pprof
  go tool pprof -http :8080 cpu.pprof`,
		Args: argsFrom(1, 1, "a workload and a size, such as churn/n=1e6"),
		RunE: stoppable(f.run),
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.structure, "structure", "s", "", "`name` of the structure (required)")
	flags.StringVarP(&f.out, "out", "o", "cpu.pprof",
		"`file` for the profile"+orStdout+", and the table goes to the standard error then")
	flags.Uint64Var(&f.seed, "seed", 1, "seed of the script")
	flags.DurationVar(&f.length, "for", 5*time.Second, "time of all replays together")
	return cmd
}

func (f *profileFlags) run(cmd *cobra.Command, args []string) error {
	w, n, err := parseCase(args[0])
	if err != nil {
		return err
	}
	e, err := exactly("structure", catalog.All(), nameOfStructure, f.structure)
	switch {
	case f.structure == "":
		return fmt.Errorf("--structure is missing: want the name of one structure")
	case err != nil:
		return err
	case e.Limit > 0 && n > e.Limit:
		return fmt.Errorf("%s is made for at most %d timers, and n is %d", e.Name, e.Limit, n)
	case f.length <= 0:
		return fmt.Errorf("--for %s: want a duration above 0", f.length)
	}
	if err := writable("out", f.out); err != nil {
		return err
	}
	p, r, err := f.replay(cmd.Context(), w, n, e)
	if err != nil {
		return err
	}
	if err := writeTo("out", f.out, cmd.OutOrStdout(),
		func(w io.Writer) error { return p.Write(w) }); err != nil {
		return err
	}
	if f.out == "-" {
		printProfile(cmd.ErrOrStderr(), p, r)
		return nil
	}
	printProfile(cmd.OutOrStdout(), p, r)
	fmt.Fprintf(cmd.ErrOrStderr(),
		"the profile is in %s; look at it with: go tool pprof -http :8080 %s\n", f.out, f.out)
	return nil
}

// phase is the label of the samples that were taken during a replay.
const phase, phaseReplay = "phase", "replay"

// replay replays the case and returns the profile of the replays.
func (f *profileFlags) replay(ctx context.Context, w workload.Workload, n int,
	e catalog.Entry) (*profile.Profile, bench.Replayed, error) {
	var raw bytes.Buffer
	if err := pprof.StartCPUProfile(&raw); err != nil {
		return nil, bench.Replayed{}, err
	}
	r, err := bench.ReplayFor(ctx, w, n, f.seed, e, f.length, func(block func()) {
		pprof.Do(ctx, pprof.Labels(phase, phaseReplay), func(context.Context) { block() })
	})
	pprof.StopCPUProfile()
	if err != nil {
		return nil, r, err
	}
	p, err := profile.Parse(&raw)
	if err != nil {
		return nil, r, fmt.Errorf("reading the profile: %w", err)
	}
	p.Sample = slices.DeleteFunc(p.Sample,
		func(s *profile.Sample) bool { return !s.HasLabel(phase, phaseReplay) })
	return p.Compact(), r, p.CheckValid()
}

// functionTime is the time of a function, in ns of the processor: in itself, and with
// what it calls.
type functionTime struct {
	name      string
	flat, cum int64
}

// functionTimes returns the functions of a profile, those with the most time of their
// own first, and the time of all.
func functionTimes(p *profile.Profile) (list []functionTime, total int64) {
	times := make(map[string]functionTime)
	for _, s := range p.Sample {
		ns := s.Value[len(s.Value)-1]
		total += ns
		var stack []string // inlined functions first
		for _, location := range s.Location {
			for _, line := range location.Line {
				stack = append(stack, line.Function.Name)
			}
		}
		for i, name := range stack {
			f := times[name]
			f.name = name
			if i == 0 {
				f.flat += ns
			}
			if !slices.Contains(stack[:i], name) { // once, also where it calls itself
				f.cum += ns
			}
			times[name] = f
		}
	}
	return slices.SortedFunc(maps.Values(times), func(a, b functionTime) int {
		return cmp.Or(cmp.Compare(b.flat, a.flat), cmp.Compare(b.cum, a.cum),
			strings.Compare(a.name, b.name))
	}), total
}

// typeArguments are the type arguments in the name of a function, which may hold brackets.
var typeArguments = regexp.MustCompile(`\[[^\[\]]*\]`)

// shortName leaves out of the name of a function what is the same in all of them.
func shortName(name string) string {
	for {
		shorter := typeArguments.ReplaceAllString(name, "")
		if shorter == name {
			return strings.TrimPrefix(name, "github.com/timerbench/timerbench/")
		}
		name = shorter
	}
}

// topFunctions is the number of functions that are printed (chosen).
const topFunctions = 12

func printProfile(out io.Writer, p *profile.Profile, r bench.Replayed) {
	list, total := functionTimes(p)
	samples := int64(0)
	for _, s := range p.Sample {
		samples += s.Value[0]
	}
	share := func(ns int64) string { return show.Percent(float64(ns) / float64(max(total, 1))) }
	t := show.Table{Align: "rrl", Header: []string{"own", "with callees", "function"}}
	for _, f := range list[:min(topFunctions, len(list))] {
		t.Add(share(f.flat), share(f.cum), shortName(f.name))
	}
	fmt.Fprintln(out, t.Terminal())
	fmt.Fprintf(out, "%d operations, %s ns per %s, %d samples.\n", r.Operations,
		show.Figure(r.NS/r.Units), r.Unit, samples)
	fmt.Fprintln(out, hardwareLine(r))
}

// hardwareLine says what the hardware counted, or why it did not.
func hardwareLine(r bench.Replayed) string {
	var parts []string
	for _, name := range counters.Names {
		if n, ok := r.Counters[name]; ok {
			parts = append(parts, show.Figure(n)+" "+name)
		}
	}
	if len(parts) > 0 {
		return fmt.Sprintf("Per %s: %s.", r.Unit, strings.Join(parts, ", "))
	}
	why := "they could not be read"
	for _, f := range examine() {
		if f.Check == "hardware counters" && f.Verdict != doctor.OK {
			why = f.Value
		}
	}
	return "Hardware counters: unavailable: " + why + "."
}
