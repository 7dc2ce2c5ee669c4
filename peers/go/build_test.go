package timerbench_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Without a compiler, a JDK, Python and the crate of tokio, build.sh builds the rest, which includes Rust's
// standard library, and asks for everything that is missing in one line.
func TestWhatIsMissingIsOneLine(t *testing.T) {
	dir := t.TempDir()
	tools, bin, calls := filepath.Join(dir, "tools"), filepath.Join(dir, "bin"), filepath.Join(dir, "calls")
	if err := os.Mkdir(tools, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sh", "dirname", "mkdir", "grep", "ls", "rm"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skip(err)
		}
		if err := os.Symlink(path, filepath.Join(tools, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"cargo", "go"} {
		script := "#!" + filepath.Join(tools, "sh") + "\necho \"" + name + " in ${PWD##*/}\" >>" + calls + "\n"
		if err := os.WriteFile(filepath.Join(tools, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(filepath.Join(tools, "sh"), "../build.sh")
	cmd.Env = []string{"PATH=" + tools, "BIN=" + bin, "CRATES=" + filepath.Join(dir, "none")}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	said := string(out)
	if n := strings.Count(said, "apt-get install"); n != 1 {
		t.Errorf("%d lines with apt-get install, want 1:\n%s", n, said)
	}
	for _, want := range []string{
		"left out: c-floor cpp-floor ", " libuv libuv-poll ", " netty agrona tokio python-floor python-heapq; to build them: apt-get install gcc g++ libbsd-dev",
		" librust-tokio-util-dev", " ratas ", " wahern ", " haproxy ", " agrona ", "built: 6 programs",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it does not say %q:\n%s", want, said)
		}
	}
	if strings.Count(said, " gcc") != 1 {
		t.Errorf("a package stands there twice:\n%s", said)
	}
	list, _ := os.ReadFile(filepath.Join(bin, "all.toml"))
	called, _ := os.ReadFile(calls)
	if !strings.Contains(string(list), `name = "rust-binaryheap"`) || strings.Contains(string(list), "tokio") ||
		string(called) != "cargo in rust\ngo in peers\ngo in peers\n" {
		t.Errorf("built:\n%s\nby:\n%s", list, called)
	}
}
