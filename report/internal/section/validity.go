package section

import (
	"fmt"
	"strings"

	"github.com/timerbench/timerbench/internal/show"
)

// validity says what may make the figures wrong, or wrong elsewhere.
func validity(v *View) Section {
	s := Section{Title: "What threatens the validity?"}
	if len(v.Measured(v.Cells...)) == 0 {
		return s
	}
	machine := "One machine"
	if cpu := v.Environment.CPU; cpu != "" {
		machine += ", " + Literal(cpu)
	}
	if n := len(v.Machines); n > 1 {
		machine = fmt.Sprintf("%d machines, whose times were converted by that of a reference", n)
	}
	layouts := "The program was linked once, and no interval holds what another order of its " +
		"functions would change."
	if n := v.Parameters.Layouts; n > 1 {
		layouts = fmt.Sprintf("The run was repeated in %d layouts of the program, and intervals hold what varies "+
			"between them.", n)
	}
	threats := []string{
		"**" + machine + ".** Ratios differ between processors, above all between sizes of their caches. Other " +
			"programs on the machine slow down what misses the cache more than what does not.",
		"**The code layout.** " + layouts + " Layout alone moves costs of a few nanoseconds by several percent.",
		"**One process.** All structures share a heap and a processor. What one leaves in the caches " +
			"another one finds; each block is preceded by one that is not timed.",
		"**Values of 8 bytes, one goroutine, a virtual clock.** Locks, larger values and waiting for a " +
			"real clock come on top. They are the same for all structures.",
		"**The collector is off** while the clock runs. What garbage a structure makes, and what its " +
			"pointers cost a collection, is shown apart where it was measured.",
		"**Rare work is sampled.** What happens once in millions of calls, such as a large cascade, " +
			"falls into few rounds or none.",
		"**Models of programs** have the parameters that were published. Your program has others: " +
			"record it, and replay the trace.",
		"**Many comparisons.** The fastest of a cell was chosen from the same data, so its lead is " +
			"exaggerated where others are close. The set of the best accounts for that, a single ratio " +
			"does not.",
	}
	out := 0
	for _, c := range v.Cells {
		if len(c.LeftOut) > 0 {
			out++
		}
	}
	if out > 0 {
		threats = append(threats, fmt.Sprintf("**Left out.** Cells of many timers that leave structures out, because "+
			"they took a multiple of the best's time among fewer: %d. Who is left out is not compared there.", out))
	}
	if missing := v.NotMeasured; len(missing) > 0 {
		threats = append(threats, fmt.Sprintf("**Not measured.** The time of the run did not suffice for %s: %s.",
			show.Count(len(missing), "step"), strings.Join(missing, "; ")))
	}
	s.Tables = []Table{{Body: "- " + strings.Join(threats, "\n- ") + "\n"}}
	return s
}
