//go:build unix

package durable

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/timerbench/timerbench/driver"
)

// The tests that kill processes start this binary again, as a server or a worker. This variable
// holds its role, as JSON.
const childEnv = "DURABLE_TEST_CHILD"

// role is the role of a child process.
type role struct {
	// A server.
	Dir     string
	Address string   // of the clients
	Node    string   // of a cluster, or ""
	Peer    string   // address of the node
	Peers   []string // addresses of all nodes

	// A worker, if URL is set.
	URL      string
	Replicas int
	Ahead    time.Duration // how far its clock is ahead
	Every    string        // a timer that it sets, or ""
	Dies     bool          // it dies when it handles a timer

	Concurrency int // of its handlers

	// A client that moves timers, if Moves is not 0: the number of keys.
	Moves  int
	Prefix string // of their keys
}

func TestMain(m *testing.M) {
	if text := os.Getenv(childEnv); text != "" {
		var r role
		err := json.Unmarshal([]byte(text), &r)
		if err == nil {
			err = r.run()
		}
		fmt.Fprintln(os.Stderr, "child:", err)
		os.Exit(1)
	}
	flag.Parse()
	if err := flag.Set("test.parallel", "16"); err != nil { // they wait most of the time
		panic(err)
	}
	dir, err := os.MkdirTemp("", "zones")
	if err == nil {
		err = os.Setenv("ZONEINFO", dir) // where package time looks first
	}
	if err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func (r role) run() error {
	go func() { // the end of the parent is that of the child
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(2)
	}()
	if r.URL == "" {
		options := []ServerOption{Listen(r.Address)}
		if r.Node != "" {
			options = append(options, Cluster("test", r.Node, r.Peer, r.Peers...))
		}
		if _, err := Embedded(r.Dir, options...); err != nil {
			return err
		}
		fmt.Println("ready")
		select {}
	}
	nc, err := dial(r.URL)
	if err != nil {
		return err
	}
	c, err := Open(context.Background(), nc, Config{
		Replicas: r.Replicas, Concurrency: r.Concurrency,
		AckWait: r.ackWait(),
		Horizon: 2 * time.Second, // so that some timers are beyond it
		Now:     func() time.Time { return time.Now().Add(r.Ahead) },
	})
	if err != nil {
		return err
	}
	if r.Every != "" {
		if err := c.Every(context.Background(), "job", r.Every, nil, driver.CatchUp); err != nil {
			return err
		}
	}
	fmt.Println("ready")
	var mu sync.Mutex
	out := json.NewEncoder(os.Stdout)
	write := func(line handledLine) error {
		mu.Lock()
		defer mu.Unlock()
		return out.Encode(line)
	}
	for r.Moves > 0 { // until it is killed
		key := fmt.Sprint(r.Prefix, rand.IntN(r.Moves))
		at := time.Now().Add(rand.N(700 * time.Millisecond))
		if ok, err := c.Reschedule(context.Background(), key, at); ok && err == nil {
			if err := write(handledLine{Key: key, At: at}); err != nil {
				return err
			}
		}
	}
	return c.Serve(context.Background(), func(_ context.Context, f Fired) error {
		err := write(handledLine{ID: f.ID, Key: f.Key, At: time.Now(), Attempt: f.Attempt})
		if r.Dies {
			os.Exit(1)
		}
		return err
	})
}

// ackWait is short if the worker dies.
func (r role) ackWait() time.Duration {
	if r.Dies {
		return 500 * time.Millisecond
	}
	return 0
}

// dial connects to one of several servers, which need not be up yet.
func dial(url string) (*nats.Conn, error) {
	return nats.Connect(url, nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true), nats.ReconnectWait(100*time.Millisecond),
		nats.ReconnectJitter(50*time.Millisecond, 50*time.Millisecond), nats.PingInterval(time.Second), nats.MaxPingsOutstanding(2))
}

// child is a process that a test has started.
type child struct {
	cmd   *exec.Cmd
	lines sync.WaitGroup
}

// spawn starts a child and waits until it is ready. It passes each line of a worker to handled.
func spawn(t *testing.T, r role, handled func(handledLine)) *child {
	t.Helper()
	text, err := json.Marshal(r)
	fatalIf(t, err)
	exe, err := os.Executable()
	fatalIf(t, err)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	cmd.Stderr = os.Stderr
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	fatalIf(t, err)
	fatalIf(t, cmd.Start())
	c := &child{cmd: cmd}
	ready := make(chan struct{})
	c.lines.Go(func() {
		scanner := bufio.NewScanner(out)
		if scanner.Scan() && scanner.Text() == "ready" {
			close(ready)
		}
		for scanner.Scan() {
			var line handledLine
			if err := json.Unmarshal(scanner.Bytes(), &line); err != nil {
				continue // the worker was killed while it wrote
			}
			handled(line)
		}
	})
	t.Cleanup(c.kill)
	receive(t, ready)
	return c
}

// kill kills the child with SIGKILL, and reads the rest of its output.
func (c *child) kill() {
	_ = c.cmd.Process.Kill() // it may have been killed before
	c.lines.Wait()
	_ = c.cmd.Wait()
}

// addresses returns n addresses at which nobody listens.
func addresses(t *testing.T, n int) (list []string) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		fatalIf(t, err)
		defer l.Close() // only now, so that the addresses differ
		list = append(list, l.Addr().String())
	}
	return list
}

// cluster is one or more servers in processes of their own.
type cluster struct {
	roles []role
	nodes []*child
}

func startCluster(t *testing.T, n int) *cluster {
	t.Helper()
	list := addresses(t, 2*n)
	cl := &cluster{nodes: make([]*child, n)}
	for i := range n {
		r := role{Dir: t.TempDir(), Address: list[i]}
		if n > 1 {
			r.Node, r.Peer, r.Peers = fmt.Sprintf("node%d", i), list[n+i], list[n:]
		}
		cl.roles = append(cl.roles, r)
	}
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { cl.start(t, i) })
	}
	wg.Wait()
	return cl
}

func (cl *cluster) start(t *testing.T, i int) {
	t.Helper()
	cl.nodes[i] = spawn(t, cl.roles[i], nil)
}

func (cl *cluster) url() string {
	var urls []string
	for _, r := range cl.roles {
		urls = append(urls, "nats://"+r.Address)
	}
	return strings.Join(urls, ",")
}

func (cl *cluster) open(t *testing.T, cfg Config) (*Client, *nats.Conn) {
	t.Helper()
	nc, err := dial(cl.url())
	fatalIf(t, err)
	t.Cleanup(nc.Close)
	return open(t, nc, cfg), nc
}
