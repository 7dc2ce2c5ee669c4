package trace

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash/fnv"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// version-1.trace was written when the format was new: 3,000 operations of all
// kinds in four chunks. Every later reader must return the same operations.
func TestAnOldTraceIsStillRead(t *testing.T) {
	data, err := os.ReadFile("testdata/version-1.trace")
	if err != nil {
		t.Fatal(err)
	}
	ops, r := mustRead(t, data)
	if r.Header() != testHeader {
		t.Errorf("header %+v, want %+v", r.Header(), testHeader)
	}
	if got, want := r.Totals(), (Totals{Ops: [kinds]uint64{699, 490, 277, 532, 499, 503}, Fired: 373, First: 0, Last: 770, Keys: 55}); got != want {
		t.Errorf("totals %+v, want %+v", got, want)
	}
	hash := fnv.New64a()
	for _, op := range ops {
		slices.Sort(op.Fired)
		fmt.Fprintln(hash, op.Kind, op.Key, op.At, op.Fired)
	}
	if got := hash.Sum64(); len(ops) != 3000 || got != 0x2c1586ba4c7928b0 {
		t.Errorf("%d operations with hash %#x, want 3000 with %#x", len(ops), got, uint64(0x2c1586ba4c7928b0))
	}
}

// sited returns a trace with sites, in chunks of a few operations.
func sited(t testing.TB) []byte {
	t.Helper()
	return record(t, sitesHeader, func(w *Writer) {
		w.size = 10
		w.Schedule(5)
		for i := range 20 {
			w.From([]Site{{"main.serve main.go:7", TickerForm}, {}, {"net/http.(*conn).serve server.go:2004", DeadlineForm}, {strings.Repeat("x", maxSite+1), SleepForm}}[i%4])
			w.Cancel(w.Schedule(10))
		}
		w.Advance(5, 0)
		w.totals.Lost, w.totals.LostBy, w.totals.Heaped = 6, [eventKinds]uint64{1, 2, 3}, 1_000_000
	})
}

func TestATraceKeepsWhereTheProgramScheduled(t *testing.T) {
	data := sited(t)
	ops, r := mustRead(t, data)
	var sites []int
	for _, op := range ops {
		if op.Kind == Schedule {
			sites = append(sites, op.Site)
		}
	}
	if want := append([]int{0}, slices.Repeat([]int{1, 0, 2, 3}, 5)...); !slices.Equal(sites, want) {
		t.Errorf("sites %v, want %v", sites, want)
	}
	if want := []Site{{}, {"main.serve main.go:7", TickerForm}, {"net/http.(*conn).serve server.go:2004", DeadlineForm}, {strings.Repeat("x", maxSite), SleepForm}}; !slices.Equal(r.Sites(), want) {
		t.Errorf("sites %.50v, want %.50v", r.Sites(), want)
	}
	if totals := r.Totals(); !r.Header().Sites || totals.Lost != 6 || totals.LostBy != [eventKinds]uint64{1, 2, 3} || totals.Heaped != 1_000_000 || totals.Ops[Schedule] != 21 {
		t.Errorf("header %+v, totals %+v", r.Header(), totals)
	}
	if err := r.Reset(bytes.NewReader(data), "again"); err != nil || len(r.Sites()) != 1 {
		t.Errorf("a reader that begins again knows %d sites, error %v", len(r.Sites()), err)
	}
}

func TestACopyIsTheSameTrace(t *testing.T) {
	plain, _ := write(t, 20_000, 1000)
	for _, data := range [][]byte{plain, sited(t)} {
		want, r := mustRead(t, data)
		from, err := NewReader(bytes.NewReader(data), "test.trace")
		if err != nil {
			t.Fatal(err)
		}
		got, copied := mustRead(t, record(t, from.Header(), func(w *Writer) { err = Copy(w, from) }))
		if err != nil || !reflect.DeepEqual(got, want) || copied.Totals() != r.Totals() || copied.Header() != r.Header() || !slices.Equal(copied.Sites(), r.Sites()) {
			t.Errorf("error %v, %d operations, want %d; %+v, want %+v", err, len(got), len(want), copied.Totals(), r.Totals())
		}
	}
}

// A trace without sites has the same bytes as before sites existed.
func TestATraceWithoutSitesIsOfVersion1(t *testing.T) {
	data, _ := write(t, 20_000, 1000)
	if got := sha256.Sum256(data); data[len(magic)] != 1 || fmt.Sprintf("%x", got[:8]) != "f0bed6619a45f54a" {
		t.Errorf("version %d, hash %x", data[len(magic)], got[:8])
	}
}

func TestSitesAreBounded(t *testing.T) {
	ops, r := mustRead(t, record(t, sitesHeader, func(w *Writer) {
		for i := range maxSites + 2 {
			w.From(Site{Place: fmt.Sprint(i)})
			w.Schedule(5)
		}
	}))
	if n := len(ops); len(r.Sites()) != maxSites+1 || ops[n-1].Site != 0 || ops[n-3].Site != maxSites {
		t.Errorf("%d sites", len(r.Sites()))
	}

	for want, raw := range map[string]string{
		"schedule: site: 2, want at most 1":               "\x00\x05\x02",
		"schedule: site: 9 bytes of which 1 are there":    "\x00\x05\x01\x09x",
		"a site of 1025 bytes, want at most 1024":         "\x00\x05\x01\x81\x08" + strings.Repeat("x", maxSite+1),
		"schedule: form of a site: 7, want at most 6":     "\x00\x05\x01\x01x\x07",
		"schedule: site: a number is cut off or too long": "\x00\x05",
	} {
		_, _, err := read(chunked(t, sitesHeader, []byte(raw), 1))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: error %v, want %q", raw, err, want)
		}
	}
}
