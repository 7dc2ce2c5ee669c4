//go:build !linux

package machine

import (
	"errors"
	"time"
)

// Timerfd does not exist on this system.
type Timerfd struct{}

// NewTimerfd returns an error.
func NewTimerfd(bool) (*Timerfd, error) { return nil, errors.ErrUnsupported }

// Set does nothing.
func (*Timerfd) Set(time.Duration) error { return errors.ErrUnsupported }

// Wait does nothing.
func (*Timerfd) Wait(func()) {}

// Close does nothing.
func (*Timerfd) Close() {}
