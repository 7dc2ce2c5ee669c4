//go:build unix

package compare

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/structures/entry"
)

// file is what cachegrind writes, abridged.
const file = `desc: I1 cache:         32768 B, 64 B, 8-way associative
cmd: timerbench count-replay auto churn 10 1 true
events: Ir I1mr ILmr Dr D1mr
fl=/src/auto.go
fn=github.com/timerbench/timerbench/structures/auto.(*Auto[uint64]).Schedule
41 100 2 2 50 3
42 20 1 0 5
fn=github.com/timerbench/timerbench/bench/replay.(*Replayer).do
10 7
fl=/src/hooks.go
fn=github.com/timerbench/timerbench/structures/auto.(*Auto[uint64]).Schedule
7 1
summary: 128 3 2 55 3
`

func TestTheFileOfCachegrindIsRead(t *testing.T) {
	got, err := parse(strings.NewReader(file))
	fail.If(t, err)
	want := events{"Ir": 121, "I1mr": 3, "ILmr": 2, "Dr": 55, "D1mr": 3}
	fail.UnlessSame(t, "Schedule", got[module+"structures/auto.(*Auto[uint64]).Schedule"], want)
	fail.UnlessSame(t, "functions", len(got), 2)
	for _, bad := range []string{"", "fn=f\n1 2\n", "events: Ir\nfn=f\n1 x\n", "events: Ir\nfn=f\n1 2 3\n"} {
		if _, err := parse(strings.NewReader(bad)); err == nil {
			t.Errorf("%q is read without an error", bad)
		}
	}
}

func TestWhatCountsIsTheWorkOfTheStructure(t *testing.T) {
	for function, want := range map[string]bool{
		module + "structures/auto.(*Auto[uint64]).Schedule":  true,
		"github.com/google/btree.(*BTreeG[go.shape]).Delete": true,
		"container/heap.Fix":                         true,
		"runtime.memmove":                            true,
		"runtime.mallocgcSmallNoscan":                true,
		"internal/runtime/maps.(*Map).getWithoutKey": true,
		module + "bench/replay.(*Replayer).do":       false,
		"runtime.sysmon":                             false,
		"runtime.(*pageAlloc).find":                  false,
		"main.main":                                  false,
	} {
		fail.UnlessSame(t, function+" counts", ofStructure(function), want)
	}
}

// The programs of TestRows: what -R and valgrind are called with is skipped, and the last
// argument says what is replayed.
const (
	fakeSetarch  = "#!/bin/sh\nshift\nexec \"$@\"\n"
	fakeValgrind = `#!/bin/sh
for a; do case $a in --cachegrind-out-file=*) out=${a#*=};; --LL=1048576,*) misses=900;; esac; done
case $a in
first) schedule=1000 memmove=10 sysmon=500;;
both) schedule=4000 memmove=70 sysmon=900;;
esac
cat >"$out" <<END
events: Ir Dr Dw D1mr D1mw DLmr DLmw Bcm Bim
fn=` + module + `structures/auto.(*Auto).Schedule
1 $schedule $((2*schedule)) $((3*schedule)) $((4*schedule)) $((5*schedule)) ${misses:-$((6*schedule))} $((7*schedule)) $((8*schedule)) $((9*schedule))
fn=runtime.memmove
1 $memmove
fn=runtime.memclrNoHeapPointers
1 $memmove
fn=runtime.sysmon
1 $sysmon
END
echo '{"unit":"lifecycle","units":50}'
`
	fakeProgram = "#!/bin/sh\necho '{\"unit\":\"lifecycle\",\"units\":50}'\n"
)

func TestRows(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"setarch": fakeSetarch, "valgrind": fakeValgrind, "program": fakeProgram} {
		fail.If(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755))
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	cells := []CountCell{{"auto", "churn", 10, 1}, {"auto", "churn", 20, 1}}
	rows, err := CountAll(t.Context(), filepath.Join(dir, "program"), cells, true, func() {})
	fail.If(t, err)
	// 3,000 and twice 60 instructions more in the second half, for 50 units. What grows by
	// less than one for a unit would be the start of the program.
	want := Counts{Structure: "auto", Workload: "churn", N: 20, Unit: "lifecycle", Instructions: 62.4, Reads: 2 * 60, Writes: 3 * 60,
		L1Misses: (4 + 5) * 60, L2Misses: 7 * 60, LLMisses: (6 + 7) * 60, Mispredicted: (8 + 9) * 60, Conditional: 8 * 60, Indirect: 9 * 60}
	fail.UnlessSame(t, "the second row", rows[1], want)
	for what, bad := range map[string][2]string{
		"another proof":  {"program", strings.Replace(fakeProgram, "50", "51", 1)},
		"no work":        {"program", strings.Replace(fakeProgram, "50", "0", 1)},
		"a failed proof": {"program", "#!/bin/sh\necho lost a timer >&2\nexit 1\n"},
		"no symbols":     {"valgrind", strings.Replace(fakeValgrind, "fn="+module, "fn=?", 1)},
		"a crash":        {"valgrind", "#!/bin/sh\nkill -9 $$\n"},
	} {
		good, _ := os.ReadFile(filepath.Join(dir, bad[0]))
		fail.If(t, os.WriteFile(filepath.Join(dir, bad[0]), []byte(bad[1]), 0o755))
		if _, err := CountAll(t.Context(), filepath.Join(dir, "program"), cells, true, func() {}); err == nil {
			t.Errorf("%s is no error", what)
		}
		fail.If(t, os.WriteFile(filepath.Join(dir, bad[0]), good, 0o755))
	}
}

func TestCellsAndChanges(t *testing.T) {
	small, any := entry.Entry{Name: "small"}, entry.Entry{Name: "any"}
	small.Limit = 100
	cells := CountCells([]entry.Entry{small, any}, []workload.Workload{{Name: "hold"}}, []int{100, 1000}, 7)
	fail.UnlessSame(t, "the cells", cells, []CountCell{{"small", "hold", 100, 7}, {"any", "hold", 100, 7}, {"any", "hold", 1000, 7}})
	before := []Counts{{N: 1, Instructions: 1000}, {N: 2, Instructions: 1000}, {N: 3, Instructions: 1000}}
	after := []Counts{{N: 1, Instructions: 1001}, {N: 2, Instructions: 1003}, {N: 3, Instructions: 900}}
	table := Counted(before, after)
	if table.Rows[0].Verdict != Same || table.Rows[1].Verdict != More || table.Rows[1].Ratio.Center != 1.003 || table.Rows[2].Verdict != Fewer {
		t.Errorf("%+v, want that rows 2 and 3 differ", table.Rows)
	}
	fail.UnlessSame(t, "the sentence", table.Sentence(), "The new build: 1 of 3 execute more ( on , n 2, 1.00x per ), 1 of 3 execute fewer ( on , n 3, 0.90x per ).")
}
