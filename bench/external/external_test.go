package external

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/timerbench/timerbench/bench/replay"
	"github.com/timerbench/timerbench/bench/script"
	"github.com/timerbench/timerbench/bench/workload"
	"github.com/timerbench/timerbench/internal/fail"
	"github.com/timerbench/timerbench/structures"
)

var _ replay.Player = (*Program)(nil)

// misbehave builds the program that does wrong what FAULT says, and shortens the time of a request.
func misbehave(t *testing.T) string {
	t.Helper()
	usual := requestTime
	requestTime = time.Second
	t.Cleanup(func() { requestTime = usual })
	return fail.Compiled(t, "testdata/misbehave.c", "files")
}

// started starts a program that then fails to replay the fill of a workload.
func started(t *testing.T, args ...string) (*Program, *script.Block) {
	t.Helper()
	p, err := Start(t.Context(), Spec{Name: "misbehave", Args: args}, &Blocks{})
	fail.If(t, err)
	t.Cleanup(p.Close)
	w, _ := workload.Find("hold")
	fill := w.Script(500, 1).Fill()
	fail.If(t, p.Begin(fill.Keys))
	if _, err := p.Replay(fill, false); err == nil {
		t.Fatalf("%q: no error", args)
	}
	return p, fill
}

// polled pops at every tick, where something is due at most of them.
var polled = (&workload.Hold{
	Delay: workload.Delay{Kind: "uniform", High: workload.Duration(40 * time.Millisecond)}, Poll: true,
}).New(50, time.Millisecond)

// replayed lets a program with a fault replay blocks of a workload, the second one with every fire
// proved. Blocks are handed over two at a time.
func replayed(t *testing.T, program, fault, name string) error {
	t.Helper()
	blocks := &Blocks{}
	t.Cleanup(blocks.Close)
	p, err := Start(t.Context(), Spec{Name: "misbehave", Args: []string{"env", "FAULT=" + fault, program}}, blocks)
	if err != nil {
		return err
	}
	t.Cleanup(p.Close)
	for _, f := range []*os.File{blocks.file, p.fires} {
		if _, err := os.Stat(f.Name()); err == nil {
			t.Errorf("%s would be left by a run that is killed", f.Name())
		}
	}
	s := script.New(polled, script.NewRand(1, 1), 0)
	if name != "polled" {
		w, ok := workload.Find(name)
		if !ok {
			t.Fatalf("no workload %s", name)
		}
		s = w.Script(50, 1)
	}
	fill := s.Fill()
	if err := p.Begin(fill.Keys); err != nil {
		return err
	}
	if _, err := p.Replay(fill, false); err != nil {
		return err
	}
	for i := range 4 {
		a, b := s.Next(300, nil), s.Next(300, nil)
		if err := p.Load(a, b); err != nil {
			return err
		}
		for _, block := range []*script.Block{a, b} {
			took, err := p.Replay(block, i == 0)
			if err != nil {
				return err
			}
			if took <= 0 {
				t.Errorf("a block took %v", took)
			}
		}
	}
	return nil
}

// TestFaultsAreFoundAndShrunk has more faults.
func TestWhatAProgramDoesWrongIsNoticed(t *testing.T) {
	program := misbehave(t)
	for _, c := range []struct{ fault, workload, want string }{
		{"", "hold", ""},
		{"", "cancel-hold-50", ""},
		{"", "churn", ""},
		{"", "fill-drain", ""},
		{"coarse", "polled", ""},
		{"coarse-late", "polled", "later than its bound"},
		{"early", "polled", "fired early or"},
		{"late", "polled", "has not fired by tick"},
		{"lost", "hold", "has not fired by tick"},
		{"lost", "polled", "has not fired by tick"},
		{"double", "hold", "a second time"},
		{"count", "hold", "pending, want"},
		{"hang", "hold", "it hangs: no answer within"},
		{"child", "hold", "it has ended (exit status 0)"},
		{"flood", "hold", "it floods standard error: more than 4 MB during one request, the last of it"},
		{"noise", "hold", ""},
		{"clock-negative", "hold", "a reading of its clock takes -1 ns, want a number from 0 to 1e9"},
		{"wake-inf", "hold", "a wake-up takes +Inf ns, want a number from 0 to 1e9"},
		{"time-long", "hold", "but its answer came after"},
		{"time-zero", "hold", "operations took 0 ns, want"},
		{"time-short", "hold", "operations took 1 ns, want"},
		{"collector-max", "hold", "it says that a garbage collector took 18446744073709551615 ns, but it was started"},
	} {
		t.Run(c.fault+" "+c.workload, func(t *testing.T) {
			err := replayed(t, program, c.fault, c.workload)
			switch {
			case c.want == "" && err != nil:
				t.Errorf("a program that does nothing wrong: %v", err)
			case c.want != "" && err == nil:
				t.Errorf("nobody noticed, want %q", c.want)
			case c.want != "" && !strings.Contains(err.Error(), c.want):
				t.Errorf("%q, want %q", err, c.want)
			}
		})
	}
}

// What fires too early by a checksum alone, in a block of which not every fire is proved, is noticed too.
func TestAChecksumTellsWhatFiredAndWhen(t *testing.T) {
	b := &script.Block{Fires: []script.Fire{{At: 5, Key: 1}, {At: 7, Key: 2}}}
	for at := range structures.Tick(4) {
		b.Add(script.KindWake, script.Op{At: 4 + at})
	}
	w := answer{Fired: 2, Checksum: b.KeySum()}
	right := script.Checksum(5, 1) + script.Checksum(7, 2)
	for _, c := range []struct {
		what string
		a    answer
		ok   bool
	}{
		{"right", answer{Fired: 2, Checksum: right}, true},
		{"swapped slots", answer{Fired: 2, Checksum: script.Checksum(5, 2) + script.Checksum(7, 1)}, false},
		{"a tick early", answer{Fired: 2, Checksum: script.Checksum(5, 1) + script.Checksum(6, 2)}, false},
		{"one lost", answer{Fired: 1, Checksum: script.Checksum(5, 1), Len: 1}, false},
		{"one twice", answer{Fired: 3, Checksum: right + script.Checksum(7, 2)}, false},
		{"still pending", answer{Fired: 2, Checksum: right, Len: 1}, false},
	} {
		if err := c.a.check(w); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

// A program that crashed is started again, one that hung is not.
func TestAProgramThatHungIsNotStartedAgain(t *testing.T) {
	program := misbehave(t)
	for fault, again := range map[string]bool{"crash": true, "hang": false} {
		p, fill := started(t, "env", "FAULT="+fault, program)
		if _, err := p.Replay(fill, false); err == nil {
			t.Fatalf("%s: it goes on without a new instance", fault)
		}
		if err := p.Begin(fill.Keys); (err == nil) != again || !again && !errors.Is(err, errHangs) {
			t.Errorf("%s: started again: %v", fault, err)
		}
	}
}

// A program may hang behind a wrapper script. All of its processes end, and the runner goes on.
func TestAProgramEndsWithItsChildren(t *testing.T) {
	program := misbehave(t)
	fifo := filepath.Join(t.TempDir(), "held")
	if out, err := exec.Command("mkfifo", fifo).CombinedOutput(); err != nil {
		t.Skipf("mkfifo: %v, %s", err, out)
	}
	opened := make(chan *os.File)
	go func() {
		f, _ := os.Open(fifo)
		opened <- f
	}()
	if p, _ := started(t, "sh", "-c", "FAULT=hang "+program+" 9>"+fifo+"; true"); !p.Hangs() {
		t.Fatal("it does not hang")
	}
	held := <-opened
	ended := make(chan struct{})
	go func() {
		_, _ = held.Read(make([]byte, 1)) // until no process holds the other end
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Error("a process that the wrapper has started is still there")
	}
}

func TestParse(t *testing.T) {
	t.Chdir(t.TempDir())
	for file, text := range map[string]string{
		"my-wheel": "", "auto": "", "my list": "\xef\xbb\xbf[[external]]\nname='a'\ncommand=['./my-wheel', '-x y']\n[[external]]\nname='b'\ncommand=['sh', 'B']\n",
		"list.toml": "[[external]]\nname='c'\ncommand=['./my-wheel']\n", "bad.toml": "[[external]]\nname='a'\ncomand=['a']\n",
	} {
		mode := os.FileMode(0o755) // so that a list may be executable, as on disks of Windows
		if file == "my list" {
			mode = 0o644
		}
		fail.If(t, os.WriteFile(file, []byte(text), mode))
	}
	got, err := Parse([]string{"mine=sh --fast", "my list", "list.toml", "./my-wheel --size=5", "2=./my-wheel"}, []string{"auto"})
	want := []Spec{{Name: "mine", Args: []string{"sh", "--fast"}}, {Name: "a", Args: []string{"./my-wheel", "-x y"}}, {Name: "b", Args: []string{"sh", "B"}},
		{Name: "c", Args: []string{"./my-wheel"}}, {Name: "my-wheel", Args: []string{"./my-wheel", "--size=5"}}, {Name: "2", Args: []string{"./my-wheel"}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	for values, want := range map[string]string{
		"a=":          "has no command",
		"a b=x":       "want a program, name=command",
		"!=x":         "want a name",
		"auto=sh":     "the name auto is taken: want another one before =, such as my-auto=sh",
		"./auto":      "the name auto is taken: want another one before =, such as my-auto=./auto",
		"absent":      "want a program, name=command or a TOML file",
		"a=./absent":  "no such file",
		"bad.toml":    "want a program, or TOML tables [[external]]",
		"a=sh,a=true": "the name a is taken",
	} {
		_, err := Parse(strings.Split(values, ","), []string{"auto"})
		fail.UnlessError(t, err, want)
	}
}

func TestAProgramThatIsNotThere(t *testing.T) {
	if _, err := Start(context.Background(), Spec{Name: "none", Args: []string{"./none-such"}}, &Blocks{}); err == nil {
		t.Error("no error")
	}
}

// The first timer that did not fire as it must is named, with its Pop.
func TestTheFirstWrongTimerIsNamed(t *testing.T) {
	var s script.Script
	b, err := s.Write(t.Context(), nil, func(w *script.Writer) {
		w.ScheduleAs(0, 5)
		w.ScheduleAs(1, 9)
		w.ScheduleAs(2, 9)
		w.Cancel(2)
		w.Reschedule(1, 7)
		for _, at := range []structures.Tick{5, 7, 9} {
			w.Wake(at)
		}
	})
	fail.If(t, err)
	file, err := os.Create(filepath.Join(t.TempDir(), "blocks"))
	fail.If(t, err)
	defer func() { _ = file.Close() }()
	f := func(at structures.Tick, slot uint32) Fire { return Fire{At: at, Slot: slot} }
	for _, c := range []struct {
		fired []Fire
		want  *WrongFire // nil: another error, or none
		what  string
	}{
		{[]Fire{f(5, 0), f(7, 1)}, nil, ""},
		{[]Fire{f(7, 1)}, &WrongFire{Pop: 0, Slot: 0, Lost: true}, "a timer with deadline 5 and delay 5 has not fired by tick 5 (slot 0)"},
		{[]Fire{f(5, 0), f(9, 1)}, &WrongFire{Pop: 1, Slot: 1, Lost: true}, "a timer with deadline 7 and delay 7 has not fired by tick 7 (slot 1)"},
		{[]Fire{f(5, 0), f(5, 1)}, &WrongFire{Pop: 0, Slot: 1}, "timer 1 fired early or a second time, at tick 5"},
		{[]Fire{f(5, 0), f(7, 1), f(9, 2)}, &WrongFire{Pop: 2, Slot: 2}, "timer 2 fired early or a second time, at tick 9"},
		{[]Fire{f(5, 0), f(7, 1), f(7, 0)}, &WrongFire{Pop: 1, Slot: 0}, "timer 0 fired early or a second time, at tick 7"},
		{[]Fire{f(5, 0), f(5, 0)}, &WrongFire{Pop: 0, Slot: 0, Again: true}, "timer 0 fired early or a second time, at tick 5"},
		{[]Fire{f(5, 0), f(7, 1), f(8, 1)}, nil, "it reports that timer 1 fired at tick 8, but no Pop has that tick"},
	} {
		l, err := (&Blocks{file: file}).put(0, b, 0, nil)
		fail.If(t, err)
		due, what := script.NewDue[struct{}](nil), ""
		_, err = prove(&due, false, l.pops, l.due, c.fired)
		if err != nil {
			what = err.Error()
		}
		wrong, ok := errors.AsType[*WrongFire](err)
		if ok {
			wrong.error = nil
		}
		if what != c.what || ok != (c.want != nil) || ok && *wrong != *c.want {
			t.Errorf("%v: %+v, %q; want %+v, %q", c.fired, wrong, what, c.want, c.what)
		}
	}
}
