package advice_test

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/report/advice"
)

// gridObject is the object of GridJSON as its documentation has it.
type gridObject struct {
	N                []int
	Cancel           []float64
	Delays, Matters  []string
	Exact            []bool
	Structures, Late []string
	Cells            [][]any
	Notes            []string
	Questions        []gridQuestion
	Answers          []json.RawMessage
	Recorded         []gridRecorded
}

type gridQuestion struct {
	E       [][]any
	Far     string
	Figures map[string][]float64
}

type gridAnswer struct {
	S                    string
	R, I                 []float64
	Ties, Unclear, Notes []int
}

type gridRecorded struct {
	Name     string
	At       []int
	Question gridQuestion
	Answer   gridAnswer
}

func readGrid(t *testing.T, a *advice.Adviser) gridObject {
	t.Helper()
	data, err := a.GridJSON()
	if err != nil {
		t.Fatal(err)
	}
	var out gridObject
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	return out
}

// rounded is a figure as the object has it.
func rounded(v float64) float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return 0
	}
	out, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	if err != nil {
		panic(err)
	}
	return out
}

// check compares an answer of the object with the one that it stands for.
func (g gridObject) check(t *testing.T, got gridAnswer, q gridQuestion, late bool, want advice.Answer) {
	t.Helper()
	var names []string
	for i := 0; i < len(got.R); i += 2 {
		s := int(got.R[i])
		if !late && g.Late[s] != "" {
			continue
		}
		names = append(names, g.Structures[s])
		w := want.Ranking[len(names)-1]
		if got.R[i+1] != rounded(w.Times.Center) || g.Late[s] != w.Late {
			t.Errorf("%s: %s is %v times the first, late %q, want %+v", want.Sentence, g.Structures[s], got.R[i+1], g.Late[s], w)
		}
		if i < len(got.I) && w.Times.Bounded() && (got.I[i] != rounded(w.Times.Lo) || got.I[i+1] != rounded(w.Times.Hi)) {
			t.Errorf("%s: %s has the interval %v, want %+v", want.Sentence, g.Structures[s], got.I[i:i+2], w)
		}
		if slices.Contains(got.Ties, s) != w.Tie || slices.Contains(got.Unclear, s) != w.Unclear {
			t.Errorf("%s: ties %v, unclear %v, want %+v", want.Sentence, got.Ties, got.Unclear, w)
		}
		figures := []float64{rounded(w.NS), rounded(w.TailNS), rounded(w.TailTimes), rounded(w.Bytes), rounded(w.Wakeups)}
		if of := q.Figures[strconv.Itoa(s)]; !slices.Equal(of, figures) {
			t.Errorf("%s: %s has the figures %v, want %v", want.Sentence, g.Structures[s], of, figures)
		}
	}
	var wantNames []string
	for _, s := range want.Ranking {
		wantNames = append(wantNames, s.Structure)
	}
	if !slices.Equal(names, wantNames) {
		t.Errorf("%s: ranking %q, want %q", want.Sentence, names, wantNames)
	}
	var notes []string
	for _, i := range got.Notes {
		notes = append(notes, g.Notes[i])
	}
	if !slices.Equal(notes, want.Missing) || q.Far != want.Far || len(q.E) != len(want.Evidence) {
		t.Errorf("%s: notes %q, far %q, evidence %v", want.Sentence, notes, q.Far, q.E)
	}
	for i, e := range want.Evidence {
		cell := g.Cells[int(q.E[i][0].(float64))]
		if cell[0] != e.Workload || cell[1] != float64(e.N) || cell[2] != string(e.Unit) ||
			q.E[i][1] != math.Round(100*e.Weight) || q.E[i][2] != rounded(e.Distance) || q.E[i][3] != e.Differs {
			t.Errorf("%s: evidence %v of %v, want %+v", want.Sentence, q.E[i], cell, e)
		}
	}
}

// A page that has only the object shows what Answer says.
func TestTheObjectOfTheGridHoldsAllAnswers(t *testing.T) {
	t.Parallel()
	committed, err := advice.Committed()
	if err != nil {
		t.Fatal(err)
	}
	recorded := twoSizes()
	mine := cell(800, 90, "clustered", costs{"hwheel": 20, "rbtree": 9})
	mine.Workload, mine.Grid, mine.Category = "mine", nil, "recorded"
	recorded.Cells = append(recorded.Cells, mine, cell(1000, 90, "clustered", costs{"hwheel-linux": 9, "rbtree": 10}))
	recorded.Parameters.Traces = map[string]results.Recording{"mine": {}}
	late := run(cell(1000, 0, "uniform", costs{"hwheel-linux": 20}))
	for name, r := range map[string]*results.Run{"committed": committed, "recorded": recorded, "late only": late} {
		a := advice.New(r)
		got, want := readGrid(t, a), a.Grid()
		if len(got.Answers) != len(want.Answers) || len(got.Answers) == 0 {
			t.Fatalf("%s: %d answers, want %d", name, len(got.Answers), len(want.Answers))
		}
		shared := 0
		for i, raw := range got.Answers {
			x, q := want.Answers[i], got.Questions[i/(len(got.Matters)*len(got.Exact))]
			var of int
			if exact := json.Unmarshal(raw, &of) == nil && string(raw) != "null"; exact {
				shared++
				raw = got.Answers[of]
				var all gridAnswer
				if err := json.Unmarshal(raw, &all); err != nil {
					t.Fatal(err)
				}
				if !x.ExactOnly || want.Answers[of].ExactOnly || want.Answers[of].N != x.N || want.Answers[of].Matters != x.Matters {
					t.Errorf("%s: answer %d is that of %d", name, i, of)
				}
				if sentence := strings.Replace(all.S, " delays", " delays, none late", 1); sentence != x.Sentence {
					t.Errorf("%s: %q, want %q", name, sentence, x.Sentence)
				}
				got.check(t, all, q, false, x)
				continue
			}
			var one *gridAnswer
			if err := json.Unmarshal(raw, &one); err != nil {
				t.Fatal(err)
			}
			if (one == nil) != (x.Sentence == "") {
				t.Errorf("%s: answer %d is %s, want %q", name, i, raw, x.Sentence)
			}
			if one != nil {
				if one.S != x.Sentence {
					t.Errorf("%s: %q, want %q", name, one.S, x.Sentence)
				}
				got.check(t, *one, q, true, x)
			}
		}
		switch name {
		case "committed":
			if data, _ := a.GridJSON(); len(data) > 250_000 || shared == 0 {
				t.Errorf("%d bytes, %d answers shared", len(data), shared)
			}
		case "recorded":
			names, questions := a.Recorded()
			x, err := a.Answer(questions[0])
			if err != nil || len(got.Recorded) != 1 || got.Recorded[0].Name != names[0] {
				t.Fatalf("recorded: %+v, %v", got.Recorded, err)
			}
			at := got.Recorded[0].At
			if n, share := got.N[at[0]], got.Cancel[at[1]]; n != 1000 || share != 0.9 || got.Delays[at[2]] != "" {
				t.Errorf("the controls of the recorded workload: %v, which is %d and %v", at, n, share)
			}
			got.check(t, got.Recorded[0].Answer, got.Recorded[0].Question, true, x)
		}
	}
	if data, err := advice.New(nil).GridJSON(); string(data) != "{}" || err != nil {
		t.Errorf("of nothing: %s, %v", data, err)
	}
}
