package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// roleEnv holds the role of a process of this program, as JSON.
const roleEnv = "DURABLE_BENCH_ROLE"

// role is that of a worker, or of a server if Work is "".
type role struct {
	Dir       string
	Addresses []string // of the nodes for clients, then for each other
	Node      int

	Work    string // the name of a system
	Address string
}

// self returns the command of this program in a role.
func self(r role) (*exec.Cmd, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(r)
	cmd := exec.Command(path)
	cmd.Env = append(os.Environ(), roleEnv+"="+string(text))
	return cmd, err
}

func (r role) run() error {
	if r.Work == "" {
		return r.serve()
	}
	s := find(r.Work)
	var mu sync.Mutex
	for { // as a supervisor would do, because the servers may still be starting
		_ = s.work(context.Background(), r.Address, func(payload []byte) {
			mu.Lock()
			defer mu.Unlock()
			fmt.Printf("%s %d\n", bytes.TrimSpace(payload), time.Now().UnixNano())
		})
		time.Sleep(50 * time.Millisecond)
	}
}

// program returns the path of a program, also of Debian's PostgreSQL, or "".
func program(name string) string {
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	paths, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name) // the pattern is right
	if len(paths) == 0 {
		return ""
	}
	return paths[len(paths)-1]
}

// event is a timer that a worker has handled.
type event struct {
	n            int
	due, handled time.Time
}

func (e event) late() time.Duration { return e.handled.Sub(e.due) }

// site is a system that runs: its servers and a worker in processes of their own, and a client in this one.
type site struct {
	system
	dir       string
	addresses []string
	servers   []*exec.Cmd
	worker    *exec.Cmd
	reading   sync.WaitGroup
	client    client
	launch    func(node int, cmd *exec.Cmd) error // starts a server elsewhere, if not nil

	mu     sync.Mutex
	events []event
}

// run starts a system in a new folder.
func (s system) run(ctx context.Context, dir string) (*site, error) {
	for _, name := range s.needs {
		if program(name) == "" {
			return nil, fmt.Errorf("%s is not installed", name)
		}
	}
	st := &site{system: s, dir: dir, servers: make([]*exec.Cmd, s.nodes)}
	var listeners []net.Listener
	for range 2 * s.nodes {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		listeners = append(listeners, l)
		st.addresses = append(st.addresses, l.Addr().String())
	}
	for _, l := range listeners {
		_ = l.Close() // the servers listen there
	}
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil { // for PostgreSQL
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if err := st.begin(ctx); err != nil {
		st.close()
		return nil, err
	}
	return st, nil
}

func (s *site) begin(ctx context.Context) error {
	for i := range s.nodes {
		if err := s.startServer(i); err != nil {
			return err
		}
	}
	if s.prepare != nil {
		if err := s.try(ctx, func() error { return s.prepare(ctx, s.address()) }); err != nil {
			return err
		}
	}
	if err := s.try(ctx, func() error {
		c, err := s.open(ctx, s.address())
		if err == nil {
			s.client = c
		}
		return err
	}); err != nil {
		return err
	}
	return s.startWorker()
}

// ready waits until the servers take a timer.
func (s *site) ready(ctx context.Context) error {
	return s.try(ctx, func() error { return s.client.Set(ctx, &timer{n: -1, at: farAway()}) })
}

// address returns the addresses for clients.
func (s *site) address() string { return strings.Join(s.addresses[:s.nodes], ",") }

// try calls f until it succeeds, for at most a minute: PostgreSQL takes its time after a kill.
func (s *site) try(ctx context.Context, f func() error) (err error) {
	for end := time.Now().Add(time.Minute); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(10 * time.Millisecond) {
		if err = f(); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%s: %w", s.Name, err)
}

func (s *site) startServer(node int) error {
	cmd, err := s.start(s.dir, s.addresses, node)
	if err != nil {
		return err
	}
	s.servers[node] = cmd
	if s.launch != nil {
		return s.launch(node, cmd)
	}
	return startHeld(cmd)
}

// startHeld starts a process that ends with this one.
func startHeld(cmd *exec.Cmd) error {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	return cmd.Start()
}

func (s *site) startWorker() error {
	cmd, err := self(role{Work: s.Name, Address: s.address()})
	if err != nil {
		return err
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := startHeld(cmd); err != nil {
		return err
	}
	s.worker = cmd
	s.reading.Go(func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var e event
			var due, handled int64
			if n, _ := fmt.Sscan(lines.Text(), &e.n, &due, &handled); n == 3 { // otherwise it was killed while it wrote
				e.due, e.handled = time.Unix(0, due), time.Unix(0, handled)
				s.mu.Lock()
				s.events = append(s.events, e)
				s.mu.Unlock()
			}
		}
	})
	return nil
}

func (s *site) killWorker() {
	if s.worker != nil && s.worker.ProcessState == nil {
		_ = s.worker.Process.Kill() // it may have ended
		s.reading.Wait()
		_ = s.worker.Wait()
	}
}

// killServer kills a server and its processes.
func (s *site) killServer(node int) {
	cmd := s.servers[node]
	if cmd == nil || cmd.Process == nil || cmd.ProcessState != nil {
		return
	}
	pids := tree(cmd.Process.Pid)
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
	}
	_ = cmd.Wait()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		alive := func(pid int) bool { return syscall.Kill(pid, 0) == nil }
		if !slices.ContainsFunc(pids, alive) { // PostgreSQL does not start while a child of the killed server has its memory
			return
		}
	}
}

func (s *site) close() {
	if s.client != nil {
		s.client.Close()
	}
	s.killWorker()
	for i := range s.servers {
		s.killServer(i)
	}
	_ = os.RemoveAll(s.dir)
}

// since returns the events after the first n, sorted by the time at which they were handled.
func (s *site) since(n int) []event {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := slices.Clone(s.events[n:])
	slices.SortFunc(list, func(a, b event) int { return a.handled.Compare(b.handled) })
	return list
}

func (s *site) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.events)
}

// tree returns a process and its descendants.
func tree(pid int) []int {
	all := []int{pid}
	for i := 0; i < len(all); i++ {
		lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", all[i]))
		for _, list := range lists {
			text, _ := os.ReadFile(list) // the process may have ended
			for _, field := range strings.Fields(string(text)) {
				child, _ := strconv.Atoi(field)
				all = append(all, child)
			}
		}
	}
	return all
}

// pids returns the processes of servers and worker.
func (s *site) pids() (all []int) {
	for _, cmd := range append(slices.Clone(s.servers), s.worker) {
		if cmd != nil && cmd.Process != nil {
			all = append(all, tree(cmd.Process.Pid)...)
		}
	}
	return all
}

// processor returns the processor time of servers, worker and this process. That of ended processes counts once their parent has
// waited for them.
func (s *site) processor() (sum time.Duration) {
	others := s.pids()
	for i, pid := range append(others, os.Getpid()) {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(fields) < 15 {
			continue
		}
		last := 13 // utime and stime
		if i < len(others) {
			last = 15 // and these of ended children
		}
		for _, f := range fields[11:last] {
			ticks, _ := strconv.Atoi(f)
			sum += time.Duration(ticks) * 10 * time.Millisecond
		}
	}
	return sum
}

// memory returns the memory of servers and worker in bytes, in which shared pages count once.
func (s *site) memory() (sum float64) {
	for _, pid := range s.pids() {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
		for line := range strings.Lines(string(text)) {
			if rest, ok := strings.CutPrefix(line, "Pss:"); ok {
				kb, _ := strconv.Atoi(strings.Fields(rest)[0])
				sum += float64(kb) * 1024
			}
		}
	}
	return sum
}
