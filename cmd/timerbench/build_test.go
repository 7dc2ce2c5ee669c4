//go:build unix

package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/timerbench/timerbench/trace"
	"github.com/timerbench/timerbench/trace/tracestat"
)

// The steps of the README: build, run under a load, show the trace, replay it.
func TestBuildInfoReplay(t *testing.T) {
	if testing.Short() {
		t.Skip("a runtime of its own takes a minute to build, the first time: not under -short")
	}
	t.Parallel()
	dir := t.TempDir()
	server, recorded := filepath.Join(dir, "server.rec"), filepath.Join(dir, "my.trace")
	must(t, "trace", "build", "-o", server, "../../examples/httpserver")
	serve(t, server, recorded, 720)

	stdout, _ := must(t, "trace", "info", recorded)
	says(t, stdout, "server.rec", "the timers of Go's runtime, go1.", "in Go's heap", "SET BY",
		"main.answer main.go:")
	var got struct {
		Schedule, Cancel, Fire, Lost uint64

		PendingAtEnd uint64 `json:"pending_at_end"`
		Sites        []tracestat.Site
	}
	stdout, _ = must(t, "trace", "info", "--json", recorded)
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	if got.Schedule-got.Cancel-got.Fire != got.PendingAtEnd || got.Schedule < 720 || got.Lost != 0 {
		t.Errorf("%+v", got)
	}
	i := 0
	for i < len(got.Sites)-1 && !strings.HasPrefix(got.Sites[i].Name, "main.answer ") {
		i++
	}
	answer := got.Sites[i]
	if p50 := answer.Delays.P50; answer.Timers != 720 || answer.Fired != 720 || p50 < 5e6 || p50 > 8e6 {
		t.Errorf("%+v, want the 720 waits of 5 ms", answer)
	}
	if out, err := command("trace", "replay", recorded, "-s", "^hwheel$", "--trials", "1", "--out", filepath.Join(dir, "out")).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// serve runs a recording server of examples/httpserver for a number of requests and ends it.
func serve(t *testing.T, server, recorded string, requests int) {
	t.Helper()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := free.Addr().String()
	_ = free.Close()
	cmd := exec.Command(server, "--addr", addr)
	cmd.Env = append(os.Environ(), trace.EnvFile+"="+recorded)
	cmd.Stderr = t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Kill() }() // it has ended, unless the test failed
	request := func(wait string) error {
		answer, err := http.Get("http://" + addr + "/?wait=" + wait)
		if err == nil {
			_, err = io.Copy(io.Discard, answer.Body)
			_ = answer.Body.Close()
		}
		return err
	}
	for deadline := time.Now().Add(10 * time.Second); request("no") != nil; {
		if time.Now().After(deadline) {
			t.Fatal("the server does not answer")
		}
	}
	var clients sync.WaitGroup
	for range 16 {
		clients.Go(func() {
			for range requests / 16 {
				if err := request("5ms"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	clients.Wait()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	// A server that ends before the recorder asks who waits for the signal ends by it.
	if err := cmd.Wait(); err != nil && !strings.Contains(err.Error(), "signal: terminated") {
		t.Fatal(err)
	}
}
