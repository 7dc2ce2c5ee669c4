//go:build !linux

package live

import "time"

func pause(d time.Duration) { time.Sleep(d) }
