package workload

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"sync"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/timerbench/timerbench/bench/script"
)

//go:embed programs.toml
var programsFile []byte

// programEntry is a workload of programs.toml.
type programEntry struct {
	Name, Summary, Source, Model string

	Category   Category // empty: Program
	Tick       Duration
	Population int
	Unit       script.Unit
	Extra      bool
	Parameters map[string]any
	text       []byte // of the parameters
}

var programEntries = sync.OnceValue(func() []programEntry {
	var file struct{ Workload []programEntry }
	err := toml.Unmarshal(programsFile, &file)
	for i := range file.Workload {
		if e := &file.Workload[i]; err == nil {
			e.text, err = toml.Marshal(e.Parameters)
		}
	}
	if err != nil {
		panic(fmt.Sprintf("bench: programs.toml: %v", err))
	}
	return file.Workload
})

// programs returns the workloads modelled on programs, and mixes beside them. They are data: programs.toml says where
// their parameters come from.
func programs() (list []Workload) {
	for _, e := range programEntries() {
		m, _ := FindModel(e.Model)
		d := toml.NewDecoder(bytes.NewReader(e.text)).DisallowUnknownFields()
		if err := d.Decode(m); err != nil {
			panic(fmt.Sprintf("bench: programs.toml: %s: %v", e.Name, err))
		}
		list = append(list, Workload{
			Name: e.Name, Category: cmp.Or(e.Category, Program), Summary: e.Summary, Source: e.Source, Tick: time.Duration(e.Tick),
			Resident: e.Population, Unit: e.Unit, Extra: e.Extra, Model: m,
		})
	}
	return list
}
