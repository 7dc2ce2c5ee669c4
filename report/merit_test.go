package report

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/report/internal/draw"
	"github.com/timerbench/timerbench/structures/catalog"
)

// timed is a cell whose structures cost so many nanoseconds, with little noise.
func timed(workload string, n int, costs map[string]float64) results.Cell {
	c := results.Cell{Workload: workload, N: n}
	for _, name := range slices.Concat(six, []string{"list", "tree", "lawn"}) {
		ns, ok := costs[name]
		if !ok {
			continue
		}
		row := results.Row{Structure: name, Role: results.RoleStructure, Cost: trials(ns, 1.001*ns, ns, 1.001*ns, ns, 1.002*ns)}
		for i := range row.Cost {
			row.Cost[i].Instance = i / 2
		}
		c.Rows = append(c.Rows, row)
	}
	return c
}

func TestMerits(t *testing.T) {
	t.Parallel()
	r := &results.Run{Cells: []results.Cell{
		timed("hold", 100, map[string]float64{"minheap": 10, "wheel": 40, "rbtree": 20, "list": 10.01}),
		timed("churn", 100, map[string]float64{"minheap": 30, "wheel": 10, "rbtree": 40}),
	}}
	v := newView(r, testKnowledge(six))
	got := v.merits(r.Cells, isStructure)
	want := []merit{
		{contender: contender{name: "minheap"}, typical: math.Sqrt(3), worst: 3, complete: true},
		{contender: contender{name: "wheel"}, typical: 2, worst: 4, complete: true},
		{contender: contender{name: "rbtree"}, typical: math.Sqrt(8), worst: 4, complete: true},
		{contender: contender{name: "list"}, typical: 1, worst: 1}, // it lacks a cell, so it comes last
	}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i, m := range got {
		w := want[i]
		if m.name != w.name || math.Abs(m.typical-w.typical) > 0.01 || math.Abs(m.worst-w.worst) > 0.01 || m.complete != w.complete {
			t.Errorf("place %d: %+v, want %+v", i, m, w)
		}
	}
	heat := v.overviewTable(v.answerCells())
	var rows []string
	for _, l := range heat.Rows {
		rows = append(rows, l.Name)
	}
	if want := []string{"minheap", "wheel", "rbtree", "list"}; !slices.Equal(rows, want) {
		t.Errorf("rows %v, want %v", rows, want)
	}
	if heat.Columns[0].Name != "typical" || heat.Columns[1].Name != "worst" || math.Abs(heat.Value[0][1]-3) > 0.01 || !math.IsNaN(heat.Value[3][0]) {
		t.Errorf("columns %v of %v", heat.Columns[:2], heat.Value)
	}
}

// The map, the table and the chart of the ratios speak of the same cells.
func TestTheOverviewIsAtTheSizesOfTheTable(t *testing.T) {
	t.Parallel()
	many := map[string]float64{"minheap": 10, "quadheap": 11, "wheel": 40, "hwheel": 20, "rbtree": 30, "skiplist": 40}
	few := map[string]float64{"wheel": 4, "hwheel": 6}
	r := &results.Run{Cells: []results.Cell{timed("churn", 100_000, many), timed("churn", 1_000_000, few), timed("hold", 1_000_000, many)}}
	v := newView(r, testKnowledge(six))
	table := v.answerTable()
	var columns string
	for _, l := range v.overviewTable(v.answerCells()).Columns {
		columns += l.Name + "; "
	}
	if !strings.Contains(table, "| churn | 100k | minheap |") || columns != "typical; worst; churn  100k; hold  1M; " {
		t.Errorf("columns %s of the overview, and the table\n%s", columns, table)
	}
	if svg := string(v.overviewChart().SVG()); !strings.Contains(svg, ` data-cell="churn 100k">churn  100k<`) {
		t.Error("a column does not say which cell it is")
	}
	if svg := string(v.forestChart().SVG()); !strings.Contains(svg, ">churn  100k<") || strings.Contains(svg, ">churn  1M<") {
		t.Error("the ratios are at other sizes")
	}
}

func TestLeadersAreTheBestOfEachFamily(t *testing.T) {
	t.Parallel()
	r := &results.Run{Cells: []results.Cell{timed("hold", 100, map[string]float64{
		"minheap": 30, "quadheap": 20, "wheel": 10, "hwheel": 11, "rbtree": 90, "tree": 80, "skiplist": 50, "list": 70, "lawn": 60,
	})}}
	known := testKnowledge(nil)
	for name, f := range map[string]catalog.Family{"minheap": catalog.Heaps, "quadheap": catalog.Heaps, "wheel": catalog.Wheels, "hwheel": catalog.Wheels,
		"rbtree": catalog.Trees, "tree": catalog.Trees, "skiplist": catalog.Lists, "list": catalog.Lists, "lawn": catalog.Lists} {
		known.structures = append(known.structures, structure{name, f})
	}
	v := newView(r, known)
	var got []string
	for _, who := range v.leaders(v.rows) {
		got = append(got, who.name)
	}
	if want := []string{"wheel", "hwheel", "quadheap", "minheap", "skiplist", "lawn", "tree", "rbtree"}; !slices.Equal(got, want) {
		t.Errorf("leaders %v, want %v", got, want)
	}
	if note := v.choiceNote(v.rows); !strings.Contains(note, "the other 1 ") {
		t.Errorf("%q", note)
	}
}

// What a chart does not show of its series, the SVG holds for a page to show, and the picture does not.
func TestTheOtherCurvesAreThereOnDemand(t *testing.T) {
	t.Parallel()
	v := newView(large().results(), testKnowledge(twenty))
	f := chartsNamed(t, v, "scale")[0]
	structures := 0
	for _, k := range f.Legend {
		if k.Look.Family != "" {
			structures++
		}
	}
	if structures < 6 || structures > 8 {
		t.Errorf("%d structures in the legend", structures)
	}
	hidden := regexp.MustCompile(`<g data-structure="([^"]*)"[^>]* class="more" display="none">`).FindAllStringSubmatch(string(f.SVG()), -1)
	var names []string
	for _, m := range hidden {
		names = append(names, m[1])
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for _, who := range v.measured(v.r.Cells) {
		inLegend := slices.ContainsFunc(f.Legend, func(k draw.Key) bool { return k.Look.Structure == who.name })
		if inLegend == slices.Contains(names, who.name) {
			t.Errorf("%s is in the legend: %v, and hidden: %v", who.name, inLegend, !inLegend)
		}
	}
	for _, s := range []string{"svg .more { display: none; }", "svg .more.pin { display: inline; }"} {
		if !strings.Contains(draw.Style(), s) {
			t.Errorf("the style sheet lacks %s", s)
		}
	}
}

// Text is at least 9 pixels high where a chart is 820 pixels wide.
func TestTextsAreLargeEnough(t *testing.T) {
	t.Parallel()
	size := regexp.MustCompile(`font-size="([^"]*)"`)
	for name, r := range map[string]*results.Run{"large": large().results(), "compact": compact()} {
		v := newView(r, testKnowledge(twenty))
		for _, f := range charts(v.sections()) {
			for _, m := range size.FindAllStringSubmatch(string(f.SVG()), -1) {
				if points, err := strconv.ParseFloat(m[1], 64); err != nil || points*820/draw.Width.Points() < 9 {
					t.Errorf("%s, %s: a text of %s points", name, f.Name, m[1])
				}
			}
		}
	}
}

func TestAnswersNameThreeAtMost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		names []string
		want  string
	}{
		{nil, "–"}, {[]string{"a"}, "a"}, {[]string{"a", "b", "c"}, "a, b and c"}, {[]string{"a", "b", "c", "d"}, "a, b, c and 1 more"},
		{strings.Split("abcdefghijkl", ""), "a, b, c and 9 more"},
	} {
		if got := someOf(c.names); got != c.want {
			t.Errorf("%v: %q, want %q", c.names, got, c.want)
		}
	}
}
