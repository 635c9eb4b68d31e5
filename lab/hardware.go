package lab

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"sync/atomic"

	"ironworks/agent"
	"ironworks/lab/machine"
)

// hardware implements [agent.Hardware] for a simulated machine.
type hardware struct {
	machine *Machine
	config  agentConfig
	client  *http.Client    // fetches images
	power   context.Context //nolint:containedctx // what runs on the machine besides the agent ends with it
	// assisted is the state of the assisted installer's agent.
	assisted atomic.Pointer[agent.UnitState]
}

var errNoUnit = errors.New("org.freedesktop.systemd1.NoSuchUnit: Unit agent.service not found.") //nolint:staticcheck // systemd's message

// errDiskFull is Python's message for ENOSPC.
var errDiskFull = errors.New("[Errno 28] No space left on device")

func newHardware(power context.Context, m *Machine, config agentConfig) *hardware {
	h := &hardware{machine: m, config: config, client: m.lab.options.Client, power: power}
	h.assisted.Store(&agent.UnitState{Active: "inactive", Result: "success"})
	return h
}

// Inventory returns the machine's inventory in the format that the agent reports.
func (h *hardware) Inventory(ctx context.Context) (agent.Inventory, error) {
	spec := h.machine.Spec()
	disks, err := h.BlockDevices(ctx)
	if err != nil {
		return agent.Inventory{}, err
	}
	bmc := h.machine.lab.options.Host
	inventory := agent.Inventory{
		CPU: agent.CPU{
			ModelName: "AMD EPYC 9124 16-Core Processor", Frequency: "3700.0000", Count: spec.CPUs, SocketCount: 1,
			Architecture: "x86_64", Flags: []string{"fpu", "vme", "de", "pse", "sse4_2", "avx2", "svm"},
		},
		Disks:      disks,
		Memory:     agent.Memory{Total: int64(spec.MemoryMiB)<<20 - 600<<20, PhysicalMB: int64(spec.MemoryMiB)},
		BMCAddress: &bmc,
		SystemVendor: agent.SystemVendor{
			ProductName: spec.Product, SerialNumber: spec.Serial, Manufacturer: spec.Vendor,
			Firmware: agent.Firmware{Vendor: spec.Vendor, Version: spec.BIOSVersion, BuildDate: "03/14/2026"},
		},
		Boot:     agent.Boot{Mode: agent.UEFI},
		Hostname: h.machine.Name(),
	}
	for i, nic := range spec.NICs {
		port := agent.Interface{Name: nic.Name, MAC: nic.MAC, HasCarrier: nic.SpeedMbps > 0}
		if nic.SpeedMbps > 0 {
			speed, driver := nic.SpeedMbps, "mlx5_core"
			port.SpeedMbps, port.Driver = &speed, &driver
		}
		if i == 0 {
			address := h.machine.Address()
			port.IPv4 = &address
		}
		inventory.Interfaces = append(inventory.Interfaces, port)
	}
	return inventory, nil
}

// BlockDevices returns the disks and arrays in the order in which the kernel lists them.
func (h *hardware) BlockDevices(context.Context) ([]agent.Disk, error) {
	arrays := h.machine.Arrays()
	var devices []agent.Disk
	text := func(s string) agent.Texts {
		if s == "" {
			return nil
		}
		return agent.Text(s)
	}
	for _, d := range h.machine.Disks() {
		rotational := d.Rotational
		transport := "sata"
		switch {
		case d.RAID:
			transport = "" // lsblk does not know the transport
		case d.WWN != "" && d.HCTL == "":
			transport = "nvme"
		case d.Vendor != "ATA":
			transport = "fc"
		}
		devices = append(devices, agent.Disk{
			Name: d.Name, Model: text(d.Model), Size: d.SizeBytes, Rotational: &rotational, WWN: text(d.WWN), Serial: text(d.Serial),
			Vendor: text(d.Vendor), WWNWithExtension: text(d.WWN), HCTL: text(d.HCTL), ByPath: text(d.ByPath),
			LogicalSectors: 512, PhysicalSectors: 4096, Transport: text(transport),
		})
		arrays = slices.DeleteFunc(arrays, func(a machine.Array) bool {
			on := slices.ContainsFunc(d.Partitions, func(p machine.Partition) bool { return p.Array == a.UUID })
			if on {
				rotates := a.Rotational
				devices = append(devices, agent.Disk{Name: a.Name, Size: a.SizeBytes, Rotational: &rotates, LogicalSectors: 512, PhysicalSectors: 4096})
			}
			return on
		})
	}
	return devices, nil
}

// BootFrom adds a boot entry for the EFI partition of the system that is installed on the device.
func (h *hardware) BootFrom(_ context.Context, device string) error {
	disk, err := h.disk(device)
	if err != nil {
		return err
	}
	if disk.Installed == nil {
		return agent.ErrNoEFIPartition
	}
	label, loader := "ironic1", `\EFI\BOOT\BOOTX64.EFI`
	if disk.Installed.What == coreos {
		label, loader = "Fedora", `\EFI\fedora\shimx64.efi`
	}
	h.machine.AddBootRecord(label, device, loader)
	return nil
}

func (h *hardware) disk(device string) (machine.Disk, error) {
	disks := h.machine.Disks()
	for _, a := range h.machine.Arrays() {
		disks = append(disks, a.Disk)
	}
	i := slices.IndexFunc(disks, func(d machine.Disk) bool { return d.Name == device })
	if i < 0 {
		return machine.Disk{}, fmt.Errorf("%w: %s", machine.ErrNoDisk, device)
	}
	return disks[i], nil
}

// Erase erases a disk. All machines that share the disk then see an empty disk.
func (h *hardware) Erase(ctx context.Context, erase agent.Erase) error {
	duration := metadataTime
	if erase.Depth == agent.EraseAll {
		duration = eraseTime
	}
	if !h.machine.pace().wait(ctx, duration) {
		return ctx.Err()
	}
	disk, err := h.disk(erase.Device)
	if err != nil {
		return err
	}
	return h.machine.lab.onSharedDisk(h.machine, disk, func(m *machine.Machine, name string) error { return m.Wipe(name) })
}

// WriteImage reads the image and stores it on the disk or in the partition. It returns the disk's identifier or the
// UUID of the partition's file system.
func (h *hardware) WriteImage(ctx context.Context, write agent.ImageWrite, content io.Reader) (string, error) {
	disk, err := h.disk(write.Device)
	if errors.Is(err, machine.ErrNoDisk) {
		return h.writePartition(ctx, write, content)
	}
	if err != nil {
		return "", err
	}
	room := int64(math.MaxInt64)
	if write.Format == "raw" {
		room = disk.SizeBytes
	}
	head, err := readImage(content, room)
	// A raw image is written while it is read. A wrong checksum is therefore found only afterward.
	if err != nil && (write.Format != "raw" || !errors.Is(err, agent.ErrChecksum)) {
		return "", err
	}
	if !h.machine.pace().wait(ctx, imageTime) {
		return "", ctx.Err()
	}
	what := machine.Installation{What: "image " + write.ID, Image: write.ID, Partitions: machine.CloudPartitions(disk.SizeBytes)}
	if failed := h.installOn(disk, what); failed != nil {
		return "", failed
	}
	if err != nil {
		return "", err
	}
	// A disk with an installed system has a partition table. Only in raw images can its presence be checked here.
	if write.Format == "raw" && (head[510] != 0x55 || head[511] != 0xaa) {
		return "", agent.ErrNoPartitions
	}
	return fmt.Sprintf("0x%08x", binary.LittleEndian.Uint32(head[440:])), nil
}

// readImage reads an image of at most room bytes, and returns its first 512 bytes.
func readImage(content io.Reader, room int64) (head []byte, err error) {
	head = make([]byte, 512)
	_, err = io.ReadFull(content, head)
	if err == nil {
		_, err = io.CopyN(io.Discard, content, room-int64(len(head))+1)
		if err == nil {
			return head, errDiskFull
		}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return head, nil
	}
	return head, fmt.Errorf("reading the image: %w", err)
}

// writePartition reads the image of a root file system and stores it in a partition.
func (h *hardware) writePartition(ctx context.Context, write agent.ImageWrite, content io.Reader) (string, error) {
	if _, err := io.Copy(io.Discard, content); err != nil {
		return "", fmt.Errorf("reading the image: %w", err)
	}
	if !h.machine.pace().wait(ctx, imageTime) {
		return "", ctx.Err()
	}
	return h.machine.InstallInto(write.Device, machine.Installation{What: "image " + write.ID, Image: write.ID, At: h.machine.lab.options.Now()})
}

// installOn records that a system is installed on a disk, for all machines that share the disk.
func (h *hardware) installOn(disk machine.Disk, what machine.Installation) error {
	what.At = h.machine.lab.options.Now()
	return h.machine.lab.onSharedDisk(h.machine, disk, func(m *machine.Machine, name string) error { return m.Install(name, what) })
}

// StartUnit starts the assisted installer's agent, if the ramdisk has one. That agent installs a system and ends.
func (h *hardware) StartUnit(_ context.Context, unit string) error {
	if h.config.Units != nil && !slices.Contains(h.config.Units, unit) {
		return errNoUnit
	}
	h.assisted.Store(&agent.UnitState{Active: "active", Result: "success"})
	h.machine.work.Go(func() {
		if !h.machine.pace().wait(h.power, assistedTime) {
			return
		}
		state := agent.UnitState{Active: "inactive", Result: "success"}
		disks := h.machine.Disks()
		if len(disks) == 0 || h.installOn(disks[0], machine.Installation{What: "assisted installer"}) != nil {
			state = agent.UnitState{Active: "failed", Result: "exit-code"}
		}
		h.assisted.Store(&state)
	})
	return nil
}

// UnitState returns the state of the unit that StartUnit started.
func (h *hardware) UnitState(context.Context, string) (agent.UnitState, error) {
	return *h.assisted.Load(), nil
}

// SetRescuePassword only stores the hash: logging in with the password is not possible.
func (h *hardware) SetRescuePassword(_ context.Context, hash string) error {
	h.machine.rescue.Store(hash)
	return nil
}

// NetworkDown has no effect, because the agent closes its service beforehand, so that nothing uses the network.
func (h *hardware) NetworkDown(context.Context) error { return nil }

// Sync has no effect, because simulated disks have no cache.
func (h *hardware) Sync(context.Context) error { return nil }

// PowerOff starts powering the machine off, and returns before the machine is off.
func (h *hardware) PowerOff(context.Context) error {
	return h.machine.Reset(machine.GracefulShutdown) //nolint:contextcheck // a boot outlives the call
}

// Reboot starts a reboot, and returns before the reboot has ended.
func (h *hardware) Reboot(context.Context) error {
	return h.machine.Reset(machine.GracefulRestart) //nolint:contextcheck // a boot outlives the call
}

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
