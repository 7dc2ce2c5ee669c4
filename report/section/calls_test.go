package section

import (
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/show"
)

// The table has the largest size of a workload, the structure with the shortest call
// first, and a place for each operation of the workload.
func TestLongestCallsAreShown(t *testing.T) {
	t.Parallel()
	calls := func(structure string, n int, longest ...results.LongestCall) results.Calls {
		return results.Calls{Workload: "avalanche-tick", N: n, Structure: structure, Rounds: 3, Calls: 4 * n, Longest: longest}
	}
	pop := func(ns float64) results.LongestCall {
		return results.LongestCall{Operation: results.Pop, NS: ns, At: 1_114_112}
	}
	v := viewOf(t, &results.Run{Complete: true, Calls: []results.Calls{
		calls("hwheel", 1000, pop(9)),
		calls("hwheel", 100_000, results.LongestCall{Operation: results.Schedule, NS: 5600, At: 7}, pop(1_650_000)),
		calls("quadheap", 100_000, pop(812_000)),
	}})
	page := longestCalls(v).Tables[0].Body.Markdown()
	want := "| Structure | Schedule µs | at tick | Pop µs | at tick |\n|:--- | ---:| ---:| ---:| ---:|\n" +
		"| quadheap | – | – | 812 | " + show.Grouped(1_114_112) + " |\n" +
		"| hwheel | 5.6 | 7 | 1,650 | " + show.Grouped(1_114_112) + " |\n"
	if !strings.Contains(page, want) {
		t.Errorf("the page does not say %q:\n%s", want, page)
	}
	v.Calls[0].Lag, v.Calls[0].Bytes = 2500, 31
	if table := callsTable(v.Calls[:1]).Markdown(); !strings.Contains(table, "| Latest fire µs | Bytes per timer |") || !strings.HasSuffix(table, "| 2.5 | 31 |\n") {
		t.Errorf("no lag or bytes:\n%s", table)
	}
	svg := string(v.callsChart(v.callsByWorkload()).SVG())
	if first, second := strings.Index(svg, ">quadheap<"), strings.Index(svg, ">hwheel<"); first < 0 || second < first {
		t.Error("the structure with the shortest call is not on top")
	}
	if !strings.Contains(svg, "Pop 1.65 ms at tick "+show.Grouped(1_114_112)) {
		t.Errorf("the chart does not say which call takes long: %s", svg)
	}
}
