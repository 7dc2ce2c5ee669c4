package driver_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// beforeGofmt has each kind of timer that the lines of docs/driver.md move, and one that stays.
const beforeGofmt = `package server

import "time"

type conn struct {
	idle *time.Timer
	ping *time.Ticker
	all  map[string]*time.Timer
}

func serve() *conn {
	c := &conn{all: map[string]*time.Timer{}}
	c.idle = time.AfterFunc(time.Minute, func() { c.close(c.idle) })
	c.all["x"] = time.AfterFunc(time.Second, func() {})
	c.ping = time.NewTicker(time.Second)
	c.idle.Reset(time.Hour)
	select {
	case <-c.ping.C:
	case <-time.NewTimer(time.Second).C:
	}
	return c
}

func (c *conn) close(t *time.Timer) {
	t.Stop()
	c.ping.Stop()
}
`

// The lines of docs/driver.md move a package from package time to a driver, and it compiles.
func TestTheLinesOfGofmtMoveAPackage(t *testing.T) {
	if _, err := exec.LookPath("gofmt"); err != nil {
		t.Skip(err)
	}
	doc, err := os.ReadFile("../docs/driver.md")
	if err != nil {
		t.Fatal(err)
	}
	block := func(kind string) string {
		all := regexp.MustCompile("(?s)```"+kind+"\n(.*?)```").FindAllSubmatch(doc, -1)
		if len(all) != 1 {
			t.Fatalf("%d blocks of %s in docs/driver.md, want 1", len(all), kind)
		}
		return string(all[0][1])
	}
	here, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir, module := t.TempDir(), "github.com/timerbench/timerbench"
	for name, source := range map[string]string{
		"timers.go": block("go"), "server.go": beforeGofmt,
		"go.mod": "module server\n\ngo 1.26\n\nrequire " + module + " v0.0.0\n\nreplace " + module + " => " + here + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("sh", "-e", "-c", block("sh"))
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	after, err := os.ReadFile(filepath.Join(dir, "server.go"))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer("*time.Timer", "*afterTimer", "*time.Ticker", "*ticker",
		"time.AfterFunc", "timers.AfterFunc", "time.NewTicker", "timers.NewTicker").Replace(beforeGofmt)
	if string(after) != want {
		t.Errorf("%s\nwant\n%s", after, want)
	}
}
