package bench

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/structures/catalog"
)

// Shard is one of the parts of a run that are measured by different processes, maybe on
// different machines. The zero value is the whole run.
type Shard struct {
	Index int // from 1
	Of    int
}

// String returns "2/8", or "" for the whole run.
func (s Shard) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

// ParseShard is the inverse of String.
func ParseShard(text string) (Shard, error) {
	var s Shard
	_, err := fmt.Sscanf(text, "%d/%d", &s.Index, &s.Of)
	if err != nil || s.String() != text || s.Index < 1 || s.Index > s.Of {
		return Shard{}, fmt.Errorf("%q: want a shard such as 2/8, from 1/8 to 8/8", text)
	}
	return s, nil
}

// divide distributes steps among shards by their estimated durations, the longest first,
// each to the shard with the least so far. A step that takes longer than a shard should is
// split by structures first. The parts of a step go to different shards.
func divide(steps []step, shards int) [][]step {
	total := 0.0
	for _, s := range steps {
		total += s.duration()
	}
	type unit struct {
		step
		of      int // index of the step
		seconds float64
	}
	var units []unit
	for i, s := range steps {
		for _, part := range s.parts(total/float64(shards), shards) {
			units = append(units, unit{part, i, part.duration()})
		}
	}
	slices.SortStableFunc(units, func(a, b unit) int { return cmp.Compare(b.seconds, a.seconds) })
	chosen := make([][]unit, shards)
	loads := make([]float64, shards)
	for _, u := range units {
		best := -1
		for i := range shards {
			other := slices.ContainsFunc(chosen[i], func(v unit) bool { return v.of == u.of })
			if !other && (best < 0 || loads[i] < loads[best]) {
				best = i
			}
		}
		chosen[best] = append(chosen[best], u)
		loads[best] += u.seconds
	}
	out := make([][]step, shards)
	for i, list := range chosen {
		slices.SortFunc(list, func(a, b unit) int { return cmp.Compare(a.of, b.of) })
		for _, u := range list {
			out[i] = append(out[i], u.step)
		}
	}
	return out
}

// parts splits a step into parts that take limit seconds each, if possible, but into most
// parts at most. Each part of a cell has the reference and some of the other structures.
func (s step) parts(limit float64, most int) []step {
	others := slices.Clone(s.entries)
	var shared []catalog.Entry
	if !s.once {
		reference := referenceOf(s.entries)
		at := slices.IndexFunc(s.entries, func(e catalog.Entry) bool { return e.Name == reference })
		shared, others = s.entries[at:at+1], slices.Delete(others, at, at+1)
	}
	most = min(most, len(others))
	count := min(int(math.Ceil(s.duration()/limit)), most)
	if count < 2 {
		return []step{s}
	}
	// The shared contenders make a part take longer than its share.
	for count < most && s.seconds(len(shared)+(len(others)+count-1)/count) > limit {
		count++
	}
	out := make([]step, count)
	for i := range out {
		chosen := slices.Clone(shared)
		for j := i; j < len(others); j += count { // neighbours in the catalog are alike
			chosen = append(chosen, others[j])
		}
		out[i] = s.some(chosen)
	}
	return out
}

// referenceOf returns the name of the structure that takes part in every part of a cell:
// [ReferenceName] if it was chosen, or else the first one.
func referenceOf(entries []catalog.Entry) string {
	for _, e := range entries {
		if e.Name == ReferenceName {
			return e.Name
		}
	}
	return entries[0].Name
}

// Plan says what a run will do.
type Plan struct {
	Steps   []PlannedStep
	Seconds float64 // of all steps, estimated
	Shards  int     // with so many, none takes longer than asked for
	Slowest float64 // seconds of the longest of these shards
}

// PlannedStep is a step of a run.
type PlannedStep struct {
	Name       string
	Rounds     int // that every contender gets; 0: not a cell
	Structures int
	Seconds    float64 // estimated
}

// PlanRun returns what a run with this configuration will do, without running it. Shards
// is the number of shards for which none takes longer than the given number of seconds,
// as far as steps can be split.
func PlanRun(cfg Config, perShard float64) Plan {
	cfg = cfg.withDefaults()
	var p Plan
	for _, s := range stepsOf(cfg, replay.Clock{}, nil) {
		seconds := s.duration()
		rounds := s.rounds * max(1, cfg.Layouts)
		p.Steps = append(p.Steps, PlannedStep{s.name, rounds, len(s.entries), seconds})
		p.Seconds += seconds
	}
	all := allSteps(cfg, replay.Clock{}, nil)
	for p.Shards = 1; len(all) > 0; p.Shards++ {
		p.Slowest = 0
		parts := 0
		for _, shard := range divide(all, p.Shards) {
			sum := 0.0
			for _, s := range shard {
				sum += s.duration()
			}
			p.Slowest = max(p.Slowest, sum)
			parts += len(shard)
		}
		if p.Slowest <= perShard || p.Shards > parts {
			break
		}
	}
	return p
}
