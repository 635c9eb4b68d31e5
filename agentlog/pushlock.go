package agentlog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// lockReceiver makes this process the one that receives into a folder. The lock ends
// with the process, whatever ends that.
func lockReceiver(dir string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(dir, "receiver.lock"), os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // our own folder
	if err != nil {
		return nil, fmt.Errorf("receiver: %w", err)
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) //nolint:gosec // file descriptors are small
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = ErrReceiving
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("receiver: %w", err), file.Close())
	}
	return file, nil
}
