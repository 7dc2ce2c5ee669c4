package report

import (
	"cmp"
	"fmt"
	"strings"
)

// validity says what may make the figures wrong, or wrong elsewhere.
func validity(v *view) section {
	s := section{title: "What threatens the validity?"}
	if len(v.measured(v.r.Cells)) == 0 {
		return s
	}
	e, p := v.r.Environment, v.r.Parameters
	machine := "One machine"
	if e.CPU != "" {
		machine += ", " + literal(e.CPU)
	}
	if n := len(v.r.Machines); n > 1 {
		machine = fmt.Sprintf("%d machines, whose times were converted by that of a reference", n)
	}
	threats := []string{
		"**" + machine + ".** Ratios differ between processors, above all between sizes of their caches. Other programs on the machine slow down what " +
			"misses the cache more than what does not.",
		"**The code layout.** " + layoutThreat(p.Layouts) + " Layout alone moves costs of a few nanoseconds by several percent.",
		"**One process.** All structures share a heap and a processor. What one leaves in the caches another one finds; each block is preceded by one that is not timed.",
		"**Values of 8 bytes, one goroutine, a virtual clock.** Locks, larger values and waiting for a real clock come on top. They are the same for all structures.",
		"**The collector is off** while the clock runs. What garbage a structure makes, and what its pointers cost a collection, is shown apart where it was measured.",
		"**Rare work is sampled.** What happens once in millions of calls, such as a large cascade, falls into few rounds or none.",
		"**Models of programs** have the parameters that were published. Your program has others: record it, and replay the trace.",
		"**Many comparisons.** The fastest of a cell was chosen from the same data, so its lead is exaggerated where others are close. The set of the best accounts for that, a single ratio does not.",
	}
	if out := v.leftOut(); out > 0 {
		threats = append(threats, fmt.Sprintf("**Left out.** Cells of many timers that leave structures out, because they took a multiple of the best's time among fewer: %d. "+
			"Who is left out is not compared there.", out))
	}
	s.tables = []table{{body: "- " + strings.Join(threats, "\n- ") + "\n"}}
	return s
}

func layoutThreat(layouts int) string {
	if layouts > 1 {
		return fmt.Sprintf("The run was repeated in %d layouts of the program, and intervals hold what varies between them.", layouts)
	}
	return "The program was linked once, and no interval holds what another order of its functions would change."
}

// leftOut counts the cells that leave structures out.
func (v *view) leftOut() int {
	n := 0
	for _, c := range v.r.Cells {
		if len(c.LeftOut) > 0 {
			n++
		}
	}
	return n
}

// machineLead says what was found amiss with the machine.
func (v *view) machineLead() string {
	findings := v.r.Environment.Machine
	if len(findings) == 0 {
		return "**The machine** was not examined. `timerbench doctor` says how fit one is for measuring."
	}
	var bad []string
	for _, f := range findings {
		if f.Verdict == warns {
			bad = append(bad, literal(f.Check+" ("+f.Value+")"))
		}
	}
	if len(bad) == 0 {
		return fmt.Sprintf("**The machine** was examined before the run: nothing to object to in %d checks.", len(findings))
	}
	return fmt.Sprintf("**The machine** was examined before the run. Of %d checks %d warn: %s.",
		len(findings), len(bad), strings.Join(bad, "; "))
}

// warns is the verdict on what is amiss.
const warns = "warn"

// machineTable shows all that was examined.
func (v *view) machineTable() string {
	var rows [][]string
	for _, f := range v.r.Environment.Machine {
		rows = append(rows, []string{literal(f.Check), literal(f.Value), literal(f.Verdict), cmp.Or(literal(f.Advice), "–")})
	}
	return markdownTable("llll", []string{"Check", "Found", "Verdict", "What to do"}, rows)
}
