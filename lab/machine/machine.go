package machine

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// defaultMaxImage is the default of [Options].MaxImage in bytes: about the size of a DVD, the largest live medium.
const defaultMaxImage = 8 << 30

// Options configure a machine. With zero values, each power change takes no time and nothing runs
// on the machine.
type Options struct {
	// PowerOnTime is the time from the command to power on until the power is on. PowerOffTime is the duration of a
	// forced power-off, ShutdownTime that of a graceful one. FirmwareTime is the time from power-on to the first boot
	// device. BMCRestartTime is the time for which a reset BMC does not answer, UpdateTime the time for which it writes
	// new firmware.
	PowerOnTime, PowerOffTime, ShutdownTime, FirmwareTime, BMCRestartTime, UpdateTime time.Duration

	// Ramdisk runs when the machine boots from the CD or from the network.
	Ramdisk Ramdisk

	// Guest replaces the simulated firmware and the booted system; nil for a simulated machine. Ramdisk and the times
	// of firmware and shutdown are not used with it.
	Guest Guest

	// Client fetches images; http.DefaultClient if nil.
	Client *http.Client
	// Dir stores fetched images; the system's temporary folder if empty.
	Dir string
	// MaxImage bounds an image, in bytes; 8 GiB if 0.
	MaxImage int64

	// OnEvent receives events, in order and one at a time. It may call
	// the machine.
	OnEvent func(Event)
	// Now is the clock; time.Now if nil.
	Now func() time.Time
}

// Machine is a simulated machine. Its methods are safe for concurrent use.
type Machine struct {
	options Options
	life    context.Context //nolint:containedctx // from New to Close: goroutines outlive each call
	end     context.CancelFunc
	work    sync.WaitGroup

	mu      sync.Mutex // after a change, unlock releases it
	closed  bool
	spec    Spec // only the content of disks changes
	raid    raidState
	arrays  []*Array     // software RAID arrays on the disks
	records []BootRecord // the boot menu in NVRAM
	faults  Faults

	power           Power
	changing        context.CancelFunc // cancels the current power change
	powerOnAfterOff bool               // power on as soon as the machine is off
	reboot          bool               // boot the guest again when it powers off
	override        BootOverride
	boot            BootStatus
	running         *boot
	media           VirtualMedia
	image           string // the file of the fetched image, or empty
	bios            biosState
	firmware        firmwareState
	secure          SecureBoot
	jobs            []Job
	lastJob         int
	bmcUp           time.Time // the BMC does not answer before this time

	sel        []LogEntry
	lastEntry  int
	events     []Event
	delivering bool
}

// New creates a machine that is powered off. The caller must call Close.
func New(spec Spec, options Options) (*Machine, error) {
	spec = spec.copied()
	if err := spec.complete(); err != nil {
		return nil, err
	}
	if options.Client == nil {
		options.Client = http.DefaultClient
	}
	if options.MaxImage == 0 {
		options.MaxImage = defaultMaxImage
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	m := &Machine{
		options: options, spec: spec, power: Off,
		override: BootOverride{Target: None, Enabled: Disabled, Mode: spec.BootMode},
		boot:     BootStatus{Progress: ProgressNone},
		changing: func() {},
		bios:     newBIOS(spec),
		firmware: newFirmware(spec),
		secure:   SecureBoot{Keys: allKeys()},
	}
	if spec.RAID != nil {
		m.raid.drives, m.spec.Disks = spec.Disks, nil
	}
	if spec.BootMode == UEFI {
		m.records = firmwareRecords(spec)
	}
	m.life, m.end = context.WithCancel(context.Background())
	return m, nil
}

// Close ends the machine: its programs are canceled, and have ended when Close returns, so a ramdisk must not call
// Close. A closed machine does not change.
func (m *Machine) Close() {
	m.mu.Lock()
	m.closed = true
	m.end()
	m.unlock()
	m.work.Wait()
	m.mu.Lock()
	defer m.unlock()
	m.dropImage()
}

// Name returns the Redfish ID of the machine.
func (m *Machine) Name() string { return m.spec.Name }

// Spec returns the machine's hardware, with the running firmware and the current content of its
// disks. The disks behind a RAID controller are its volumes.
func (m *Machine) Spec() Spec {
	m.mu.Lock()
	defer m.mu.Unlock()
	spec := m.spec.copied()
	spec.BIOSVersion, spec.BMCVersion = m.firmware.running[BIOSFirmware], m.firmware.running[BMCFirmware]
	return spec
}

// Faults are the simulated faults of a machine. They can be changed at any time.
type Faults struct {
	// Stall is the delay of every answer of the BMC.
	Stall time.Duration
	// RefusePassword makes the BMC reject the right password, also in open sessions.
	RefusePassword bool
	// PowerStuck makes the BMC accept power commands without effect.
	PowerStuck bool
	// PowerFails makes the BMC answer power commands with 500.
	PowerFails bool
	// ImageFails, if set, is the reason why no image can be fetched.
	ImageFails string
	// BIOSIgnores is a BIOS attribute that the BMC accepts and the firmware silently ignores at
	// boot.
	BIOSIgnores string
	// WantETag makes the BMC refuse changes that do not name the version of a resource (If-Match).
	WantETag bool
}

// SetFaults replaces the faults of the machine.
func (m *Machine) SetFaults(faults Faults) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.faults = faults
}

// Faults returns the faults of the machine.
func (m *Machine) Faults() Faults {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.faults
}
