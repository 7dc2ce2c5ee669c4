// Package folder locks and measures the folder of a server.
package folder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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

// Size returns the total size of the files in dir and its subfolders, in bytes.
func Size(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			var info fs.FileInfo
			if info, err = entry.Info(); err == nil {
				size += info.Size()
			}
		}
		if errors.Is(err, fs.ErrNotExist) { // the file was removed in the meantime
			return nil
		}
		return err
	})
	return size, err
}
