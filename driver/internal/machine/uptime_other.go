//go:build !linux && !darwin && !windows

package machine

import (
	"fmt"
	"runtime"
)

// Uptime returns an error: this system has no known clock that runs while the machine is suspended.
func Uptime() (func() int64, error) {
	return nil, fmt.Errorf("no clock that counts suspend is known on %s", runtime.GOOS)
}
