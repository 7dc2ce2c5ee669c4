package workload

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

//go:embed programs.toml
var programsFile []byte

// programEntry is a document, and what scenario files do not have.
type programEntry struct {
	document
	Category   Category // empty: Program
	Definition int      // see Workload, as for the next ones
	Sizes      []int
	WarmUp     int `toml:"warm_up"`
	Extra      bool
	Parameters map[string]any `toml:"parameters"`
}

// programs returns the workloads of programs.toml: models of programs, and mixes.
var programs = sync.OnceValue(func() []Workload {
	list, err := readPrograms(programsFile)
	if err != nil {
		panic(err)
	}
	return list
})

// readPrograms reads the text of programs.toml. Its error names the entry and the fault.
func readPrograms(text []byte) (list []Workload, err error) {
	var file struct{ Workload []programEntry }
	if err := toml.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("programs.toml: %w", err)
	}
	for _, e := range file.Workload {
		w, err := e.workload()
		if err != nil {
			return nil, fmt.Errorf("programs.toml: %q: %w", e.Name, err)
		}
		list = append(list, w)
	}
	return list, nil
}

func (e programEntry) workload() (Workload, error) {
	w := e.document.workload(cmp.Or(e.Category, Program))
	w.Sizes, w.LongWarmUp, w.Definition, w.Extra = e.Sizes, e.WarmUp, e.Definition, e.Extra
	var kinds []string
	if w.Model, kinds = findModel(e.Model); w.Model == nil {
		return w, fmt.Errorf("model %q: want one of %s", e.Model, strings.Join(kinds, ", "))
	}
	text, err := toml.Marshal(e.Parameters)
	if err == nil {
		err = toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(w.Model)
	}
	if err != nil {
		return w, fmt.Errorf("parameters: %w", err)
	}
	if flow, ok := w.Model.(*Flow); ok && w.Resident == 0 && flow.byRate() {
		return w, fmt.Errorf("population is missing: want the number of pending timers that follows from the rates, about %.0f", flow.Resident(w.Tick))
	}
	return w, nil
}
