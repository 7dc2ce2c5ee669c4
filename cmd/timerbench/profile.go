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
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/counters"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/structures/catalog"
)

// profileCase is a cell: a workload at one size.
type profileCase struct {
	workload workload.Workload
	n        int
}

const caseForm = "want a workload and a size, such as churn/n=1e6"

// parseCase reads "churn/n=1e6".
func parseCase(text string) (profileCase, error) {
	name, rest, _ := strings.Cut(text, "/")
	w, err := exactly("workload", workload.All(), func(w workload.Workload) string { return w.Name }, name)
	if err != nil {
		return profileCase{}, err
	}
	value, ok := strings.CutPrefix(rest, "n=")
	if !ok && (rest != "" || w.Resident == 0) {
		return profileCase{}, fmt.Errorf("%q: %s", text, caseForm)
	}
	c := profileCase{w, w.Resident}
	if ok {
		n, err := parseNumber(value, maxSize)
		if err != nil {
			return c, fmt.Errorf("%q: n is %w", text, err)
		}
		c.n = int(n)
	}
	return c, nil
}

// exactly returns the one of all that has that name.
func exactly[T any](what string, all []T, name func(T) string, want string) (T, error) {
	found, err := match(what, all, name, "^"+regexp.QuoteMeta(want)+"$")
	if err != nil {
		var none T
		var names []string
		for _, x := range all {
			names = append(names, name(x))
		}
		return none, unknown(what, want, names)
	}
	return found[0], nil
}

func newProfile() *cobra.Command {
	structure, out, seed, length := "", "cpu.pprof", uint64(1), 5*time.Second
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
		Args: oneArg("a workload and a size, such as churn/n=1e6"),
		RunE: stoppable(func(ctx context.Context, cmd *cobra.Command, args []string) error {
			c, err := parseCase(args[0])
			if err != nil {
				return err
			}
			e, err := exactly("structure", catalog.All(), func(e catalog.Entry) string { return e.Name }, structure)
			switch {
			case structure == "":
				return fmt.Errorf("--structure is missing: want the name of one structure")
			case err != nil:
				return err
			case e.Limit > 0 && c.n > e.Limit:
				return fmt.Errorf("%s is made for at most %d timers, and n is %d", e.Name, e.Limit, c.n)
			case length <= 0:
				return fmt.Errorf("--for %s: want a duration above 0", length)
			}
			if err := writable("out", out); err != nil {
				return err
			}
			p, r, err := profileReplays(ctx, c, seed, e, length)
			if err != nil {
				return err
			}
			if err := writeTo(out, cmd.OutOrStdout(), func(w io.Writer) error { return p.Write(w) }); err != nil {
				return fmt.Errorf("--out %s: %w", out, err)
			}
			if out == "-" {
				printProfile(cmd.ErrOrStderr(), p, r)
				return nil
			}
			printProfile(cmd.OutOrStdout(), p, r)
			fmt.Fprintf(cmd.ErrOrStderr(), "the profile is in %s; look at it with: go tool pprof -http :8080 %s\n", out, out)
			return nil
		}),
	}
	flags := cmd.Flags()
	flags.StringVarP(&structure, "structure", "s", "", "`name` of the structure (required)")
	flags.StringVarP(&out, "out", "o", out, "`file` for the profile"+orStdout+", and the table goes to the standard error then")
	flags.Uint64Var(&seed, "seed", seed, "seed of the script")
	flags.DurationVar(&length, "for", length, "time of all replays together")
	return cmd
}

// phase is the label of the samples that were taken during a replay.
const phase, phaseReplay = "phase", "replay"

// profileReplays replays the case and returns the profile of the replays.
func profileReplays(ctx context.Context, c profileCase, seed uint64, e catalog.Entry, length time.Duration) (*profile.Profile, bench.Replayed, error) {
	var raw bytes.Buffer
	if err := pprof.StartCPUProfile(&raw); err != nil {
		return nil, bench.Replayed{}, err
	}
	r, err := bench.ReplayFor(ctx, c.workload, c.n, seed, e, length, func(block func()) {
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
	p.Sample = slices.DeleteFunc(p.Sample, func(s *profile.Sample) bool { return !s.HasLabel(phase, phaseReplay) })
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
	times := make(map[string]*functionTime)
	for _, s := range p.Sample {
		ns := s.Value[len(s.Value)-1]
		total += ns
		seen := make(map[string]bool)
		leaf := true
		for _, location := range s.Location {
			for _, line := range location.Line { // inlined ones first
				name := line.Function.Name
				if times[name] == nil {
					times[name] = &functionTime{name: name}
				}
				if leaf {
					times[name].flat += ns
					leaf = false
				}
				if !seen[name] {
					times[name].cum += ns
					seen[name] = true
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(times)) {
		list = append(list, *times[name])
	}
	slices.SortStableFunc(list, func(a, b functionTime) int { return cmp.Or(cmp.Compare(b.flat, a.flat), cmp.Compare(b.cum, a.cum)) })
	return list, total
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
	t := newTable("own", "with callees", "function")
	for _, f := range list[:min(topFunctions, len(list))] {
		share := func(ns int64) string { return show.Percent(float64(ns) / float64(max(total, 1))) }
		t.AppendRow(table.Row{share(f.flat), share(f.cum), shortName(f.name)})
	}
	fmt.Fprintln(out, aligned(t, 1, 2))
	fmt.Fprintf(out, "%d operations, %s ns per %s, %d samples.\n", r.Operations, nanoseconds(r.NS/r.Units), r.Unit, samples)
	fmt.Fprintln(out, hardwareLine(r))
}

// hardwareLine says what the hardware counted, or why it did not.
func hardwareLine(r bench.Replayed) string {
	var parts []string
	for _, name := range counters.Names {
		if n, ok := r.Counters[name]; ok {
			parts = append(parts, fmt.Sprintf("%.3g %s", n, name))
		}
	}
	if len(parts) > 0 {
		return fmt.Sprintf("Per %s: %s.", r.Unit, strings.Join(parts, ", "))
	}
	why := "they could not be read"
	for _, f := range examine() {
		if f.Check == "hardware counters" && f.Verdict != "ok" {
			why = f.Value
		}
	}
	return "Hardware counters: unavailable: " + why + "."
}
