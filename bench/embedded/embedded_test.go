package embedded

import (
	"bytes"
	"flag"
	"go/format"
	"os"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/structures"
	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/entry"
	"github.com/timerbench/timerbench/structures/intrusive/heap"
)

var update = flag.Bool("update", false, "write the generated files")

func TestLoopsAreGenerated(t *testing.T) {
	original, err := os.ReadFile("hwheel.go")
	if err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string]struct{ path, typ string }{
		"linkedwheel": {"structures/intrusive/linkedwheel", "Wheel"}, "heap": {"structures/intrusive/heap", "Heap"},
		"rbtree": {"structures/intrusive/rbtree", "Tree"}, "empty": {"bench/embedded/empty", "Wheel"},
	} {
		want, err := format.Source([]byte("// Code generated from hwheel.go by go generate. DO NOT EDIT.\n\n" + strings.NewReplacer(
			"structures/intrusive/hwheel", of.path, "hwheel.Wheel", name+"."+of.typ, "f.Wheel", "f."+of.typ, "{Wheel:", "{"+of.typ+":",
			"Hwheel", strings.ToUpper(name[:1])+name[1:], "hwheel", name).Replace(string(original))))
		if err != nil {
			t.Fatal(err)
		}
		file := name + ".go"
		if *update {
			if err := os.WriteFile(file, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, _ := os.ReadFile(file); !bytes.Equal(got, want) {
			t.Errorf("%s differs from hwheel.go in more than names: run go generate", file)
		}
	}
}

func TestEveryEntryOfTheCatalogHasAForm(t *testing.T) {
	if len(forms) != len(catalog.Intrusive())+1 {
		t.Errorf("%d forms for %d entries and the floor", len(forms), len(catalog.Intrusive()))
	}
	for _, e := range append(All(), Floor()) {
		if _, ok := e.New().(replay.Form); !ok || !e.Intrusive {
			t.Errorf("%s: New makes %T", e.Name, e.New())
		}
	}
}

// blocks returns the fill of a workload and some more blocks.
func blocks(t *testing.T, workloadName string, n int) (*script.Script, []*script.Block) {
	t.Helper()
	w, ok := workload.Find(workloadName)
	if !ok {
		t.Fatal(workloadName)
	}
	s := w.Script(n, 3)
	out := []*script.Block{s.Fill()}
	for range 4 {
		out = append(out, s.Next(2000, nil))
	}
	return s, out
}

func replayAll(e entry.Entry, s *script.Script, list []*script.Block) error {
	i := replay.New(e)
	samples := replay.NewLatencies()
	for k, b := range list {
		switch k {
		case 1:
			if e.Name == FloorName {
				i.Time(b)
			} else if err := i.Prove(b); err != nil {
				return err
			} else {
				continue
			}
		case 2:
			i.Sample(b, samples)
		case 3:
			i.TimeByKind(b, replay.Clock{})
		default:
			i.Time(b)
		}
		if err := i.Check(b, i.Outcome()); err != nil {
			return err
		}
	}
	return i.CheckBindings(s.Pending)
}

func TestEveryFormAgreesWithTheGenerator(t *testing.T) {
	for _, w := range workload.All() {
		s, list := blocks(t, w.Name, 300)
		for _, e := range append(All(), Floor()) {
			if err := replayAll(e, s, list); err != nil {
				t.Errorf("%s, %s: %v", w.Name, e.Name, err)
			}
		}
	}
}

// More keys than a page has: the table grows while timers are pending, and they stay where they are.
func TestTheTableGrowsByPages(t *testing.T) {
	s, list := blocks(t, "hold", 3*page)
	for _, e := range All() {
		if err := replayAll(e, s, list); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
	var r records[heap.Timer[uint64]]
	r.Reserve(1)
	first := r.at(0)
	if r.Reserve(5 * page); r.at(0) != first || len(r.pages) != 5 || r.ID(4*page) == r.ID(0) {
		t.Errorf("%d pages, and timer 0 is at %p, it was at %p", len(r.pages), r.at(0), first)
	}
}

// faulty is a form with a fault, which the proof must find.
type faulty struct {
	*heapForm
	fault string
	calls int
}

func (f *faulty) now(fault string) bool {
	if f.fault != fault {
		return false
	}
	f.calls++
	return f.calls%100 == 0
}

func (f *faulty) ScheduleAll(ops []script.Op, o *replay.Outcome) {
	for i := range ops {
		if f.now("fires early") {
			op := ops[i]
			op.At--
			f.heapForm.ScheduleAll([]script.Op{op}, o)
			continue
		}
		f.heapForm.ScheduleAll(ops[i:i+1], o)
		if f.now("loses a timer") {
			f.Cancel(f.at(ops[i].Key))
		}
		if f.now("writes the value") {
			f.at(ops[i].Key).Value++
		}
	}
}

func (f *faulty) CancelAll(ops []script.Op, o *replay.Outcome) {
	for i := range ops {
		key := ops[i].Key
		f.heapForm.CancelAll(ops[i:i+1], o)
		if f.now("forgets a cancel") {
			f.Schedule(f.at(key), 1<<40)
		}
	}
}

func (f *faulty) TryIdle(ops []script.Op) uint64 {
	if f.fault == "moves an idle timer" {
		return 1
	}
	return f.heapForm.TryIdle(ops)
}

func (f *faulty) PopAll(ops []script.Op, o *replay.Outcome) {
	if f.now("misses a wake-up") {
		return
	}
	f.heapForm.PopAll(ops, o)
}

func (f *faulty) Pop(now structures.Tick) (structures.Timer[uint64], bool) {
	if f.now("misses a wake-up") {
		return structures.Timer[uint64]{}, false
	}
	return f.heapForm.Pop(now)
}

func TestTheProofFindsFaults(t *testing.T) {
	for fault, workloadName := range map[string]string{
		"": "hold", "fires early": "hold", "loses a timer": "hold", "writes the value": "hold", "misses a wake-up": "hold",
		"forgets a cancel": "churn", "moves an idle timer": "hold",
	} {
		s, list := blocks(t, workloadName, 300)
		for _, b := range list {
			for i := range 100 {
				b.Add(script.KindRefused, script.Op{At: b.Ops[len(b.Ops)-1].At * structures.Tick(i%2)})
			}
		}
		e := entry.Entry{Name: fault, Intrusive: true, New: func() structures.Scheduler[uint64] {
			return scheduler{form: &faulty{heapForm: newHeap(), fault: fault}}
		}}
		if err := replayAll(e, s, list); (err == nil) != (fault == "") {
			t.Errorf("a form that %s: %v", fault, err)
		}
	}
}
