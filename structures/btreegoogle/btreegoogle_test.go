package btreegoogle_test

import (
	"testing"

	"github.com/timerbench/timerbench/structures/btreegoogle"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, btreegoogle.New[uint64], btreegoogle.New[*schedtest.Payload], btreegoogle.Capacity, schedtest.FIFO(), schedtest.Allocates())
}

func FuzzAgainstModel(f *testing.F) {
	whitebox.Fuzz(f, btreegoogle.New[uint64], schedtest.FIFO(), schedtest.Allocates())
}
