package lab

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ironworks/agent"
	"ironworks/lab/machine"
)

var _ agent.Programs = (*hardware)(nil)

// Execute simulates a program of the ramdisk.
func (h *hardware) Execute(ctx context.Context, argv ...string) (agent.Output, error) {
	if argv[0] == "wipefs" {
		return h.wipefs(ctx, argv)
	}
	out := h.machine.Execute(argv)
	if out.Code == machine.NotFound {
		return agent.Output{}, fmt.Errorf("%w: %s", agent.ErrNoProgram, argv[0])
	}
	return agent.Output(out), nil
}

// wipefs simulates the wipefs program, which erases the metadata of a disk.
func (h *hardware) wipefs(ctx context.Context, argv []string) (agent.Output, error) {
	device := argv[len(argv)-1]
	if !slices.ContainsFunc(h.machine.Disks(), func(d machine.Disk) bool { return d.Name == device }) {
		return agent.Output(h.machine.Execute(argv)), nil
	}
	if err := h.Erase(ctx, agent.Erase{Device: device}); err != nil {
		return agent.Output{}, err
	}
	return agent.Output{}, nil
}

// Mount implements [agent.Hardware]. It returns the files of a partition, or an error with the message of mount.
func (h *hardware) Mount(_ context.Context, device string) ([]agent.File, error) {
	const hint = "\n       dmesg(1) may have more information after failed mount system call."
	files, err := h.machine.Files(device)
	switch {
	case errors.Is(err, machine.ErrNoDisk):
		return nil, &agent.MountError{Text: "special device " + device + " does not exist." + hint}
	case errors.Is(err, machine.ErrNoFilesystem):
		return nil, &agent.MountError{Text: "wrong fs type, bad option, bad superblock on " + device + ", missing codepage or helper program, or other error." + hint}
	case err != nil:
		return nil, err
	}
	all := make([]agent.File, len(files))
	for i, f := range files {
		all[i] = agent.File(f)
	}
	return all, nil
}

// Unmount implements [agent.Hardware]. It stores the files of a partition.
func (h *hardware) Unmount(_ context.Context, device string, files []agent.File) error {
	all := make([]machine.File, len(files))
	for i, f := range files {
		all[i] = machine.File(f)
	}
	return h.machine.SetFiles(device, all)
}
