//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/internal/longtest"
)

// The commands of the README run as they stand. Their folder also has a program in Go and one in C. ab takes minutes.
func TestCommandsOfTheREADME(t *testing.T) {
	cc, err := exec.LookPath("cc")
	long := longtest.Scale(t, 0, 1, 2)
	if err != nil || long == 0 {
		t.Skip("a minute of work, with a C compiler (cc):", err)
	}
	t.Parallel()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile(`(?m)^bin/timerbench .*$`).FindAllString(readText(t, "../../README.md"), -1)
	if len(lines) < 8 {
		t.Fatalf("%d commands: %q", len(lines), lines)
	}
	dir := t.TempDir()
	sh := func(line string) {
		t.Helper()
		cmd := exec.Command("sh", "-ec", line)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), asCommand+"=1")
		started := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
		t.Logf("%.1f s: %s", time.Since(started).Seconds(), line)
	}
	writeText(t, filepath.Join(dir, "go.mod"), "module my\n\ngo 1.26\n")
	writeText(t, filepath.Join(dir, "cmd/my-server/main.go"), "package main\n\nimport \"time\"\n\n"+
		"func main() {\n\tfor range 50_000 {\n\t\ttime.AfterFunc(time.Second, func() {}).Stop()\n\t}\n\ttime.Sleep(time.Second)\n}\n")
	sh("mkdir bin; ln -s " + os.Args[0] + " bin/timerbench; " + cc + " -O2 -o my-wheel " + root + "/bench/external/files/start.c")
	for _, line := range lines {
		switch {
		case !strings.Contains(line, " ab "):
			sh(line)
		case long == 2:
			sh("git clone -q --shared " + root + " clone; cd clone; git rev-parse -q --verify main || git branch main; mv ../bin .; " + line)
		}
		if strings.Contains(line, "trace build") {
			sh("TIMERBENCH_TRACE=my.trace ./my.rec")
		}
	}
}
