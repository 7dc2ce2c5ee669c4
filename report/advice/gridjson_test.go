package advice_test

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/stats"
	"github.com/timerbench/timerbench/report/advice"
)

// gridObject is the object of GridJSON as its documentation has it.
type gridObject struct {
	N                 []int
	Cancel, Moved     []float64
	Delays, Matters   []string
	Late              []bool
	Structures, Fires []string
	Wishes            []string
	Cells             [][]any
	Notes             []string
	Questions         []gridQuestion
	Figures           []map[string][]float64
	Answers           []json.RawMessage
	Recorded          []gridRecorded
}

type gridQuestion struct {
	W       string
	E       [][]any
	Far     string
	Figures int
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
func (g gridObject) check(t *testing.T, got gridAnswer, q gridQuestion, wish string, want advice.Answer) {
	t.Helper()
	if sentence := "For " + q.W + wish + ": " + got.S; sentence != want.Sentence {
		t.Errorf("%q, want %q", sentence, want.Sentence)
	}
	var names []string
	for i := 0; i < len(got.R); i += 2 {
		s := int(got.R[i])
		names = append(names, g.Structures[s])
		w := want.Ranking[len(names)-1]
		if got.R[i+1] != rounded(w.Times.Center) || g.Fires[s] != w.Late {
			t.Errorf("%s: %s is %v times the first, late %q, want %+v", want.Sentence, g.Structures[s], got.R[i+1], g.Fires[s], w)
		}
		if i < len(got.I) && w.Times.Bounded() && (got.I[i] != rounded(w.Times.Lo) || got.I[i+1] != rounded(w.Times.Hi)) {
			t.Errorf("%s: %s has the interval %v, want %+v", want.Sentence, g.Structures[s], got.I[i:i+2], w)
		}
		standing := w.Times.Standing()
		if slices.Contains(got.Ties, s) != (i > 0 && standing == stats.Tie) || slices.Contains(got.Unclear, s) != (standing == stats.Unclear) || standing == stats.Unclear && i >= len(got.I) {
			t.Errorf("%s: ties %v, unclear %v, want %+v", want.Sentence, got.Ties, got.Unclear, w)
		}
		figures := []float64{rounded(w.NS), rounded(w.TailNS), rounded(w.Bytes), rounded(w.Wakeups)}
		if of := g.Figures[q.Figures][strconv.Itoa(s)]; !slices.Equal(of, figures) {
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
			x, q := want.Answers[i], got.Questions[i/len(got.Wishes)]
			var of int
			if json.Unmarshal(raw, &of) == nil && string(raw) != "null" {
				shared++
				raw = got.Answers[of]
			}
			var one *gridAnswer
			if err := json.Unmarshal(raw, &one); err != nil {
				t.Fatal(err)
			}
			if (one == nil) != (x.Sentence == "") {
				t.Errorf("%s: answer %d is %s, want %q", name, i, raw, x.Sentence)
			}
			if one != nil {
				got.check(t, *one, q, got.Wishes[i%len(got.Wishes)], x)
			}
		}
		switch name {
		case "committed":
			if data, _ := a.GridJSON(); len(data) > 900_000 || shared == 0 {
				t.Errorf("%d bytes, %d answers shared", len(data), shared)
			}
		case "recorded":
			names, questions := a.Recorded()
			x, err := a.Answer(questions[0])
			if err != nil || len(got.Recorded) != 1 || got.Recorded[0].Name != names[0] {
				t.Fatalf("recorded: %+v, %v", got.Recorded, err)
			}
			at := got.Recorded[0].At
			if n, share := got.N[at[0]], got.Cancel[at[1]]; n != 1000 || share != 0.9 || got.Delays[at[3]] != "" || got.Moved[at[2]] != 0 {
				t.Errorf("the controls of the recorded workload: %v, which is %d and %v", at, n, share)
			}
			got.check(t, got.Recorded[0].Answer, got.Recorded[0].Question, "", x)
		}
	}
	if data, err := advice.New(nil).GridJSON(); string(data) != "{}" || err != nil {
		t.Errorf("of nothing: %s, %v", data, err)
	}
}
