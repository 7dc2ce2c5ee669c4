//go:build !linux

package counters

import (
	"fmt"
	"runtime"
)

// Set is an open set of counters. There are none on this system.
type Set struct{}

// Open returns an error: only Linux is supported.
func Open() (*Set, error) {
	return nil, fmt.Errorf("they are read on Linux only, and this is %s", runtime.GOOS)
}

// Start does nothing.
func (*Set) Start() error { return nil }

// Stop returns no counts.
func (*Set) Stop() (Counts, error) { return nil, nil }

// Close does nothing.
func (*Set) Close() error { return nil }
