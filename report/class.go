package report

import (
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/workload"
)

// class is the section that shows a workload.
type class int

const (
	synthetic  class = iota // one pattern at many sizes
	ofGrid                  // distribution of delays x share cancelled
	ofPrograms              // what programs do, each at its own size
)

func (c class) String() string {
	return map[class]string{synthetic: "synthetic", ofGrid: "delays and shares cancelled", ofPrograms: "programs"}[c]
}

// category returns what a workload stands for, as its cells declare it. Cells of
// older results do not: then it is as this version declares it.
func (v *view) category(name string) workload.Category {
	for _, c := range v.r.Cells {
		if c.Workload == name && c.Category != "" {
			return workload.Category(c.Category)
		}
	}
	if _, ok := v.r.Parameters.Traces[name]; ok {
		return workload.Recorded
	}
	w, _ := v.known.workload(name)
	return w.Category
}

// classOf returns the class of a workload. One of unknown category is synthetic.
func (v *view) classOf(name string) class {
	switch v.category(name) {
	case workload.Grid:
		return ofGrid
	case workload.Program, workload.Custom, workload.Recorded:
		return ofPrograms
	}
	return synthetic
}

// gridPlace returns the place of a cell in the grid. ok is false where it has none.
func (v *view) gridPlace(c results.Cell) (place results.Grid, ok bool) {
	if c.Grid != nil {
		return *c.Grid, true
	}
	if w, known := v.known.workload(c.Workload); known && w.Grid != nil {
		return results.Grid(*w.Grid), true
	}
	return results.Grid{}, false
}

// ofClass returns the workloads of a class that hold costs.
func (v *view) ofClass(c class) []string {
	var out []string
	for _, w := range v.workloads() {
		if _, ok := v.largest(w); ok && v.classOf(w) == c {
			out = append(out, w)
		}
	}
	return out
}

// scaled returns the synthetic workloads that were run at several sizes, or all
// of them if none was.
func (v *view) scaled() []string {
	all := v.ofClass(synthetic)
	several := slices.DeleteFunc(slices.Clone(all), func(w string) bool { return len(v.cells(w)) < 2 })
	if len(several) == 0 {
		return all
	}
	return several
}

// fromPrograms says where the workloads of programs come from.
func (v *view) fromPrograms() string {
	var found []string
	for _, origin := range []struct {
		workload.Category
		words string
	}{
		{workload.Program, "modelled on programs"},
		{workload.Recorded, "recorded from programs"},
		{workload.Custom, "from scenario files"},
	} {
		if slices.ContainsFunc(v.ofClass(ofPrograms), func(w string) bool { return v.category(w) == origin.Category }) {
			found = append(found, origin.words)
		}
	}
	return strings.Join(found, " or ")
}
