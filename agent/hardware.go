package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Hardware is the machine that the agent runs on.
//
// Its methods are called from several goroutines, but only one step runs at a time. They return
// early when their context ends.
type Hardware interface {
	// Inventory returns the inventory of the machine, including disks.
	Inventory(ctx context.Context) (Inventory, error)
	// BlockDevices returns the current disks with every serial and WWN, in the order of the
	// kernel. A software RAID array follows the first of its disks.
	BlockDevices(ctx context.Context) ([]Disk, error)

	// Install runs coreos-installer and passes each line that it prints to line. A failed
	// installer is an *ExitError; a missing one is ErrNoInstaller.
	Install(ctx context.Context, install Install, line func(string)) error
	// BootFrom creates the firmware's boot entry for a disk. A disk without an EFI partition is
	// ErrNoEFIPartition.
	BootFrom(ctx context.Context, device string) error
	// WriteImage writes an image to a disk and returns the disk's new identifier. The error is ErrNoPartitions if the
	// disk has no partitions afterwards, or a *WriteError if the program that converts the image fails. For a raw
	// image, it is ErrChecksum if the content ends with that error, after the image was written.
	WriteImage(ctx context.Context, write ImageWrite, content io.Reader) (string, error)
	// Erase erases a disk. A disk that must not be erased is a *ProtectedError.
	Erase(ctx context.Context, erase Erase) error

	// StartUnit starts a systemd unit of the host; UnitState returns its state.
	StartUnit(ctx context.Context, unit string) error
	UnitState(ctx context.Context, unit string) (UnitState, error)

	// SetRescuePassword allows the rescue user to log in with a password of this hash.
	SetRescuePassword(ctx context.Context, hash string) error
	// NetworkDown permanently takes the network interfaces down.
	NetworkDown(ctx context.Context) error
	// Sync writes cached data to disk.
	Sync(ctx context.Context) error
	// PowerOff and Reboot start the action and do not wait for its end.
	PowerOff(ctx context.Context) error
	Reboot(ctx context.Context) error
}

// Errors that the methods of a [Hardware] return.
var (
	ErrNoInstaller    = errors.New("coreos-installer is not there")
	ErrNoEFIPartition = errors.New("no EFI partition on the disk")
	ErrNoPartitions   = errors.New("no partitions on the disk")
)

// ExitError reports that a program ended with a non-zero exit status.
type ExitError struct {
	Code int
}

func (e *ExitError) Error() string { return fmt.Sprintf("exit code %d", e.Code) }

// WriteError reports that the program that converts images has failed.
type WriteError struct{ Output Output }

func (e *WriteError) Error() string {
	return fmt.Sprintf("converting the image failed with exit code %d: %s", e.Output.Code, e.Output.Stderr)
}

// Install is one run of coreos-installer.
type Install struct {
	Device      string
	Ignition    []byte   // nil if there is no configuration
	AppendKargs []string // each becomes an argument --append-karg
	ImageURL    string   // if empty, --offline
	CopyNetwork bool
}

// ImageWrite describes the image that [Hardware].WriteImage writes.
type ImageWrite struct {
	Device string
	ID     string
	// Format is the format of the content: raw, qcow2 and so on. The agent has checked content that is not raw.
	Format string
	// Wipe first removes partition tables and signatures, because an image may overwrite only some of them.
	Wipe bool
	// Configdrive returns the file system of the configdrive, nil if there is none. It is called after
	// the image was written.
	Configdrive func(context.Context) ([]byte, error)
}

// Erasure is how much of a disk is erased.
type Erasure int

const (
	// EraseMetadata removes partition tables and signatures.
	EraseMetadata Erasure = iota
	// EraseAll overwrites the whole disk.
	EraseAll
)

// Erase has a disk to erase, and the options of the erasure. The zero values of the options are Ironic's defaults.
type Erase struct {
	Device string
	Depth  Erasure

	// NoNVMe and NoATA forbid a secure erase by the disk itself. Shred allows overwriting a disk whose secure erase
	// failed.
	NoNVMe, NoATA, Shred bool
	// Passes is the number of times that a disk is overwritten; 0 is once. Random omits the last pass, which writes
	// zeros.
	Passes int
	Random bool
	// Unguarded also erases file systems that several machines may share.
	Unguarded bool
}

// ProtectedError reports that a disk has content that other machines may use, so it must not be erased.
type ProtectedError struct{ Device, What string }

func (e *ProtectedError) Error() string {
	return fmt.Sprintf("Protected %s located on device %s. This volume or contents may be a shared block device. "+
		"Please consult your storage administrator, and restart cleaning after either detaching the volumes, or instructing IPA to not protect contents. "+
		"See Ironic Python Agent documentation for more information.", e.What, e.Device)
}

// UnitState is the state of a systemd unit.
type UnitState struct {
	Active string // activating, active, inactive, failed
	Result string // success, exit-code, …
}

// Texts is the value of a disk's attribute: unknown (nil), one text, or several alternatives.
type Texts []string

// MarshalJSON returns null, a string or a list.
func (t Texts) MarshalJSON() ([]byte, error) {
	switch {
	case t == nil:
		return []byte("null"), nil
	case len(t) == 1:
		return json.Marshal(t[0])
	}
	return json.Marshal([]string(t))
}

// Text returns the value of an attribute with one text.
func Text(s string) Texts { return Texts{s} }

// Disk is a block device as the agent describes it.
type Disk struct {
	Name               string `json:"name"`
	Model              Texts  `json:"model"`
	Size               int64  `json:"size"` // bytes
	Rotational         *bool  `json:"rotational"`
	WWN                Texts  `json:"wwn"`
	Serial             Texts  `json:"serial"`
	Vendor             Texts  `json:"vendor"`
	WWNWithExtension   Texts  `json:"wwn_with_extension"`
	WWNVendorExtension Texts  `json:"wwn_vendor_extension"`
	HCTL               Texts  `json:"hctl"`
	ByPath             Texts  `json:"by_path"`
	LogicalSectors     int    `json:"logical_sectors"`
	PhysicalSectors    int    `json:"physical_sectors"`
	Transport          Texts  `json:"tran"`

	// ReadOnly and VirtualMedia prevent a disk from being erased.
	ReadOnly     bool `json:"-"`
	VirtualMedia bool `json:"-"`

	partition bool // the device is a partition; set only for erasing
}
