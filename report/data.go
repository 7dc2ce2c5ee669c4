package report

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/report/advice"
	"github.com/timerbench/timerbench/structures/catalog"
)

// pageData is what the script of the page looks up, as one block of JSON. The script computes no
// figure but the reciprocal of a ratio.
type pageData struct {
	Structures []dataStructure `json:"structures,omitempty"`
	Ask        *dataAsk        `json:"ask,omitempty"`
	Ratios     *dataRatios     `json:"ratios,omitempty"`
}

// dataStructure is a structure. Elsewhere its index in the list stands for it.
type dataStructure struct {
	Name       string `json:"name"`
	Family     string `json:"family,omitempty"`
	ThirdParty bool   `json:"shelf,omitempty"`
	Import     string `json:"import,omitempty"`
	Late       string `json:"late,omitempty"` // by how much at most; empty: exact
}

// dataAsk are the answers to all combinations of the controls, in the order of [advice.Grid].
// After them come those for each preset: for all that matters, and for both kinds of exactness.
type dataAsk struct {
	Sizes   []int        `json:"sizes"` // numbers of choices of the controls
	Presets [][]int      `json:"presets,omitempty"`
	Answers []dataAnswer `json:"answers"`

	// What several answers share: lists of as many values in turn as the comment names.
	Notes    distinct `json:"notes"`    // sentences
	Rankings distinct `json:"rankings"` // structure, times the first, remark
	Figures  distinct `json:"figures"`  // structure, ns, tail ns, bytes, wake-ups
	Evidence distinct `json:"evidence"` // workload, N, share in the answer
}

// dataAnswer is a sentence and the places of the rest. An answer that the results cannot give has no
// sentence.
type dataAnswer struct {
	sentence                          string
	notes, ranking, figures, evidence int
}

// MarshalJSON writes an answer as a list.
func (a dataAnswer) MarshalJSON() ([]byte, error) {
	if a.sentence == "" {
		return []byte("0"), nil
	}
	return json.Marshal([]any{a.sentence, a.notes, a.ranking, a.figures, a.evidence})
}

// distinct are different lists.
type distinct struct {
	lists []json.RawMessage
	at    map[string]int
}

// MarshalJSON writes the lists.
func (d distinct) MarshalJSON() ([]byte, error) { return json.Marshal(d.lists) }

// add returns the place of a list, which it adds if it is new.
func (d *distinct) add(list []any) int {
	text, err := json.Marshal(append([]any{}, list...)) // not null
	if err != nil {
		panic(err) // lists hold strings and whole numbers
	}
	at, ok := d.at[string(text)]
	if !ok {
		if d.at == nil {
			d.at = make(map[string]int)
		}
		at = len(d.lists)
		d.at[string(text)] = at
		d.lists = append(d.lists, text)
	}
	return at
}

// data returns the data of the page, without answers.
func (v *view) data() *pageData {
	d := &pageData{Ratios: v.ratioData()}
	for _, who := range v.present(func(who contender) bool { return who.role == results.RoleStructure }) {
		d.Structures = append(d.Structures, v.dataStructure(who.name))
	}
	return d
}

// answer adds the answers.
func (d *pageData) answer(grid *advice.Grid, presets []preset) {
	index := make(map[string]int)
	for i, s := range d.Structures {
		index[s.Name] = i
	}
	d.Ask = &dataAsk{Sizes: []int{len(grid.N), len(grid.Cancel), len(grid.Delays), len(grid.Matters), len(grid.Exact)}}
	// The figures of a structure depend on the first three controls alone.
	each := len(grid.Matters) * len(grid.Exact)
	for answers := range slices.Chunk(grid.Answers, each) {
		d.Ask.add(answers, index)
	}
	for _, p := range presets {
		d.Ask.Presets = append(d.Ask.Presets, p.at[:3])
		d.Ask.add(p.answers, index)
	}
}

func (v *view) dataStructure(name string) dataStructure {
	s := dataStructure{Name: name}
	if i := slices.IndexFunc(v.known.structures, func(s structure) bool { return s.name == name }); i >= 0 {
		s.Family = string(v.known.structures[i].family)
	}
	if i := slices.IndexFunc(v.known.entries, func(e catalog.Entry) bool { return e.Name == name }); i >= 0 {
		e := v.known.entries[i]
		s.ThirdParty, s.Import, s.Late = e.ThirdParty != "", e.Package, e.Late
	}
	return s
}

// add adds answers that share their figures.
func (d *dataAsk) add(answers []advice.Answer, index map[string]int) {
	var figures []any
	seen := make(map[string]bool)
	for _, x := range answers {
		for _, s := range x.Ranking {
			if !seen[s.Structure] {
				seen[s.Structure] = true
				figures = append(figures, index[s.Structure], knownFigure(s.NS, digits3), knownFigure(s.TailNS, digits3),
					knownFigure(s.Bytes, digits3), knownFigure(s.Wakeups, advice.Times))
			}
		}
	}
	at := d.Figures.add(figures)
	for _, x := range answers {
		a := dataAnswer{sentence: x.Sentence, figures: at}
		var notes, ranking, evidence []any
		for _, note := range notesOf(x) {
			notes = append(notes, note)
		}
		a.notes = d.Notes.add(notes)
		for _, s := range x.Ranking {
			ranking = append(ranking, index[s.Structure], timesFirst(s), remark(s))
		}
		a.ranking = d.Rankings.add(ranking)
		for _, e := range x.Evidence {
			evidence = append(evidence, e.Workload, short(float64(e.N)), percent(math.Round(100*e.Weight)/100))
		}
		a.evidence = d.Evidence.add(evidence)
		d.Answers = append(d.Answers, a)
	}
}

// knownFigure formats a figure; 0 is not known.
func knownFigure(v float64, format func(float64) string) string {
	if v == 0 {
		return ""
	}
	return format(v)
}

// timesFirst is the score of a structure as a multiple of the first one's.
func timesFirst(s advice.Ranked) string {
	lo, hi := advice.Times(s.Times.Lo), advice.Times(s.Times.Hi)
	if !s.Times.Bounded() || lo == hi {
		return advice.Times(s.Times.Center)
	}
	return lo + " to " + hi
}

func remark(s advice.Ranked) string {
	switch {
	case s.Tie:
		return "tie"
	case s.Unclear:
		return "unclear"
	}
	return ""
}

// dataRatios are the paired ratios of the cells of the table of ratios.
type dataRatios struct {
	Names []string   `json:"names"` // of the columns
	Cells []dataCell `json:"cells"`
}

// dataCell holds the ratio of each contender to each later one: those of the first, those of the second,
// and so on. A negative one is not certain, since its interval holds 1 or there is none. 0 is not known.
type dataCell struct {
	Workload string      `json:"w"`
	N        string      `json:"n"`
	Ratios   []dataRatio `json:"r"`
}

// dataRatio is a ratio to three digits.
type dataRatio float64

// MarshalJSON writes three digits.
func (r dataRatio) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(r), 'g', 3, 64), nil
}

func (v *view) ratioData() *dataRatios {
	who := v.ratioColumns()
	d := &dataRatios{}
	for _, c := range who {
		d.Names = append(d.Names, c.shown())
	}
	for _, c := range v.ratioCells() {
		a := v.analysis(c)
		cell := dataCell{Workload: c.Workload, N: short(float64(c.N))}
		for i, of := range who {
			row, _ := rowOf(c, of.name)
			for _, to := range who[i+1:] {
				other, _ := rowOf(c, to.name)
				r, value := a.ratio(row, other), 0.0
				if r.Pairs > 0 {
					value = r.Center
					if a.compared(r) == unclear {
						value = -value
					}
				}
				cell.Ratios = append(cell.Ratios, dataRatio(value))
			}
		}
		d.Cells = append(d.Cells, cell)
	}
	if len(d.Cells) == 0 {
		return nil
	}
	return d
}
