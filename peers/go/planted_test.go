package timerbench_test

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/timerbench/timerbench/bench/external"
	"github.com/timerbench/timerbench/bench/external/conform"
)

// The test's own program stands between the runner and an adapter if this variable names a fault.
const planted = "TIMERBENCH_PLANTED"

func TestMain(m *testing.M) {
	if fault := os.Getenv(planted); fault != "" {
		if err := (&proxy{fault: fault}).run(os.Args[1:]); err != nil {
			panic(err)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// proxy passes on requests and answers. It changes the operations of blocks, so that the adapter does wrong what fault
// says for one timer in four.
type proxy struct {
	fault  string
	file   *os.File        // of changed blocks
	zombie map[uint32]bool // pending in the adapter, cancelled for the runner
}

func (p *proxy) run(args []string) (err error) {
	if p.file, err = os.CreateTemp("", "planted-"); err != nil {
		return err
	}
	_ = os.Remove(p.file.Name())
	cmd := exec.Command(args[0], args[1:]...)
	cmd.ExtraFiles = []*os.File{p.file, os.NewFile(4, "fires")}
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	blocks := os.NewFile(3, "blocks")
	var m struct {
		Kind, Block uint32
		A, B, C     uint64
	}
	for binary.Read(os.Stdin, binary.LittleEndian, &m) == nil {
		switch m.Kind {
		case 1:
			p.zombie = make(map[uint32]bool)
		case 2:
			b := make([]byte, m.A)
			if _, err := blocks.ReadAt(b, int64(m.C)); err != nil {
				return err
			}
			b = p.change(b)
			if _, err := p.file.WriteAt(b, int64(m.C)); err != nil {
				return err
			}
			m.A = uint64(len(b))
		}
		if err := binary.Write(in, binary.LittleEndian, m); err != nil {
			break
		}
	}
	_ = in.Close()
	return cmd.Wait()
}

const (
	schedule = iota
	cancel
	reschedule
)

// change decodes a block, plants the fault, and encodes the block with a batch for each operation.
func (p *proxy) change(b []byte) []byte {
	le := binary.LittleEndian
	batches := int(le.Uint64(b[8:]))
	first := 32 + (batches+1)/2*16
	head, ops, count := append([]byte(nil), b[:32]...), []byte(nil), uint64(0)
	for i := range batches {
		kind, n := le.Uint32(b[32+8*i:]), int(le.Uint32(b[36+8*i:]))
		for ; n > 0; n-- {
			op := append([]byte(nil), b[first:first+16]...)
			first += 16
			slot, kind := le.Uint32(op[8:]), kind
			if hit := slot%4 == 1; kind == schedule && p.zombie[slot] {
				kind = reschedule
				delete(p.zombie, slot)
			} else if hit && kind == schedule && p.fault == "late" {
				le.PutUint64(op, le.Uint64(op)+1)
			} else if hit && kind == cancel && p.fault == "keeps cancelled timers" {
				p.zombie[slot] = true
				continue
			} else if hit && kind == reschedule && p.fault == "forgets moves" {
				continue
			}
			head = le.AppendUint32(le.AppendUint32(head, kind), 1)
			ops = append(ops, op...)
			count++
		}
	}
	le.PutUint64(head[8:], count)
	le.PutUint64(head[16:], count)
	if count%2 == 1 {
		head = append(head, make([]byte, 8)...)
	}
	return append(head, ops...)
}

// Every adapter passes the checks, and fails with each of three planted faults. The test takes the adapters that peers/build.sh
// has built, or a single one.
func TestPlantedFaultsAreFound(t *testing.T) {
	var specs []external.Spec
	if list := "../bin/all.toml"; !testing.Short() {
		if _, err := os.Stat(list); err == nil {
			if specs, err = external.Parse([]string{list}, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(specs) == 0 {
		binheap := filepath.Join(t.TempDir(), "binheap")
		if out, err := exec.Command("go", "build", "-C", "binheap", "-o", binheap).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		specs = []external.Spec{{Name: "go-binheap", Args: []string{binheap}}}
	}
	limits := conform.Limits{Hello: time.Minute, Request: 5 * time.Second, Checks: 30 * time.Second, Shrink: time.Second}
	for _, s := range specs {
		v, err := conform.Verify(t.Context(), s, nil, limits)
		if err != nil {
			t.Fatal(err)
		}
		if v.Failure != nil {
			t.Logf("%s fails without a planted fault: %s: %s", s.Name, v.Failure.Check, v.Failure.What)
			if s.Name != "tokio" { // version 0.7.3, see docs/field.md
				t.Errorf("%s: %v", s.Name, v.Failure)
			}
			continue
		}
		if floor(t, s) {
			continue // it has no structure in which to plant a fault
		}
		for _, fault := range []string{"late", "keeps cancelled timers", "forgets moves"} {
			with := s
			with.Args = append([]string{"env", planted + "=" + fault, os.Args[0]}, s.Args...)
			v, err := conform.Verify(t.Context(), with, nil, limits)
			if err != nil {
				t.Fatal(err)
			}
			if v.OK {
				t.Errorf("%s, %s: nobody noticed", s.Name, fault)
				continue
			}
			t.Logf("%s, %s: %s: %s (%d operations of %d)", s.Name, fault, v.Failure.Check, v.Failure.What, len(v.Failure.Operations), v.Failure.From)
		}
	}
}

// floor reports whether a program says that it is a floor.
func floor(t *testing.T, s external.Spec) bool {
	t.Helper()
	blocks := &external.Blocks{}
	p, err := external.Start(t.Context(), s, blocks)
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
	blocks.Close()
	return p.Floor
}
