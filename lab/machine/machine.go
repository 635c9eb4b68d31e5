package machine

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// defaultMaxImage is how large an image may be unless told otherwise: a DVD,
// which is the largest live medium there is.
const defaultMaxImage = 8 << 30

// Options are how a machine behaves. Everything may be left out: then each
// change of power takes no time and nothing runs on the machine.
type Options struct {
	// PowerOnTime passes between the command and the power, PowerOffTime
	// between a forced command and its end, ShutdownTime is what a graceful
	// one takes, FirmwareTime passes from the power to the first boot device,
	// BMCRestartTime is how long a reset BMC does not answer.
	PowerOnTime, PowerOffTime, ShutdownTime, FirmwareTime, BMCRestartTime time.Duration

	// Ramdisk is what runs from a CD.
	Ramdisk Ramdisk

	// Guest runs in place of the simulated firmware and what it boots; nil for a simulated
	// machine. Ramdisk and the times of firmware and shutdown are not used with it.
	Guest Guest

	// Client fetches images; http.DefaultClient if nil.
	Client *http.Client
	// Dir is where fetched images lie while they are needed; the system's
	// folder for temporary files if empty.
	Dir string
	// MaxImage bounds an image; DefaultMaxImage if 0.
	MaxImage int64

	// OnEvent is told what happens, in order and one at a time. It may call
	// the machine.
	OnEvent func(Event)
	// Now is the clock; time.Now if nil.
	Now func() time.Time
}

// Machine is a machine. Its methods may be called by several goroutines.
type Machine struct {
	options Options
	life    context.Context //nolint:containedctx // from New to Close: what runs outlives each call
	end     context.CancelFunc
	work    sync.WaitGroup

	mu      sync.Mutex // released by unlock after a change
	closed  bool
	spec    Spec         // only what is on the disks changes
	arrays  []*Array     // software RAID of the disks
	records []BootRecord // NVRAM
	faults  Faults

	power    Power
	changing context.CancelFunc // drops the change of power that is under way
	again    bool               // power on as soon as it is off
	reboot   bool               // boot the guest again when it powers off
	override BootOverride
	boot     BootStatus
	running  *boot
	media    VirtualMedia
	image    string // the file of the fetched image, or empty
	bios     biosState
	jobs     []Job
	lastJob  int
	bmcUp    time.Time // before it the BMC does not answer

	sel        []LogEntry
	lastEntry  int
	events     []Event
	delivering bool
}

// New makes a machine that is powered off. Close ends it.
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
		bios:     newBIOS(spec.BootMode),
	}
	if spec.BootMode == UEFI {
		m.records = firmwareRecords(spec)
	}
	m.life, m.end = context.WithCancel(context.Background())
	return m, nil
}

// Close ends the machine: what runs on it is told, and has ended when Close
// returns, so the ramdisk itself cannot close its machine. A closed machine
// stays as it is.
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

// Name is the Redfish id of the machine.
func (m *Machine) Name() string { return m.spec.Name }

// Spec is what the machine is made of, with what is on its disks now.
func (m *Machine) Spec() Spec {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.spec.copied()
}
