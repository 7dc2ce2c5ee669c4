package skiplist

import (
	"math"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	whitebox.Suite(t, New[uint64], New[*schedtest.Payload], Capacity, schedtest.FIFO())
}

func FuzzAgainstModel(f *testing.F) { whitebox.Fuzz(f, New[uint64], schedtest.FIFO()) }

func TestHalfOfEachLevelIsInTheNext(t *testing.T) {
	const n = 1 << 18
	for _, seed := range []uint64{0, 1, math.MaxUint64} {
		list := New[int](Capacity(n))
		coreOf(list).random = random(seed)
		for i := range n {
			list.Schedule(1, i)
		}
		var onLevel [maxHeight]float64
		c := coreOf(list)
		for _, tower := range c.towers[1 : n+1] {
			for level := range c.height(tower) {
				onLevel[level]++
			}
		}
		for level, got := range onLevel {
			p := math.Pow(0.5, float64(level))
			want, deviation := n*p, math.Sqrt(n*p*(1-p))
			if math.Abs(got-want) > 4*deviation+1 {
				t.Errorf("seed %d: %.0f timers on level %d, want %.1f or so", seed, got, level, want)
			}
		}
	}
}

// coreOf returns the queue of a list.
func coreOf(list *List[int]) *core {
	_, c := slotted.Parts(&list.Scheduler)
	return c
}

// cored returns an empty core in which slot i+1 has height heights[i].
func cored(heights ...int) *core {
	c := newCore(len(heights))
	for _, height := range heights {
		c.build(height)
	}
	return &c
}

// Every invariant is broken once, in a list of three timers, due at 10, 20 and
// 30, with towers at 32, 33 and 35, of heights 1, 2 and 1.
func TestCheckInvariantsFindsTheBrokenOne(t *testing.T) {
	sound := func() *slotted.Scheduler[int, core, *core] {
		s := slotted.New[int](*cored(1, 2, 1), 0)
		for slot := range 3 {
			s.Schedule(structures.Tick(10*(slot+1)), 0)
		}
		return &s
	}
	whitebox.FindsDamageToQueue(t, sound, map[string]func(*core){
		"deadline 20 is behind 21":                                  func(c *core) { c.links[head].deadline = 21 },
		"latest deadline is 30, remembered is 31":                   func(c *core) { c.last = 31 },
		"on level 0, 33 is behind 32, its link back says 0":         func(c *core) { c.links[33].prev = head },
		"on level 0, 0 is behind 35, its link back says 33":         func(c *core) { c.links[head].prev = 33 },
		"on level 0, 35 is followed by 0, due at 5, want 0, due at": func(c *core) { c.links[35].deadline = 5 },
		"on level 1, 33 is behind 0, its link back says 32":         func(c *core) { c.links[34].prev = 32 },
		"on level 1, 0 is followed by 33, due at 19":                func(c *core) { c.links[head+1].deadline = 19 },
		"on level 2, 0 is followed by 33":                           func(c *core) { c.links[head+2].next = 33 },
		"3 levels in use, the last of them is empty":                func(c *core) { c.levels = 3 },
		"a timer on level 1, 1 levels in use":                       func(c *core) { c.levels = 1 },
		"2 slots in the list, want 3":                               func(c *core) { c.links[33].next = head },
		"more than 3 slots in the list":                             func(c *core) { c.links[35] = link{deadline: 30, next: 35} },
		"leads to 34, in slot 2, not a tower in use":                func(c *core) { c.links[35].next = 34; c.links[35].deadline = 40 },
		"leads to 99 of 36":                                         func(c *core) { c.links[35] = link{deadline: 40, next: 99} },
		"35 owners beside 36 links":                                 func(c *core) { c.owner = c.owner[:35] },
		"link 34 of the tower of slot 2 is owned by 1":              func(c *core) { c.owner[34] = 1 },
		"tower of slot 2, at 33, ends at 33":                        func(c *core) { c.towers[3] = 33 },
		"tower of slot 0 begins at 1, want 0":                       func(c *core) { c.towers[0] = 1 },
		"towers end at 35 of 36 links":                              func(c *core) { c.towers = c.towers[:4] },
	})
}
