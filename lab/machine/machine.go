// Package machine simulates bare-metal machines: a Redfish BMC, disks, network interfaces, power and a boot order.
//
//	m, err := machine.New(machine.Spec{Name: "m1", User: "admin", Password: "secret"}, machine.Options{Ramdisk: agent})
//	rack, err := machine.NewRack(time.Now, m)
//	go rack.Serve(ctx, listener) // or ServeTLS
//	…
//	m.Close()
//
// A conductor controls the machine through Redfish: it inserts an image into the virtual CD drive,
// selects the drive as the next boot device and powers the machine on. The machine downloads the
// image and passes it to its [Options].Ramdisk, which runs until the machine is powered off. This package
// does not know what a ramdisk does. The ramdisk accesses the hardware through its [Machine],
// installs a system with [Machine.Install] and powers off with [Machine.Reset].
//
// A [Rack] is a Redfish service for one machine, like a BMC, or for thousands, each with its own credentials.
package machine

import (
	"cmp"
	"context"
	"net/http"
	"sync"
	"time"
)

// defaultMaxImage is the default of [Options].MaxImage, in bytes. It is about that of a DVD, the largest live medium.
const defaultMaxImage = 8 << 30

// Options configures a machine. If no field is set, power changes take no time, and nothing runs on the machine.
type Options struct {
	// PowerOnTime is the time from a power-on command until the power is on. PowerOffTime is the duration of a forced
	// power-off, and ShutdownTime is the duration of a graceful shutdown. FirmwareTime is the time from power-on
	// until the firmware tries the first boot device. BMCRestartTime is the time for which the BMC does not answer
	// after a reset, and UpdateTime is the time that it takes to write new firmware.
	PowerOnTime, PowerOffTime, ShutdownTime, FirmwareTime, BMCRestartTime, UpdateTime time.Duration

	// Ramdisk runs after the machine has booted from the CD, for as long as the booted system does. Its context is
	// canceled when the machine is powered off or reset. The next boot waits until Ramdisk has returned. After an
	// earlier return, the machine stays on.
	Ramdisk func(ctx context.Context, m *Machine, media Media) error

	// Guest, if not nil, replaces the simulated system, so Ramdisk, FirmwareTime and ShutdownTime are not used.
	Guest Guest

	// Client downloads images. If nil, http.DefaultClient is used.
	Client *http.Client
	// Dir is the directory in which downloaded images are stored. If empty, the system's temporary directory is used.
	Dir string
	// MaxImage is the maximum size of an image, in bytes. 0 means 8 GiB.
	MaxImage int64

	// OnEvent is called for each event, in order and one event at a time. It may call methods of the machine.
	OnEvent func(Event)
	// Now returns the current time. If nil, time.Now is used.
	Now func() time.Time
}

// Machine is a simulated machine. Its methods are safe for concurrent use.
type Machine struct {
	options Options
	life    context.Context //nolint:containedctx // from New to Close: goroutines outlive each call
	end     context.CancelFunc
	work    sync.WaitGroup

	mu      sync.Mutex // released by unlock after a change, so that events are delivered
	closed  bool
	spec    Spec // never changes, except for the content of disks
	raid    raidState
	arrays  []*Array     // software RAID arrays
	records []BootRecord // the firmware's boot menu
	faults  Faults

	power           Power
	changing        context.CancelFunc // cancels the power change in progress
	powerOnAfterOff bool               // power on as soon as the machine is off
	reboot          bool               // boot the guest again after it has powered off
	override        BootOverride
	boot            BootStatus
	running         *boot
	media           VirtualMedia
	image           string // the file that contains the downloaded image, or empty
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

// New creates a machine that is powered off. The caller must call Close when the machine is no longer needed.
func New(spec Spec, options Options) (*Machine, error) {
	spec = spec.copied()
	if err := spec.complete(); err != nil {
		return nil, err
	}
	options.Client, options.MaxImage = cmp.Or(options.Client, http.DefaultClient), cmp.Or(options.MaxImage, defaultMaxImage)
	if options.Now == nil {
		options.Now = time.Now
	}
	m := &Machine{
		options: options, spec: spec, power: Off,
		override: BootOverride{Target: None, Enabled: Disabled, Mode: UEFI},
		boot:     BootStatus{Progress: ProgressNone},
		changing: func() {},
		bios:     newBIOS(spec),
		firmware: newFirmware(spec),
		secure:   SecureBoot{Keys: allKeys()},
		records:  firmwareRecords(spec),
	}
	if spec.RAID != nil {
		m.raid.drives, m.spec.Disks = spec.Disks, nil
	}
	m.life, m.end = context.WithCancel(context.Background())
	return m, nil
}

// Close stops the machine. It cancels the programs that run on the machine and waits for them, so a ramdisk must not
// call it. A closed machine no longer changes.
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

// Name returns the machine's ID in Redfish.
func (m *Machine) Name() string { return m.spec.Name }

// Spec returns the machine's hardware, with its running firmware versions and the current content of its disks. If
// the machine has a RAID controller, the disks are the controller's volumes.
func (m *Machine) Spec() Spec {
	m.mu.Lock()
	defer m.mu.Unlock()
	spec := m.spec.copied()
	spec.BIOSVersion, spec.BMCVersion = m.firmware.running[BIOSFirmware], m.firmware.running[BMCFirmware]
	return spec
}

// Faults describes the simulated faults of a machine. They can be changed at any time.
type Faults struct {
	// Stall delays each response of the BMC by the given time.
	Stall time.Duration
	// RefusePassword makes the BMC reject even the right password, also in open sessions.
	RefusePassword bool
	// PowerStuck makes the BMC accept power commands but ignore them.
	PowerStuck bool
	// PowerFails makes the BMC respond to power commands with the status 500.
	PowerFails bool
	// ImageFails, if not empty, makes downloads of images fail for this reason.
	ImageFails string
	// BIOSIgnores is the name of a BIOS attribute whose changes the BMC accepts, but the firmware silently ignores.
	BIOSIgnores string
	// WantETag makes the BMC reject changes to a resource unless the request names its current version (If-Match).
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
