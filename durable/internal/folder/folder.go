// Package folder locks and measures the folder of a server.
package folder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Lock locks dir until the returned file is closed, or this process ends.
func Lock(dir string) (*os.File, error) {
	name := filepath.Join(dir, "lock")
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	// A forked process keeps the lock of a server that was just closed, until it executes its program.
	err = lockFile(f)
	for end := time.Now().Add(300 * time.Millisecond); err != nil && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
		err = lockFile(f)
	}
	if err != nil {
		holder, _ := io.ReadAll(io.LimitReader(f, 1000)) // the message works without it
		err = fmt.Errorf("folder %s is in use by another server, %s: %w", dir, holder, err)
		return nil, errors.Join(err, f.Close())
	}
	host, _ := os.Hostname() // the message works without it
	text := fmt.Sprintf("process %d on %s (%s)", os.Getpid(), host, filepath.Base(os.Args[0]))
	if err = f.Truncate(0); err == nil {
		_, err = f.WriteAt([]byte(text), 0)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock of folder %s: %w", dir, err), f.Close())
	}
	return f, nil
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
