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

// HeldError says that another process is at work on the same deployment.
type HeldError struct {
	// PID is that process, 0 when it is not known.
	PID int
}

// Error names the process.
func (e *HeldError) Error() string {
	switch e.PID {
	case 0:
		return "another ironworks is at work on it"
	case os.Getpid():
		return "this ironworks is at work on it already"
	}
	return fmt.Sprintf("another ironworks is at work on it: process %d", e.PID)
}

// fileLock is a lock that ends with its process, whatever ends that.
type fileLock struct{ *flock.Flock }

func lockOf(path string) fileLock {
	return fileLock{flock.New(path, flock.SetFlag(os.O_RDWR|os.O_CREATE), flock.SetPermissions(0o600))}
}

// lockFile takes the lock of a path, or says who has it. A process that only looks who has
// it ([lockedBy]) is waited for: that takes microseconds.
func lockFile(path string) (*fileLock, error) {
	for tries := 1; ; tries++ {
		l := lockOf(path)
		locked, err := l.TryLock()
		if err != nil {
			return nil, errors.Join(err, l.Close())
		}
		if !locked {
			looked, err := l.TryRLock()
			if err = errors.Join(err, l.Close()); err != nil {
				return nil, err
			}
			if !looked || tries >= mostLooks {
				return nil, &HeldError{PID: pidIn(path)}
			}
			<-time.After(time.Millisecond)
			continue
		}
		// The owner before may have removed the file between our opening and locking it.
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

// mostLooks bounds how often somebody who looks is waited for, 1 ms each.
const mostLooks = 1000

// lockedBy says who has the lock of a path, nil when nobody has. It changes nothing, and
// keeps nobody from taking the lock: it takes a shared one for a moment.
func lockedBy(path string) error {
	l := flock.New(path, flock.SetFlag(os.O_RDONLY))
	free, err := l.TryRLock()
	switch err = errors.Join(err, l.Close()); {
	case errors.Is(err, fs.ErrNotExist): // nobody has ever locked it
		return nil
	case err != nil || free:
		return err
	}
	return &HeldError{PID: pidIn(path)}
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

// unlock gives the lock up, and removes its file while nobody else can have it.
func (l *fileLock) unlock() {
	_ = os.Remove(l.Path())
	_ = l.Close()
}
