package advice

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// GridJSON returns [Adviser.Grid] and the answers of recorded workloads as one JSON object, which is
// small enough to be part of a page. Numbers have three significant digits. A place in a list counts
// from 0. These are its fields:
//
//   - n, cancel, delays, matters, exact: the values of the controls. The delays "" are any;
//   - structures: names; late: of each, how late it fires at most, "" if it is exact;
//   - cells: [workload, N, unit] of each cell on which an answer rests;
//   - notes: sentences on what the results do not hold;
//   - questions: for each combination of n, cancel and delays, the last of them fastest, what its
//     answers have in common. e is the evidence, a list of [cell, weight in percent, distance, difference from the
//     question in words]; far says that the nearest cell is far, where it is. figures has a key for each
//     structure, its place in structures, with the value [ns, tail ns, tail, bytes, wake-ups], see
//     [Ranked]: multiples of the best in tail and wake-ups. 0 is not known;
//   - answers: for each combination of n, cancel, delays, matters and exact, the last of them
//     fastest. null is one that the results cannot give. A number is the place of an answer that is the same, except that it
//     ranks structures that are late, too, and that its sentence lacks ", none late" after "delays". Otherwise s is the sentence. r is the ranking, two numbers for each
//     structure: its place in structures, and its score as a multiple of the first's. i is the interval of the
//     latter, two numbers for each of the first structures of the ranking, 0 and 0 if there is none. ties and unclear are the structures
//     that may be as good as the first, and notes places in notes;
//   - recorded: for each trace and scenario of the results its name, at, the places of the values of
//     n, cancel and delays that are nearest to it, its own question, and answer, by throughput.
//
// It is an empty object if the results hold nothing to answer from.
func (a *Adviser) GridJSON() ([]byte, error) {
	g := a.Grid()
	if len(g.Answers) == 0 {
		return []byte("{}"), nil
	}
	w := gridWriter{out: gridJSON{N: g.N, Delays: g.Delays, Exact: g.Exact}}
	for _, share := range g.Cancel {
		w.out.Cancel = append(w.out.Cancel, number(share))
	}
	for _, m := range g.Matters {
		w.out.Matters = append(w.out.Matters, m.Name)
	}
	for i, x := range g.Answers {
		if i%(len(g.Matters)*len(g.Exact)) == 0 {
			w.out.Questions = append(w.out.Questions, &questionJSON{Figures: make(map[int][5]number)})
		}
		w.out.Answers = append(w.out.Answers, w.answer(x, w.out.Questions[len(w.out.Questions)-1]))
		if g.Exact[i%len(g.Exact)] && onlyExact(g.Answers[i-1], x) {
			w.out.Answers[i] = i - 1
		}
	}
	names, questions := a.Recorded()
	for i, q := range questions {
		x, err := a.Answer(q)
		if err != nil {
			continue
		}
		r := recordedJSON{Name: names[i], At: g.nearest(q), Question: questionJSON{Figures: make(map[int][5]number)}}
		r.Answer = w.answer(x, &r.Question)
		w.out.Recorded = append(w.out.Recorded, r)
	}
	data, err := json.Marshal(w.out)
	if err != nil {
		return nil, fmt.Errorf("the grid of answers: %w", err)
	}
	return data, nil
}

// number is a number that is written with three significant digits. One that is not finite is 0.
type number float64

func (v number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
		v = 0
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(float64(v), 'g', 3, 64), 64)
	return strconv.AppendFloat(nil, rounded, 'f', -1, 64), err
}

// The fields of the object, see [Adviser.GridJSON].
type (
	gridJSON struct {
		N          []int           `json:"n"`
		Cancel     []number        `json:"cancel"`
		Delays     []string        `json:"delays"`
		Matters    []string        `json:"matters"`
		Exact      []bool          `json:"exact"`
		Structures []string        `json:"structures"`
		Late       []string        `json:"late"`
		Cells      [][3]any        `json:"cells"`
		Notes      []string        `json:"notes"`
		Questions  []*questionJSON `json:"questions"`
		Answers    []any           `json:"answers"`
		Recorded   []recordedJSON  `json:"recorded,omitempty"`
	}
	questionJSON struct {
		Evidence [][4]any          `json:"e"`
		Far      string            `json:"far,omitempty"`
		Figures  map[int][5]number `json:"figures"`
	}
	answerJSON struct {
		Sentence  string   `json:"s"`
		Ranking   []number `json:"r,omitempty"`
		Intervals []number `json:"i,omitempty"`
		Ties      []int    `json:"ties,omitempty"`
		Unclear   []int    `json:"unclear,omitempty"`
		Notes     []int    `json:"notes,omitempty"`
	}
	recordedJSON struct {
		Name     string       `json:"name"`
		At       [3]int       `json:"at"`
		Question questionJSON `json:"question"`
		Answer   *answerJSON  `json:"answer"`
	}
)

// gridWriter collects answers and the lists that they refer to.
type gridWriter struct{ out gridJSON }

// widely is the multiple of the first from which on no interval is written (chosen).
const widely = 2

// answer returns an answer, and adds what it knows of its question. It is nil if there is none.
func (w *gridWriter) answer(x Answer, q *questionJSON) *answerJSON {
	if x.Sentence == "" {
		return nil
	}
	out := &answerJSON{Sentence: x.Sentence}
	costs := x.Matters.shares()[0] > 0 // nothing else has an interval
	for _, s := range x.Ranking {
		i := placeIn(&w.out.Structures, s.Structure)
		if i == len(w.out.Late) {
			w.out.Late = append(w.out.Late, s.Late)
		}
		q.Figures[i] = [5]number{number(s.NS), number(s.TailNS), number(s.TailTimes), number(s.Bytes), number(s.Wakeups)}
		out.Ranking = append(out.Ranking, number(i), number(s.Times.Center))
		costs = costs && s.Times.Center < widely // the order is by score, so that later ones may be below it again
		if costs {
			lo, hi := s.Times.Lo, s.Times.Hi
			if !s.Times.Bounded() {
				lo, hi = 0, 0
			}
			out.Intervals = append(out.Intervals, number(lo), number(hi))
		}
		switch {
		case s.Tie:
			out.Ties = append(out.Ties, i)
		case s.Unclear:
			out.Unclear = append(out.Unclear, i)
		}
	}
	for _, note := range x.Missing {
		out.Notes = append(out.Notes, placeIn(&w.out.Notes, note))
	}
	q.Far, q.Evidence = x.Far, nil
	for _, e := range x.Evidence {
		cell := placeIn(&w.out.Cells, [3]any{e.Workload, e.N, e.Unit})
		q.Evidence = append(q.Evidence, [4]any{cell, number(math.Round(100 * e.Weight)), number(e.Distance), e.Differs})
	}
	return out
}

// onlyExact reports whether the structures that are late make no difference to the words of an answer, and none to its
// ranking but that they are in it.
func onlyExact(all, some Answer) bool {
	exact := slices.DeleteFunc(slices.Clone(all.Ranking), func(s Ranked) bool { return s.Late != "" })
	all.ExactOnly = true
	return len(exact) > 0 && slices.Equal(exact, some.Ranking) && all.sentence() == some.Sentence
}

// placeIn returns the place of a value in a list, to which it is added if it is missing.
func placeIn[T comparable](list *[]T, value T) int {
	i := slices.Index(*list, value)
	if i < 0 {
		i = len(*list)
		*list = append(*list, value)
	}
	return i
}

// nearest returns the places of the values of the first three controls that are nearest to a question.
func (g *Grid) nearest(q Question) [3]int {
	var out [3]int
	for i, n := range g.N {
		if decades(float64(n), q.N) < decades(float64(g.N[out[0]]), q.N) {
			out[0] = i
		}
	}
	for i, share := range g.Cancel {
		if math.Abs(share-q.Cancel) < math.Abs(g.Cancel[out[1]]-q.Cancel) {
			out[1] = i
		}
	}
	out[2] = max(0, slices.Index(g.Delays, q.Delays)) // any, unless it was measured
	return out
}
