package report

import (
	"slices"
	"strings"
	"testing"

	kept "github.com/timerbench/timerbench/docs/results"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/report/draw"
	"github.com/timerbench/timerbench/report/section"
	"github.com/timerbench/timerbench/structures/catalog"
)

// linesOf returns the number of marks of each line of a panel, and the names at the ends.
func linesOf(p *draw.Panel) (marks map[string]int, ends []string) {
	marks = make(map[string]int)
	for _, m := range p.Marks {
		switch m := m.(type) {
		case draw.Series:
			marks[m.Style.Name] = max(marks[m.Style.Name], len(m.Marks))
		case draw.Ends:
			for _, e := range m {
				ends = append(ends, e.Style.Name)
			}
		}
	}
	return marks, ends
}

// The pictures of latency and of idle ticks hold the six structures that most timers stand on, and auto, over N: latency in
// the kept run, idle ticks in made-up counts.
func TestTheTwoPicturesHoldTheSixStructuresOverN(t *testing.T) {
	t.Parallel()
	kept, err := kept.Last()
	if err != nil {
		t.Fatal(err)
	}
	classics := append(slices.Clone(six), "auto")
	all := fixture{structures: append(slices.Clone(classics), "hwheel-list")}
	kept.IdleTicks = all.idleTicks()
	v := section.NewView(answer.Of(kept, catalog.All()))
	latency, idle := chartsNamed(t, v, "latency")[0], chartsNamed(t, v, "idle-ticks")[0]
	if len(latency.Panels) != 3 || len(idle.Panels) != 4 {
		t.Fatalf("%d and %d panels, want 3 and 4", len(latency.Panels), len(idle.Panels))
	}
	for _, p := range append(slices.Clone(latency.Panels), idle.Panels[1]) {
		marks, ends := linesOf(p)
		for _, name := range classics {
			if marks[name] < 3 || !slices.Contains(ends, name) {
				t.Errorf("%s: %s has %d marks, and the ends of lines are those of %q", p.Title, name, marks[name], ends)
			}
		}
	}
	for i, want := range [][]string{
		{"uniform delays", "clustered delays", "on round times", "e^(-rate × tick)"}, classics,
		{"flat wheel, computed", "wheel", "hwheel", "hwheel-list"}, {"wheel", "hwheel", "hwheel-list", "all others: none"},
	} {
		_, ends := linesOf(idle.Panels[i])
		slices.Sort(ends)
		if want = slices.Sorted(slices.Values(want)); !slices.Equal(ends, want) {
			t.Errorf("%s: lines of %q, want %q", idle.Panels[i].Title, ends, want)
		}
	}
	if want := "timers that start at spread times fall due at spread times"; !strings.Contains(idle.Caption, want) {
		t.Errorf("the caption does not say %q", want)
	}
}
