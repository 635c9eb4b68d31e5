package machine

import (
	"fmt"
	"time"
)

// EventKind is the kind of an [Event].
type EventKind string

// Kinds of events. Where it is not obvious, the comments say what has happened or what the event's Text contains.
const (
	PowerChanged EventKind = "power"         // Text is the new power state
	PowerIgnored EventKind = "power ignored" // a power command was accepted, but has no effect
	BootChosen   EventKind = "boot chosen"   // the boot override has changed
	BootStarted  EventKind = "boot started"  // the firmware starts
	BootFailed   EventKind = "boot failed"   // a device did not boot; Text contains the device and the reason
	Booted       EventKind = "booted"        // Text contains the device and the booted system
	NothingBoots EventKind = "nothing boots" // no device boots
	RamdiskEnded EventKind = "ramdisk ended" // the ramdisk has returned; Text is its error, or empty
	GuestStarted EventKind = "guest started" // Text is the requested boot device
	GuestEnded   EventKind = "guest ended"   // Text is the reason: powered off, reset, or an error
	// MediaUnchanged reports that the lab could not add its kernel arguments to a boot medium. Text is the reason.
	MediaUnchanged  EventKind = "media unchanged"
	MediaInserted   EventKind = "media inserted" // Text is the URL
	MediaEjected    EventKind = "media ejected"
	DiskInstalled   EventKind = "disk installed"
	DiskWiped       EventKind = "disk wiped"
	BIOSPending     EventKind = "BIOS pending" // attributes are pending until the next boot
	BIOSApplied     EventKind = "BIOS applied"
	FirmwareStaged  EventKind = "firmware staged" // Text contains the component and the new version
	FirmwareUpdated EventKind = "firmware updated"
	JobFailed       EventKind = "job failed" // Text contains the reason
	BMCReset        EventKind = "BMC reset"
	// SecureBootChanged reports that secure boot was enabled or disabled for the next boot, or its keys changed.
	SecureBootChanged EventKind = "secure boot changed"
	LogCleared        EventKind = "log cleared"
	JobDeleted        EventKind = "job deleted"
	VolumeCreated     EventKind = "volume created"
	VolumeDeleted     EventKind = "volume deleted"
)

// Event describes something that has happened to a machine. It is passed to [Options].OnEvent.
type Event struct {
	At      time.Time
	Machine string
	Kind    EventKind
	Text    string
}

// severities maps the kinds of events that are added to the BMC's log to the severities of their entries.
var severities = map[EventKind]Severity{
	PowerChanged: SeverityOK, BootFailed: SeverityWarning, NothingBoots: SeverityCritical,
	Booted: SeverityOK, GuestStarted: SeverityOK, GuestEnded: SeverityOK, MediaInserted: SeverityOK, MediaEjected: SeverityOK,
	BIOSApplied: SeverityOK, BMCReset: SeverityWarning, FirmwareStaged: SeverityOK, FirmwareUpdated: SeverityOK, JobFailed: SeverityWarning,
	VolumeCreated: SeverityOK, VolumeDeleted: SeverityOK,
}

// emit logs an event and queues it for delivery by unlock. Called with mu held.
func (m *Machine) emit(kind EventKind, format string, args ...any) {
	event := Event{At: m.options.Now(), Machine: m.spec.Name, Kind: kind, Text: fmt.Sprintf(format, args...)}
	if severity, ok := severities[kind]; ok {
		m.addLog(event, severity)
	}
	if m.options.OnEvent != nil {
		m.events = append(m.events, event)
	}
}

// unlock releases mu and delivers the queued events in order and one at a time. It delivers them without holding the
// lock, so that the receiver may call methods of the machine.
func (m *Machine) unlock() {
	if m.delivering {
		m.mu.Unlock() // the goroutine that delivers events checks for new ones before it ends
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
