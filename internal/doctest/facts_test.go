package doctest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	kept "github.com/timerbench/timerbench/docs/results"
	"github.com/timerbench/timerbench/internal/show"
	"github.com/timerbench/timerbench/report/answer"
	"github.com/timerbench/timerbench/structures/catalog"
)

// recordedCosts is what the timers of ten recorded programs take of a core, as docs/recordings.md says.
func recordedCosts(t *testing.T) string {
	cost := regexp.MustCompile(`their timers cost (.* to .* % of a core) and`).FindStringSubmatch(read(t, "docs/recordings.md"))
	if cost == nil {
		t.Fatal("docs/recordings.md says no costs")
	}
	return cost[1]
}

// recordedTimers are the least and the largest average number of pending timers in the corpus.
func recordedTimers(t *testing.T) string {
	corpus, _, _ := strings.Cut(read(t, "docs/recordings.md"), "<!-- end of corpus -->")
	var all []int
	for _, m := range regexp.MustCompile(`\| ([\d,]+) \([\d,]+\) \|`).FindAllStringSubmatch(corpus, -1) {
		n, _ := strconv.Atoi(strings.ReplaceAll(m[1], ",", "")) // it has digits only
		all = append(all, n)
	}
	return show.Grouped(slices.Min(all)) + " to " + show.Grouped(slices.Max(all))
}

// driverBytes are those of a timer of Schedule among a million.
func driverBytes(t *testing.T) (bytes string) {
	paths, _ := filepath.Glob("docs/live/*.json.gz") // the pattern is right
	l, _ := liveRun(t, paths[len(paths)-1])
	for _, m := range rowOf(t, l, 1_000_000, "auto tickless").Memory {
		if m.Form == results.FormSchedule {
			bytes = fmt.Sprintf("%.0f", m.Bytes)
		}
	}
	return bytes
}

// Figures in the text, such as <!-- fact driver bytes -->32<!-- end -->, are those of the kept runs and of the recordings.
func TestPublishedFactsAreThoseOfTheirSources(t *testing.T) {
	facts := map[string]string{"recorded costs": recordedCosts(t), "recorded timers": recordedTimers(t), "driver bytes": driverBytes(t)}
	for _, page := range []string{questionsPage, "docs/durable.md"} {
		rewrite(t, page, regexp.MustCompile(`(<!-- fact ([\w ]+) -->)[^<]*(<!-- end -->)`).ReplaceAllStringFunc(read(t, page), func(old string) string {
			name, _, _ := strings.Cut(strings.TrimPrefix(old, "<!-- fact "), " -->")
			if facts[name] == "" {
				t.Errorf("%s: nothing is known of %q", page, name)
			}
			return "<!-- fact " + name + " -->" + facts[name] + "<!-- end -->"
		}))
	}
}

// The answers about a sweep are those of recommend --late.
func TestPublishedSweepIsTheAnswerOfRecommend(t *testing.T) {
	last, err := kept.Last()
	if err != nil {
		t.Fatal(err)
	}
	a := answer.Of(last, catalog.All()).Adviser()
	text := "\n| timers | `recommend --late` names | `sweep` takes |\n|---:|---|---:|\n"
	for n := 10; n <= 1_000_000; n *= 10 {
		x, err := a.Answer(answer.Question{N: float64(n), Cancel: answer.Unknown, Reschedule: answer.Unknown, Late: true})
		if err != nil {
			t.Fatal(err)
		}
		takes := "not measured"
		if sweep, auto := x.Of("sweep"), x.Of(answer.Default); sweep != nil && auto != nil {
			takes = fmt.Sprintf("%.2f times as long as `auto`", sweep.Score/auto.Score)
		}
		text += fmt.Sprintf("| %s | `%s` | %s |\n", show.Grouped(n), x.Name, takes)
	}
	Generated(t, *update, questionsPage, "<!-- sweep: written by go test ./internal/doctest -run Published -update -->\n", "<!-- end of sweep -->\n", text)
}

// docs/limits.md says what no kept run has.
func TestKeptRunsHaveTheLimitsOfThePage(t *testing.T) {
	all, err := kept.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"docs/ttl.json.gz", "docs/field/results.json.gz"} {
		all = append(all, keptRun(t, path))
	}
	for _, r := range all {
		e := r.Environment
		virtual := slices.ContainsFunc(e.Machine, func(f results.Finding) bool { return strings.HasPrefix(f.Value, "a virtual machine") })
		if e.Cores != 2 || e.Arch != "amd64" || e.Memory > 24<<30 || !virtual {
			t.Errorf("a run on %s, %s, of %d cores, %d bytes, virtual %t: docs/limits.md says that there is none", e.CPU, e.Arch, e.Cores, e.Memory, virtual)
		}
	}
}

// keptRun reads a run that is kept outside docs/results.
func keptRun(t *testing.T, path string) *results.Run {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r, err := results.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
