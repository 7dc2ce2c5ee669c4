package files

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/timerbench/timerbench/internal/fail"
)

func count(t *testing.T, dir string) int {
	t.Helper()
	entries, err := os.ReadDir(dir)
	fail.If(t, err)
	return len(entries)
}

func TestAFileAppearsWholeOrNotAtAll(t *testing.T) {
	// A temporary file elsewhere may be on another disk.
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	fail.If(t, WriteBytes(path, []byte("first")))
	failed := errors.New("the disk is full")
	err := Write(path, func(w io.Writer) error {
		_, _ = io.WriteString(w, "half of the sec")
		fail.UnlessSame(t, "files while one is written", count(t, dir), 2)
		return failed
	})
	if !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "first" {
		t.Errorf("%q, %v: want the file as it was", data, err)
	}
	fail.UnlessSame(t, "files left", count(t, dir), 1)
	fail.If(t, WriteBytes(path, []byte("second")))
	if data, err := os.ReadFile(path); err != nil || string(data) != "second" {
		t.Errorf("%q, %v", data, err)
	}
}

// A link stays, and its target is written, whether it exists or not.
func TestWriteFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "below", "file")
	fail.If(t, os.Mkdir(filepath.Dir(file), 0o755))
	for name, to := range map[string]string{"near": filepath.Join("below", "file"), "far": file, "chain": "near", "loop": "loop"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	for _, name := range []string{"near", "far", "chain"} {
		path := filepath.Join(dir, name)
		fail.If(t, WriteBytes(path, []byte(name)), name)
		data, err := os.ReadFile(file)
		if info, _ := os.Lstat(path); err != nil || string(data) != name || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s: %q, %v, mode %s: want the file behind the link", name, data, err, info.Mode())
		}
	}
	if err := WriteBytes(filepath.Join(dir, "loop"), nil); err == nil {
		t.Error("a link to itself is written")
	}
	fail.UnlessSame(t, "files left", count(t, dir), 5)
}

// A pipe and a socket stand for devices: as root the fault would replace those of this machine.
func TestOnlyFilesAreReplaced(t *testing.T) {
	dir := t.TempDir()
	socket, link := filepath.Join(dir, "socket"), filepath.Join(dir, "link")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Skip(err)
	}
	defer func() { _ = listener.Close() }()
	fail.If(t, os.Symlink(socket, link))
	for path, want := range map[string]string{
		dir:                                 "is a directory",
		socket:                              "open " + socket,
		link:                                "open " + link,
		filepath.Join(dir, "missing", "in"): "missing",
	} {
		wrote := false
		err := Write(path, func(io.Writer) error { wrote = true; return nil })
		if err == nil || wrote || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
		if _, err := Target(path); err == nil {
			t.Errorf("%s may be replaced", path)
		}
	}
	if info, err := os.Stat(socket); err != nil || info.Mode().IsRegular() {
		t.Errorf("%s is a file now, %v", socket, err)
	}
	fail.If(t, WriteBytes(os.DevNull, []byte("text")))
	r, w, err := os.Pipe()
	fail.If(t, err)
	defer func() { _ = r.Close() }()
	err = WriteBytes(fmt.Sprintf("/dev/fd/%d", w.Fd()), []byte("text"))
	_ = w.Close()
	if got, _ := io.ReadAll(r); err != nil || string(got) != "text" {
		t.Errorf("a pipe got %q, %v", got, err)
	}
}

// Nothing stays where a file could be written, and the error comes before the work.
func TestWritable(t *testing.T) {
	dir := t.TempDir()
	file, fresh := filepath.Join(dir, "file"), filepath.Join(dir, "a", "b")
	fail.If(t, errors.Join(Writable(file), WritableFolder(fresh), WriteBytes(file, nil), Writable(file), Writable(os.DevNull)))
	fail.UnlessSame(t, "files left", count(t, dir)+count(t, fresh), 2)
	for _, at := range []string{filepath.Join(file, "below"), "/proc/self/x"} { // root may write elsewhere
		if Writable(at) == nil || WritableFolder(at) == nil {
			t.Errorf("%s can be written", at)
		}
	}
}

// An error of another file that write reads keeps that file's path.
func TestErrorsOfOtherFilesKeepTheirPaths(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing")
	err := Write(filepath.Join(dir, "out"), func(io.Writer) error {
		_, err := os.Open(missing)
		return err
	})
	fail.UnlessError(t, err, "open "+missing+":")
}
