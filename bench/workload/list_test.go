package workload

import (
	"encoding/binary"
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/internal/longtest"
	"github.com/timerbench/timerbench/structures"
)

var update = flag.Bool("update", false, "rewrite golden files")

// smallN is the size at which tests run a workload without a size of its own. largeN is
// the size to which they scale down larger workloads.
const (
	smallN = 500
	largeN = 10_000
)

func sizeFor(w Workload) int {
	if w.Resident > 0 {
		return min(w.Resident, largeN)
	}
	return smallN
}

// fingerprint returns a hash of the operations and the expected outcome of blocks.
func fingerprint(blocks ...*script.Block) uint64 {
	h := fnv.New64a()
	for _, b := range blocks {
		for _, batch := range b.Batches {
			_ = binary.Write(h, binary.LittleEndian, []uint64{uint64(batch.Kind), uint64(batch.Len)})
		}
		for _, op := range b.Ops {
			_ = binary.Write(h, binary.LittleEndian, []uint64{uint64(op.At), uint64(op.Key)})
		}
		_ = binary.Write(h, binary.LittleEndian, b.Want)
	}
	return h.Sum64()
}

// The golden file is the same on any machine, so two runs are comparable.
func TestTheSameSeedGivesTheSameBytesOnAnyMachine(t *testing.T) {
	t.Parallel()
	const golden = "testdata/scripts.golden"
	var lines strings.Builder
	for _, w := range All() {
		for seed := range uint64(2) {
			s := w.Script(sizeFor(w), seed)
			fmt.Fprintf(&lines, "%s seed %d %016x\n", w.Name, seed, fingerprint(s.Fill(), s.Next(5000, nil)))
		}
	}
	if *update {
		fail.If(t, os.WriteFile(golden, []byte(lines.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	fail.If(t, err)
	got, wanted := strings.Split(lines.String(), "\n"), strings.Split(string(want), "\n")
	seen := map[string]bool{}
	for i := range max(len(got), len(wanted)) {
		if i >= len(got) || i >= len(wanted) || got[i] != wanted[i] {
			t.Fatalf("line %d of the fingerprints differs from %s (run with -update if the workload was meant to change)", i+1, golden)
		}
		_, print, _ := strings.Cut(got[i], "seed")
		if seen[print] {
			t.Errorf("two scripts are the same: %s", got[i])
		}
		seen[print] = true
	}
}

// A block in reused memory must not contain data of the previous block.
func TestABlockInReusedMemoryIsTheSame(t *testing.T) {
	t.Parallel()
	w, _ := Find("mixed")
	fresh, reusing := w.Script(smallN, 1), w.Script(smallN, 1)
	fresh.Fill()
	memory := reusing.Fill()
	for i := range 5 {
		memory = reusing.Next(1000, memory)
		if a, b := fingerprint(fresh.Next(1000, nil)), fingerprint(memory); a != b {
			t.Fatalf("block %d: %x in fresh memory, %x in reused memory", i, a, b)
		}
	}
}

// The generator does not know these figures; they follow from the parameters: the number
// of pending timers (scaled down for large workloads) and the share that is cancelled.
func TestWorkloadsArriveAtTheirDerivedFigures(t *testing.T) {
	t.Parallel()
	operations := longtest.Scale(t, 30_000, 50_000, 300_000)
	cancelled := map[string]float64{"kafka-purgatory": 0.882, "churn": 1 - (math.Exp(-2)-math.Exp(-6))/4} // of churn see livesPerDelay
	for _, percent := range []int{0, 10, 50, 90, 99} {
		for _, d := range script.GridDists() {
			cancelled[fmt.Sprintf("grid-%s-%d", d.Name, percent)] = float64(percent) / 100
		}
	}
	for _, w := range All() {
		if w.Kind().Cyclic {
			continue // the number of pending timers goes from n to 0 and back
		}
		s := w.Script(sizeFor(w), 1)
		fill := s.Fill()
		b := s.Next(operations, nil)
		tolerance := 0.02
		if w.Resident == 0 {
			// The population varies at random. Its mean over m operations has a relative standard error of 2/√m
			// for lifetimes that are all alike, and 3.3/√m for those of grid-exponential-99. This is four of them.
			tolerance = 13 / math.Sqrt(float64(operations))
		}
		within(t, w.Name+": residents", b.Resident, float64(sizeFor(w)), tolerance)
		gone := float64(b.Want.Cancelled - fill.Want.Cancelled)
		if want, ok := cancelled[w.Name]; ok {
			done := b.Units(script.PerLifecycle)
			bound := max(0.02*want, 4*math.Sqrt(want*(1-want)/done))
			if share := gone / done; math.Abs(share-want) > bound {
				t.Errorf("%s: %.4f cancelled, want %.3f within %.4f", w.Name, share, want, bound)
			}
			delete(cancelled, w.Name)
		}
	}
	for name := range cancelled {
		t.Errorf("no workload %q", name)
	}
}

// For each distribution the mean position of a new timer among the sorted deadlines, as a share of their number, is
// known (Jones 1986). It is the mean of R(x) over the drawn delays x, where R is the distribution function of the
// remaining delays of the pending timers. This checks the whole generator.
func TestHoldInsertsAtTheKnownPlace(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]float64{
		"exponential": 1.0 / 2,
		"uniform":     2.0 / 3,
		"constant":    1,
		"biased":      1 - 0.1/3,
		"triangular":  1 - 1.35/6.75,
		"bimodal":     (0.9*0.35 + 0.1*(10.45+1.0/30)) * 2 / 21,
	} {
		s := HoldWith(name).Script(1000, 1)
		var deadlines []structures.Tick
		insert := func(at structures.Tick) float64 {
			i := sort.Search(len(deadlines), func(i int) bool { return deadlines[i] > at })
			share := float64(i) / float64(max(1, len(deadlines)))
			deadlines = append(deadlines, 0)
			copy(deadlines[i+1:], deadlines[i:])
			deadlines[i] = at
			return share
		}
		for _, op := range s.Fill().Ops {
			insert(op.At)
		}
		b, sum, n := s.Next(60_000, nil), 0.0, 0
		for kind, op := range b.All() {
			if kind == script.KindSchedule {
				sum += insert(op.At)
				n++
			} else {
				deadlines = deadlines[sort.Search(len(deadlines), func(i int) bool { return deadlines[i] > op.At }):]
			}
		}
		if got := sum / float64(n); math.Abs(got-want) > 0.01 {
			t.Errorf("%s: mean place %.3f, want %.3f", name, got, want)
		}
	}
}

// A mistake in programs.toml gives an error that names the entry, the value and the expected one.
func TestMistakesInProgramsAreNamed(t *testing.T) {
	t.Parallel()
	const (
		head  = "[[workload]]\nname = 'mine'\ntick = '1ms'\n"
		rates = "model = 'flow'\n[[workload.parameters.class]]\nrate = 100\ndelay = {kind = 'constant', mean = '2s'}\n"
	)
	for text, want := range map[string]string{
		head:                                  `"mine": model "": want one of hold, `,
		head + "model = 'flo'":                `"mine": model "flo": want one of hold, `,
		head + "model = 'flow'\nparameters=1": `programs.toml: `,
		head + "model = 'hold'\nparameters={delays='x'}": `"mine": parameters: `,
		head + rates: `"mine": population is missing: want the number of pending timers that follows from the rates, about 200`,
	} {
		_, err := readPrograms([]byte(text))
		fail.UnlessError(t, err, want)
	}
	list, err := readPrograms([]byte(head + "population = 200\n" + rates))
	if err != nil || len(list) != 1 || list[0].Resident != 200 {
		t.Errorf("%+v, error %v", list, err)
	}
}

// Of these each parameter is in its range, and what follows from them is not.
func TestFlowsWithoutASteadyStateAreRefused(t *testing.T) {
	t.Parallel()
	logNormal := Delay{Kind: "lognormal", Median: Duration(time.Millisecond), UpperQuartile: Duration(145 * time.Millisecond)}
	for name, c := range map[string]struct {
		delay, warmUp time.Duration
		want          string // the key
	}{
		"completions that may take for ever":        {300_000 * time.Hour, 0, "class[0].completion"},
		"the same, started empty":                   {300_000 * time.Hour, time.Second, ""},
		"completions that are bounded by the delay": {time.Second, 0, ""},
	} {
		f := Flow{WarmUp: Duration(c.warmUp), Classes: []Class{{Rate: 10, Delay: Delay{Kind: "constant", Mean: Duration(c.delay)}, Completion: &logNormal}}}
		if got := f.Check(); (len(got) > 0) != (c.want != "") || len(got) > 0 && got[0].Key != c.want {
			t.Errorf("%s: errors %v, want one of %q", name, got, c.want)
		}
	}
}

func TestDurationsAreWrittenShortAndReadBack(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0s", "20ms", "1.5s", "10s", "2m", "1m30s", "1h", "1h0m10s", "10h", "1h30m", "75s"} {
		var d Duration
		fail.If(t, d.UnmarshalText([]byte(text)))
		var again Duration
		if err := again.UnmarshalText([]byte(d.String())); err != nil || again != d || len(d.String()) > len(text)+2 {
			t.Errorf("%s is written %s and read as %v (%v)", text, d, again, err)
		}
	}
	var d Duration
	fail.UnlessError(t, d.UnmarshalText([]byte("5 apples")), "100ms")
}

func TestShapeOf(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		p50, p90, p99 float64
		want          string
	}{
		{100, 100, 100, "constant"},
		{500, 900, 990, "uniform"},
		{30_000, 60_200, 60_550, "clustered"},
		{693, 2303, 4605, "exponential"},
		{1, 1000, 1_000_000, ""},
		{0, 1, 2, ""},
	} {
		fail.UnlessSame(t, fmt.Sprintf("percentiles %g, %g, %g", test.p50, test.p90, test.p99), ShapeOf(test.p50, test.p90, test.p99), test.want)
	}
}

func TestDelaysOfAModel(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"tcp": "[lognormal exponential]", "kafka-purgatory": "[constant lognormal]", "cache-ttl-23": "[mixture]", "cron-aligned": "[]",
	} {
		if w, _ := Find(name); fmt.Sprint(Delays(w.Model)) != want {
			t.Errorf("%s: %v, want %s", name, Delays(w.Model), want)
		}
	}
}
