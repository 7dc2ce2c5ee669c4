package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"github.com/timerbench/timerbench/bench"
)

// availableMemory returns how many bytes this process may take. On Linux this is
// what is free or can be freed, within the limit of the control group; elsewhere
// it is all of the machine's memory. ok is false where the system does not say.
func availableMemory() (bytes uint64, ok bool) {
	limits := []func() (uint64, error){memlimit.FromCgroup, fromMeminfo, memlimit.FromSystem}
	for _, limit := range limits {
		if b, err := limit(); err == nil && b > 0 && (!ok || b < bytes) {
			bytes, ok = b, true
		}
	}
	return bytes, ok
}

// fromMeminfo reads what Linux says is available without swapping.
func fromMeminfo() (uint64, error) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, err
	}
	return memAvailable(string(text))
}

func memAvailable(meminfo string) (uint64, error) {
	for line := range strings.Lines(meminfo) {
		if value, ok := strings.CutPrefix(line, "MemAvailable:"); ok {
			kb, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			return kb * 1024, err
		}
	}
	return 0, fmt.Errorf("/proc/meminfo does not say what is available")
}

// fitMemory returns the run as it fits into so much memory, or an error if it does not.
func fitMemory(ctx context.Context, cfg bench.Config, available uint64) (bench.Config, error) {
	cfg, need, err := bench.FitMemory(ctx, cfg, available)
	if err != nil || need.Bytes <= available {
		return cfg, err
	}
	return cfg, fmt.Errorf("%s needs about %s of memory, of which %s are available: choose fewer timers with --n, or fewer structures with --structure",
		need.Step, gigabytes(need.Bytes), gigabytes(available))
}

func gigabytes(n uint64) string { return fmt.Sprintf("%.1f GB", float64(n)/1e9) }
