package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// network connects machines: three network namespaces with a server each, and this one with client and worker. Frames go
// from one tap device to another through this process, which delays them, or drops those of a machine that is cut off.
type network struct {
	delay time.Duration // one way
	cut   atomic.Int32  // the machine that is cut off, or -1
	ports []port
}

type port struct {
	tap  *os.File
	out  chan frame
	exec chan func() // runs functions in the namespace of the machine
}

type frame struct {
	at   time.Time
	data []byte
}

// users is the machine of client and worker: the namespace of this process.
const users = 3

func machine(i int) string { return fmt.Sprintf("198.18.77.%d", i+1) }

// newNetwork makes the machines. It returns an error if that needs rights that this process does not have.
func newNetwork(t *testing.T, delay time.Duration) (*network, error) {
	n := &network{delay: delay, ports: make([]port, users+1)}
	n.cut.Store(-1)
	for i := range n.ports {
		p := &n.ports[i]
		p.out, p.exec = make(chan frame, 1<<14), make(chan func())
		ready := make(chan error)
		go func() {
			// The thread ends with this goroutine, and the namespace with its last process.
			runtime.LockOSThread()
			if i != users {
				if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
					ready <- err
					return
				}
			}
			var err error
			p.tap, err = openTap(i)
			ready <- err
			for f := range p.exec {
				f()
			}
		}()
		if err := <-ready; err != nil {
			return nil, err
		}
		t.Cleanup(func() { close(p.exec); _ = p.tap.Close() })
	}
	for i := range n.ports {
		go n.read(i)
		go n.write(i)
	}
	return n, nil
}

// openTap makes the network device of a machine in the namespace of the calling thread.
func openTap(i int) (*os.File, error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprint("timerbench", i)
	request, err := unix.NewIfreq(name)
	if err == nil {
		request.SetUint16(unix.IFF_TAP | unix.IFF_NO_PI)
		err = unix.IoctlIfreq(fd, unix.TUNSETIFF, request)
	}
	tap := os.NewFile(uintptr(fd), "tap") // now that it can be polled
	for _, args := range []string{
		"link set dev lo up",
		fmt.Sprintf("link set dev %s address 02:00:00:00:00:%02x", name, i),
		fmt.Sprintf("address add %s/29 dev %s", machine(i), name),
		"link set dev " + name + " up",
	} {
		if err == nil {
			var text []byte
			if text, err = exec.Command("ip", strings.Fields(args)...).CombinedOutput(); err != nil {
				err = fmt.Errorf("ip %s: %w: %s", args, err, text)
			}
		}
	}
	return tap, err
}

// read passes the frames of a machine to the others.
func (n *network) read(from int) {
	buf := make([]byte, 1<<16)
	for {
		k, err := n.ports[from].tap.Read(buf)
		if err != nil {
			return
		}
		data, at := slices.Clone(buf[:k]), time.Now().Add(n.delay)
		for to := range n.ports {
			cut := int(n.cut.Load())
			broadcast := data[0]&1 == 1
			if to == from || from == cut || to == cut || !broadcast && int(data[5]) != to {
				continue
			}
			select {
			case n.ports[to].out <- frame{at, data}:
			default: // a queue that is full drops frames
			}
		}
	}
}

func (n *network) write(to int) {
	for f := range n.ports[to].out {
		time.Sleep(time.Until(f.at))
		if _, err := n.ports[to].tap.Write(f.data); errors.Is(err, os.ErrClosed) {
			return
		}
	}
}

// in runs f in the namespace of a machine.
func (n *network) in(machine int, f func() error) (err error) {
	done := make(chan struct{})
	n.ports[machine].exec <- func() { err = f(); close(done) }
	<-done
	return err
}

// What a user sees of three servers on machines of their own, one of which is cut off for 10 s: no timer is lost, fired
// early or late by much more than that, and timers are stored again before the machine is back.
func TestMachines(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a minute")
	}
	for _, delay := range []time.Duration{time.Millisecond, 20 * time.Millisecond} {
		t.Run(delay.String(), func(t *testing.T) { machines(t, delay) })
	}
}

func machines(t *testing.T, delay time.Duration) {
	n, err := newNetwork(t, delay)
	if err != nil {
		t.Skipf("network namespaces and tap devices are not to be had, which need root, /dev/net/tun and ip: %v", err)
	}
	s := &site{system: find("durable, 3 nodes"), dir: t.TempDir(), servers: make([]*exec.Cmd, users),
		launch: func(i int, cmd *exec.Cmd) error {
			cmd.Stderr = os.Stderr
			return n.in(i, func() error { return startHeld(cmd) })
		}}
	for _, port := range []string{":4222", ":6222"} {
		for i := range users {
			s.addresses = append(s.addresses, machine(i)+port)
		}
	}
	t.Cleanup(s.close)
	ctx := t.Context()
	if err := s.begin(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.ready(ctx); err != nil {
		t.Fatal(err)
	}
	far := farAway()
	stored, _, err := s.setEach(ctx, timers(0, 1e6, func(int) time.Time { return far }), tryFor)
	if err != nil {
		t.Fatal(err)
	}
	const rate, before, cutFor, after = 100, 5 * time.Second, 10 * time.Second, 10 * time.Second
	var mu sync.Mutex
	acks := []time.Time{time.Now()}
	set := make(map[int]time.Time)
	var setting sync.WaitGroup
	begin := time.Now()
	setting.Go(func() { // as many as come in, also while the servers do not answer
		for k := 1_000_000; time.Since(begin) < before+cutFor+after; k++ {
			due := time.Now().Add(2 * time.Second)
			setting.Go(func() {
				ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
				defer cancel()
				one := timer{n: k, at: due}
				if err := s.client.Set(ctx, &one); err == nil {
					mu.Lock()
					defer mu.Unlock()
					acks, set[k] = append(acks, time.Now()), due
				}
			})
			time.Sleep(time.Second / rate)
		}
	})
	time.Sleep(before)
	leader, err := leaderOf(ctx, s.address())
	if err != nil {
		t.Fatal(err)
	}
	cut := time.Now()
	n.cut.Store(int32(leader))
	time.Sleep(cutFor)
	back := time.Now()
	n.cut.Store(-1)
	setting.Wait()
	events := s.since(0)
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		left := maps.Clone(set) // some may be handled again
		for _, e := range events {
			delete(left, e.n)
		}
		if len(left) == 0 {
			break
		}
		events = s.since(0)
	}
	var gap time.Duration
	for i, ack := range acks[1:] {
		if ack.After(cut) && acks[i].Before(back) {
			gap = max(gap, ack.Sub(acks[i]))
		}
	}
	var quiet []event
	var late time.Duration
	for _, e := range events {
		if e.due.Before(cut.Add(-time.Second)) { // and handled before it
			quiet = append(quiet, e)
		}
		if e.due.After(back) {
			late = max(late, e.late())
		}
		if e.late() < 0 {
			t.Errorf("timer %d was %v early", e.n, -e.late())
		}
		delete(set, e.n)
	}
	if len(set) > 0 {
		t.Errorf("%d timers are missing", len(set))
	}
	if gap > cutFor+5*time.Second || late > 15*time.Second {
		t.Errorf("stores paused for %v; %v late once the machine was back", gap, late)
	}
	l := latenessOf(rate, len(quiet), quiet)
	t.Logf("%v each way: %.0f stored a second; late by %s ms; no store for %.1f s while the leader was cut off; at most %.1f s late once it was back",
		delay, stored.PerSecond, l, gap.Seconds(), late.Seconds())
}

// leaderOf returns the node that leads the stream.
func leaderOf(ctx context.Context, address string) (int, error) {
	nc, js, err := connect(address)
	if err != nil {
		return 0, err
	}
	defer nc.Close()
	stream, err := js.Stream(ctx, "timers")
	if err != nil {
		return 0, err
	}
	info, err := stream.Info(ctx)
	if err != nil {
		return 0, err
	}
	var node int
	_, err = fmt.Sscanf(info.Cluster.Leader, "node%d", &node)
	return node, err
}
