package results

import "slices"

// External is an external program of a run, see package external.
type External struct {
	Name      string  `json:"name"`
	Command   string  `json:"command"`
	Language  string  `json:"language"`            // language and its version
	Version   string  `json:"version"`             // of the structure
	Note      string  `json:"note,omitempty"`      // further information from the program
	Inlined   bool    `json:"inlined,omitempty"`   // the structure is compiled into the timed loop
	Virtual   bool    `json:"virtual,omitempty"`   // the structure calls back through a pointer
	Coarse    bool    `json:"coarse,omitempty"`    // it fires late, within its bound
	Floor     bool    `json:"floor,omitempty"`     // it has no structure, and shows the cost of the language and the loop
	Intrusive bool    `json:"intrusive,omitempty"` // its timers are fields of the caller's structs; others have an ID or a handle
	Limit     int     `json:"limit,omitempty"`     // largest number of timers; 0: any
	ClockNS   float64 `json:"clock_ns"`            // cost of one reading of its clock
	WakeNS    float64 `json:"wake_ns"`             // cost of a wake-up on which nothing is due, with one pending timer

	// Garbage collections during timed blocks, their time, the time of a compiler, and the time of the blocks.
	Collections  uint64 `json:"collections,omitempty"`
	CollectionNS uint64 `json:"collection_ns,omitempty"`
	CompileNS    uint64 `json:"compile_ns,omitempty"`
	TimedNS      uint64 `json:"timed_ns,omitempty"`
}

// Among returns a copy of r in which the rows of some roles are structures, so that they are ranked
// among the structures. r does not change.
func (r *Run) Among(roles ...Role) *Run {
	out := *r
	out.Cells = slices.Clone(r.Cells)
	for i, c := range out.Cells {
		c.Rows = slices.Clone(c.Rows)
		for j, row := range c.Rows {
			if slices.Contains(roles, row.Role) {
				c.Rows[j].Role = RoleStructure
			}
		}
		out.Cells[i] = c
	}
	return &out
}
