package costs_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/structures/catalog"
	"github.com/timerbench/timerbench/structures/internal/costs"
)

var update = flag.Bool("update", false, "rewrite the tables in docs/costs.md")

const (
	module  = "github.com/timerbench/timerbench/"
	counter = module + "structures/internal/costs/count"
)

// sizes are the numbers of resident timers.
var sizes = []int{1000, 10_000, 100_000}

// Each structure does what its costs in the catalog claim, in each pattern, and the
// document says so.
func TestClaims(t *testing.T) {
	program := build(t)
	table := newTable()
	t.Run("structures", func(t *testing.T) {
		for _, e := range catalog.All() {
			t.Run(e.Name, func(t *testing.T) {
				t.Parallel()
				counts := countAll(t, program, e)
				if !testing.Short() {
					noteModesty(t, counts, e)
				}
				table.add(e.Name, counts)
			})
		}
	})
	if len(table.counts) == len(catalog.All()) { // none was left out, and none failed
		table.compare(t)
	}
}

// countAll counts with more and more timers, as long as the structure keeps its claims.
func countAll(t *testing.T, program string, e catalog.Entry) (counts []costs.Count) {
	t.Helper()
	for _, n := range sizes {
		if e.Limit > 0 && n > e.Limit || testing.Short() && n > 10_000 {
			break
		}
		counts = append(counts, count(t, program, e, n)...)
		for _, of := range byPattern(counts) {
			if err := costs.Check(of, e.Costs); err != nil {
				t.Error(err)
			}
			if err := costs.CheckWork(of); e.ThirdParty == "" && err != nil {
				t.Error(err)
			}
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	return counts
}

// noteModesty says which operation does better in all patterns than is claimed. That is no
// fault: the pattern in which it does not may be missing.
func noteModesty(t *testing.T, counts []costs.Count, e catalog.Entry) {
	t.Helper()
	for _, op := range []struct {
		name string
		cost func(*catalog.Costs) *catalog.Cost
	}{
		{"schedule", func(c *catalog.Costs) *catalog.Cost { return &c.Schedule }},
		{"cancel", func(c *catalog.Costs) *catalog.Cost { return &c.Cancel }},
		{"pop", func(c *catalog.Costs) *catalog.Cost { return &c.Pop }},
	} {
		better := e.Costs
		growth := &op.cost(&better).Growth
		if *growth == catalog.Constant {
			continue
		}
		if *growth == catalog.Linear {
			*growth = catalog.Logarithmic
		} else {
			*growth = catalog.Constant
		}
		if !slices.ContainsFunc(byPattern(counts), func(of []costs.Count) bool { return costs.Check(of, better) != nil }) {
			t.Logf("%s: no pattern in which %s takes more than %v, and it claims %v", e.Name, op.name, *growth, *op.cost(&e.Costs))
		}
	}
}

// build builds the program that counts the blocks of all that the structures are made of.
func build(t *testing.T) (program string) {
	t.Helper()
	args := []string{"list", "-deps", "-f", `{{if or (not .Standard) (eq .ImportPath "container/heap" "container/list" "slices" "maps")}}{{.ImportPath}}{{end}}`}
	for _, e := range catalog.All() {
		args = append(args, e.Package)
	}
	packages := strings.Fields(command(t, exec.Command("go", args...)))
	program = filepath.Join(t.TempDir(), "count")
	command(t, exec.Command("go", "build", "-cover", "-covermode=atomic", "-coverpkg", strings.Join(append(packages, counter), ","), "-o", program, counter))
	return program
}

// count runs the program.
func count(t *testing.T, program string, e catalog.Entry, n int) (counts []costs.Count) {
	t.Helper()
	ctx := t.Context()
	if deadline, ok := t.Deadline(); ok { // the program must not outlive the test
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-5*time.Second))
		defer cancel()
	}
	cmd := exec.CommandContext(ctx, program, e.Name, strconv.Itoa(n))
	cmd.Env = append(os.Environ(), "GOCOVERDIR="+t.TempDir()) // where it leaves its counters
	if err := json.Unmarshal([]byte(command(t, cmd)), &counts); err != nil {
		t.Fatal(err)
	}
	return counts
}

func command(t *testing.T, cmd *exec.Cmd) (out string) {
	t.Helper()
	var errors strings.Builder
	cmd.Stderr = &errors
	stdout, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args[:2], err, errors.String())
	}
	return string(stdout)
}

// byPattern returns the counts of each pattern and its operations, by the number of timers.
func byPattern(counts []costs.Count) [][]costs.Count {
	type key struct {
		pattern string
		ops     costs.Ops
	}
	var groups [][]costs.Count
	index := make(map[key]int)
	for _, c := range counts {
		k := key{c.Pattern, c.Ops}
		i, ok := index[k]
		if !ok {
			i = len(groups)
			index[k] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], c)
	}
	return groups
}
