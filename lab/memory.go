package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"ironworks/atomicfile"
	"ironworks/lab/machine"
)

// saved holds the state of a lab between two runs.
type saved struct {
	// Ironic is the name of the lab's Ironic. It is empty for the embedded one.
	Ironic string `json:"ironic,omitempty"`
	// BMCPort is the port of the BMCs. It is used again if possible, because it is stored in Ironic's nodes.
	BMCPort int `json:"bmc_port"`
	// Contents maps the names of machines to their contents.
	Contents map[string]machine.Contents `json:"contents"`
}

const savedFile = "machines.json"

// loadMachines reads the state that an earlier lab has saved; a missing file is not an error. A state that belongs to
// another Ironic is an error, because this Ironic does not have the lab's nodes.
func loadMachines(dir, ironic string) (saved, error) {
	var s saved
	content, err := os.ReadFile(filepath.Join(dir, savedFile)) //nolint:gosec // the folder that we were given
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, fmt.Errorf("reading the lab's machines: %w", err)
	}
	if err := json.Unmarshal(content, &s); err != nil {
		return s, fmt.Errorf("reading the lab's machines from %s: %w; move the file away to start again", filepath.Join(dir, savedFile), err)
	}
	if s.Ironic != ironic {
		return s, fmt.Errorf("%s is the state of a lab with %s: choose another directory, or the same kind of lab", dir, ironicWords(s.Ironic))
	}
	return s, nil
}

func ironicWords(name string) string {
	if name == "" {
		return "the embedded Ironic"
	}
	return "a real Ironic " + name
}

// save writes the state of the lab's machines to a file in dir, atomically.
func (l *Lab) save(dir, ironic string) error {
	s := saved{Ironic: ironic, BMCPort: l.bmcPort, Contents: map[string]machine.Contents{}}
	for _, m := range l.machines {
		s.Contents[m.Name()] = m.Contents()
	}
	content, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("saving the lab's machines: %w", err)
	}
	if err := atomicfile.Replace(filepath.Join(dir, savedFile), content); err != nil {
		return fmt.Errorf("saving the lab's machines: %w", err)
	}
	return nil
}

// savePeriod is the minimum time between two saves. A killed lab loses at most the changes of this time.
const savePeriod = 2 * time.Second

// keepSaving saves the state whenever disks have changed, and when ctx is done.
func (l *Lab) keepSaving(ctx context.Context, dir, ironic string, changed <-chan struct{}) error {
	for {
		select {
		case <-ctx.Done():
			return l.save(dir, ironic)
		case <-changed:
			if err := l.save(dir, ironic); err != nil {
				return err
			}
		}
		pace(1).wait(ctx, savePeriod)
	}
}
