package report

import (
	"encoding/json"
	"fmt"
	"image/color"
	"slices"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/report/advice"
	"github.com/timerbench/timerbench/structures/catalog"
)

// pageData is what the script of the page looks up, as one block of JSON.
type pageData struct {
	Structures []dataStructure `json:"structures"`
	Answers    json.RawMessage `json:"answers"` // see advice.Adviser.GridJSON
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
	d := &pageData{Structures: []dataStructure{}, Answers: answers}
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
