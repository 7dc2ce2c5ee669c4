package workload

import (
	"fmt"
	"math"
	"os"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/structures"
)

// scriptOf starts the script of a workload at a size and returns it with its fill.
func scriptOf(t *testing.T, name string, n int) (*script.Script, *script.Block) {
	t.Helper()
	w, ok := Find(name)
	if !ok {
		t.Fatalf("no workload %q", name)
	}
	s := w.Script(n, 1)
	return s, s.Fill()
}

// within fails the test unless got is as wanted, to a relative tolerance.
func within(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance*math.Abs(want) {
		t.Errorf("%s: %.6g, want %.6g within %g %%", what, got, want, 100*tolerance)
	}
}

// Requests of Kafka's purgatory complete after a log-normal time whose median is 20 ms and whose upper quartile is 50
// ms: of those that are cancelled, before the timeout of 100 ms, the same shares come first.
func TestKafkaRequestsCompleteAsPublished(t *testing.T) {
	t.Parallel()
	s, _ := scriptOf(t, "kafka-purgatory", 335)
	var ages []float64
	scheduled := map[uint32]structures.Tick{}
	now, total := structures.Tick(0), 0
	b := s.Next(200_000, nil)
	for kind, op := range b.All() {
		switch kind {
		case script.KindSchedule:
			scheduled[op.Key] = now
			total++
		case script.KindCancel:
			if at, ok := scheduled[op.Key]; ok {
				ages = append(ages, float64(now-at))
			}
		default:
			now = op.At
		}
	}
	slices.Sort(ages)
	// Both ends are rounded up to ticks, which leaves ages whole and their mean as it
	// is: compare shares half a tick around.
	for _, c := range []struct{ ms, share float64 }{{20, 0.50}, {50, 0.75}} {
		below := sort.SearchFloat64s(ages, c.ms) + sort.SearchFloat64s(ages, c.ms+1)
		within(t, fmt.Sprintf("share completed after %g ms", c.ms), float64(below)/2/float64(total), c.share, 0.01)
	}
}

// Deadlines of peers that are left set are moved as often as Centrifugo's, those that fire do so in vain, and as many stops as
// wireguard-go's find nothing pending.
func TestDeadlinesAreLeftAsRecorded(t *testing.T) {
	t.Parallel()
	s, fill := scriptOf(t, "left-deadline", 10_000)
	b := s.Next(300_000, nil)
	schedules, moves, refused := b.Count(script.KindSchedule), b.Count(script.KindReschedule), b.Count(script.KindRefused)
	fired, cancelled := float64(len(b.Fires)), float64(b.Want.Cancelled-fill.Want.Cancelled)
	// Answers end by cancels alone, so each cancel has a schedule of its own. The other sets are of deadlines that are left.
	left := float64(schedules+moves) - cancelled
	within(t, "moves of the deadlines that are left set", float64(moves)/left, 1-math.Exp(-2), 0.02)
	within(t, "of which fire in vain", fired/left, math.Exp(-2), 0.05)
	within(t, "stops of what is not pending", float64(refused)/float64(b.Calls), 0.22, 0.03)
}

// The entries of a cache end as its parameters say, whatever the number of entries: of the sets of a key at rate s that
// is deleted at rate d, with a TTL of t, exp(-(s+d)t) expire, and of the others s/(s+d) are overwritten.
func TestCacheEntriesEndAsDerived(t *testing.T) {
	t.Parallel()
	w, _ := Find("ttl-cache")
	var sets, expired, overwritten, deleted, resident float64
	for _, c := range w.Model.(*Cache).Classes {
		parts := c.TTL.Parts
		if parts == nil {
			parts = []Part{{Weight: 1, Delay: c.TTL}}
		}
		total, s, d := 0.0, 1/float64(c.SetEvery), 0.0
		for _, p := range parts {
			total += float64(p.Weight)
		}
		if c.DeleteEvery > 0 {
			d = 1 / float64(c.DeleteEvery)
		}
		for _, p := range parts {
			rate := float64(c.Rate) * float64(p.Weight) / total
			lasts := math.Exp(-(s + d) * float64(p.Mean))
			sets, expired = sets+rate, expired+rate*lasts
			overwritten, deleted = overwritten+rate*(1-lasts)*s/(s+d), deleted+rate*(1-lasts)*d/(s+d)
			resident += rate * (1 - lasts) / (s + d) / 1e9
		}
	}
	within(t, "population", float64(w.Resident), resident, 0.01)
	row := fmt.Sprintf("| all | | | %.0f | | | %.1f %% | %.1f %% | %.1f %% |\n", sets, 100*expired/sets, 100*overwritten/sets, 100*deleted/sets)
	if page, err := os.ReadFile("../../docs/ttl.md"); err != nil || !strings.Contains(string(page), row) {
		t.Errorf("docs/ttl.md lacks the line %s (%v)", row, err)
	}
	for _, n := range []int{1000, 20_000} {
		b := w.Script(n, 2)
		b.Fill()
		x := b.Next(400_000, nil)
		schedules, moves := x.Count(script.KindSchedule), x.Count(script.KindReschedule)
		all := float64(schedules + moves)
		within(t, "expired", float64(len(x.Fires))/all, expired/sets, 0.02)
		within(t, "overwritten", float64(moves)/all, overwritten/sets, 0.03)
		within(t, "deleted", float64(x.Count(script.KindCancel))/all, deleted/sets, 0.05)
	}
}

// The fill of a cache sets each entry at its own time, so a structure sees whole TTLs and no remainders.
func TestTheFillOfACacheHasWholeTTLs(t *testing.T) {
	t.Parallel()
	_, fill := scriptOf(t, "ttl-cache", 2000)
	delays, now := make(map[structures.Tick]int), structures.Tick(0)
	for kind, op := range fill.All() {
		if kind == script.KindSchedule {
			delays[op.At-now]++
		} else {
			now = op.At
		}
	}
	if len(delays) < 4 || len(delays) > 6 || delays[86_400_000] < 1800 || fill.Want.Pending != 2000 || fill.Want.Fired != 0 {
		t.Errorf("%d pending after delays of %v", fill.Want.Pending, delays)
	}
}
