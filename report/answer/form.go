package answer

import (
	"cmp"
	"maps"
	"slices"
)

// Form holds the answers to all combinations of the values of a few controls, made by [Adviser.Answer]. A page looks its answers up.
type Form struct {
	N      []int    `json:"n"` // the first is 0: any
	Mix    []Mix    `json:"mix"`
	Delays []string `json:"delays"` // the first is empty: any
	By     []By     `json:"by"`
	Field  []Field  `json:"field"`

	// Answers are in the order of these lists; the last list varies fastest. An answer that the results cannot give names nothing.
	Answers  []Answer        `json:"answers"`
	Programs []ProgramAnswer `json:"programs"` // by time, of exact structures
}

// Mix is a mix of operations.
type Mix struct {
	Words      string  `json:"words"`
	Cancel     float64 `json:"cancel"`
	Reschedule float64 `json:"reschedule"`
}

// Field is a choice of structures.
type Field struct {
	Words string `json:"words"`
	Order string `json:"order,omitempty"`
	Late  bool   `json:"late,omitempty"`
}

// ProgramAnswer is the answer to the question of a program of the results, at one number of timers.
type ProgramAnswer struct {
	Name   string `json:"name"`
	N      int    `json:"n"`
	Answer Answer `json:"answer"`
}

// Mixes are the rows of the map of a page.
var Mixes = []Mix{
	{"none cancelled", 0, 0}, {"half cancelled", 0.5, 0}, {"90 % cancelled", 0.9, 0}, {"moved", Unknown, 0.98},
}

// Sizes returns the numbers of timers of the cells that answer questions about no program, in ascending order.
func (a *Adviser) Sizes() []int {
	found := make(map[int]bool)
	for _, p := range a.cells {
		if p.inGrid() {
			found[p.N] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// First returns the first questions of a page: any program with the largest number of timers, or else the programs of the run, three
// at most.
func (a *Adviser) First() (out []Question) {
	if sizes := a.Sizes(); len(sizes) > 0 {
		return []Question{{N: float64(sizes[len(sizes)-1]), Cancel: Unknown, Reschedule: Unknown, By: Time}}
	}
	for _, name := range a.Programs() {
		if len(out) < 3 {
			out = append(out, Question{Program: name, Cancel: Unknown, Reschedule: Unknown, By: Time})
		}
	}
	return out
}

// Form answers all combinations of the sizes, the mixes, the shapes of delays, what matters and the fields. It is empty if the results
// can answer nothing.
func (a *Adviser) Form() *Form {
	f := &Form{}
	if len(a.cells) == 0 {
		return f
	}
	shapes := make(map[string]bool)
	for _, p := range a.cells {
		if p.Grid != nil {
			shapes[p.Grid.Delays] = true
		}
	}
	f.N, f.Mix = append([]int{0}, a.Sizes()...), append([]Mix{{"any", Unknown, Unknown}}, Mixes...)
	f.Delays = append([]string{""}, slices.Sorted(maps.Keys(shapes))...)
	f.By, f.Field = Bys, []Field{{Words: "on time"}, {Words: "on time, FIFO", Order: FIFO}, {Words: "late", Late: true}}
	for i := range len(f.N) * len(f.Mix) * len(f.Delays) * len(f.By) * len(f.Field) {
		next := func(values int) (at int) {
			i, at = i/values, i%values
			return at
		}
		field := f.Field[next(len(f.Field))]
		q := Question{By: f.By[next(len(f.By))], Delays: f.Delays[next(len(f.Delays))], Order: field.Order, Late: field.Late}
		mix := f.Mix[next(len(f.Mix))]
		q.Cancel, q.Reschedule, q.N = mix.Cancel, mix.Reschedule, float64(f.N[i])
		x, err := a.Answer(q)
		if err != nil {
			x = Answer{Question: q}
		}
		f.Answers = append(f.Answers, x)
	}
	for _, p := range a.cells {
		if p.inGrid() {
			continue
		}
		q := Question{N: float64(p.N), Cancel: Unknown, Reschedule: Unknown, Program: p.Workload, By: Time}
		if x, err := a.Answer(q); err == nil {
			f.Programs = append(f.Programs, ProgramAnswer{p.Workload, p.N, x})
		}
	}
	slices.SortStableFunc(f.Programs, func(x, y ProgramAnswer) int { return cmp.Compare(x.Name, y.Name) })
	return f
}
