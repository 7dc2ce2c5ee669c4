package scenario

import (
	"bytes"
	"fmt"

	"github.com/pelletier/go-toml/v2"
	"github.com/timerbench/timerbench/bench/workload"
)

// Print writes a workload as a scenario file, with a comment on each parameter.
func Print(w workload.Workload) ([]byte, error) {
	kind := w.Kind()
	if kind.Name == "" {
		return nil, fmt.Errorf("workload %s: its model %T is none that scenario files have", w.Name, w.Model)
	}
	var out bytes.Buffer
	err := toml.NewEncoder(&out).Encode(struct {
		header
		Parameters workload.Model `toml:"parameters"`
	}{
		header{w.Name, w.Summary, w.Source, workload.Duration(w.Tick), w.Resident, w.Trial, w.Unit, kind.Name},
		w.Model,
	})
	if err != nil {
		return nil, fmt.Errorf("workload %s: %w", w.Name, err)
	}
	return out.Bytes(), nil
}
