// Package linux implements [agent.Hardware] for a real host that runs Linux.
//
// It reports the same data as GenericHardwareManager of ironic-python-agent 13.0.0 (ironic_python_agent/hardware.py).
// It runs the same programs if the result depends on them, such as lsblk and lscpu. In some places where that agent
// needs lshw or pyudev, it reads files of the kernel and of udev instead.
//
// All access to the host goes through [Host], so that tests can use a recorded host.
package linux

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"ironworks/agent"
)

// Options configures what a [Machine] reports about its host.
type Options struct {
	// Parameters holds the parameters of the kernel's command line; see [Host.Parameters].
	Parameters map[string]string
	// CollectLLDP enables listening for LLDP frames. Listening takes at most LLDPTimeout, whose default is 30 s.
	CollectLLDP bool
	LLDPTimeout time.Duration
	// VLANs lists the VLAN interfaces to create, in the format of the enable_vlan_interfaces option.
	VLANs string
	// SkipBMC omits the addresses of the BMC, because reading them is slow.
	SkipBMC bool
}

// lldpTimeout is the default of lldp_timeout in the agent's config.py: the interval at which switches send frames.
const lldpTimeout = 30 * time.Second

// Machine implements [agent.Hardware] for a host.
type Machine struct {
	host    Host
	options Options
	// multipath reports whether multipath devices are in use. It is set by Prepare.
	multipath bool

	// listening receives LLDP frames in the background. It is nil until ListenForLLDP is called.
	listening *listening

	mu     sync.Mutex
	mounts map[string]mount // mounted file systems, keyed by device
}

var _ agent.Hardware = (*Machine)(nil)

// New returns a Machine for the given host.
func New(host Host, options Options) *Machine {
	options.LLDPTimeout = cmp.Or(options.LLDPTimeout, lldpTimeout)
	return &Machine{host: host, options: options, mounts: map[string]mount{}}
}

// Prepare assembles RAID arrays, connects iSCSI disks, and loads the drivers that an inventory needs. It can change
// the host, so it must be called only in a ramdisk. See initialize of GenericHardwareManager.
func (m *Machine) Prepare(ctx context.Context) {
	h := m.host
	if _, err := h.program(ctx, "iscsistart", "-f"); err == nil {
		h.try(ctx, "iscsistart", "-b")
	}
	h.try(ctx, "mdadm", "--assemble", "--scan", "--verbose")
	for _, driver := range []string{"ipmi_msghandler", "ipmi_devintf", "ipmi_si"} {
		h.try(ctx, "modprobe", driver)
	}
	if h.exists("/usr/sbin/mpathconf") && !h.exists("/etc/multipath.conf") {
		h.try(ctx, "/usr/sbin/mpathconf", "--enable", "--find_multipaths", "yes", "--with_module", "y", "--with_multipathd", "y")
	} else {
		h.try(ctx, "modprobe", "dm_multipath")
		h.try(ctx, "modprobe", "multipath")
	}
	h.try(ctx, "multipathd")
	m.multipath = h.try(ctx, "multipath", "-ll")
}

// listening holds the LLDP frames received in the background. The frames must not be read before ended is closed.
type listening struct {
	ended  chan struct{}
	frames map[string][]byte
}

// ListenForLLDP starts listening for LLDP frames in the background. Inventories and the lldp collector then wait only
// for the rest of the timeout. ListenForLLDP must be called at most once, before other goroutines use m.
func (m *Machine) ListenForLLDP(ctx context.Context) {
	names, err := m.host.interfaceNames()
	if err != nil {
		return // Inventory will return this error
	}
	l := &listening{ended: make(chan struct{})}
	m.listening = l
	go func() {
		defer close(l.ended)
		l.frames = m.lldp(ctx, names)
	}()
}

// received waits until ListenForLLDP has stopped listening, and returns the received LLDP frames. If ListenForLLDP
// was not called, received listens itself. If ctx is canceled first, received returns no frames.
func (m *Machine) received(ctx context.Context, names []string) map[string][]byte {
	if m.listening == nil {
		return m.lldp(ctx, names)
	}
	select {
	case <-m.listening.ended:
		return m.listening.frames
	case <-ctx.Done():
		return nil
	}
}

// Inventory returns the inventory of the host. It listens for LLDP frames while it collects all other data.
func (m *Machine) Inventory(ctx context.Context) (agent.Inventory, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var waiting sync.WaitGroup
	defer waiting.Wait()
	var frames map[string][]byte
	if m.options.CollectLLDP {
		names, err := m.host.interfaceNames()
		if err != nil {
			return agent.Inventory{}, fmt.Errorf("listing network interfaces: %w", err)
		}
		waiting.Go(func() { frames = m.received(ctx, names) })
	}
	inventory, err := m.InventoryWithoutLLDP(ctx)
	if err != nil {
		cancel()
		return agent.Inventory{}, err
	}
	waiting.Wait()
	m.addFrames(ctx, &inventory, frames)
	return inventory, ctx.Err()
}

// InventoryWithoutLLDP returns the inventory of the host without the data from LLDP frames, which AddLLDP can add.
func (m *Machine) InventoryWithoutLLDP(ctx context.Context) (agent.Inventory, error) {
	names, err := m.host.interfaceNames()
	if err != nil {
		return agent.Inventory{}, fmt.Errorf("listing network interfaces: %w", err)
	}
	inventory, err := m.collect(ctx)
	inventory.Interfaces = m.host.interfaces(ctx, names)
	return inventory, err
}

// AddLLDP waits until listening for LLDP frames has ended, and adds the data of the received frames to the inventory.
func (m *Machine) AddLLDP(ctx context.Context, inventory *agent.Inventory) error {
	names, err := m.host.interfaceNames()
	if err != nil {
		return fmt.Errorf("listing network interfaces: %w", err)
	}
	frames := m.received(ctx, names)
	if ctx.Err() == nil && m.options.CollectLLDP {
		m.addFrames(ctx, inventory, frames)
	}
	return ctx.Err()
}

// addFrames adds LLDP data to the inventory, and creates VLAN interfaces, whose numbers may be in the frames.
func (m *Machine) addFrames(ctx context.Context, inventory *agent.Inventory, frames map[string][]byte) {
	interfaces := slices.Clone(inventory.Interfaces)
	for i := range interfaces {
		if len(frames) > 0 {
			interfaces[i].LLDP = parseTLVs(frames[interfaces[i].Name])
		}
	}
	if m.options.VLANs != "" {
		added := m.host.addVLANs(ctx, m.options.VLANs, interfaces)
		interfaces = append(interfaces, m.host.interfaces(ctx, added)...)
	}
	inventory.Interfaces = interfaces
}

// collect returns the inventory without the network interfaces.
func (m *Machine) collect(ctx context.Context) (agent.Inventory, error) {
	h := m.host
	raw, err := os.ReadFile(h.path(smbiosTable))
	if err != nil {
		h.warnUnreadable("SMBIOS table", err)
	}
	table := parseSMBIOS(raw)
	var inventory agent.Inventory
	if inventory.CPU, err = h.cpu(ctx); err != nil {
		return inventory, err
	}
	if inventory.Disks, err = m.BlockDevices(ctx); err != nil {
		return inventory, err
	}
	for i := range inventory.Disks {
		disk := &inventory.Disks[i] // an inventory contains only one serial and one WWN for each disk
		disk.Serial, disk.WWN = disk.Serial.First(), disk.WWN.First()
	}
	if inventory.Memory, err = h.memory(table); err != nil {
		return inventory, err
	}
	inventory.SystemVendor = vendor(table)
	inventory.Boot.Mode = agent.BIOS
	if h.exists("/sys/firmware/efi") {
		inventory.Boot.Mode = agent.UEFI
	}
	if pxe, booted := m.options.Parameters["BOOTIF"]; booted {
		inventory.Boot.PXEInterface = &pxe
	}
	if inventory.Hostname, err = h.read("/proc/sys/kernel/hostname"); err != nil {
		return inventory, fmt.Errorf("reading the host's name: %w", err)
	}
	if !m.options.SkipBMC {
		bmc := h.bmc(ctx)
		inventory.BMCAddress, inventory.BMCv6Address, inventory.BMCMAC = bmc.v4, bmc.v6, bmc.mac
	}
	return inventory, nil
}

// lldp listens on the interfaces that have a carrier, because the others cannot receive frames. Like the real agent,
// it returns no frames at all if it cannot listen on one of these interfaces.
func (m *Machine) lldp(ctx context.Context, names []string) map[string][]byte {
	ctx, cancel := context.WithTimeout(ctx, m.options.LLDPTimeout)
	defer cancel()
	frames := map[string][]byte{}
	var linked []string
	for _, name := range names {
		frames[name] = nil
		if carrier, err := m.host.read(netFolder + name + "/carrier"); err == nil && carrier == "1" {
			linked = append(linked, name)
		}
	}
	if len(linked) == 0 {
		return frames
	}
	received, err := m.host.Links.LLDP(ctx, linked)
	if err != nil {
		m.host.warn("Error while getting LLDP info: %v", err)
		return nil
	}
	maps.Copy(frames, received)
	return frames
}

// Parameters reads the kernel's command line, like _read_params_from_file in ironic_python_agent/utils.py. If a
// parameter occurs several times, the last value is used.
func (h Host) Parameters() (map[string]string, error) {
	text, err := h.read("/proc/cmdline")
	if err != nil {
		return nil, fmt.Errorf("reading the kernel's command line: %w", err)
	}
	return parameters(text), nil
}

func parameters(text string) map[string]string {
	found := map[string]string{}
	for _, word := range strings.Fields(text) {
		if name, value, ok := strings.Cut(word, "="); ok {
			found[name] = value
		}
	}
	return found
}
