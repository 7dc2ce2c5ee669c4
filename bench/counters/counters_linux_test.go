package counters

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// work takes n steps that the compiler cannot remove.
func work(n int) (x uint64) {
	for i := range n {
		x = x*6364136223846793005 + uint64(i)
	}
	return x
}

var sink uint64

// Events that the kernel counts itself exist where hardware counters do not. They run
// the same code.
var software = []event{
	{"task-clock", unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_TASK_CLOCK},
	{"page-faults", unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_PAGE_FAULTS},
}

func TestCountsAreOfTheTimeBetweenStartAndStop(t *testing.T) {
	s, err := open(software)
	if err != nil {
		t.Skipf("the kernel lets this process count nothing: %v", err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	measure := func(n int) Counts {
		t.Helper()
		if err := s.Start(); err != nil {
			t.Fatal(err)
		}
		sink = work(n)
		c, err := s.Stop()
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	short, long := measure(1_000_000), measure(20_000_000)
	if a, b := short["task-clock"], long["task-clock"]; a <= 0 || b < 4*a {
		t.Errorf("%v ns for a step, %v ns for 20", a, b)
	}
	sink = work(20_000_000) // between Stop and Start: not counted
	if again := measure(1_000_000)["task-clock"]; again > long["task-clock"]/2 {
		t.Errorf("%v ns for a step after others, %v ns for 20 steps", again, long["task-clock"])
	}
}

// Whether the machine has counters depends on the machine. What Open says must be
// true either way.
func TestHardwareCountersOrTheReason(t *testing.T) {
	s, err := Open()
	if err != nil {
		t.Logf("no hardware counters: %v", err)
		if !strings.ContainsAny(err.Error(), " ") {
			t.Errorf("%v is no reason", err)
		}
		return
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	sink = work(1_000_000)
	c, err := s.Stop()
	if err != nil {
		t.Fatal(err)
	}
	for name := range maps.Keys(c) {
		if !slices.Contains(Names, name) {
			t.Errorf("a counter %q", name)
		}
	}
	if n, ok := c[Instructions]; ok && (n < 1e6 || n > 1e8) {
		t.Errorf("%v instructions for a loop of a million steps", n)
	}
}

func TestReasons(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want string
	}{
		{errors.Join(unix.ENOENT, unix.EACCES), "forbids"},
		{unix.EPERM, "perf_event_paranoid"},
		{unix.ENOENT, "shows no hardware counters"},
		{unix.EOPNOTSUPP, "shows no hardware counters"},
		{unix.ENOSYS, "no perf_event_open"},
		{unix.EMFILE, unix.EMFILE.Error()},
	} {
		if got := explain(c.err).Error(); !strings.Contains(got, c.want) {
			t.Errorf("%v: %q does not say %q", c.err, got, c.want)
		}
	}
}
