package schedtest

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
)

func newModel() structures.Scheduler[uint64] { return NewModel[uint64]() }

func TestModelConforms(t *testing.T) { Run(t, newModel, FIFO()) }

func TestModelReleases(t *testing.T) {
	Releases(t, func() structures.Scheduler[*Payload] { return NewModel[*Payload]() })
}

func FuzzModel(f *testing.F) { Fuzz(f, newModel, FIFO()) }
