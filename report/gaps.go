package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/show"
)

// namedStructures is how many structures a gap names (chosen).
const namedStructures = 5

// gaps are what the results do not hold, as far as a reader would look for it in vain.
func (v *view) gaps(sections []section) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, "> "+fmt.Sprintf(format, args...)) }
	if n := v.r.Version; n > 0 && n < results.Version {
		add("**Results of an older version.** They are of version %d, and this program writes version %d. What only later versions measure is missing.", n, results.Version)
	}
	measured := v.structuresMeasured()
	switch {
	case len(measured) == 0 && v.r.Live == nil:
		add("**No costs.** No workload has a measured cost in these results, so no structure can be named. `timerbench run` measures them.")
	case len(measured) == 1:
		add("**One structure.** Only %s was measured, so there is nothing to compare it with.", literal(measured[0]))
	case len(measured) > 1 && len(measured) < len(v.known.structures):
		names := fmt.Sprintf("%d of %d", len(measured), len(v.known.structures))
		if len(measured) <= namedStructures {
			names += ": " + literal(show.And(measured))
		}
		add("**Some structures only.** Measured were %s. One that is missing may be better than all of these.", names)
	}
	if len(measured) > 0 && !slices.ContainsFunc(v.workloads(), func(w string) bool { return v.category(w) != workload.Recorded }) {
		add("**Traces only.** What is said of the structures holds for what was recorded. Other numbers of timers, delays and shares of cancels were not measured.")
	}
	var absent []string
	for _, s := range sections {
		if len(s.charts) == 0 && len(s.tables) == 0 && s.absent != "" {
			absent = append(absent, s.absent)
		}
	}
	if len(absent) > 0 {
		add("**Left out,** because the results hold no data for them: %s.", strings.Join(absent, ", "))
	}
	return out
}

// structuresMeasured names the structures that have a cost.
func (v *view) structuresMeasured() []string {
	var out []string
	for _, who := range v.measured(v.r.Cells) {
		if who.role == results.RoleStructure {
			out = append(out, who.name)
		}
	}
	return out
}
