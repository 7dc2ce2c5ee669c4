// Package folder is what a server asks of the folder in which it stores.
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

// Lock locks dir until what it returns is closed, or this process ends.
func Lock(dir string) (*os.File, error) {
	name := filepath.Join(dir, "lock")
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	// A process that is being forked has the file of a server that was just closed, until it
	// runs another program.
	err = lockFile(f)
	for end := time.Now().Add(300 * time.Millisecond); err != nil && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
		err = lockFile(f)
	}
	if err != nil {
		holder, _ := io.ReadAll(io.LimitReader(f, 1000)) // none is as good
		err = fmt.Errorf("folder %s is in use by another server, %s: %w", dir, holder, err)
		return nil, errors.Join(err, f.Close())
	}
	host, _ := os.Hostname() // none is as good
	text := fmt.Sprintf("process %d on %s (%s)", os.Getpid(), host, filepath.Base(os.Args[0]))
	if err = f.Truncate(0); err == nil {
		_, err = f.WriteAt([]byte(text), 0)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock of folder %s: %w", dir, err), f.Close())
	}
	return f, nil
}

// Size returns how many bytes the files in dir have, and in its folders.
func Size(dir string) (size int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			var info fs.FileInfo
			if info, err = entry.Info(); err == nil {
				size += info.Size()
			}
		}
		if errors.Is(err, fs.ErrNotExist) { // it was removed meanwhile
			return nil
		}
		return err
	})
	return size, err
}
