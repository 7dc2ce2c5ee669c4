package store_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/timerbench/timerbench/bench"
	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/results/store"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/structures/catalog"
)

// realResults is the same run for all tests, which must not change it.
func realResults(t *testing.T) *results.Run {
	t.Helper()
	r, err := realRun()
	fail.If(t, err)
	return r
}

var realRun = sync.OnceValues(func() (*results.Run, error) {
	profile, _ := bench.FindProfile("smoke")
	cfg := bench.Config{Profile: profile, N: []int{50}, Trials: 2, Seed: 7}
	for _, name := range []string{"quadheap", "wheel"} {
		e, _ := catalog.Find(name)
		cfg.Structures = append(cfg.Structures, e)
	}
	for _, name := range []string{"grid-clustered-50", "reschedule", "idle"} {
		w, _ := workload.Find(name)
		cfg.Workloads = append(cfg.Workloads, w)
	}
	plan, err := bench.NewPlan(cfg)
	if err != nil {
		return nil, err
	}
	return bench.Run(context.Background(), plan, bench.Hooks{})
})

// Files may be compressed, and editors for Windows put a byte order mark before a text.
func TestAResultsFileComesBackAsItWas(t *testing.T) {
	r, path := realResults(t), filepath.Join(t.TempDir(), "results.json")
	fail.If(t, store.Write(path, r))
	good, _ := os.ReadFile(path)
	marked := "\xef\xbb\xbf" + string(good)
	for _, content := range []string{string(good), marked, compressed(t, marked)} {
		fail.If(t, os.WriteFile(path, []byte(content), 0o644))
		if got, err := store.ReadFile(path); err != nil || !reflect.DeepEqual(got, r) {
			t.Errorf("read %+v, %v, want %+v", got, err, r)
		}
		if _, err := store.ReadHeader(path); err != nil && content[0] != 0x1f {
			t.Error(err)
		}
	}
}

func TestBadResultsFilesAreRefusedWithAReason(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "results.json")
	fail.If(t, store.Write(path, realResults(t)))
	good, _ := os.ReadFile(path)
	replace := func(old, with string) string { return strings.Replace(string(good), old, with, 1) }
	digest, checksum := regexp.MustCompile(`,\s*"digest": "\w*"`), regexp.MustCompile(`"checksum": \d+`)
	cost := regexp.MustCompile(`("round": 1,\s*"ns": \d+)\d`) // divided by ten
	edited, proof := "it was edited or damaged", "null and quadheap replayed the same, but their proofs differ: the checksum"
	for _, c := range map[string]struct{ content, want string }{ // an edit is noticed by the digest, and that of a proof also by the others
		"cut short":           {string(good[:len(good)/2]), "cut short at line"},
		"empty":               {"", "empty"},
		"damaged":             {replace(`"cells":`, `"cells":]`), "is not JSON"},
		"not JSON":            {"goos: linux\n", "line 1 is not JSON"},
		"foreign":             {`{"format": "something else"}`, `format is "something else"`},
		"JSON of another":     {`{"a": 1}`, "not a results file"},
		"too new":             {replace(`"version": 4`, `"version": 99`), "written by a newer timerbench: results of version 99, this one reads version 4"},
		"too old":             {replace(`"version": 4`, `"version": 2`), "written by an older timerbench: results of version 2, want version 4"},
		"version 0":           {replace(`"version": 4`, `"version": 0`), "results of version 0"},
		"wrong type":          {replace(`"n": 50`, `"n": "many"`), "does not fit"},
		"no size":             {replace(`"n": 50`, `"n": 0`), "n of at least 1"},
		"unknown role":        {replace(`"role": "floor"`, `"role": "boss"`), `null: role is "boss", want one of ["structure" "floor" "control" "external" "intrusive"]`},
		"broken proof":        {replace(`"pending": `, `"pending": 7`), "the proof does not hold"},
		"two documents":       {string(good) + "{}", "is not JSON"},
		"UTF-16":              {"\xff\xfe{\x00", "it is in UTF-16, want UTF-8"},
		"a gzip bomb":         {compressed(t, strings.Repeat(" ", 128<<20+1)), "it has more than 128 MB, which is the limit"},
		"many objects":        {compressed(t, `{"cells":[`+strings.Repeat("{},null,", 500_000)+`{}]}`), "it has 1000002 objects, want at most 1000000"},
		"a cost":              {cost.ReplaceAllString(string(good), "$1"), edited},
		"a digest":            {digest.ReplaceAllString(string(good), `, "digest": ""`), edited},
		"no digest":           {digest.ReplaceAllString(string(good), ""), "it has no digest"},
		"a key after it":      {strings.TrimSuffix(string(good), "}\n") + `, "mine": 1}`, edited},
		"checksum of a cell":  {checksum.ReplaceAllString(string(good), `"checksum": 1`), edited},
		"checksum of one row": {replace(checksum.FindString(string(good)), `"checksum": 1`), proof},
	} {
		fail.If(t, os.WriteFile(path, []byte(c.content), 0o644))
		_, err := store.ReadFile(path)
		fail.UnlessError(t, err, c.want, path)
	}
	if _, err := store.ReadFile(filepath.Join(dir, "missing.json")); err == nil {
		t.Error("a missing file is read without an error")
	}
	if err := store.Write(filepath.Join(dir, "missing", "results.json"), &results.Run{}); err == nil {
		t.Error("writing into a missing directory gives no error")
	}
}

// compressed returns a text as gzip writes it.
func compressed(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	fail.If(t, z.Close())
	return out.String()
}

func TestBenchmarkLinesAreReadBackByTheStandardReader(t *testing.T) {
	r := realResults(t)
	var out strings.Builder
	fail.If(t, store.WriteBenchfmt(&out, r))
	in := benchfmt.NewReader(strings.NewReader(out.String()), "bench.txt")
	lines, ns := map[string]int{}, map[string]float64{}
	for in.Scan() {
		switch rec := in.Result().(type) {
		case *benchfmt.SyntaxError:
			t.Fatal(rec)
		case *benchfmt.Result:
			name := rec.Name.String()
			lines[name]++
			if v, ok := rec.Value("sec/op"); ok {
				ns[name] = v * 1e9
			}
		}
	}
	if in.Err() != nil {
		t.Fatal(in.Err())
	}
	for name, want := range map[string]int{
		"Timers/workload=grid-clustered-50/n=50/structure=quadheap/op=per-lifecycle": 2,
		"Timers/workload=grid-clustered-50/n=50/structure=wheel/op=cancel":           2,
		"Timers/workload=grid-clustered-50/n=50/structure=null/op=fire-latency":      1,
		"Timers/workload=reschedule/n=50/structure=null/op=reschedule":               2,
		"Timers/workload=reschedule/n=50/structure=null/op=per-reschedule":           2,
		"Memory/n=50/structure=quadheap":                                             1,
	} {
		fail.UnlessSame(t, name, lines[name], want)
	}
	trial := r.Cells[0].Rows[1].Cost[1]
	want, got := trial.NS/trial.Units, ns["Timers/workload=grid-clustered-50/n=50/structure=quadheap/op=per-lifecycle"]
	if got < want*0.999 || got > want*1.001 {
		t.Errorf("%g ns/op in the lines, %g in the results", got, want)
	}
	r.Memory[0].CollectNS, r.Memory[0].Bytes, r.Memory[0].AgedBytes = 250_000, 40, 44
	out.Reset()
	fail.If(t, store.WriteBenchfmt(&out, r))
	fail.Unless(t, out.String(), " 40 B/timer 44 aged-B/timer 250000 ns/gc\n")
}

// An edited proof is noticed by the other proofs even if the digest is right, and other spaces are no edit.
func TestEditedResultsAreRefused(t *testing.T) {
	var text, spaced bytes.Buffer
	r := realResults(t)
	fail.If(t, store.Encode(&text, r))
	fail.If(t, json.Indent(&spaced, text.Bytes(), "", "\t"))
	if _, err := store.Decode(spaced.Bytes()); err != nil {
		t.Errorf("other spaces: %v", err)
	}
	text.Reset()
	r.Cells[0].Row("quadheap").Proof.Checksum++
	err := store.Encode(&text, r)
	r.Cells[0].Row("quadheap").Proof.Checksum--
	fail.If(t, err)
	const want = "cell grid-clustered-50, n 50, null and quadheap replayed the same, but their proofs differ: the checksum"
	_, err = store.Decode(text.Bytes())
	fail.UnlessError(t, err, want)
}
