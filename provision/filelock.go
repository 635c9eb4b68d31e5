package provision

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
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
type fileLock struct{ file *os.File }

// lockFile takes the lock of a path, or says who has it. A process that only looks who has
// it ([lockedBy]) is waited for: that takes microseconds.
func lockFile(path string) (*fileLock, error) {
	for tries := 1; ; tries++ {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // below the program's own folder
		if err != nil {
			return nil, err
		}
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) //nolint:gosec // file descriptors are small
		if err != nil {
			held := &HeldError{PID: pidIn(f)}
			looked := syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) == nil //nolint:gosec // as above
			_ = f.Close()
			switch {
			case !errors.Is(err, syscall.EWOULDBLOCK):
				return nil, err
			case looked && tries < mostLooks:
				<-time.After(time.Millisecond)
				continue
			}
			return nil, held
		}
		// The owner before may have removed the file between our opening and locking it.
		mine, err := f.Stat()
		there, errThere := os.Stat(path)
		if err == nil && errThere == nil && os.SameFile(mine, there) {
			if err = f.Truncate(0); err == nil {
				_, err = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
			}
			if err == nil {
				return &fileLock{file: f}, nil
			}
		}
		_ = f.Close()
		if err != nil {
			return nil, err
		}
	}
}

// mostLooks bounds how often somebody who looks is waited for, 1 ms each.
const mostLooks = 1000

// lockedBy says who has the lock of a path, nil when nobody has. It changes nothing, and
// keeps nobody from taking the lock: it takes a shared one for a moment.
func lockedBy(path string) error {
	f, err := os.Open(path) //nolint:gosec // below the program's own folder
	if errors.Is(err, fs.ErrNotExist) {
		return nil // nobody has ever locked it
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) //nolint:gosec // file descriptors are small
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return &HeldError{PID: pidIn(f)}
	}
	return err
}

func pidIn(f *os.File) int {
	var text [16]byte
	n, _ := f.ReadAt(text[:], 0)
	pid, err := strconv.Atoi(strings.TrimSpace(string(text[:n])))
	if err != nil || pid < 0 {
		return 0
	}
	return pid
}

// unlock gives the lock up, and removes its file while nobody else can have it.
func (l *fileLock) unlock() {
	_ = os.Remove(l.file.Name())
	_ = l.file.Close()
}
