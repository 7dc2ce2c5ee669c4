package workload

import (
	"testing"
	"time"

	"github.com/timerbench/timerbench/structures"
)

// The periods of jobs follow the weights; aligned ones fire on multiples of their
// period, hashed ones at any phase.
func TestCronFollowsWeightsAndPhases(t *testing.T) {
	t.Parallel()
	const jobs = 20_000
	for name, aligned := range map[string]bool{"cron-aligned": true, "cron-hashed": false} {
		s, fill := scriptOf(t, name, jobs)
		if fill.Want.Pending != jobs {
			t.Fatalf("%s: %d jobs, want %d", name, fill.Want.Pending, jobs)
		}
		var counts []int
		var weights []float64
		periods := map[structures.Tick]int{}
		w, _ := Find(name)
		for i, p := range w.Model.(*Cron).Periods {
			periods[p.Every.ticks(time.Second)] = i
			counts = append(counts, 0)
			weights = append(weights, float64(p.Weight))
		}
		// Before anything fires, each key is a job.
		for _, e := range s.Process().(*cron).fires {
			counts[periods[e.tick]]++
		}
		chiSquare(t, name+": periods", counts, weights)

		b := s.Next(200_000, nil)
		again, onTime, phases := 0.0, 0.0, 0.0
		for _, f := range b.Fires {
			if f.Value < jobs {
				continue // fires for the first time: its delay is its phase
			}
			if _, ok := periods[f.Delay]; !ok {
				t.Fatalf("%s: a job fires after %d ticks", name, f.Delay)
			}
			again++
			if f.At%f.Delay == 0 {
				onTime++
			}
			phases += float64(f.At%f.Delay) / float64(f.Delay)
		}
		if share := onTime / again; aligned != (share == 1) || !aligned && share > 0.05 {
			t.Errorf("%s: %.3f fire on round times", name, share)
		}
		if !aligned {
			within(t, name+": mean phase", phases/again, 0.5, 0.02)
		}
	}
}

// Where a minute or more passes between two jobs, it takes one step: two days of ten
// jobs are at most two days of minutes for each.
func TestCronReachesTheNextDay(t *testing.T) {
	t.Parallel()
	s, _ := scriptOf(t, "cron-aligned", 10)
	steps := 0
	for s.Now() < 2*86_400 {
		s.Next(1, nil)
		steps++
	}
	if steps > 2*24*60 {
		t.Errorf("%d steps", steps)
	}
}
