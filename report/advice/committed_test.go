package advice

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

func committedRun(t *testing.T) *results.Run {
	t.Helper()
	r, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What is packed answers as the whole does, and packing it again changes nothing.
func TestPackingKeepsTheAnswers(t *testing.T) {
	t.Parallel()
	r := committedRun(t)
	path := filepath.Join(t.TempDir(), "packed")
	if err := Pack(path, r); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(data) > 500_000 {
		t.Errorf("%d bytes, want less than 500,000", len(data))
	}
	again, err := results.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := New(r), New(again); !reflect.DeepEqual(a.Standard(), b.Standard()) || !reflect.DeepEqual(a.Judge(), b.Judge()) {
		t.Error("the answers differ")
	}
	if _, err := results.Decode(data[:len(data)/2]); err == nil {
		t.Error("half a file is read without an error")
	}
}

// The run that is part of the program answers everything.
func TestTheCommittedRunAnswers(t *testing.T) {
	t.Parallel()
	a := New(committedRun(t))
	if got := len(a.Standard()); got != len(standard()) {
		t.Errorf("%d standard answers, want %d", got, len(standard()))
	}
	for _, x := range a.Grid().Answers {
		if x.Sentence == "" || len(x.Ranking) < 5 {
			t.Errorf("%+v: %d structures: %q", x.Question, len(x.Ranking), x.Sentence)
		}
		if strings.Contains(x.Sentence, "NaN") || strings.Contains(x.Sentence, "Inf") {
			t.Error(x.Sentence)
		}
	}
	hits, judged := 0, a.Judge()
	for _, j := range judged {
		if j.Hit {
			hits++
		}
		t.Logf("%-16s %8d  %-14s %5.2f  hit %v", j.Workload, j.N, j.Named, j.Times, j.Hit)
	}
	if len(judged) < 9 || 3*hits < 2*len(judged) {
		t.Errorf("%d hits among %d workloads of programs, want two thirds", hits, len(judged))
	}
}
