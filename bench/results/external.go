package results

import "slices"

// External is a program of another language that took part in a run, see package external.
type External struct {
	Name     string  `json:"name"`
	Command  string  `json:"command"`
	Language string  `json:"language"`          // and its version
	Version  string  `json:"version"`           // of the structure
	Note     string  `json:"note,omitempty"`    // what it says of itself besides
	Inlined  bool    `json:"inlined,omitempty"` // its structure is compiled into the timed loop
	Virtual  bool    `json:"virtual,omitempty"` // its structure calls back through a pointer
	Coarse   bool    `json:"coarse,omitempty"`  // it fires late, within its bound
	Floor    bool    `json:"floor,omitempty"`   // it has no structure: what its language and its loop cost
	Limit    int     `json:"limit,omitempty"`   // most timers it takes part with; 0: any number
	ClockNS  float64 `json:"clock_ns"`          // cost of reading its clock once
	WakeNS   float64 `json:"wake_ns"`           // a wake-up on which nothing is due, beside one timer

	// What its runtime did in the blocks that were timed: garbage collections, their time, the time of
	// a compiler beside them, and that of the blocks.
	Collections  uint64 `json:"collections,omitempty"`
	CollectionNS uint64 `json:"collection_ns,omitempty"`
	CompileNS    uint64 `json:"compile_ns,omitempty"`
	TimedNS      uint64 `json:"timed_ns,omitempty"`
}

// Program finds a program of another language that took part; nil: it is none.
func (r *Run) Program(name string) *External {
	i := slices.IndexFunc(r.External, func(e External) bool { return e.Name == name })
	if i < 0 {
		return nil
	}
	return &r.External[i]
}

// Among returns r with its external programs as structures, which are then ranked as all are. What
// the results hold besides is the same. r does not change.
func (r *Run) Among() *Run {
	out := *r
	out.Cells = slices.Clone(r.Cells)
	for i, c := range out.Cells {
		c.Rows = slices.Clone(c.Rows)
		for j, row := range c.Rows {
			if row.Role == RoleExternal {
				c.Rows[j].Role = RoleStructure
			}
		}
		out.Cells[i] = c
	}
	return &out
}
