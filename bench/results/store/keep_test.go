package store

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/internal/fail"
)

// A kept run says what Go's own timers cost, and the driver: the slices of the number of goroutines that all numbers of timers
// have. The rest of the measurement is not kept.
func TestAKeptRunHasTheCostOfGoTimers(t *testing.T) {
	slice := func(goroutines int) results.LiveThroughput {
		return results.LiveThroughput{Op: results.OpReset, Goroutines: goroutines, Ops: 10, NS: 100, CPUNS: 50, Dead: 10, Due: 9}
	}
	r := &results.Run{Live: &results.Live{Goroutines: []int{2, 1}, Rows: []results.LiveRow{{
		Name: "time", Role: results.RoleBaseline, Resident: 100, Throughput: []results.LiveThroughput{slice(1), slice(2), slice(1)},
		Lateness: []results.LiveLateness{{Timers: 1}}, Memory: []results.LiveMemory{{Form: results.FormAfterFunc}},
	}}}}
	l := reduced(r).Live
	row, ok := l.OnDriver(100, "")
	if !ok || !slices.Equal(l.Goroutines, []int{2}) || !slices.Equal(row.Throughput, []results.LiveThroughput{slice(2)}) || len(row.Lateness)+len(row.Memory) > 0 {
		t.Errorf("%+v", l)
	}
	if row.Throughput[0].OpNS() != 5 || len(r.Live.Rows[0].Throughput) != 3 {
		t.Errorf("%g ns, want 5; the run has %d slices left, want 3", row.Throughput[0].OpNS(), len(r.Live.Rows[0].Throughput))
	}
	if reduced(&results.Run{}).Live != nil {
		t.Error("a measurement under the real clock out of nothing")
	}
}

func TestTheNamesOfMachinesAndBuilds(t *testing.T) {
	for want, e := range map[string]results.Environment{
		"intel-xeon-family-6-2-cores": {CPU: "Intel(R) Xeon(R) Processor (family 6)", Cores: 2},
		"amd-ryzen-9-7950x-32-cores":  {CPU: "AMD Ryzen(TM) 9 7950X Processor", Cores: 32},
		"intel-i7-1260p-iris-8-cores": {CPU: "Intel(R) Core(TM) i7-1260P CPU with Iris", Cores: 8},
		"unknown-arm64-4-cores":       {CPU: "(R) CPU", Arch: "arm64", Cores: 4},
	} {
		fail.UnlessSame(t, e.CPU, Slug(e), want)
	}
	for want, e := range map[string]results.Environment{
		"v0.1.0, revision 0123456789ab":      {Version: "v0.1.0", Revision: "0123456789abcdef"},
		"v0.1.0, revision 01 with changes":   {Version: "v0.1.0", Revision: "01+dirty"},
		"revision 0123456789ab":              {Version: "v0.1.1-0.20261128-0123456789ab", Revision: "0123456789abcdef"},
		"revision 0123456789ab with changes": {Version: "(devel)", Revision: "0123456789abcdef+dirty"},
		"v0.1.0":                             {Version: "v0.1.0"}, "": {},
	} {
		fail.UnlessSame(t, e.Version+e.Revision, e.Build(), want)
	}
}

// A kept run is small.
func TestALargeRunIsNotKept(t *testing.T) {
	r, random := &results.Run{Format: results.Format, Version: results.Version, Cells: []results.Cell{{Workload: "hold", N: 1}}}, rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		r.Cells[0].Rows = append(r.Cells[0].Rows, results.Row{Structure: fmt.Sprint(random.Uint64())})
	}
	path := filepath.Join(t.TempDir(), "kept.json.gz")
	_, err := Keep(path, r)
	fail.UnlessError(t, err, "want at most 900000")
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it was written: %v", err)
	}
}

func TestTheHeaderIsReadWithoutTheRest(t *testing.T) {
	created := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	path := filepath.Join(t.TempDir(), "results.json")
	want := Header{results.Format, results.Version, created, true, results.Parameters{Profile: "smoke"}}
	fail.If(t, Write(path, &results.Run{Format: results.Format, Version: results.Version, Created: created, Complete: true, Parameters: want.Parameters}))
	if h, err := ReadHeader(path); err != nil || !reflect.DeepEqual(h, want) {
		t.Errorf("%+v, %v, want %+v", h, err, want)
	}
	for name, c := range map[string]struct{ content, want string }{
		"cut short after it": {`{"format": "timerbench-results", "version": 4, "created": "2026-03-01T12:00:00Z", "complete": true, "parameters": {"profile": "smoke"}, "cells": [`, ""},
		"in another order":   {`{"cells": [{"n": 1}], "parameters": {"profile": "smoke"}, "complete": true, "created": "2026-03-01T12:00:00Z", "version": 4, "format": "timerbench-results"}`, ""},
		"cut short":          {`{"format": "timerbench-results", "vers`, "not JSON"},
		"an array":           {`[1, 2]`, "not a results file"},
		"foreign":            {`{"format": "something else"}`, `format is "something else"`},
		"too new":            {`{"format": "timerbench-results", "version": 99}`, "written by a newer timerbench"},
		"empty":              {``, "not JSON"},
	} {
		fail.If(t, os.WriteFile(path, []byte(c.content), 0o644))
		h, err := ReadHeader(path)
		switch {
		case c.want == "" && (err != nil || !reflect.DeepEqual(h, want)):
			t.Errorf("%s: %+v, %v, want %+v", name, h, err, want)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path)):
			t.Errorf("%s: error %v does not say %q or the path", name, err, c.want)
		}
	}
}
