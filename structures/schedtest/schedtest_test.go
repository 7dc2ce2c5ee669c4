package schedtest

import (
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/schedtest/model"
)

func newModel() structures.Scheduler[uint64] { return new(model.Model[uint64]) }

func TestModelConforms(t *testing.T) { Run(t, newModel, FIFO(), inShort) }

func TestModelReleases(t *testing.T) {
	Releases(t, func() structures.Scheduler[*Payload] { return new(model.Model[*Payload]) })
}

func FuzzModel(f *testing.F) { Fuzz(f, newModel, FIFO()) }
