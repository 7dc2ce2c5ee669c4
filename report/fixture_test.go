package report

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	kept "github.com/timerbench/timerbench/docs/results"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/report/draw"
	"github.com/timerbench/timerbench/report/section"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
)

var six = entry.Classics[:]

var workloads = []string{
	"hold", "start-stop", "churn", "fill-drain", "idle",
	"grid-uniform-0", "grid-uniform-50", "grid-uniform-90",
	"grid-clustered-0", "grid-clustered-50", "grid-clustered-90",
	"kafka-purgatory", "cache-ttl",
}

// inFamilies gives each structure the family that its name tells.
func inFamilies(names []string) []entry.Entry {
	out := make([]entry.Entry, len(names))
	for i, name := range names {
		out[i].Name = name
		for _, f := range []entry.Family{entry.Heaps, entry.Wheels, entry.Trees, entry.Lists} {
			if strings.Contains(name, strings.TrimSuffix(string(f), "s")) {
				out[i].Family = f
				break
			}
		}
	}
	return out
}

// viewOf is the view of results with what testKnowledge knows.
func viewOf(r *results.Run, known answer.Knowledge) *section.View {
	return section.NewView(answer.With(r, known))
}

func figures(v *section.View) []*draw.Figure {
	out := section.Figures(section.All(v))
	if f := v.Map(); f != nil {
		out = append(out, f)
	}
	return out
}

// verdict is the verdict of the kept runs.
var verdict = sync.OnceValues(func() (answer.Verdict, error) {
	runs, err := kept.All()
	return answer.VerdictOf(runs, catalog.All()), err
})

// pageOf returns the page of results in Markdown, with the knowledge of six structures or of others.
func pageOf(t *testing.T, r *results.Run, structures ...string) string {
	t.Helper()
	if structures == nil {
		structures = six
	}
	return markdownOf(t, viewOf(r, testKnowledge(structures)))
}

func markdownOf(t *testing.T, v *section.View) string {
	t.Helper()
	text, err := newPage(v, section.All(v), verdict).markdown()
	fail.If(t, err)
	return string(text)
}

// testKnowledge stands still while the catalog and the workloads grow.
func testKnowledge(structures []string) answer.Knowledge {
	return answer.Knowledge{Entries: inFamilies(structures), Workload: func(name string) (workload.Workload, bool) {
		w := workload.Workload{Name: name, Summary: "What " + name + " does.", Source: "a paper on " + name}
		switch rest, grid := strings.CutPrefix(name, "grid-"); {
		case grid:
			delays, percent, _ := strings.Cut(rest, "-")
			cancelled, _ := strconv.Atoi(percent) // of a name above
			w.Category, w.Grid = workload.Grid, &script.Place{Delays: delays, CancelPercent: cancelled}
		case name == "kafka-purgatory" || name == "cache-ttl":
			w.Category, w.Resident = workload.Program, 50_000
		default:
			w.Category = workload.Synthetic
		}
		return w, slices.Contains(workloads, name)
	}}
}

// fixture makes results that look like real ones, the same at every call.
type fixture struct {
	structures []string
	workloads  []string
	sizes      []int
	trials     int
}

func (f fixture) results() *results.Run {
	r := &results.Run{
		Format: results.Format, Version: results.Version, Complete: true,
		Created: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		Environment: results.Environment{Go: "go1.26.0", OS: "linux", Arch: "amd64", CPU: "Some CPU @ 3.0GHz",
			Cores: 2, GOMAXPROCS: 2, Version: "v0.1.0", Revision: "0123456789ab", ClockNS: 38.4, ClockStep: 1},
		Parameters: results.Parameters{Profile: "normal", Seed: 1, Trials: f.trials,
			Structures: f.structures, Workloads: f.workloads, N: f.sizes},
	}
	for _, w := range f.workloads {
		known, _ := testKnowledge(nil).Workload(w)
		sizes := f.sizes
		if known.Resident > 0 {
			sizes = []int{known.Resident}
		}
		for _, n := range sizes {
			r.Cells = append(r.Cells, f.cell(w, n))
		}
	}
	for _, s := range f.structures {
		fresh := 30 + 60*random("memory", s).Float64()
		r.Memory = append(r.Memory, results.Memory{Structure: s, N: 100_000, EmptyBytes: 400, Bytes: fresh, AgedBytes: 1.2 * fresh, Replaced: 200_000, CollectNS: 1e6})
	}
	for _, s := range f.structures {
		for _, w := range []string{"avalanche-tick", "avalanche-slot"} {
			r.Calls = append(r.Calls, f.calls(w, s))
		}
	}
	r.IdleTicks = f.idleTicks()
	return r
}

func random(of ...any) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, of...)
	return rand.New(rand.NewPCG(h.Sum64(), 1))
}

// shape is a cost that depends on the structure as one would expect.
func shape(name string, n int) float64 {
	log := math.Log2(float64(n) + 1)
	base := 20 + 60*random("base", name).Float64()
	switch {
	case strings.Contains(name, "null"):
		return 6
	case strings.Contains(name, "wheel"):
		return base + 2*log
	case strings.Contains(name, "list"):
		return base + 30*log
	case strings.Contains(name, "tree"):
		return base + 14*log
	default:
		return base + 7*log
	}
}

func (f fixture) cell(w string, n int) results.Cell {
	c := results.Cell{Workload: w, N: n, Unit: script.PerLifecycle, Resident: float64(n) * 1.01, TickNS: 1e6}
	nothingFires := w == "churn" || w == "start-stop"
	proof := script.Proof{Scheduled: 200_000, Fired: 100_000, Cancelled: 90_000, Pending: 10_000, Checksum: random(w, n).Uint64()}
	c.CancelRate = 0.474
	known, _ := testKnowledge(nil).Workload(w)
	c.Category = string(known.Category)
	if known.Grid != nil {
		c.Grid = known.Grid
		c.CancelRate = float64(known.Grid.CancelPercent) / 100
	}
	if nothingFires {
		proof = script.Proof{Scheduled: 200_000, Cancelled: 190_000, Pending: 10_000, Checksum: 0}
		c.CancelRate = 1
	}
	for _, s := range f.structures {
		c.Rows = append(c.Rows, f.row(c, s, s, results.RoleStructure, proof))
	}
	if slices.Contains(f.structures, "quadheap") {
		row := f.row(c, "quadheap-control", "quadheap", results.RoleControl, proof)
		row.Of = "quadheap"
		c.Rows = append(c.Rows, row)
	}
	c.Rows = append(c.Rows, f.row(c, "null", "null", results.RoleFloor, proof))
	return c
}

func (f fixture) row(c results.Cell, name, like string, role results.Role, proof script.Proof) results.Row {
	r := random("row", c.Workload, c.N, name)
	per := shape(like, c.N) * (0.8 + 0.6*random(c.Workload, like).Float64())
	if role == results.RoleFloor {
		per = 6
	}
	_ = r.Float64() // the golden files rest on the numbers after this one
	row := results.Row{Structure: name, Role: role, Proof: proof}
	kinds := []script.Kind{script.KindSchedule, script.KindCancel, script.KindReschedule, script.KindFire}
	if proof.Fired == 0 {
		kinds = kinds[:3]
	}
	for i := range f.trials {
		noise := 1 + 0.03*r.NormFloat64()
		t := results.Trial{Instance: i / 2, Round: i, NS: per * 1e5 * noise, Ops: 200_000, Units: 1e5}
		if like == "skiplist" {
			t.Allocs, t.AllocBytes = 12_345, 1_234_567
		}
		row.Cost = append(row.Cost, t)
		t.NS *= 1.3
		for _, k := range kinds {
			t.Kinds = append(t.Kinds, results.KindTime{Kind: k, Count: 50_000, NS: per * 2e4 * (1 + 0.02*r.NormFloat64()), ClockReads: 1000})
		}
		row.ByKind = append(row.ByKind, t)
	}
	for _, k := range kinds {
		row.Latency = append(row.Latency, latencies(r, k, per))
	}
	return row
}

func latencies(r *rand.Rand, kind script.Kind, per float64) results.Latency {
	l := results.Latency{Kind: kind, Samples: 400_000}
	at := func(q float64) float64 {
		return 38 + per*0.4*(1+0.3*math.Pow(-math.Log10(1-q), 2.2))
	}
	l.P50, l.P90, l.P99, l.P999 = at(0.5), at(0.9), at(0.99), at(0.999)
	l.Max = at(0.99999) * math.Exp(2+3*r.Float64())
	l.Mean = l.P50 * 1.1
	return l
}

func (f fixture) calls(w, name string) results.Calls {
	r := random("calls", w, name)
	ns := func() float64 { return 1000 * math.Exp(6*r.Float64()) }
	return results.Calls{
		Workload: w, N: 100_000, Structure: name, Rounds: 3, Calls: 400_000,
		Longest: []results.LongestCall{
			{Operation: results.Schedule, NS: ns(), At: 0},
			{Operation: results.Cancel, NS: ns(), At: 32_768},
			{Operation: results.Pop, NS: ns(), At: 65_536},
		},
	}
}

// idleTicks are those of a rate of N/30,000, with work that grows from structure to structure.
func (f fixture) idleTicks() (out []results.IdleTicks) {
	for _, shape := range []results.Shape{results.Uniform, results.Clustered, results.RoundTimes, results.HalfCancelled} {
		for _, n := range []int{10, 1000, 100_000} {
			rate := float64(n) / 30_000
			i := results.IdleTicks{Shape: shape, N: n, Ticks: 100_000, Idle: uint64(1e5 * math.Exp(-rate)), Fired: uint64(1e5 * rate), FlatRounds: uint64(30e5 * rate)}
			if shape == results.RoundTimes {
				i.Idle = 99_990
			}
			for at, name := range f.structures {
				s := results.IdleTickOf{Structure: name, NS: 3 + float64(at)*math.Log(float64(n))}
				if strings.Contains(name, "wheel") {
					s.Vain, s.Wakeups = i.Fired*uint64(at), i.Fired/uint64(n)
				}
				if shape == results.Uniform || shape == results.HalfCancelled {
					i.Structures = append(i.Structures, s)
				}
			}
			out = append(out, i)
		}
	}
	return out
}

func small() fixture {
	return fixture{structures: six, workloads: workloads, sizes: []int{1000, 1_000_000}, trials: 6}
}

// tiny has a chart of each kind, of few marks.
func tiny() fixture {
	return fixture{structures: []string{"quadheap", "rbtree"}, workloads: []string{"hold", "grid-uniform-50", "kafka-purgatory"}, sizes: []int{10, 100}, trials: 6}
}

func trials(ns ...float64) []results.Trial {
	var out []results.Trial
	for i, v := range ns {
		out = append(out, results.Trial{Round: i, NS: v * 10, Units: 10})
	}
	return out
}
