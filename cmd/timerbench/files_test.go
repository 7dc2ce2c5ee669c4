package main

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/timerbench/timerbench/bench/results"
)

// Neither a complete run nor an interrupted run nor a foreign file is replaced.
func TestARunIsNotReplaced(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "complete", &results.Run{Complete: true})
	put(t, "partial", &results.Run{})
	writeText(t, filepath.Join("foreign", results.FileName), `{"mine": 1}`)
	before := contents(t, ".")
	for folder, want := range map[string]string{
		"complete": ": " + filepath.Join("complete", results.FileName) + " is a complete run of ", "partial": ": it contains an interrupted run, which is not replaced: continue it with run --resume",
		"foreign": ": its results file is not replaced: " + filepath.Join("foreign", results.FileName) + ": not a results file",
	} {
		refused(t, append(tiny, "-o", folder), "--out "+folder+want)
	}
	if !maps.Equal(contents(t, "."), before) {
		t.Error("the refused runs changed a folder")
	}
}

func TestAFileInThePlaceOfTheLinkIsNotReplaced(t *testing.T) {
	t.Chdir(t.TempDir())
	link := filepath.Join(results.Parent, results.Latest)
	writeText(t, link, "mine")
	refused(t, tiny, link+" is no link to a run and is not replaced")
	if got := contents(t, results.Parent); len(got) != 1 || got[link] != "mine" {
		t.Errorf("the refused run left %v", got)
	}
}

func TestTwoRunsIntoOneFolderAreRefused(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	first, err := openFolder(out, "smoke", false)
	if err != nil {
		t.Fatal(err)
	}
	refused(t, append(tiny, "-o", out), "--out "+out+": another run is writing into this folder")
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a run without results left its folder behind")
	}
	for _, none := range []string{out, t.TempDir()} {
		refused(t, append(tiny, "-o", none, "--resume"), "--out "+none+": there is no interrupted run to continue with --resume")
	}
	_, stderr := must(t, append(tiny, "-o", out)...)
	says(t, stderr, "2 steps: about 0.")
	if left := filesIn(t, out); left != results.Benchmarks+" "+results.FileName || !resultsOf(t, out).Complete {
		t.Errorf("it left %s", left)
	}
}
