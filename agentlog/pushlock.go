package agentlog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// lockReceiver makes this process the one that receives into a folder. The lock ends
// with the process, whatever ends that.
func lockReceiver(dir string) (*flock.Flock, error) {
	lock := flock.New(filepath.Join(dir, "receiver.lock"), flock.SetFlag(os.O_RDWR|os.O_CREATE), flock.SetPermissions(0o600))
	locked, err := lock.TryLock()
	if err == nil && !locked {
		err = ErrReceiving
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("receiver: %w", err), lock.Close())
	}
	return lock, nil
}
