package report

import (
	"encoding/json"
	"fmt"
	"image/color"
	"slices"
	"strconv"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/report/advice"
	"github.com/timerbench/timerbench/structures/catalog"
)

// pageData is what the script of the page looks up, as one block of JSON.
type pageData struct {
	Structures []dataStructure `json:"structures"`
	Answers    json.RawMessage `json:"answers"` // see advice.Adviser.GridJSON
	Ratios     dataRatios      `json:"ratios"`
}

// dataStructure is a structure of the results.
type dataStructure struct {
	Name       string `json:"name"`
	Family     string `json:"family"`
	Color      string `json:"color"` // of its family's hue
	ThirdParty bool   `json:"shelf,omitempty"`
	Import     string `json:"import,omitempty"` // path
}

func (v *view) data(a *advice.Adviser) (*pageData, error) {
	answers, err := a.GridJSON()
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	d := &pageData{Structures: []dataStructure{}, Answers: answers, Ratios: v.ratioData()}
	for _, who := range v.present(func(who contender) bool { return who.role == results.RoleStructure }) {
		c := color.NRGBAModel.Convert(v.looks[who.name].Color).(color.NRGBA)
		s := dataStructure{Name: who.name, Family: "others", Color: fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)}
		if i := slices.IndexFunc(v.known.structures, func(s structure) bool { return s.name == who.name }); i >= 0 {
			s.Family = string(v.known.structures[i].family)
		}
		if i := slices.IndexFunc(v.known.entries, func(e catalog.Entry) bool { return e.Name == who.name }); i >= 0 {
			s.ThirdParty, s.Import = v.known.entries[i].ThirdParty != "", v.known.entries[i].Package
		}
		d.Structures = append(d.Structures, s)
	}
	return d, nil
}

// dataRatios are the paired ratios of the cells of the table of ratios.
type dataRatios struct {
	Names []string   `json:"names"` // of the columns
	Cells []dataCell `json:"cells"`
}

// dataCell holds the ratio of each contender to each later one: those of the first, those of the second,
// and so on. A negative one is not certain: its interval holds 1 or there is none, or the difference is within the noise of the
// cell. 0 is not known.
type dataCell struct {
	Workload string   `json:"w"`
	N        string   `json:"n"`
	Ratios   []digits `json:"r"`
}

// digits is a number that JSON writes with three of them.
type digits float64

// MarshalJSON implements json.Marshaler.
func (d digits) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(d), 'g', 3, 64), nil
}

func (v *view) ratioData() dataRatios {
	who := v.ratioColumns()
	d := dataRatios{Names: []string{}, Cells: []dataCell{}}
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
				cell.Ratios = append(cell.Ratios, digits(value))
			}
		}
		d.Cells = append(d.Cells, cell)
	}
	return d
}
