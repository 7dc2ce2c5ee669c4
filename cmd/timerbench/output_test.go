//go:build unix

package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each command fails where its output is lost.
func TestEveryCommandFailsIfItCannotWrite(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, append(tiny, "-o", "done")...)
	must(t, "run", "-p", "smoke", "-s", "^hwheel$", "-w", "^hold$", "-n", "10", "--shard", "1/1", "-o", "shard")
	must(t, "trace", "make", "-w", "churn", "-n", "10", "--ops", "1e4", "-o", "my.trace")
	if code, text, _ := run("scenario", "print", "hold"); code != 0 || os.WriteFile("hold.toml", []byte(text), 0o644) != nil {
		t.Fatal("no scenario")
	}
	if err := os.Mkdir("empty", 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv(asCommand, "1")
	lines := map[string][]string{
		"run":            append(tiny[1:], "-o", "new"),
		"merge":          {"whole", "shard"},
		"report":         {"done"},
		"recommend":      {"--n", "10", "done"},
		"explain":        {"hwheel"},
		"export":         {"--csv", "done"},
		"compare":        {"done", "done"},
		"ab":             {"--old", os.Args[0], "--new", os.Args[0], "-s", "^hwheel$", "-w", "^hold$", "-n", "10", "--rounds", "1", "--pairs", "2", "--layouts", "1", "-o", "ab"},
		"doctor":         {"--noise", "0"},
		"verify":         {"done"},
		"profile":        {"churn/n=100", "-s", "hwheel", "--for", "1ms", "-o", "-"},
		"list":           {},
		"scenario print": {"hold"},
		"scenario check": {"hold.toml"},
		"trace info":     {"my.trace"},
		"trace replay":   {"my.trace", "-s", "^hwheel$", "--trials", "2", "-o", "replayed"},
		"trace make":     {"-w", "churn", "-n", "10", "--ops", "1e4", "-o", "-"},
	}
	for _, command := range leaves(newRoot()) {
		args, ok := lines[command]
		switch {
		case command == "trace record": // it writes nothing; the command that it runs has the output itself
			continue
		case command == "live": // TestLive has it
			continue
		case !ok:
			t.Errorf("%s has no line in this test", command)
			continue
		case command == "ab" && testing.Short():
			continue
		}
		want := exitError
		if command == "compare" || command == "ab" {
			want = exitMisuse
		}
		var stderr strings.Builder
		code := execute(append(strings.Fields(command), args...), full{}, &stderr)
		if code != want || !strings.Contains(stderr.String(), "no space left on device") {
			t.Errorf("%s: exit %d, want %d: %s", command, code, want, stderr.String())
		}
	}
	for _, args := range [][]string{{"--help"}, {"--version"}, {"trace"}, {"run", "--dry-run"}, {"export", "--benchfmt", "done"}} {
		if code := execute(args, full{}, io.Discard); code != exitError {
			t.Errorf("%q: exit %d, want %d", args, code, exitError)
		}
	}
}

// - is the standard output, and what is no file is refused before anything is measured.
func TestFilesOfFlags(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	must(t, append(tiny, "-o", "done")...)
	for _, c := range []struct {
		flag string
		args []string
	}{
		{"--out", []string{"export", "--csv", "done", "-o"}},
		{"--out", []string{"profile", "churn/n=100", "-s", "hwheel", "--for", "1ms", "-o"}},
		{"--out", []string{"trace", "make", "-w", "churn", "-n", "10", "--ops", "1e4", "-o"}},
		{"--html", []string{"explain", "hwheel", "--html"}},
		{"--svg", []string{"explain", "hwheel", "--svg"}},
		{"--json", append(tiny, "-o", filepath.Join(dir, "new"), "--json")},
	} {
		if code, stdout, stderr := run(append(c.args, dir)...); code != exitError || stdout != "" || !strings.Contains(stderr, c.flag+" "+dir+": "+dir+" is a folder") {
			t.Errorf("%q into a folder: exit %d: %.100s%s", c.args, code, stdout, stderr)
		}
		if code, stdout, stderr := run(append(c.args, "-")...); code != 0 || len(stdout) < 100 || strings.Contains(stdout, "STRUCTURE ") {
			t.Errorf("%q to the standard output: exit %d: %.100s%s", c.args, code, stdout, stderr)
		}
	}
	if _, err := os.Stat("-"); err == nil {
		t.Error("there is a file with the name -")
	}
}
