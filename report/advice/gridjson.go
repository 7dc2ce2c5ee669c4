package advice

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/timerbench/timerbench/bench/stats"
)

// GridJSON returns [Adviser.Grid] and the answers of recorded workloads as one JSON object, which is
// small enough to be part of a page. Numbers have three significant digits. A place in a list counts
// from 0. These are its fields:
//
//   - n, cancel, moved, delays, matters, late: the values of the controls. A share cancelled of -1 is not known,
//     the delays "" are any;
//   - structures: names; fires: of each, how late it fires at most, "" if it is exact;
//   - cells: [workload, N, unit] of each cell on which an answer rests;
//   - notes: sentences on what the results do not hold;
//   - wishes: for each combination of matters and late, the last of them fastest, how the words of a question end;
//   - questions: for each combination of n, cancel, moved and delays, the last of them fastest, what its
//     answers have in common. w is how its words begin. e is the evidence, a list of [cell, weight in percent, distance, difference from the
//     question in words]; far says in what the nearest cell differs, where none is near. figures is a place in the
//     list of that name;
//   - figures: objects with a key for each structure, its place in structures, with the value [ns, tail ns, bytes,
//     wake-ups], see [Ranked]: multiples of the fewest wake-ups. 0 is not known;
//   - answers: for each combination of n, cancel, moved, delays, matters and late, the last of them
//     fastest. null is one that the results cannot give. A number is the place of an answer that is the same.
//     Otherwise s is the sentence after "For", the words of the question and ": ". r is the ranking, two numbers for each
//     structure: its place in structures, and its score as a multiple of the first's. i is the interval of the
//     latter, two numbers for each of the first structures of the ranking, 0 and 0 if there is none. ties and unclear are the structures
//     that may be as good as the first, and notes places in notes;
//   - recorded: for each trace and scenario of the results its name, at, the places of the values of
//     n, cancel, moved and delays that are nearest to it, its own question, and answer, by throughput and exact.
//
// It is an empty object if the results hold nothing to answer from.
func (a *Adviser) GridJSON() ([]byte, error) {
	g := a.Grid()
	if len(g.Answers) == 0 {
		return []byte("{}"), nil
	}
	w := gridWriter{out: gridJSON{N: g.N, Delays: g.Delays, Late: g.Late}, known: make(map[string]int)}
	for _, share := range g.Cancel {
		w.out.Cancel = append(w.out.Cancel, number(share))
	}
	for _, moved := range g.Moved {
		w.out.Moved = append(w.out.Moved, number(moved))
	}
	for _, m := range g.Matters {
		w.out.Matters = append(w.out.Matters, m.Name)
	}
	wishes := len(g.Matters) * len(g.Late)
	for i, x := range g.Answers {
		if i < wishes {
			w.out.Wishes = append(w.out.Wishes, x.wish())
		}
		if i%wishes == 0 {
			w.out.Questions = append(w.out.Questions, &questionJSON{Words: x.population(), figures: make(figuresJSON)})
		}
		w.out.Answers = append(w.out.Answers, w.once(i, w.answer(x, w.out.Questions[len(w.out.Questions)-1])))
	}
	for _, q := range w.out.Questions {
		w.figures(q)
	}
	names, questions := a.Recorded()
	for i, q := range questions {
		x, err := a.Answer(q)
		if err != nil {
			continue
		}
		r := recordedJSON{Name: names[i], At: g.nearest(q), Question: questionJSON{Words: q.population(), figures: make(figuresJSON)}}
		r.Answer = w.answer(x, &r.Question)
		w.figures(&r.Question)
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
		Moved      []number        `json:"moved"`
		Delays     []string        `json:"delays"`
		Matters    []string        `json:"matters"`
		Late       []bool          `json:"late"`
		Structures []string        `json:"structures"`
		Fires      []string        `json:"fires"`
		Cells      [][3]any        `json:"cells"`
		Notes      []string        `json:"notes"`
		Wishes     []string        `json:"wishes"`
		Questions  []*questionJSON `json:"questions"`
		Figures    []figuresJSON   `json:"figures"`
		Answers    []any           `json:"answers"`
		Recorded   []recordedJSON  `json:"recorded,omitempty"`
	}
	questionJSON struct {
		Words    string   `json:"w"`
		Evidence [][4]any `json:"e"`
		Far      string   `json:"far,omitempty"`
		Figures  int      `json:"figures"`

		figures figuresJSON
	}
	figuresJSON map[int][4]number
	answerJSON  struct {
		Sentence  string   `json:"s"`
		Ranking   []number `json:"r,omitempty"`
		Intervals []number `json:"i,omitempty"`
		Ties      []int    `json:"ties,omitempty"`
		Unclear   []int    `json:"unclear,omitempty"`
		Notes     []int    `json:"notes,omitempty"`
	}
	recordedJSON struct {
		Name     string       `json:"name"`
		At       [4]int       `json:"at"`
		Question questionJSON `json:"question"`
		Answer   *answerJSON  `json:"answer"`
	}
)

// gridWriter collects answers and the lists that they refer to.
type gridWriter struct {
	out   gridJSON
	known map[string]int // answers as they are written, and the first place of each
}

// once returns an answer, or the place of an earlier one that is the same.
func (w *gridWriter) once(at int, x *answerJSON) any {
	if x == nil {
		return nil
	}
	key := fmt.Sprint(*x)
	if of, ok := w.known[key]; ok {
		return of
	}
	w.known[key] = at
	return x
}

// figures writes those of a question, unless another one has the same.
func (w *gridWriter) figures(q *questionJSON) {
	if q.Figures = slices.IndexFunc(w.out.Figures, func(of figuresJSON) bool { return maps.Equal(of, q.figures) }); q.Figures < 0 {
		q.Figures = len(w.out.Figures)
		w.out.Figures = append(w.out.Figures, q.figures)
	}
}

// widely is the multiple of the first from which on no interval is written (chosen).
const widely = 2

// answer returns an answer, and adds what it knows of its question. It is nil if there is none.
func (w *gridWriter) answer(x Answer, q *questionJSON) *answerJSON {
	if x.Sentence == "" {
		return nil
	}
	out := &answerJSON{Sentence: strings.TrimPrefix(x.Sentence, "For "+x.Words()+": ")}
	bounds := 0 // how many of the first structures have an interval that is written
	for at, s := range x.Ranking {
		if x.Matters.shares()[0] > 0 && (s.Times.Center < widely || s.Times.Standing() == stats.Unclear) {
			bounds = at + 1 // nothing but costs has an interval
		}
	}
	for at, s := range x.Ranking {
		i := placeIn(&w.out.Structures, s.Structure)
		if i == len(w.out.Fires) {
			w.out.Fires = append(w.out.Fires, s.Late)
		}
		q.figures[i] = [4]number{number(s.NS), number(s.TailNS), number(s.Bytes), number(s.Wakeups)}
		out.Ranking = append(out.Ranking, number(i), number(s.Times.Center))
		if at < bounds {
			lo, hi := s.Times.Lo, s.Times.Hi
			if !s.Times.Bounded() {
				lo, hi = 0, 0
			}
			out.Intervals = append(out.Intervals, number(lo), number(hi))
		}
		switch standing := s.Times.Standing(); {
		case at == 0:
		case standing == stats.Tie:
			out.Ties = append(out.Ties, i)
		case standing == stats.Unclear:
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

// placeIn returns the place of a value in a list, to which it is added if it is missing.
func placeIn[T comparable](list *[]T, value T) int {
	i := slices.Index(*list, value)
	if i < 0 {
		i = len(*list)
		*list = append(*list, value)
	}
	return i
}

// nearest returns the places of the values of the first four controls that are nearest to a question.
func (g *Grid) nearest(q Question) [4]int {
	var out [4]int
	for i, n := range g.N {
		if decades(float64(n), q.N) < decades(float64(g.N[out[0]]), q.N) {
			out[0] = i
		}
	}
	for at, of := range map[int]struct {
		shares []float64
		share  float64
	}{1: {g.Cancel, q.Cancel}, 2: {g.Moved, q.Reschedule}} {
		for i, share := range of.shares {
			if math.Abs(share-of.share) < math.Abs(of.shares[out[at]]-of.share) {
				out[at] = i
			}
		}
	}
	out[3] = max(0, slices.Index(g.Delays, q.Delays)) // any, unless it was measured
	return out
}
