package results

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Named is a run and the name of its file, for errors.
type Named struct {
	Name string
	*Run
}

// MergeShards puts the shards of a run together, in their order. It returns an error
// that names the file if a shard is missing, is there twice, is not complete, or belongs
// to another run.
//
// Each cell keeps the machine that it was measured on. A cell whose structures ran in
// several shards becomes one cell of the machine of the first of these. The times of the
// others are converted round by round: a contender that took b beside a reference that
// took r is taken to need b/r times what the reference took in the same round on the
// first machine. The block was the same in both. So ratios between structures of
// different shards contain the noise of both references.
func MergeShards(shards []Named) (*Run, error) {
	shards, err := sortedShards(shards)
	if err != nil {
		return nil, err
	}
	first := shards[0]
	out := &Run{
		Format: Format, Version: first.Version, Complete: true,
		Environment: first.Environment, Parameters: first.Parameters,
		Cells: []Cell{}, Idle: []Idle{},
	}
	out.Parameters.Shard = ""
	for i, s := range shards {
		if s.Created.After(out.Created) {
			out.Created = s.Created
		}
		out.Seconds += s.Seconds
		out.Machines = append(out.Machines, s.Environment)
		out.Failures = append(out.Failures, s.Failures...)
		out.Idle = append(out.Idle, s.Idle...)
		out.Memory = append(out.Memory, s.Memory...)
		out.Calls = append(out.Calls, s.Calls...)
		for _, c := range s.Cells {
			c.Machine = i
			c.Rows = slices.Clone(c.Rows)
			for j := range c.Rows {
				c.Rows[j].Machine = i
			}
			if there := out.cellOf(c); there == nil {
				out.Cells = append(out.Cells, c)
			} else if err := there.addPart(c); err != nil {
				return nil, fmt.Errorf("%s: %w", s.Name, err)
			}
		}
	}
	workload := func(c Cell) int { return slices.Index(out.Parameters.Workloads, c.Workload) }
	slices.SortStableFunc(out.Cells, func(a, b Cell) int {
		return cmp.Or(cmp.Compare(workload(a), workload(b)), cmp.Compare(a.N, b.N))
	})
	return out, nil
}

// sortedShards returns the shards of a run in order, or says what is wrong with them.
func sortedShards(shards []Named) ([]Named, error) {
	if len(shards) == 0 {
		return nil, errors.New("no shards")
	}
	first := shards[0]
	var out []Named
	for _, s := range shards {
		var index, of int
		_, err := fmt.Sscanf(s.Parameters.Shard, "%d/%d", &index, &of)
		switch {
		case err != nil || index < 1 || index > of:
			return nil, fmt.Errorf("%s is not a shard of a run", s.Name)
		case !s.Complete:
			return nil, fmt.Errorf("%s, shard %s, is not complete", s.Name, s.Parameters.Shard)
		case out == nil:
			out = make([]Named, of)
		case of != len(out):
			return nil, fmt.Errorf("%s is shard %s, %s is shard %s",
				s.Name, s.Parameters.Shard, first.Name, first.Parameters.Shard)
		case out[index-1].Run != nil:
			return nil, fmt.Errorf("%s and %s are both shard %s", out[index-1].Name, s.Name, s.Parameters.Shard)
		}
		if d := Difference(first.Parameters, s.Parameters, "shard", "n"); d != "" {
			return nil, fmt.Errorf("%s and %s are not of one run: %s", first.Name, s.Name, d)
		}
		if d := Difference(buildOf(first.Environment), buildOf(s.Environment)); d != "" {
			return nil, fmt.Errorf("%s and %s are not of one build: %s", first.Name, s.Name, d)
		}
		out[index-1] = s
	}
	for i, s := range out {
		if s.Run == nil {
			return nil, fmt.Errorf("shard %d/%d is missing", i+1, len(out))
		}
	}
	return out, nil
}

// build is what all shards of a run have in common.
type build struct {
	Go       string `json:"go"`
	Version  string `json:"version"`
	Revision string `json:"revision"`
}

func buildOf(e Environment) build { return build{e.Go, e.Version, e.Revision} }

func (c *Cell) addPart(part Cell) error {
	here, there, ok := c.reference(part)
	if !ok {
		return fmt.Errorf("%s, n %d: no structure is in all parts of the cell, "+
			"so their times cannot be compared", c.Workload, c.N)
	}
	convert := conversion(here, there)
	kept := Part{Machine: part.Machine}
	for _, row := range part.Rows {
		if c.rowOf(row.Structure) != nil {
			kept.Rows = append(kept.Rows, row)
			continue
		}
		for _, trials := range row.trials() {
			*trials = convert(*trials)
		}
		c.Rows = append(c.Rows, row)
	}
	c.Parts = append(c.Parts, kept)
	c.Seconds += part.Seconds
	return nil
}

// reference returns the rows of the structure that both parts have.
func (c *Cell) reference(part Cell) (here, there Row, ok bool) {
	for _, row := range c.Rows {
		other := part.rowOf(row.Structure)
		if other != nil && row.Role == RoleStructure && row.Machine == c.Machine {
			return row, *other, true
		}
	}
	return here, there, false
}

// conversion returns a function that converts trials measured beside there into those
// beside here. A round that one of the references does not have gets the mean ratio of
// the others.
func conversion(here, there Row) func([]Trial) []Trial {
	byRound := make(map[int]float64)
	for _, t := range here.Cost {
		byRound[t.Round] = t.NS / t.Units
	}
	ratios := make(map[int]float64)
	sum := 0.0
	for _, t := range there.Cost {
		if ns, ok := byRound[t.Round]; ok {
			ratios[t.Round] = ns / (t.NS / t.Units)
			sum += math.Log(ratios[t.Round])
		}
	}
	mean := math.Exp(sum / float64(max(1, len(ratios))))
	return func(trials []Trial) []Trial {
		out := slices.Clone(trials)
		for i := range out {
			ratio, ok := ratios[out[i].Round]
			if !ok {
				ratio = mean
			}
			out[i].MeasuredNS, out[i].NS = out[i].NS, out[i].NS*ratio
			out[i].Kinds = slices.Clone(out[i].Kinds)
			for j := range out[i].Kinds {
				out[i].Kinds[j].NS *= ratio
			}
		}
		return out
	}
}

// MergeLayouts puts runs of one configuration together that were made by builds with
// different code layouts. The trials of a contender follow one another; their instances
// and rounds are renumbered, so that both are unique in the cell. What does not depend on
// the layout (memory, idle wake-ups, distributions of single calls) is that of the first
// run. A structure that has no row in one of the layouts has none.
func MergeLayouts(runs []Named) (*Run, error) {
	if len(runs) == 0 {
		return nil, errors.New("no layouts")
	}
	first := runs[0]
	var list []*Run
	for _, r := range runs {
		if d := Difference(first.Parameters, r.Parameters); d != "" {
			return nil, fmt.Errorf("%s and %s are not of one run: %s", first.Name, r.Name, d)
		}
		if d := Difference(first.Environment, r.Environment, NotOfMachine...); d != "" {
			return nil, fmt.Errorf("%s and %s are not of one machine and build: %s", first.Name, r.Name, d)
		}
		list = append(list, r.Run)
	}
	out := Concat(list, nil)
	for i := range out.Cells {
		c := &out.Cells[i]
		c.Rows = slices.DeleteFunc(c.Rows, func(row Row) bool {
			return row.Role != RoleControl && slices.ContainsFunc(list, func(r *Run) bool {
				there := r.cellOf(*c)
				return there == nil || there.rowOf(row.Structure) == nil
			})
		})
	}
	out.Cells = slices.DeleteFunc(out.Cells, func(c Cell) bool { return len(c.Structures()) == 0 })
	return out, nil
}

// Concat returns the runs as one: the first one, with the trials of the others behind its
// own, row by row. What a row has besides trials is that of the first run that has the row.
// place says where a trial of each run belongs; nil: instances and rounds go on counting
// where those of the run before end. No run is changed.
func Concat(runs []*Run, place func(run int, t *Trial)) *Run {
	out := *runs[0]
	out.Cells, out.Failures, out.Seconds = []Cell{}, nil, 0
	for i, r := range runs {
		out.Seconds += r.Seconds
		out.Complete = out.Complete && r.Complete
		for _, f := range r.Failures {
			if !slices.Contains(out.Failures, f) {
				out.Failures = append(out.Failures, f)
			}
		}
		for _, c := range r.Cells {
			into := out.cellOf(c)
			if into == nil {
				out.Cells = append(out.Cells, c)
				into = &out.Cells[len(out.Cells)-1]
				into.Rows, into.Seconds = nil, 0
			}
			into.Seconds += c.Seconds
			instances, rounds := into.counts()
			for _, row := range c.Rows {
				into.append(row, func(t *Trial) {
					if place != nil {
						place(i, t)
						return
					}
					t.Instance += instances
					t.Round += rounds
				})
			}
		}
	}
	return &out
}

// append adds the trials of a row to that of the same structure, each placed by place.
func (c *Cell) append(row Row, place func(*Trial)) {
	to := c.rowOf(row.Structure)
	if to == nil {
		c.Rows = append(c.Rows, row)
		to = &c.Rows[len(c.Rows)-1]
		to.Cost, to.ByKind, to.WithGC = nil, nil, nil
	} else if to.Stopped == StoppedBeaten { // it is only if it is in all runs
		to.Stopped = row.Stopped
	}
	into := to.trials()
	for i, from := range row.trials() {
		for _, t := range *from {
			place(&t)
			*into[i] = append(*into[i], t)
		}
	}
}

func (r *Row) trials() [3]*[]Trial { return [3]*[]Trial{&r.Cost, &r.ByKind, &r.WithGC} }

func (r *Run) cellOf(c Cell) *Cell {
	for i := range r.Cells {
		if r.Cells[i].Workload == c.Workload && r.Cells[i].N == c.N {
			return &r.Cells[i]
		}
	}
	return nil
}

func (c *Cell) rowOf(name string) *Row {
	for i := range c.Rows {
		if c.Rows[i].Structure == name {
			return &c.Rows[i]
		}
	}
	return nil
}

// counts returns one more than the largest instance and round of the trials.
func (c *Cell) counts() (instances, rounds int) {
	for _, row := range c.Rows {
		for _, t := range row.Cost {
			instances, rounds = max(instances, t.Instance+1), max(rounds, t.Round+1)
		}
	}
	return instances, rounds
}
