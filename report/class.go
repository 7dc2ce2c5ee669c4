package report

import (
	"slices"
	"strconv"
	"strings"
)

// class is what a workload is for.
type class int

const (
	synthetic  class = iota // one pattern at many sizes
	ofGrid                  // distribution of delays x share cancelled
	ofPrograms              // modelled on a program, at its own size
)

// classOf returns the class of a workload. A workload of a program has a size of its
// own. A workload that this version does not know is synthetic if it was run at
// several sizes.
func (v *view) classOf(workload string) class {
	if _, ok := v.gridPlace(workload); ok {
		return ofGrid
	}
	if w, ok := v.known.workload(workload); ok {
		if w.Resident > 0 {
			return ofPrograms
		}
		return synthetic
	}
	if len(v.cells(workload)) > 1 {
		return synthetic
	}
	return ofPrograms
}

// gridPlace is where in the grid a workload stands.
type gridPlace struct {
	distribution string // of the delays
	cancelled    int    // share of the timers, in percent
}

// gridPlace returns the place of a workload; ok is false where it is not of the
// grid.
func (v *view) gridPlace(workload string) (place gridPlace, ok bool) { return gridName(workload) }

// gridName reads "grid-<distribution>-<cancel %>".
func gridName(workload string) (place gridPlace, ok bool) {
	rest, ok := strings.CutPrefix(workload, "grid-")
	i := strings.LastIndexByte(rest, '-')
	if !ok || i < 1 {
		return gridPlace{}, false
	}
	cancelled, err := strconv.Atoi(rest[i+1:])
	return gridPlace{rest[:i], cancelled}, err == nil
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

// fromPrograms says how the workloads of programs come from them.
func (v *view) fromPrograms() string {
	recorded, all := 0, v.ofClass(ofPrograms)
	for _, w := range all {
		if _, ok := v.r.Parameters.Traces[w]; ok {
			recorded++
		}
	}
	if recorded == len(all) {
		return "recorded from programs"
	}
	return "modelled on programs"
}
