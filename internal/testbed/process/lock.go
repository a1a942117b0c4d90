// Copyright The Trainyard Authors
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// FileLock is an exclusive lock that the system drops when its holder ends.
type FileLock struct{ file *os.File }

// Lock waits until it holds the lock on the file at path, making the file where
// it is missing.
func Lock(ctx context.Context, path string) (*FileLock, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot open lock file: %w", err)
	}
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return &FileLock{file: file}, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			_ = file.Close()
			return nil, fmt.Errorf("cannot lock %s: %w", path, err)
		}
		select {
		case <-ctx.Done():
			_ = file.Close()
			return nil, fmt.Errorf("cannot lock %s, another testbed command holds it: %w", path, ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// Release gives the lock up. The file stays: removing it would let two holders
// lock two files of one name.
func (l *FileLock) Release() { _ = l.file.Close() }
