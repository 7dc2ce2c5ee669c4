package bench

import (
	"fmt"

	"github.com/timerbench/timerbench/bench/results"
)

// CheckResume returns an error if a run with this configuration, on this machine and of
// this build, cannot go on with the results of an interrupted run. The error names the
// first difference.
func CheckResume(cfg Config, interrupted *results.Run) error {
	cfg = cfg.withDefaults()
	if interrupted.Version != results.Version {
		return fmt.Errorf("its results are of version %d, this program writes version %d", interrupted.Version, results.Version)
	}
	if d := results.Difference(interrupted.Parameters, parameters(cfg)); d != "" {
		return fmt.Errorf("it was another run: %s now", d)
	}
	if d := results.Difference(interrupted.Environment, environment(Clock{}), results.NotOfMachine...); d != "" {
		return fmt.Errorf("it ran on another machine or was another build: %s now", d)
	}
	return nil
}
