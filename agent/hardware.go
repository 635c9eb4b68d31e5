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
// Its methods are called from several goroutines, but only one step runs at a time. They return early when their
// context is canceled.
type Hardware interface {
	// Inventory returns the inventory of the machine, including disks.
	Inventory(ctx context.Context) (Inventory, error)
	// BlockDevices returns the disks in the kernel's order, with all serials and WWNs. An array follows its first disk.
	BlockDevices(ctx context.Context) ([]Disk, error)

	// Install runs coreos-installer and calls the line function for each line of its output. The error is an
	// *ExitError if the installer fails, and ErrNoInstaller if it does not exist.
	Install(ctx context.Context, install Install, line func(string)) error
	// BootFrom creates a boot entry in the firmware for the given disk, or returns ErrNoEFIPartition.
	BootFrom(ctx context.Context, device string) error
	// WriteImage writes an image to a disk and returns the disk's new identifier. The error is ErrNoPartitions if the
	// disk has no partitions afterwards, and a *WriteError if the program that converts the image fails. If the reader
	// of a raw image returns ErrChecksum at its end, the image has been written, and WriteImage returns it, too.
	WriteImage(ctx context.Context, write ImageWrite, content io.Reader) (string, error)
	// Erase erases the metadata of a disk or the whole disk, or returns a *ProtectedError.
	Erase(ctx context.Context, erase Erase) error

	// Execute runs a program of the ramdisk until it ends. The error is ErrNoProgram if the program does not exist. If
	// the program fails, the error is nil and the output contains the exit status.
	Execute(ctx context.Context, argv ...string) (Output, error)
	// Mount mounts the file system on a device and returns its files and folders. The error is a *MountError if the
	// device cannot be mounted. Unmount makes the file system contain the given files, and unmounts it.
	Mount(ctx context.Context, device string) ([]File, error)
	Unmount(ctx context.Context, device string, files []File) error

	// StartUnit starts a systemd unit of the host, and UnitState returns the current state of such a unit.
	StartUnit(ctx context.Context, unit string) error
	UnitState(ctx context.Context, unit string) (UnitState, error)

	// SetRescuePassword lets the rescue user log in with the password that has the given hash.
	SetRescuePassword(ctx context.Context, hash string) error
	// NetworkDown takes all network interfaces down for good.
	NetworkDown(ctx context.Context) error
	// Sync writes cached data to disk.
	Sync(ctx context.Context) error
	// PowerOff and Reboot only initiate the action; they do not wait until it is complete.
	PowerOff(ctx context.Context) error
	Reboot(ctx context.Context) error
}

// The following errors are returned by methods of [Hardware].
var (
	ErrNoInstaller    = errors.New("coreos-installer is not there")
	ErrNoProgram      = errors.New("no such program")
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

// Install describes one run of coreos-installer.
type Install struct {
	Device      string
	Ignition    []byte   // nil if there is no Ignition configuration
	AppendKargs []string // each is passed with --append-karg
	ImageURL    string   // if empty, the installer runs with --offline
	CopyNetwork bool
}

// ImageWrite describes the image that [Hardware].WriteImage writes.
type ImageWrite struct {
	Device string
	ID     string
	// Format is the format of the content, such as raw or qcow2. The agent has verified all content that is not raw.
	Format string
	// Wipe requests that tables and signatures be removed first, because the image may overwrite only some of them.
	Wipe bool
	// Configdrive returns the configdrive's file system after the image was written. It is nil without a configdrive.
	Configdrive func(context.Context) ([]byte, error)
}

// Erasure specifies which part of a disk to erase.
type Erasure int

const (
	// EraseMetadata removes partition tables and signatures.
	EraseMetadata Erasure = iota
	// EraseAll overwrites the whole disk.
	EraseAll
)

// Erase describes how to erase a disk. The zero values of the options are Ironic's defaults.
type Erase struct {
	Device string
	Depth  Erasure

	// NoNVMe and NoATA forbid a secure erase by the disk itself. Shred allows overwriting a disk if that failed.
	NoNVMe, NoATA, Shred bool
	// Passes is the number of times to overwrite the disk; 0 means once. Random omits the final pass of zeros.
	Passes int
	Random bool
	// Unguarded allows erasing file systems that several machines may share.
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
	Active string `json:"active"` // activating, active, inactive, failed
	Result string `json:"result"` // success, exit-code, …
}

// Texts holds a disk attribute, with several elements if there are alternative values. It is nil if it is unknown.
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

// First returns the attribute with only its first value.
func (t Texts) First() Texts {
	if len(t) == 0 {
		return nil
	}
	return t[:1]
}

// Text returns a disk attribute whose only value is s.
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
