package doctest

import (
	"fmt"
	"math"
	"os"

	"regexp"
	"strconv"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	kept "github.com/timerbench/timerbench/docs/results"
	"github.com/timerbench/timerbench/internal/show"
)

const publishedPage, questionsPage = "docs/published.md", "docs/questions.md"

// figure is the ratio of two costs in a page, such as <!-- cost hwheel, hold, 1000 / rbtree, hold, 1000 -->0.50 to 0.60 (5 runs)<!-- end -->.
// cost is the time of a cell, tail the 99.9th percentile of firing, and live an operation on a real clock, with one goroutine.
// "below 1" or "above 1" before the arrow holds the words of the page against all runs.
var figure = regexp.MustCompile(`(<!-- (cost|tail|live) ([^,]+), ([^,]+), (\d+) / ([^,]+), ([^,]+), (\d+)(?: (below|above) ([\d.]+))? -->)[^<]*(<!-- end -->)`)

// samples returns the costs of a contender in a run, nil if the run did not measure them.
func samples(r *results.Run, kind, contender, workload, n string) (out []stats.Sample) {
	size, _ := strconv.Atoi(n)
	if cell := r.Cell(workload, size); cell != nil && cell.Row(contender) != nil {
		row := cell.Row(contender)
		if kind == "cost" {
			return stats.Samples(row.Cost)
		}
		for _, l := range row.Latency {
			if l.Kind.String() == "fire" {
				out = append(out, stats.Sample{Value: l.P999})
			}
		}
	}
	if kind == "live" && r.Live != nil {
		for _, row := range r.Live.Rows {
			for i, t := range row.Throughput {
				if row.Name == contender && row.Resident == size && string(t.Op) == workload && t.Goroutines == 1 {
					out = append(out, stats.Sample{Round: i, Value: t.NS / float64(t.Ops)})
				}
			}
		}
	}
	return out
}

// ratio returns the ratio of two costs: by rounds if they are of one cell, otherwise that of the centers; 0: not measured.
func ratio(x, y []stats.Sample, oneCell bool) float64 {
	if paired, ok := stats.Paired(x, y, stats.Options{}); ok && oneCell {
		return paired.Center
	}
	a, ok := stats.Center(x, stats.Options{})
	b, ok2 := stats.Center(y, stats.Options{})
	if !ok || !ok2 || oneCell {
		return 0
	}
	return a.Center / b.Center
}

// rewrite checks that a page has this text, or writes it.
func rewrite(t *testing.T, page, want string) {
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if read(t, page) != want {
		t.Errorf("%s has other figures: run with -update", page)
	}
}

// The pages about published claims and about questions show the lowest and the highest ratio of all kept runs.
func TestPublishedRatiosAreThoseOfTheKeptRuns(t *testing.T) {
	all, err := kept.All()
	if err != nil {
		t.Fatal(err)
	}
	for page, least := range map[string]int{publishedPage: 30, questionsPage: 10} {
		figures := 0
		want := figure.ReplaceAllStringFunc(read(t, page), func(old string) string {
			m := figure.FindStringSubmatch(old)
			figures++
			lo, hi, of := math.Inf(1), 0.0, 0
			for _, r := range all {
				oneCell := m[2] == "cost" && m[4] == m[7] && m[5] == m[8]
				if x := ratio(samples(r, m[2], m[3], m[4], m[5]), samples(r, m[2], m[6], m[7], m[8]), oneCell); x > 0 {
					lo, hi, of = min(lo, x), max(hi, x), of+1
				}
			}
			if of == 0 {
				t.Errorf("%s: no kept run has %s", page, m[1])
			}
			if bound, _ := strconv.ParseFloat(m[10], 64); m[9] == "below" && hi >= bound || m[9] == "above" && lo <= bound {
				t.Errorf("%s: %s, but it is %.2f to %.2f: the words of the page no longer hold", page, m[1], lo, hi)
			}
			between := fmt.Sprintf("%.2f to %.2f", lo, hi)
			if of == 1 {
				between = fmt.Sprintf("%.2f", lo)
			}
			return m[1] + between + " (" + show.Count(of, "run") + ")" + m[11]
		})
		rewrite(t, page, want)
		if figures < least {
			t.Errorf("%s: %d figures, want at least %d", page, figures, least)
		}
	}
}
