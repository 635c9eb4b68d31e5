package lab

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ironworks/agent"
	"ironworks/lab/machine"
	"ironworks/lab/vm"
)

// VirtualOptions holds the settings of a lab of virtual machines.
type VirtualOptions struct {
	// Host describes the programs of this computer that virtual machines need.
	Host vm.Host
	// Dir is the parent of the machines' folders, each with its disks, UEFI variables and serial log. Required.
	Dir string
	// Disks, MemoryMiB and CPUs are the defaults for machines that do not specify them.
	Disks     []vm.DiskRequest
	MemoryMiB int
	CPUs      int
	// BootFile is the URL of an iPXE script or program that machines load when they boot from the network. The
	// machines must be able to reach it. If BootFile is empty, no server answers a network boot.
	BootFile string
}

// MaxVirtual is the maximum number of virtual machines in a lab. Each machine needs its own address in the network
// that the machines see.
const MaxVirtual = 64

const (
	// agentPort is the port at which ironic-python-agent listens by default.
	agentPort = 9999
	sshPort   = 22
	// serialPort is the port of a virtual machine's serial line, at the machine's AgentHost.
	serialPort = 2323
	// firstAddress is the last byte of the first machine's address, 10.0.2.16.
	firstAddress = 16
	// ejectTime is the maximum time that QEMU may take to eject a medium or to press the power button.
	ejectTime = 5 * time.Second
)

// VirtualMembers returns n working machines: vm1, vm2, …
func VirtualMembers(n int) []Member {
	members := make([]Member, n)
	for i := range members {
		members[i] = Member{Name: fmt.Sprintf("vm%d", i+1), Scenario: scenarios[0]}
	}
	return members
}

// CheckVirtual returns an error if there are too many machines, or if a machine has a RAID controller or a scenario
// that needs a simulated machine.
func CheckVirtual(members []Member) error {
	if len(members) > MaxVirtual {
		return fmt.Errorf("%d virtual machines: a lab may have at most %d", len(members), MaxVirtual)
	}
	for _, m := range members {
		if m.RAID != nil {
			return fmt.Errorf("machine %s: a virtual machine has no RAID controller", m.Name)
		}
		s := m.Scenario
		faults := s.Agent
		faults.NoRoute, faults.ClockSkew = false, 0
		if faults != (agent.Faults{}) || s.NeverBoots || s.NewestAgent || s.Slower > 1 || s.SharedDisk != "" {
			return fmt.Errorf("machine %s: scenario %s needs a simulated machine: a virtual one runs the agent of its ramdisk, with its own disks", m.Name, s.Name)
		}
	}
	return nil
}

// virtual sets the unset fields of a member to the defaults of a virtual machine.
func (m *Member) virtual(o *VirtualOptions, taken map[string]bool) {
	m.CPUs, m.MemoryMiB = cmp.Or(m.CPUs, max(o.CPUs, 1)), cmp.Or(m.MemoryMiB, o.MemoryMiB)
	if len(m.MACs) == 0 {
		m.MACs = []string{macOf(m.Name, 0, taken)}
	}
	if len(m.Disks) > 0 {
		return
	}
	var nvme, scsi int
	for _, d := range o.Disks {
		disk := machine.Disk{SizeBytes: d.Size, Rotational: d.Kind == vm.HDD}
		if d.Kind == vm.NVMe {
			disk.Name, disk.Model = fmt.Sprintf("/dev/nvme%dn1", nvme), vm.NVMeModel
			disk.Serial = serialOf(m.Name, fmt.Sprintf("NV%d", nvme))
			disk.WWN = vm.NVMeWWN(disk.Serial)
			nvme++
		} else {
			disk.Name, disk.Vendor, disk.Model = diskName(scsi), "QEMU", "LAB "+strings.ToUpper(string(d.Kind))
			disk.WWN = "0x5000c50" + digest(m.Name, disk.Name, 9)
			disk.Serial, disk.HCTL = serialOf(m.Name, fmt.Sprintf("SC%d", scsi)), fmt.Sprintf("0:0:0:%d", scsi)
			scsi++
		}
		m.Disks = append(m.Disks, disk)
	}
}

// guest implements [machine.Guest] with a QEMU virtual machine.
type guest struct {
	machine *Machine
	vm      *vm.VM
	// forwards contains the ports of this computer that are forwarded to the machine.
	forwards []vm.Forward
	// kargs contains the kernel arguments that the lab adds to a medium before it is booted.
	kargs []string
}

// virtualize creates the virtual machine for m.
func (l *Lab) virtualize(ctx context.Context, m *Machine, spec *machine.Spec, options *machine.Options) error {
	for i := range spec.NICs {
		spec.NICs[i].Name, spec.NICs[i].SpeedMbps = vm.NICName, vm.NICSpeed
	}
	if len(spec.NICs) != 1 {
		return fmt.Errorf("machine %s: a virtual machine has 1 network interface, not %d", m.member.Name, len(spec.NICs))
	}
	complete, err := spec.Completed()
	if err != nil {
		return err
	}
	*spec = complete
	virtual, err := l.virtualSpec(m, complete)
	if err != nil {
		return err
	}
	folder := filepath.Join(l.options.Virtual.Dir, m.member.Name)
	v, err := vm.New(ctx, l.options.Virtual.Host, virtual, folder)
	if err != nil {
		return err
	}
	// Remove media that a killed lab has left behind.
	if left, err := filepath.Glob(filepath.Join(folder, "ironworks-*.iso")); err == nil {
		for _, file := range left {
			_ = os.Remove(file)
		}
	}
	m.guest = &guest{machine: m, vm: v, forwards: virtual.Forwards, kargs: []string{"ipa-advertise-host=" + m.AgentHost()}}
	options.Guest = m.guest
	options.Dir = folder
	options.PowerOffTime = 0
	return nil
}

// virtualSpec returns the hardware of a machine in the form that package vm expects.
func (l *Lab) virtualSpec(m *Machine, spec machine.Spec) (vm.Spec, error) {
	host, err := netip.ParseAddr(m.AgentHost())
	if err != nil {
		return vm.Spec{}, fmt.Errorf("machine %s: %w", spec.Name, err)
	}
	v := vm.Spec{
		Name: spec.Name, UUID: spec.UUID, Vendor: spec.Vendor, Product: spec.Product, Serial: spec.Serial, BIOSVersion: spec.BIOSVersion,
		Processor: machine.ProcessorModel, CPUs: spec.CPUs, MemoryMiB: spec.MemoryMiB, MAC: spec.NICs[0].MAC,
		Address:  netip.AddrFrom4([4]byte{10, 0, 2, byte(firstAddress + m.number)}), //nolint:gosec // at most MaxVirtual
		Forwards: []vm.Forward{{From: netip.AddrPortFrom(host, agentPort), To: agentPort}},
		BootFile: l.options.Virtual.BootFile,
		Isolated: m.member.Scenario.Agent.NoRoute, ClockOffset: m.member.Scenario.Agent.ClockSkew,
	}
	if port := l.options.SSHPort; port > 0 {
		v.Forwards = append(v.Forwards, vm.Forward{From: netip.AddrPortFrom(host, uint16(port)), To: sshPort}) //nolint:gosec // checked
	}
	for _, d := range spec.Disks {
		disk, err := virtualDisk(d)
		if err != nil {
			return vm.Spec{}, fmt.Errorf("machine %s: %w", spec.Name, err)
		}
		v.Disks = append(v.Disks, disk)
	}
	return v, nil
}

func virtualDisk(d machine.Disk) (vm.Disk, error) {
	disk := vm.Disk{Kind: vm.SSD, Name: path.Base(d.Name), SizeBytes: d.SizeBytes, Serial: d.Serial, Vendor: d.Vendor, Product: d.Model}
	if strings.HasPrefix(d.Name, "/dev/nvme") {
		if d.Model != vm.NVMeModel || d.WWN != vm.NVMeWWN(d.Serial) {
			return vm.Disk{}, fmt.Errorf("disk %s: a virtual NVMe disk has model %q and, with this serial, WWN %s", d.Name, vm.NVMeModel, vm.NVMeWWN(d.Serial))
		}
		disk.Kind, disk.Vendor, disk.Product = vm.NVMe, "", ""
		return disk, nil
	}
	if d.Rotational {
		disk.Kind = vm.HDD
	}
	if len(d.Vendor) > 8 || len(d.Model) > 16 {
		return vm.Disk{}, fmt.Errorf("disk %s: vendor %q or model %q is longer than SCSI allows (8 and 16 characters)", d.Name, d.Vendor, d.Model)
	}
	var err error
	if disk.WWN, err = strconv.ParseUint(strings.TrimPrefix(d.WWN, "0x"), 16, 64); err != nil {
		return vm.Disk{}, fmt.Errorf("disk %s: WWN %q: a virtual SCSI disk has one of 64 bits, such as 0x5000c50012345678", d.Name, d.WWN)
	}
	return disk, nil
}

// targets maps the devices of Redfish's boot override to the devices of the virtual machine.
var targets = map[machine.Device]vm.Target{machine.Cd: vm.TargetCD, machine.Hdd: vm.TargetDisk, machine.Pxe: vm.TargetNetwork}

// Run boots the virtual machine once, and returns how the boot ended.
func (g *guest) Run(ctx context.Context, boot machine.GuestBoot) (machine.GuestEnd, error) {
	b := vm.Boot{Target: targets[boot.First], Started: boot.Started}
	if boot.Media != nil {
		b.CD = boot.Media.Path
		if err := editMedium(b.CD, g.kargs); err != nil {
			options := g.machine.lab.options
			options.OnEvent(machine.Event{At: options.Now(), Machine: g.machine.member.Name, Kind: machine.MediaUnchanged, Text: err.Error()})
		}
	}
	end, err := g.vm.Run(ctx, b)
	return machine.GuestEnd(end), err
}

// PressPower implements [machine.Guest].
func (g *guest) PressPower() { g.do(g.vm.PowerButton) }

// Eject implements [machine.Guest].
func (g *guest) Eject() { g.do(g.vm.Eject) }

// do sends a command to QEMU. A machine that is off ignores it. Other failures mean that QEMU is about to end, which
// Run reports.
func (g *guest) do(order func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), ejectTime)
	defer cancel()
	_ = order(ctx)
}

// serveSerial serves the serial lines of virtual machines.
func (l *Lab) serveSerial(ctx context.Context) error {
	for _, m := range l.machines {
		listener, err := listen(ctx, m.SerialAddress())
		if err != nil {
			return fmt.Errorf("serving the serial line of %s: %w", m.Name(), err)
		}
		serial := m.guest.vm.Serial()
		l.serving.Go(func() { serial.Serve(ctx, listener) })
	}
	return nil
}

// SerialAddress returns the address of a virtual machine's serial line, as HOST:PORT.
func (m *Machine) SerialAddress() string {
	return net.JoinHostPort(m.AgentHost(), strconv.Itoa(serialPort))
}

var errPorts = errors.New("is another lab of virtual machines running?")

// checkForwards returns an error if QEMU could not listen at one of the forwarded addresses.
func (l *Lab) checkForwards(ctx context.Context) error {
	for _, m := range l.machines {
		for _, f := range m.guest.forwards {
			listener, err := listen(ctx, f.From.String())
			if err != nil {
				return fmt.Errorf("forwarding to machine %s: %w (%w)", m.Name(), err, errPorts)
			}
			_ = listener.Close()
		}
	}
	return nil
}
