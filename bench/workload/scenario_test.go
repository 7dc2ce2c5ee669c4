package workload_test

import (
	"testing"

	"github.com/timerbench/timerbench/bench/scenario"
	"github.com/timerbench/timerbench/bench/workload"
)

// A built-in workload that is printed as a scenario file and read back writes the
// same script, bit by bit.
func TestScenarioFilesOfBuiltInsWriteTheSameScript(t *testing.T) {
	t.Parallel()
	for _, w := range workload.All() {
		if testing.Short() && w.Resident > 10_000 {
			continue
		}
		text, err := scenario.Print(w)
		if err != nil {
			t.Errorf("%s: %v", w.Name, err)
			continue
		}
		again, err := scenario.Parse(w.Name, text)
		if err != nil {
			t.Error(err)
			continue
		}
		if a, b := workload.Fingerprint(w, 7), workload.Fingerprint(again, 7); a != b {
			t.Errorf("%s: %016x built in, %016x from\n%s", w.Name, a, b, text)
		}
	}
}
