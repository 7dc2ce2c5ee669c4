package counters

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// event is a counter as the kernel names it.
type event struct {
	name   string
	kind   uint32
	config uint64
}

// cacheMiss is the configuration of an event of a cache: its misses on reads.
func cacheMiss(cache uint64) uint64 {
	return cache | unix.PERF_COUNT_HW_CACHE_OP_READ<<8 | unix.PERF_COUNT_HW_CACHE_RESULT_MISS<<16
}

var hardware = []event{
	{Cycles, unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_CPU_CYCLES},
	{Instructions, unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_INSTRUCTIONS},
	{LLCMisses, unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_CACHE_MISSES},
	{DTLBMisses, unix.PERF_TYPE_HW_CACHE, cacheMiss(unix.PERF_COUNT_HW_CACHE_DTLB)},
}

// Set is an open set of counters of one thread. The goroutine that opened it is locked
// to its thread until Close, and must be the one that calls Start and Stop.
type Set struct {
	open []counter
}

type counter struct {
	name string
	fd   int
}

// Open opens the counters that the machine and the kernel allow. The error says why
// there are none.
func Open() (*Set, error) { return open(hardware) }

func open(events []event) (*Set, error) {
	runtime.LockOSThread()
	s := &Set{}
	var reason error
	for _, e := range events {
		// The scheduler of the kernel must not share registers between groups: each
		// counter stands alone, and says how long it ran.
		fd, err := unix.PerfEventOpen(&unix.PerfEventAttr{
			Type: e.kind, Config: e.config, Size: uint32(unsafe.Sizeof(unix.PerfEventAttr{})),
			Bits:        unix.PerfBitDisabled | unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv,
			Read_format: unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING,
		}, 0, -1, -1, unix.PERF_FLAG_FD_CLOEXEC)
		if err != nil {
			reason = errors.Join(reason, fmt.Errorf("%s: %w", e.name, err))
			continue
		}
		s.open = append(s.open, counter{e.name, fd})
	}
	if len(s.open) == 0 {
		runtime.UnlockOSThread()
		return nil, explain(reason)
	}
	return s, nil
}

// explain says in words why the kernel opens no counter.
func explain(err error) error {
	switch {
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM):
		level, _ := os.ReadFile("/proc/sys/kernel/perf_event_paranoid")
		return fmt.Errorf("the kernel forbids it (kernel.perf_event_paranoid is %s)", strings.TrimSpace(string(level)))
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENODEV):
		return errors.New("this machine shows no hardware counters, as most virtual machines")
	case errors.Is(err, unix.ENOSYS):
		return errors.New("the kernel has no perf_event_open")
	}
	return err
}

// Start sets the counters to zero and starts them.
func (s *Set) Start() error {
	for _, c := range s.open {
		if err := errors.Join(unix.IoctlSetInt(c.fd, unix.PERF_EVENT_IOC_RESET, 0), unix.IoctlSetInt(c.fd, unix.PERF_EVENT_IOC_ENABLE, 0)); err != nil {
			return fmt.Errorf("starting the counter of %s: %w", c.name, err)
		}
	}
	return nil
}

// Stop stops the counters and returns what they counted since Start.
func (s *Set) Stop() (Counts, error) {
	for _, c := range s.open {
		if err := unix.IoctlSetInt(c.fd, unix.PERF_EVENT_IOC_DISABLE, 0); err != nil {
			return nil, fmt.Errorf("stopping the counter of %s: %w", c.name, err)
		}
	}
	out := make(Counts, len(s.open))
	for _, c := range s.open {
		var buf [24]byte
		if n, err := unix.Read(c.fd, buf[:]); err != nil || n != len(buf) {
			return nil, fmt.Errorf("reading the counter of %s: %d bytes: %w", c.name, n, err)
		}
		word := func(i int) uint64 { return binary.NativeEndian.Uint64(buf[8*i:]) }
		out[c.name] = scaled(word(0), word(1), word(2))
	}
	return out, nil
}

// Close closes the counters and unlocks the goroutine from its thread.
func (s *Set) Close() error {
	var err error
	for _, c := range s.open {
		err = errors.Join(err, unix.Close(c.fd))
	}
	runtime.UnlockOSThread()
	return err
}
