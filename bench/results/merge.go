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
			if err := out.addCell(c); err != nil {
				return nil, fmt.Errorf("%s: %w", s.Name, err)
			}
		}
	}
	place := func(c Cell) (int, int) { return slices.Index(out.Parameters.Workloads, c.Workload), c.N }
	slices.SortStableFunc(out.Cells, func(a, b Cell) int {
		aw, an := place(a)
		bw, bn := place(b)
		return cmp.Or(cmp.Compare(aw, bw), cmp.Compare(an, bn))
	})
	return out, nil
}

// sortedShards returns the shards of a run in order, or says what is wrong with them.
func sortedShards(shards []Named) ([]Named, error) {
	if len(shards) == 0 {
		return nil, errors.New("no shards")
	}
	byIndex := make(map[int]Named)
	first := shards[0]
	of := 0
	for _, s := range shards {
		var index, n int
		if _, err := fmt.Sscanf(s.Parameters.Shard, "%d/%d", &index, &n); err != nil {
			return nil, fmt.Errorf("%s is not a shard of a run", s.Name)
		}
		if !s.Complete {
			return nil, fmt.Errorf("%s, shard %s, is not complete", s.Name, s.Parameters.Shard)
		}
		if of == 0 {
			of = n
		}
		if n != of {
			return nil, fmt.Errorf("%s is shard %s, %s is shard %s", s.Name, s.Parameters.Shard, first.Name, first.Parameters.Shard)
		}
		if other, taken := byIndex[index]; taken {
			return nil, fmt.Errorf("%s and %s are both shard %s", other.Name, s.Name, s.Parameters.Shard)
		}
		if d := Difference(first.Parameters, s.Parameters, "shard", "n"); d != "" {
			return nil, fmt.Errorf("%s and %s are not of one run: %s", first.Name, s.Name, d)
		}
		if d := Difference(buildOf(first.Environment), buildOf(s.Environment)); d != "" {
			return nil, fmt.Errorf("%s and %s are not of one build: %s", first.Name, s.Name, d)
		}
		byIndex[index] = s
	}
	out := make([]Named, of)
	for i := range out {
		s, ok := byIndex[i+1]
		if !ok {
			return nil, fmt.Errorf("shard %d/%d is missing", i+1, of)
		}
		out[i] = s
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

// addCell adds a cell, or the rows of a cell that is there already.
func (r *Run) addCell(c Cell) error {
	i := slices.IndexFunc(r.Cells, func(old Cell) bool { return old.Workload == c.Workload && old.N == c.N })
	if i < 0 {
		r.Cells = append(r.Cells, c)
		return nil
	}
	return r.Cells[i].addPart(c)
}

// addPart adds the rows of another part of a cell.
func (c *Cell) addPart(part Cell) error {
	here, there, ok := c.reference(part)
	if !ok {
		return fmt.Errorf("%s, n %d: no structure is in all parts of the cell, so their times cannot be compared", c.Workload, c.N)
	}
	convert := conversion(here, there)
	kept := Part{Machine: part.Machine}
	for _, row := range part.Rows {
		if slices.ContainsFunc(c.Rows, func(old Row) bool { return old.Structure == row.Structure }) {
			kept.Rows = append(kept.Rows, row)
			continue
		}
		row.Cost = convert(row.Cost)
		row.ByKind = convert(row.ByKind)
		row.WithGC = convert(row.WithGC)
		c.Rows = append(c.Rows, row)
	}
	c.Parts = append(c.Parts, kept)
	c.Seconds += part.Seconds
	return nil
}

// reference returns the rows of the structure that both parts have.
func (c *Cell) reference(part Cell) (here, there Row, ok bool) {
	for _, row := range c.Rows {
		i := slices.IndexFunc(part.Rows, func(other Row) bool { return other.Structure == row.Structure })
		if i >= 0 && row.Role == RoleStructure && row.Machine == c.Machine {
			return row, part.Rows[i], true
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
