package advice

import (
	"github.com/timerbench/timerbench/bench/results"
	kept "github.com/timerbench/timerbench/docs/results"
)

// Committed returns the run that docs/results shows: the last one that is kept, with what an
// adviser needs of it.
func Committed() (*results.Run, error) { return kept.Last() }
