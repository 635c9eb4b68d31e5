package vm

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A snapshot consists of an internal snapshot of each qcow2 disk, and a copy of the UEFI variables. The copy is
// created last and removed first, and a snapshot exists only if its copy does.

var (
	// errNoSnapshot reports that a machine has no snapshot with the given name.
	errNoSnapshot = errors.New("no such snapshot")
	// errSnapshotExists reports that a machine already has a snapshot with the given name.
	errSnapshotExists = errors.New("snapshot exists")

	snapshotName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
)

const snapshotPrefix = variablesFile + "@"

// CheckSnapshotName returns an error if a name is not valid for a snapshot.
func CheckSnapshotName(name string) error {
	if !snapshotName.MatchString(name) {
		return fmt.Errorf("snapshot name %q: want letters, digits, dots, dashes and underscores, at most 64", name)
	}
	return nil
}

// Snapshots returns the sorted names of the snapshots of the machine whose files are in folder.
func Snapshots(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("reading snapshots: %w", err)
	}
	var names []string
	for _, e := range entries {
		if name, is := strings.CutPrefix(e.Name(), snapshotPrefix); is && snapshotName.MatchString(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// Snapshot stores the state of a machine. The error is errInUse if it is on, or errSnapshotExists.
func Snapshot(ctx context.Context, host Host, folder, name string) error {
	return withDisks(folder, name, func(disks []string) error {
		if _, err := os.Stat(filepath.Join(folder, snapshotPrefix+name)); err == nil {
			return errSnapshotExists
		}
		for _, disk := range disks {
			// Remove the snapshot that an interrupted run may have left behind.
			_ = host.imgSnapshot(ctx, "-d", name, []string{disk})
			if err := host.imgSnapshot(ctx, "-c", name, []string{disk}); err != nil {
				return err
			}
		}
		return copyFile(filepath.Join(folder, variablesFile), filepath.Join(folder, snapshotPrefix+name))
	})
}

// Restore restores the state of a machine from a snapshot, which it keeps. The error is errInUse if the machine is on,
// or errNoSnapshot.
func Restore(ctx context.Context, host Host, folder, name string) error {
	return withDisks(folder, name, func(disks []string) error {
		variables := filepath.Join(folder, snapshotPrefix+name)
		if _, err := os.Stat(variables); errors.Is(err, fs.ErrNotExist) {
			return errNoSnapshot
		}
		if err := host.imgSnapshot(ctx, "-a", name, disks); err != nil {
			return err
		}
		return copyFile(variables, filepath.Join(folder, variablesFile))
	})
}

// RemoveSnapshot removes a snapshot of a machine. The error is errInUse if it is on, or errNoSnapshot.
func RemoveSnapshot(ctx context.Context, host Host, folder, name string) error {
	return withDisks(folder, name, func(disks []string) error {
		if err := os.Remove(filepath.Join(folder, snapshotPrefix+name)); err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return errNoSnapshot
			}
			return fmt.Errorf("removing a snapshot: %w", err)
		}
		return host.imgSnapshot(ctx, "-d", name, disks)
	})
}

// imgSnapshot runs qemu-img snapshot for each disk.
func (h Host) imgSnapshot(ctx context.Context, option, name string, disks []string) error {
	for _, disk := range disks {
		if _, err := h.runImg(ctx, "snapshot", "-q", option, name, disk); err != nil {
			return err
		}
	}
	return nil
}

// withDisks calls work with the paths of a machine's disk files. The machine must be off, and is locked meanwhile.
func withDisks(folder, name string, work func(disks []string) error) error {
	if err := CheckSnapshotName(name); err != nil {
		return err
	}
	unlock, err := lock(folder)
	if err != nil {
		return err
	}
	defer unlock()
	entries, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("finding disks: %w", err)
	}
	var disks []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == diskExtension {
			disks = append(disks, filepath.Join(folder, e.Name()))
		}
	}
	return work(disks)
}
