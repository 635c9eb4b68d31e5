package provision

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// heldError reports that another process is acting on the same deployment.
type heldError struct {
	// PID is the process ID of the other process, or 0 if it is unknown.
	PID int
}

// Error describes the process that holds the lock.
func (e *heldError) Error() string {
	switch e.PID {
	case 0:
		return "another ironworks process is acting on the node"
	case os.Getpid():
		return "this ironworks process is already acting on the node"
	}
	return fmt.Sprintf("another ironworks process (PID %d) is acting on the node", e.PID)
}

// fileLock is a lock that the kernel releases when the process ends.
type fileLock struct{ *flock.Flock }

// lockFile locks the file at path, or returns a [heldError] if another process has locked it. It waits for processes
// in [lockedBy], which hold the lock only for microseconds.
func lockFile(path string) (*fileLock, error) {
	for tries := 1; ; tries++ {
		l := fileLock{flock.New(path, flock.SetFlag(os.O_RDWR|os.O_CREATE), flock.SetPermissions(0o600))}
		locked, err := l.TryLock()
		if err != nil {
			return nil, errors.Join(err, l.Close())
		}
		if !locked {
			free, err := l.TryRLock()
			if err = errors.Join(err, l.Close()); err != nil {
				return nil, err
			}
			if !free || tries >= maxAttempts {
				return nil, &heldError{PID: pidIn(path)}
			}
			<-time.After(time.Millisecond)
			continue
		}
		// The previous owner may have removed the file after this process opened it.
		mine, err := l.Stat()
		there, errThere := os.Stat(path)
		switch {
		case err == nil && errThere == nil && os.SameFile(mine, there):
			if err = os.WriteFile(path, []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err == nil {
				return &l, nil
			}
			return nil, errors.Join(err, l.Close())
		case err != nil:
			return nil, errors.Join(err, l.Close())
		}
		_ = l.Close()
	}
}

// maxAttempts is the maximum number of attempts, 1 ms apart, to lock a file. An attempt can fail because another
// process briefly holds a lock in lockedBy.
const maxAttempts = 1000

// lockedBy returns an error that names the owner of the lock on the file at path, or nil if the file is not locked.
// To find out, it briefly takes a shared lock, for which [lockFile] waits.
func lockedBy(path string) error {
	l := flock.New(path, flock.SetFlag(os.O_RDONLY))
	free, err := l.TryRLock()
	switch err = errors.Join(err, l.Close()); {
	case errors.Is(err, fs.ErrNotExist): // the file was never locked, or it is unlocked
		return nil
	case err != nil || free:
		return err
	}
	return &heldError{PID: pidIn(path)}
}

func pidIn(path string) int {
	text, err := os.ReadFile(path) //nolint:gosec // below the program's own folder
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || pid < 0 {
		return 0
	}
	return pid
}

// unlock removes the file while the lock is still held, then releases the lock.
func (l *fileLock) unlock() {
	_ = os.Remove(l.Path())
	_ = l.Close()
}
