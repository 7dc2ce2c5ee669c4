package costs

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/structures/catalog"
)

// counts returns counts that grow by a rule.
func counts(ops Ops, few bool, work bool, perTurn func(n float64) float64) []Count {
	var counts []Count
	for _, n := range []int{1000, 10_000, 100_000} {
		c := Count{Pattern: "p", Ops: ops, Few: few, N: n, Turns: 1000, Blocks: uint64(1000 * perTurn(float64(n)))}
		if work {
			c.Work = c.Blocks
		}
		counts = append(counts, c)
	}
	return counts
}

func TestCheckFindsWhatGrowsFasterThanClaimed(t *testing.T) {
	growths := []struct {
		name    string
		slowest catalog.Growth // that allows it
		perTurn func(n float64) float64
	}{
		{"nothing", catalog.Constant, func(float64) float64 { return 40 }},
		{"less", catalog.Constant, func(n float64) float64 { return 1e6 / n }},
		{"one step", catalog.Constant, func(n float64) float64 { return 40 + 40*min(1, math.Floor(n/10_000)) }},
		{"little log", catalog.Logarithmic, func(n float64) float64 { return 20 + 3*math.Log2(n) }},
		{"log", catalog.Logarithmic, func(n float64) float64 { return 10 * math.Log2(n) }},
		{"log squared", catalog.Linear, func(n float64) float64 { return math.Pow(math.Log2(n), 2) }},
		{"root", catalog.Linear, func(n float64) float64 { return 2 * math.Sqrt(n) }},
		{"little linear", catalog.Linear, func(n float64) float64 { return 100 + n/100 }},
		{"linear", catalog.Linear, func(n float64) float64 { return n }},
	}
	for _, g := range growths {
		for _, claimed := range []catalog.Growth{catalog.Constant, catalog.Logarithmic, catalog.Linear} {
			err := Check(counts(Schedule, false, true, g.perTurn), catalog.Costs{Schedule: catalog.Cost{Growth: claimed}})
			if (err == nil) != (claimed >= g.slowest) {
				t.Errorf("%s, claimed %v: %v", g.name, claimed, err)
			}
		}
	}
}

func TestAClaimIsThatOfTheDearestOperation(t *testing.T) {
	costs := catalog.Costs{
		Schedule: catalog.Cost{Growth: catalog.LogDistinct}, Cancel: catalog.Cost{Growth: catalog.Constant}, Pop: catalog.Cost{Growth: catalog.Linear},
	}
	for _, c := range []struct {
		ops  Ops
		few  bool
		want catalog.Growth
	}{
		{Cancel, false, catalog.Constant},
		{Schedule, false, catalog.Logarithmic},
		{Schedule, true, catalog.Constant},
		{Reschedule, false, catalog.Logarithmic},
		{Schedule | Cancel, false, catalog.Logarithmic},
		{Cancel | Next, false, catalog.Linear},
		{Pop, true, catalog.Linear},
	} {
		if got := (Count{Ops: c.ops, Few: c.few}).Claim(costs); got != c.want {
			t.Errorf("%v, few %t: %v, want %v", c.ops, c.few, got, c.want)
		}
	}
}

func TestCheckWorkFindsWorkThatIsNotCounted(t *testing.T) {
	linear := func(n float64) float64 { return n / 10 }
	if err := CheckWork(counts(Pop, false, true, linear)); err != nil {
		t.Error(err)
	}
	if err := CheckWork(counts(Pop, false, false, linear)); err == nil {
		t.Error("linear work that is not counted was not found")
	}
	if err := CheckWork(counts(Pop, false, false, math.Log2)); err != nil {
		t.Error(err)
	}
	if err := CheckWork(counts(Pop, false, false, linear)[:1]); err != nil {
		t.Error(err)
	}
}

// written is what Go writes for functions with these counters.
func written(functions ...[]uint64) []byte {
	var b bytes.Buffer
	b.Write(countersMagic)
	_ = binary.Write(&b, binary.LittleEndian, uint32(countersVersion))
	b.Write(make([]byte, 16))
	b.Write([]byte{flavorVarint, 0, 0, 0, 0, 0, 0, 0})
	_ = binary.Write(&b, binary.LittleEndian, uint64(len(functions)))
	_ = binary.Write(&b, binary.LittleEndian, [2]uint32{3, 5})
	b.WriteString("strings!")
	for _, counters := range functions {
		for _, x := range append([]uint64{uint64(len(counters)), 7, 300}, counters...) {
			b.Write(binary.AppendUvarint(nil, x))
		}
	}
	return b.Bytes()
}

func TestSumCounters(t *testing.T) {
	data := written([]uint64{1, 200, 0}, nil, []uint64{math.MaxUint32, 40_000})
	if sum, err := sumCounters(data); err != nil || sum != 40_200 {
		t.Errorf("%d, %v, want 40200 modulo 2^32", sum, err)
	}
	for n := range data {
		if _, err := sumCounters(data[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes were accepted", n, len(data))
		}
	}
	data[4]++
	if _, err := sumCounters(data); err == nil || !strings.Contains(err.Error(), "Go has changed their layout") {
		t.Errorf("another version: %v", err)
	}
}
