package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
	"github.com/timerbench/timerbench/bench/runs"
	"github.com/timerbench/timerbench/bench/script"
)

func TestVerify(t *testing.T) {
	stdout, _ := must(t, "verify", "-s", "^(hwheel|hwheel-linux|list)$", "-w", "^(hold|churn)$", "-n", "50,200", "--seeds", "2")
	says(t, stdout, "hold, n 50: 3 structures, 2 seeds, ", "churn, n 200: 3 structures", "all structures keep their contract in 4 cells")
}

// verify replays what results name, and finds a proof that is not that of its script. That of
// a coarse structure is compared with no other when the file is read.
func TestVerifyReplaysResults(t *testing.T) {
	out := t.TempDir()
	r := resultsOf(t, aRun(t))
	put(t, out, r)
	stdout, _ := must(t, "verify", out)
	says(t, stdout, filepath.Join(out, runs.Results)+": all proofs are those of their scripts in 4 cells")
	refused(t, []string{"verify", out, "-n", "51"}, "no cell of that choice")
	refused(t, []string{"verify", out, "-w", "churn"}, `no workload matches "churn"`)
	for i := range r.Cells[0].Rows {
		if row := &r.Cells[0].Rows[i]; row.Structure == "hwheel-linux" {
			row.Proof.Checksum = 1
		}
	}
	put(t, out, r)
	code, stdout, stderr := run("verify", out)
	if says(t, stdout, "hold, n 50: 3 structures, 1 seeds, ", ": FAILED"); code != exitError {
		t.Errorf("exit %d", code)
	}
	says(t, stderr, "hwheel-linux fails the proof on hold, n 50, seed 9: the results have the proof")
	must(t, "verify", out, "-s", "^hwheel$")
}

// verify finds whatever was changed in results, also where the digest was made anew.
func TestVerifyFindsEachEdit(t *testing.T) {
	folder := aRun(t)
	text := readText(t, filepath.Join(folder, runs.Results))
	edited := t.TempDir()
	for what, c := range map[string]struct {
		edit func(string) string
		want string
	}{
		"costs of a structure": {func(s string) string {
			before, rows, _ := strings.Cut(s, `"structure": "rbtree"`)
			row, after, _ := strings.Cut(rows, `"by_kind"`)
			return before + `"structure": "rbtree"` + regexp.MustCompile(`("ns": \d+)\d`).ReplaceAllString(row, "$1") + `"by_kind"` + after
		}, "does not fit its digest: it was edited"},
		"a checksum": {func(s string) string { return strings.Replace(s, `"checksum": `, `"checksum": 1`, 1) }, ""},
		"a count":    {func(s string) string { return strings.Replace(s, `"samples": `, `"samples": 1`, 1) }, "digest"},
		"the commit": {func(s string) string { return strings.Replace(s, `"cpu": "`, `"cpu": "Fast `, 1) }, "digest"},
		"no digest":  {func(s string) string { return s[:strings.LastIndex(s, ",")] + "}" }, "it has no digest as its last key"},
		"an old version": {func(s string) string {
			return strings.Replace(s[:strings.LastIndex(s, ",")]+"}", `"version": 3`, `"version": 2`, 1)
		}, "results of version 2 have no digest"},
	} {
		after := c.edit(text)
		if after == text {
			t.Fatalf("%s: nothing is edited", what)
		}
		writeText(t, filepath.Join(edited, runs.Results), after)
		t.Run(what, func(t *testing.T) { refused(t, []string{"verify", edited, "-s", "^hwheel$"}, c.want) })
	}
	rows := func(r *results.Run, name string, change func(*results.Row)) {
		for i := range r.Cells[0].Rows {
			if row := &r.Cells[0].Rows[i]; name == "" || row.Structure == name {
				change(row)
			}
		}
	}
	for what, c := range map[string]struct {
		edit func(*results.Run)
		want string
	}{
		"costs of all": {func(r *results.Run) {
			rows(r, "", func(row *results.Row) {
				for i := range row.Cost {
					row.Cost[i].NS *= 1000
				}
			})
		}, "its trials took "},
		"a kind": {func(r *results.Run) {
			rows(r, "rbtree", func(row *results.Row) { row.ByKind[0].Kinds[0].NS += 100 })
		}, "rbtree, round 0: the kinds of operations took "},
		"units of a structure": {func(r *results.Run) {
			rows(r, "rbtree", func(row *results.Row) { row.Cost[1].Units *= 10 })
		}, "rbtree replayed the same block, but "},
		"units of all": {func(r *results.Run) {
			rows(r, "", func(row *results.Row) { row.Cost[1].Units *= 10 })
		}, "its script has {Ops:"},
		"a checksum": {func(r *results.Run) {
			rows(r, "rbtree", func(row *results.Row) { row.Proof.Checksum++ })
		}, "but their proofs differ"},
		"all checksums": {func(r *results.Run) {
			rows(r, "", func(row *results.Row) { row.Proof.Checksum++ })
		}, "the results have the proof "},
		"the seed": {func(r *results.Run) { r.Parameters.Seed++ }, "the results have the proof "},
	} {
		r := resultsOf(t, folder)
		c.edit(r)
		put(t, edited, r)
		t.Run(what+", with a digest", func(t *testing.T) {
			code, _, stderr := run("verify", edited)
			if says(t, stderr, c.want); code != exitError {
				t.Errorf("exit %d", code)
			}
		})
	}
}

func TestSubmit(t *testing.T) {
	r := keptRun(t)
	if err := submittable(r); err != nil {
		t.Errorf("the run that is kept: %v", err)
	}
	for want, edit := range map[string]func(*results.Run){
		"the run was interrupted":         func(r *results.Run) { r.Complete = false },
		"a part of the comparison":        func(r *results.Run) { r.Parameters.Structures = r.Parameters.Structures[1:] },
		"not everything is proved: auto ": func(r *results.Run) { r.Failures = []results.Failure{{Structure: "auto"}} },
		"does not know its commit":        func(r *results.Run) { r.Environment.Revision = "" },
		"with edits that are not":         func(r *results.Run) { r.Environment.Revision += "+dirty" },
		"null has no proof":               func(r *results.Run) { r.Cells[0].Rows[0].Proof = script.Proof{} },
	} {
		bad := *r
		bad.Cells = slices.Clone(r.Cells)
		bad.Cells[0].Rows = slices.Clone(r.Cells[0].Rows)
		if edit(&bad); submittable(&bad) == nil || !strings.Contains(submittable(&bad).Error(), want) {
			t.Errorf("got %v, want %q", submittable(&bad), want)
		}
	}
	out := t.TempDir()
	refused(t, []string{"submit", aRun(t), "--out", out}, "a part of the comparison")
	refused(t, []string{"submit", aRun(t), "--out", filepath.Join(out, "none")}, "none: no such folder")
	if left := files(t, out); left != "" {
		t.Errorf("it left %s", left)
	}
}
