package machine

import (
	"fmt"
	"time"
)

// EventKind is the kind of an [Event].
type EventKind string

// Kinds of events.
const (
	PowerChanged EventKind = "power"         // Text is the new state
	PowerIgnored EventKind = "power ignored" // accepted without effect
	BootChosen   EventKind = "boot chosen"   // the boot override changed
	BootStarted  EventKind = "boot started"  // the firmware starts
	BootFailed   EventKind = "boot failed"   // a device did not boot; Text has the reason
	Booted       EventKind = "booted"        // Text is the device and the booted system
	NothingBoots EventKind = "nothing boots" // the machine is at its prompt
	RamdiskEnded EventKind = "ramdisk ended" // the ramdisk returned; Text is its error, or empty
	GuestStarted EventKind = "guest started" // Text is the requested device
	GuestEnded   EventKind = "guest ended"   // Text is the reason: powered off, reset, or an error
	// MediaUnchanged reports that the lab could not add its kernel arguments to a boot medium; Text has the reason.
	MediaUnchanged  EventKind = "media unchanged"
	MediaInserted   EventKind = "media inserted" // Text is the URL
	MediaEjected    EventKind = "media ejected"
	DiskInstalled   EventKind = "disk installed"
	DiskWiped       EventKind = "disk wiped"
	BIOSPending     EventKind = "BIOS pending" // attributes are pending until the next boot
	BIOSApplied     EventKind = "BIOS applied"
	FirmwareStaged  EventKind = "firmware staged" // Text is the component and the new version
	FirmwareUpdated EventKind = "firmware updated"
	JobFailed       EventKind = "job failed" // Text has the reason
	BMCReset        EventKind = "BMC reset"
	// SecureBootChanged reports that secure boot was switched for the next boot, or that its keys were changed.
	SecureBootChanged EventKind = "secure boot changed"
	LogCleared        EventKind = "log cleared"
	JobDeleted        EventKind = "job deleted"
	VolumeCreated     EventKind = "volume created"
	VolumeDeleted     EventKind = "volume deleted"
)

// Event is something that happened to a machine, passed to [Options].OnEvent.
type Event struct {
	At      time.Time
	Machine string
	Kind    EventKind
	Text    string
}

// severities are the severities of the events in the BMC's log.
var severities = map[EventKind]Severity{
	PowerChanged: SeverityOK, BootFailed: SeverityWarning, NothingBoots: SeverityCritical,
	Booted: SeverityOK, GuestStarted: SeverityOK, GuestEnded: SeverityOK, MediaInserted: SeverityOK, MediaEjected: SeverityOK,
	BIOSApplied: SeverityOK, BMCReset: SeverityWarning, FirmwareStaged: SeverityOK, FirmwareUpdated: SeverityOK, JobFailed: SeverityWarning,
	VolumeCreated: SeverityOK, VolumeDeleted: SeverityOK,
}

// emit queues an event, which unlock delivers. Called with mu held.
func (m *Machine) emit(kind EventKind, format string, args ...any) {
	event := Event{At: m.options.Now(), Machine: m.spec.Name, Kind: kind, Text: fmt.Sprintf(format, args...)}
	if severity, ok := severities[kind]; ok {
		m.addLog(event, severity)
	}
	if m.options.OnEvent != nil {
		m.events = append(m.events, event)
	}
}

// unlock releases mu and delivers the queued events: in order, one at a time and without the lock,
// so that the receiver may call the machine.
func (m *Machine) unlock() {
	if m.delivering {
		m.mu.Unlock() // the delivering goroutine checks again before it ends
		return
	}
	m.delivering = true
	for len(m.events) > 0 {
		batch := m.events
		m.events = nil
		m.mu.Unlock()
		for _, event := range batch {
			m.options.OnEvent(event)
		}
		m.mu.Lock()
	}
	m.delivering = false
	m.mu.Unlock()
}
