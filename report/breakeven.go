package report

import (
	"math"

	"github.com/timerbench/timerbench/bench/results"
)

// plainList is the structure that needs no cleverness at all: the others have to
// show from how many timers on they are worth theirs.
const plainList = "list"

// breakEven is where the cost curve of a structure crosses that of the list.
type breakEven struct {
	n            float64 // between the measured sizes, on a log-log scale
	below, above bool    // it is cheaper at the smallest size already, or at none
}

// String names the number of timers.
func (b breakEven) String() string {
	switch {
	case b.below:
		return "≤ " + short(b.n)
	case b.above:
		return "> " + short(b.n)
	}
	return "≈ " + short(roundTo2(b.n))
}

// roundTo2 keeps two digits: the crossing is interpolated.
func roundTo2(x float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(x))-1)
	return math.Round(x/unit) * unit
}

// breakEvenOf finds the size from which on a structure is cheaper than the list,
// at every larger size that was measured. Sizes at which the two tie count for
// the list. ok is false where fewer than two sizes can be compared.
func breakEvenOf(cells []results.Cell, name string) (b breakEven, ok bool) {
	type point struct {
		n, ratio float64
		wins     bool
	}
	var points []point
	for _, c := range cells {
		list, ok1 := rowOf(c, plainList)
		row, ok2 := rowOf(c, name)
		l, s := cost(list), cost(row)
		if ok1 && ok2 && l.ok() && s.ok() {
			points = append(points, point{float64(c.N), s.median / l.median, s.median < l.median && !s.ties(l)})
		}
	}
	if len(points) < 2 {
		return b, false
	}
	first := len(points) // from here on it wins
	for first > 0 && points[first-1].wins {
		first--
	}
	switch first {
	case 0:
		return breakEven{n: points[0].n, below: true}, true
	case len(points):
		return breakEven{n: points[first-1].n, above: true}, true
	}
	lo, hi := points[first-1], points[first]
	at := math.Log(hi.n)
	if lo.ratio > 1 { // otherwise a tie at lo: no crossing to interpolate
		at = math.Log(lo.n) + math.Log(lo.ratio)/(math.Log(lo.ratio)-math.Log(hi.ratio))*(math.Log(hi.n)-math.Log(lo.n))
	}
	return breakEven{n: math.Exp(at)}, true
}

// breakEvenTable says for each structure from how many timers on it beats the
// list, on each workload that was run at several sizes.
func (v *view) breakEvenTable() string {
	workloads := v.scaled()
	header, aligns := []string{"Structure"}, "l"
	for _, w := range workloads {
		header = append(header, literal(w))
		aligns += "r"
	}
	var rows [][]string
	for _, who := range v.present(func(who contender) bool { return who.role == results.RoleStructure && who.name != plainList }) {
		line, any := []string{literal(who.name)}, false
		for _, w := range workloads {
			cell := "–"
			if b, ok := breakEvenOf(v.cells(w), who.name); ok {
				cell, any = b.String(), true
			}
			line = append(line, cell)
		}
		if any {
			rows = append(rows, line)
		}
	}
	if len(rows) == 0 {
		return ""
	}
	return markdownTable(aligns, header, rows)
}

func (p *page) breakEven(v *view) {
	table := v.breakEvenTable()
	if table == "" {
		return
	}
	p.heading("From how many timers on is it worth more than a list?")
	p.linef("The number of resident timers from which on each structure costs less than `%s`, a slice scanned for its minimum, "+
		"interpolated between the measured sizes; ties count for the list. ≤: less than the smallest size measured; >: not at any size measured with both.", plainList)
	p.table(table)
}
