package answer

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/structures/entry"
)

// Default is the structure that an answer names unless another one is certainly better, see [stats.Named].
const Default = stats.Default

// Adviser answers questions from the cells of a run. Only one goroutine may use it at a time.
type Adviser struct {
	r         *Run
	cells     []place
	redefined int             // cells that do not answer, because the operations of their workload have changed since
	late      map[string]bool // structures that fire late, as their rows say

	counts map[countKey]counted
}

// countKey is what matters, and among how many timers.
type countKey struct {
	by By
	n  float64
}

// Adviser returns an adviser for the results.
func (r *Run) Adviser() *Adviser {
	a := &Adviser{r: r, late: make(map[string]bool), counts: make(map[countKey]counted)}
	redefined := r.Redefined(func(name string) int {
		w, ok := r.Known.Workload(name)
		if !ok {
			return 0
		}
		return w.Version()
	})
	a.redefined = len(redefined)
	for _, c := range r.Cells {
		old := slices.ContainsFunc(redefined, func(o results.Cell) bool { return o.Workload == c.Workload && o.N == c.N })
		if p, ok := placeOf(r, c); ok && !old && c.Structures() > 0 {
			a.cells = append(a.cells, p)
			for _, row := range c.Rows {
				if row.Coarse {
					a.late[row.Structure] = true
				}
			}
		}
	}
	return a
}

// Answer is what the measured cells say to a question. Its JSON form is documented in docs/data.md.
type Answer struct {
	Question Question `json:"question"`
	Named    string   `json:"named"`           // the structure to take
	Lines    []string `json:"lines"`           // the answer in sentences, three at most
	Cells    []Used   `json:"cells"`           // that answer
	Rows     []Row    `json:"rows"`            // the best first; the named structure is always among them
	Ties     []string `json:"ties"`            // the best structure, and those that tie with it
	Among    int      `json:"among,omitempty"` // by memory, idle or longest: the number of timers among which the figures were measured
	Notes    []string `json:"notes,omitempty"` // what the results lack, in sentences
}

// Off is the distance of the number of timers that was measured from the one of the question, in powers of ten; infinite: any number does.
func (x Answer) Off() float64 { return decades(x.Question.N, float64(cmp.Or(x.Among, x.Cells[0].N))) }

// Used is a cell that answers a question.
type Used struct {
	Workload string      `json:"workload"`
	N        int         `json:"n"`
	Unit     script.Unit `json:"unit"`
	Differs  string      `json:"differs,omitempty"` // from the question, in words; empty: in nothing
}

// Row is a structure in an answer. A figure of 0 is not known. Over several cells a ratio is the middle one of the cells, its ends too.
type Row struct {
	Structure string         `json:"structure"`
	Group     Group          `json:"group,omitempty"`
	NS        float64        `json:"ns,omitempty"`      // cost of a unit with the loop; of a single cell only
	Groups    string         `json:"groups,omitempty"`  // into which the rounds of that cost fall, in words
	Ratio     stats.Estimate `json:"ratio,omitzero"`    // of the cost to that of the named structure, with the loop
	Net       stats.Estimate `json:"net,omitzero"`      // the same without the loop
	Figure    stats.Estimate `json:"figure,omitzero"`   // by anything but time: of the figure that matters to that of the named structure
	P99       float64        `json:"p99_ns,omitempty"`  // of single calls of the slowest kind; of a single cell only
	Bytes     float64        `json:"bytes,omitempty"`   // per timer
	Wakeups   float64        `json:"wakeups,omitempty"` // of a driver that sleeps until the next deadline, for each timer that fires
	LongestNS float64        `json:"longest_ns,omitempty"`
	Ties      bool           `json:"ties"` // it is the best of its group, or ties with it
}

// Group is a group of structures that are ranked together.
type Group string

// The groups. Exact structures have none.
const (
	Exact    Group = ""
	Late     Group = "late"           // they fire late
	InStruct Group = "in your struct" // their timers are fields of the caller's structs
)

// field is the structures that a question compares.
type field struct {
	q       Question
	cells   []place
	figures []func(structure string) stats.Estimate // that matter: of each cell, or those that were counted
	count   counted                                 // by memory, idle or longest
	names   []string                                // the best first
	group   Group
}

// Answer answers a question. It returns an error if a value of the question is out of its range or if the results cannot answer it.
func (a *Adviser) Answer(q Question) (Answer, error) {
	q.By = cmp.Or(q.By, Time)
	if err := q.Check(); err != nil {
		return Answer{}, err
	}
	f, err := a.field(q)
	if err != nil {
		return Answer{}, err
	}
	out := Answer{Question: q, Notes: a.notes(), Among: f.count.n}
	out.Named = stats.Named(f.names, f.ratio)
	for _, c := range f.cells {
		out.Cells = append(out.Cells, Used{c.Workload, c.N, c.Unit, show.Joined("; ", c.differs(q), c.Unsteady())})
	}
	best := f.names[0]
	for _, name := range f.names {
		if e := f.ratio(name, best); name == best || e.OK() && e.Lo < stats.TieBelow {
			out.Ties = append(out.Ties, name)
		}
	}
	shown := f.names
	if len(shown) >= mostRows {
		if shown = slices.Clone(shown[:mostRows-1]); !slices.Contains(shown, out.Named) {
			shown[len(shown)-1] = out.Named
		}
	}
	for _, name := range shown {
		row := a.row(f, name, out.Named)
		row.Ties = slices.Contains(out.Ties, name)
		out.Rows = append(out.Rows, row)
	}
	if best := f.inStruct(out.Named); best != "" && !q.Late {
		row := a.row(f, best, out.Named)
		row.Group = InStruct
		out.Rows = append(out.Rows, row)
	}
	out.Lines = slices.DeleteFunc([]string{a.matters(f, out.Named), a.take(f, &out), f.from(&out)}, func(s string) bool { return s == "" })
	return out, nil
}

// mostRows is the number of rows of an answer at most, with that of the best structure in the caller's structs.
const mostRows = 12

func (a *Adviser) field(q Question) (*field, error) {
	if len(a.cells) == 0 {
		return nil, errors.New("these results hold no costs of structures on a workload, so no structure can be named: want results of a run")
	}
	f := &field{q: q, cells: a.cellsFor(q)}
	if q.Late {
		f.group = Late
	}
	if len(f.cells) == 0 {
		return nil, fmt.Errorf("no cell of these results is of program %q: want one of %s", q.Program, show.Or(a.Programs()))
	}
	switch q.By {
	case Time, Tail:
		for _, p := range f.cells {
			f.figures = append(f.figures, func(name string) stats.Estimate {
				if q.By == Tail {
					return tail(p.Row(name))
				}
				return p.Cost(p.Row(name))
			})
		}
	default:
		if f.count = a.counted(q.By, q.N); len(f.count.of) == 0 {
			return nil, fmt.Errorf("these results hold no figures by %s: want results of a normal run", q.By)
		}
		f.figures = append(f.figures, func(name string) stats.Estimate { return exactly(f.count.of[name]) })
	}
	for _, who := range a.r.Contenders {
		e, known := a.r.Entry(who.Name)
		switch {
		case !who.IsStructure():
		case q.Order == FIFO && (!known || e.Ties != entry.FIFO):
		case a.late[who.Name] != q.Late:
		case slices.ContainsFunc(f.figures, func(of func(string) stats.Estimate) bool { return !(of(who.Name).Center > 0) }):
		default:
			f.names = append(f.names, who.Name)
		}
	}
	if len(f.names) == 0 {
		return nil, fmt.Errorf("no structure answers this question (%s): none was measured in %s", q.Words(), show.Count(len(f.cells), "cell"))
	}
	score := f.scores()
	slices.SortStableFunc(f.names, func(x, y string) int { return cmp.Compare(score[x], score[y]) })
	return f, nil
}

// scores order the structures: the only figure, or the middle one of the ratios to the best of each cell.
func (f *field) scores() map[string]float64 {
	ratios := make(map[string][]float64)
	for _, of := range f.figures {
		figures, best := make(map[string]float64), math.Inf(1)
		for _, name := range f.names {
			figures[name] = of(name).Center
			best = min(best, figures[name])
		}
		if len(f.figures) == 1 {
			return figures
		}
		for name, figure := range figures {
			ratios[name] = append(ratios[name], figure/best)
		}
	}
	out := make(map[string]float64)
	for name, all := range ratios {
		out[name] = stats.MedianOf(all)
	}
	return out
}

// ratio is the ratio by which structures tie and are named.
func (f *field) ratio(a, b string) stats.Estimate {
	if f.q.By == Time {
		return middle(f.cells, func(p place) stats.Estimate { return p.Deciding(p.Row(a), p.Row(b)) })
	}
	return middle(f.figures, func(of func(string) stats.Estimate) stats.Estimate { return quotient(of(a), of(b)) })
}

// largest is the end of an interval without one, as JSON has no infinity (chosen).
const largest = 1e9

// middle returns the median over a list, of the centers and of the ends of the intervals.
func middle[T any](list []T, of func(T) stats.Estimate) (out stats.Estimate) {
	var centers, los, his []float64
	for _, x := range list {
		e := of(x)
		if !e.OK() {
			return stats.Estimate{}
		}
		centers, los, his = append(centers, e.Center), append(los, e.Lo), append(his, e.Hi)
		out.Rounds, out.Few = out.Rounds+e.Rounds, out.Few || e.Few
	}
	out.Center, out.Lo, out.Hi = stats.MedianOf(centers), stats.MedianOf(los), min(stats.MedianOf(his), largest)
	return out
}

// inStruct returns the structure with the least cost whose timers are fields of the caller's structs, over the cells of the question;
// empty: none was measured in all of them.
func (f *field) inStruct(named string) (best string) {
	least := 0.0
	for _, row := range f.cells[0].Rows {
		if row.Role != results.RoleIntrusive {
			continue
		}
		e := middle(f.cells, func(p place) stats.Estimate { return p.Ratio(p.Row(row.Structure), p.Row(named)) })
		if e.OK() && (best == "" || e.Center < least) {
			best, least = row.Structure, e.Center
		}
	}
	return best
}

func (a *Adviser) row(f *field, name, named string) Row {
	out := Row{Structure: name, Group: f.group}
	out.Ratio = middle(f.cells, func(p place) stats.Estimate { return p.Ratio(p.Row(name), p.Row(named)) })
	out.Net = middle(f.cells, func(p place) stats.Estimate { return p.Net(p.Row(name), p.Row(named)) })
	if f.q.By != Time {
		out.Figure = f.ratio(name, named)
	}
	if len(f.cells) == 1 {
		row := f.cells[0].Row(name)
		cost := f.cells[0].Cost(row)
		out.NS, out.Groups, out.P99 = cost.Center, cost.TwoGroups(""), tail(row).Center
	}
	out.Bytes, out.Wakeups, out.LongestNS = a.counted(Memory, f.q.N).of[name], a.counted(Idle, f.q.N).of[name], a.counted(Longest, f.q.N).of[name]
	return out
}

// Table returns the rows as a table, and its legend.
func (x Answer) Table() (t show.Table, legend string) {
	t = show.Table{Align: "lr", Header: []string{"structure", "ns", "to " + x.Named, "without the loop"}}
	if x.Question.By != Time {
		t.Header = append(t.Header, "by "+string(x.Question.By))
	}
	t.Header = append(t.Header, "p99", "bytes", "wake-ups", "longest")
	unknown := func(v float64, write func(float64) string) any {
		if v == 0 {
			return nil
		}
		return show.Number(v, write(v))
	}
	for _, r := range x.Rows {
		name := r.Structure + show.When(r.Group != Exact, " ("+string(r.Group)+")") + show.When(r.Structure == x.Named, " <") + show.When(r.Ties && r.Structure != x.Named, " =")
		ns := unknown(r.NS, show.Figure)
		if r.Groups != "" {
			ns = ns.(show.Cell).With("2 groups")
			legend += fmt.Sprintf(" %s has rounds in %s ns.", r.Structure, r.Groups)
		}
		line := []any{name, ns, Times(r.Ratio), Times(r.Net)}
		if x.Question.By != Time {
			line = append(line, Times(r.Figure))
		}
		t.Add(append(line, unknown(r.P99, show.Duration), unknown(r.Bytes, show.Figure), unknown(r.Wakeups, show.Figure), unknown(r.LongestNS, show.Duration))...)
	}
	legend = "<: take it. =: ties with the best. To " + x.Named + ": ratio of the times, with the interval that holds nine of ten ratios of a next run. *: fewer than six rounds, whose range stands for an interval." + legend
	if len(x.Cells) == 1 {
		legend += " ns: per " + unit(x.Cells[0].Unit) + ", with the loop."
	}
	return t, legend + " p99: of single calls of the slowest kind. Wake-ups: of a driver that sleeps until the next deadline, for each timer that fires."
}

// Programs returns the workloads that are programs, recorded or modelled, in the order of the results.
func (a *Adviser) Programs() []string {
	var out []string
	for _, p := range a.cells {
		if !p.inGrid() && !slices.Contains(out, p.Workload) {
			out = append(out, p.Workload)
		}
	}
	return out
}

func (a *Adviser) notes() (out []string) {
	if a.redefined > 0 {
		out = append(out, fmt.Sprintf("%s of %s left out: the operations of their workloads have changed since.",
			show.Grouped(a.redefined), show.Count(len(a.r.Run.Cells), "cell")))
	}
	if gone := a.r.Unknown; len(gone) > 0 {
		out = append(out, fmt.Sprintf("%s left out, because this version does not have them: %s.", show.Count(len(gone), "structure"), show.And(gone)))
	}
	if !a.r.Complete {
		out = append(out, "The run was interrupted: cells may be missing.")
	}
	return out
}
