// Package folder locks the folder of a server, and tells how much room there is.
package folder

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Lock locks dir until the returned lock is closed, or this process ends.
func Lock(dir string) (*flock.Flock, error) {
	lock, holder := flock.New(filepath.Join(dir, "lock")), filepath.Join(dir, "holder")
	// A forked process keeps the lock of a server that was just closed, until it executes its program.
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	locked, err := lock.TryLockContext(ctx, 10*time.Millisecond)
	switch {
	case err != nil && ctx.Err() == nil:
		return nil, fmt.Errorf("lock of folder %s: %w", dir, err)
	case !locked:
		who, _ := os.ReadFile(holder) // the message works without it
		return nil, fmt.Errorf("folder %s is in use by another server, %.1000s", dir, who)
	}
	host, _ := os.Hostname() // the message works without it
	text := fmt.Sprintf("process %d on %s (%s)", os.Getpid(), host, filepath.Base(os.Args[0]))
	if err := os.WriteFile(holder, []byte(text), 0o644); err != nil {
		return nil, errors.Join(fmt.Errorf("lock of folder %s: %w", dir, err), lock.Close())
	}
	return lock, nil
}
