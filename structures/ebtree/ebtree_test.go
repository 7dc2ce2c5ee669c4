package ebtree

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/internal/slotted"
	"github.com/timerbench/timerbench/structures/internal/whitebox"
	"github.com/timerbench/timerbench/structures/schedtest"
)

func TestConformance(t *testing.T) {
	schedtest.Run(t, func() structures.Scheduler[uint64] { return New[uint64]() }, schedtest.FIFO())
}

func TestManyTimers(t *testing.T) {
	schedtest.Many(t, 60_000, func() structures.Scheduler[uint64] { return New[uint64]() }, schedtest.FIFO())
}

func TestRelease(t *testing.T) {
	schedtest.Releases(t, func() structures.Scheduler[*schedtest.Payload] { return New[*schedtest.Payload]() })
}

func FuzzAgainstModel(f *testing.F) {
	schedtest.Fuzz(f, func() structures.Scheduler[uint64] { return New[uint64]() }, schedtest.FIFO())
}

func TestCapacity(t *testing.T) {
	schedtest.Capacity(t, "ebtree", maxLen, func(n int) structures.Scheduler[uint64] { return New[uint64](Capacity(n)) })
}

// depth returns the number of nodes on the longest way down from l.
func (c *core) depth(l link) int {
	if l.isLeaf() {
		return 0
	}
	n := &c.nodes[l.slot()]
	return 1 + max(c.depth(n.child[left]), c.depth(n.child[right]))
}

// Every timer is removed from every tree of up to five timers with deadlines 1 to 5, in any
// order and with any of them equal: what is left fires in the order of deadline and arrival.
func TestEveryRemovalFromEverySmallTree(t *testing.T) {
	var build func(deadlines []structures.Tick)
	build = func(deadlines []structures.Tick) {
		for gone := range deadlines {
			tree := New[int](Capacity(len(deadlines)))
			var ids []structures.ID
			var want []int
			for i, d := range deadlines {
				ids = append(ids, tree.Schedule(d, i))
				if i != gone {
					want = append(want, i)
				}
			}
			tree.Cancel(ids[gone])
			if err := tree.CheckInvariants(); err != nil {
				t.Fatalf("scheduled at %d, number %d cancelled: %v", deadlines, gone, err)
			}
			slices.SortStableFunc(want, func(a, b int) int { return int(deadlines[a] - deadlines[b]) })
			var got []int
			for timer := range structures.Due(tree, 5) {
				got = append(got, timer.Value)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("scheduled at %d, number %d cancelled: fired %d, want %d", deadlines, gone, got, want)
			}
		}
		if len(deadlines) < 5 {
			for d := range structures.Tick(5) {
				build(append(slices.Clip(deadlines), d+1))
			}
		}
	}
	build(nil)
}

// The depth is that of the bits in which the deadlines differ, whatever their number.
func TestDepth(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, test := range map[string]struct {
		n        int
		deadline func(i int) structures.Tick
		least    int
		most     int
	}{
		"ascending":       {1 << 12, func(i int) structures.Tick { return structures.Tick(1<<12 + i) }, 12, 12},
		"descending":      {1 << 12, func(i int) structures.Tick { return structures.Tick(1<<13 - 1 - i) }, 12, 12},
		"equal":           {1 << 12, func(int) structures.Tick { return 77 }, 0, 0},
		"powers of two":   {63, func(i int) structures.Tick { return 1 << i }, 62, 62},
		"random":          {1 << 12, func(int) structures.Tick { return 1 + structures.Tick(random.Int64N(1<<60)) }, 13, 40},
		"all of the bits": {1 << 12, func(i int) structures.Tick { return structures.Tick(1+i) << 50 }, 12, 13},
	} {
		t.Run(name, func(t *testing.T) {
			tree := New[int]()
			for i := range test.n {
				tree.Schedule(test.deadline(i), i)
			}
			if err := tree.CheckInvariants(); err != nil {
				t.Fatal(err)
			}
			_, c := slotted.Parts(&tree.scheduler)
			if d := c.depth(c.nodes[none].child[left]); d < test.least || d > test.most {
				t.Errorf("%d timers are %d nodes deep, want %d to %d", test.n, d, test.least, test.most)
			}
		})
	}
}

// Of equal timers any may go: the first, which is in the tree and whose node may be anywhere
// above, one in the middle, the last.
func TestEqualTimersGoInAnyOrder(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		tree := New[int]()
		type pending struct {
			id       structures.ID
			deadline structures.Tick
			value    int
		}
		var timers []pending
		for i := range 60 {
			d := 1 + structures.Tick(random.IntN(6))
			timers = append(timers, pending{tree.Schedule(d, i), d, i})
		}
		for i := range 120 {
			at := random.IntN(len(timers))
			moved := timers[at]
			timers = slices.Delete(timers, at, at+1)
			if i%3 == 0 {
				tree.Cancel(moved.id)
				moved.id = tree.Schedule(moved.deadline, moved.value)
			} else {
				moved.deadline = 1 + structures.Tick(random.IntN(6))
				tree.Reschedule(moved.id, moved.deadline)
			}
			timers = append(timers, moved)
			if err := tree.CheckInvariants(); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		slices.SortStableFunc(timers, func(a, b pending) int { return int(a.deadline - b.deadline) })
		for _, want := range timers {
			if got, ok := tree.Pop(6); !ok || got.Value != want.value || got.Deadline != want.deadline {
				t.Fatalf("seed %d: fired %d at %d, want %d at %d", seed, got.Value, got.Deadline, want.value, want.deadline)
			}
		}
	}
}

func TestWorkCountsComparisons(t *testing.T) {
	tree := New[int]()
	n := whitebox.NewNamed(tree)
	whitebox.CountsComparisons(t, tree, []whitebox.Step{
		{"the first", func() { n.Schedule(8) }, 0},
		{"with the last, without a node above", func() { n.Schedule(12) }, 1},
		{"equal to the last", func() { tree.Schedule(12, 0) }, 1},
		// 12 is 1100, below the node of bit 2, which stays above 14.
		{"with the last, and the label above it", func() { n.Schedule(14) }, 2},
		// 16 is 10000, above the nodes of bits 1 and 2.
		{"with the last, and two labels above it", func() { n.Schedule(16) }, 3},
		{"equal to the first: with the last and the first", func() { tree.Schedule(8, 0) }, 2},
		// The first climbs to the node of bit 2, which stays below that of 4.
		{"before the first: with both, and two labels", func() { n.Schedule(4) }, 4},
		// Root 16, then 8, which is where 4 branched off, then 12, which 10 is not below.
		{"with both ends, three labels and a leaf", func() { n.Schedule(9) }, 2 + 3 + 1},
		{"with both ends and four labels, one of them too many", func() { n.Schedule(13) }, 2 + 4 + 1},
		{"removal", func() { n.Cancel(9); n.Cancel(4); n.Cancel(16); tree.Next(); tree.Pop(20) }, 0},
		{"stale", func() { n.Cancel(9); n.Move(4, 20) }, 0},
	})
}

func TestCheckFindsDamage(t *testing.T) {
	makeSound := func() *slotted.Scheduler[int, core, *core] {
		tree := New[int]()
		for i := range 9 {
			tree.Schedule(structures.Tick(10+i), i)
		}
		for range 2 {
			tree.Schedule(12, 0)
		}
		return &tree.scheduler
	}
	_, c := slotted.Parts(makeSound())
	head := uint32(3) // due at 12
	second, third := c.timers[head].next, c.timers[head].prev
	if second != 10 || third != 11 {
		t.Fatalf("timers %d and %d are queued behind %d, want 10 and 11", second, third, head)
	}
	root := c.nodes[none].child[left].slot()
	whitebox.FindsDamageToQueue(t, makeSound, map[string]func(*core){
		"deadline":             func(c *core) { c.timers[head].deadline = 14 },
		"label":                func(c *core) { c.nodes[root].label++ },
		"no label":             func(c *core) { c.nodes[root].label = 0 },
		"label of another":     func(c *core) { c.nodes[root].label = 8 },
		"children exchanged":   func(c *core) { n := &c.nodes[root]; n.child[left], n.child[right] = n.child[right], n.child[left] },
		"cycle":                func(c *core) { c.nodes[root].child[left] = nodeOf(root) },
		"child is none":        func(c *core) { c.nodes[root].child[left] = 0 },
		"child out of range":   func(c *core) { c.nodes[root].child[left] = nodeOf(99) },
		"parent of a leaf":     func(c *core) { c.timers[head].up = none },
		"parent of a node":     func(c *core) { c.timers[root].nodeUp = root },
		"first":                func(c *core) { c.ends[left] = head },
		"last":                 func(c *core) { c.ends[right] = head },
		"used node":            func(c *core) { c.nodes[second].label = 1 },
		"another used node":    func(c *core) { c.nodes = append(c.nodes, node{label: 1}); c.timers = append(c.timers, timer{}) },
		"queued with a parent": func(c *core) { c.timers[second].up = head },
		"queued deadline":      func(c *core) { c.timers[second].deadline++ },
		"link back":            func(c *core) { c.timers[third].prev = head },
		"link on":              func(c *core) { c.timers[second].next = head },
		"link out of range":    func(c *core) { c.timers[second].next = 99 },
		"ring in the middle":   func(c *core) { c.timers[third].next = second; c.timers[second].prev = third },
		"fewer timers":         func(c *core) { c.timers = c.timers[:len(c.timers)-1] },
		"one timer gone":       func(c *core) { c.Remove(third) },
		"all gone":             func(c *core) { c.nodes[none].child[left] = 0 },
	})
}

// The last tick, and the first, with all between them.
func TestTheEndsOfTime(t *testing.T) {
	tree := New[int]()
	for _, d := range []structures.Tick{math.MaxInt64, 1, math.MaxInt64 - 1, 1 << 62, 1<<62 - 1, 2, math.MaxInt64} {
		tree.Schedule(d, int(d%1000))
	}
	if err := tree.CheckInvariants(); err != nil {
		t.Fatal(err)
	}
	var got []structures.Tick
	for timer := range structures.Due(tree, math.MaxInt64) {
		got = append(got, timer.Deadline)
	}
	if want := []structures.Tick{1, 2, 1<<62 - 1, 1 << 62, math.MaxInt64 - 1, math.MaxInt64, math.MaxInt64}; !slices.Equal(got, want) {
		t.Errorf("fired at %d, want %d", got, want)
	}
}
