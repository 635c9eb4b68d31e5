package lab

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"ironworks/lab/agent"
	"ironworks/lab/machine"
)

var _ agent.Programs = (*hardware)(nil)

// Execute runs a program of the ramdisk. Those that burn in take their time;
// the others work on the disks and are done at once.
func (h *hardware) Execute(ctx context.Context, argv ...string) (agent.Output, error) {
	switch argv[0] {
	case "stress-ng":
		return h.stress(ctx, argv)
	case "fio":
		return h.fio(ctx, argv)
	case "smartctl":
		const healthy = `{"ata_smart_data": {"self_test": {"status": {"value": 0, "string": "completed without error", "passed": true}}}}`
		return agent.Output{Stdout: healthy}, nil
	case "wipefs":
		return h.wipefs(ctx, argv)
	}
	out := h.machine.Execute(argv)
	if out.Code == machine.NotFound {
		return agent.Output{}, fmt.Errorf("%w: %s", agent.ErrNoProgram, argv[0])
	}
	return agent.Output(out), nil
}

// wipefs on a disk is what erases its metadata.
func (h *hardware) wipefs(ctx context.Context, argv []string) (agent.Output, error) {
	device := argv[len(argv)-1]
	if !slices.ContainsFunc(h.machine.Disks(), func(d machine.Disk) bool { return d.Name == device }) {
		return agent.Output(h.machine.Execute(argv)), nil
	}
	if err := h.Erase(ctx, device, agent.EraseMetadata); err != nil {
		return agent.Output{}, err
	}
	return agent.Output{}, nil
}

// argument is what stands behind an option.
func argument(argv []string, name string) string {
	if i := slices.Index(argv, name); i >= 0 && i+1 < len(argv) {
		return argv[i+1]
	}
	return ""
}

// number is what stress-ng takes for one, without a unit.
var number = regexp.MustCompile(`^\d+(\.\d+)?$`)

// option is what stands behind an option, as a number of seconds.
func option(argv []string, name string) time.Duration {
	seconds, err := strconv.ParseFloat(argument(argv, name), 64)
	if err != nil {
		return 0
	}
	return time.Duration(seconds * float64(time.Second))
}

func (h *hardware) stress(ctx context.Context, argv []string) (agent.Output, error) {
	if given := argument(argv, "--timeout"); !number.MatchString(given) {
		return agent.Output{Stderr: "stress-ng: error: [1] Invalid number " + given + "\n", Code: 1}, nil
	}
	took := option(argv, "--timeout")
	if !h.machine.pace().wait(ctx, took) {
		return agent.Output{}, ctx.Err()
	}
	return agent.Output{Stderr: fmt.Sprintf("stress-ng: info:  [1] passed: 1: %s\nstress-ng: info:  [1] successful run completed in %s\n", strings.TrimLeft(argv[1], "-"), took)}, nil
}

// diskSpeed is how fast disks are written and read again, in bytes a second.
const diskSpeed = 400 << 20

// fio on disks leaves nothing on them. On the network the partner is taken to
// be there.
func (h *hardware) fio(ctx context.Context, argv []string) (agent.Output, error) {
	took := option(argv, "--runtime")
	var disks []machine.Disk
	for i, a := range argv {
		if a != "--name" || !strings.HasPrefix(argv[i+1], "/dev/") {
			continue
		}
		disk, err := h.disk(argv[i+1])
		if err != nil {
			return agent.Output{Stderr: "fio: failed opening " + argv[i+1] + "\n", Code: 1}, nil //nolint:nilerr // that is fio's answer
		}
		disks = append(disks, disk)
	}
	if took == 0 && len(disks) > 0 {
		var largest int64
		for _, d := range disks {
			largest = max(largest, d.SizeBytes)
		}
		took = time.Duration(float64(option(argv, "--loops")) * float64(largest) / diskSpeed)
	}
	if !h.machine.pace().wait(ctx, took) {
		return agent.Output{}, ctx.Err()
	}
	for _, d := range disks {
		if err := h.machine.lab.eachOf(h.machine, d, func(m *machine.Machine, name string) error { return m.Wipe(name) }); err != nil && !errors.Is(err, machine.ErrNoDisk) {
			return agent.Output{}, err
		}
	}
	return agent.Output{Stdout: fmt.Sprintf("Run status group 0 (all jobs): run=%d-%[1]dmsec\n", took.Milliseconds())}, nil
}

// Mount answers the files of a partition.
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

// Unmount keeps them.
func (h *hardware) Unmount(_ context.Context, device string, files []agent.File) error {
	all := make([]machine.File, len(files))
	for i, f := range files {
		all[i] = machine.File(f)
	}
	return h.machine.SetFiles(device, all)
}
