package vm

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
)

// Accel is how QEMU runs the guest's code.
type Accel string

// The accelerators.
const (
	KVM Accel = "kvm" // on the CPU itself
	TCG Accel = "tcg" // translated: ten to twenty times slower
)

// Host is what this computer has for virtual machines.
type Host struct {
	// QEMU and Img are the programs qemu-system-x86_64 and qemu-img.
	QEMU, Img string
	Firmware  Firmware
	Accel     Accel
	// NoKVM says why Accel is not KVM; empty if it is.
	NoKVM string
}

// HostOptions replace where FindHost looks; for tests. The zero value is this computer.
type HostOptions struct {
	// LookPath finds a program; exec.LookPath if nil.
	LookPath func(name string) (string, error)
	// Firmware finds UEFI firmware; findFirmware below /usr/share if nil.
	Firmware func() (Firmware, error)
	// Device is KVM's device; /dev/kvm if empty.
	Device string
}

// missing is a program or file that virtual machines need and this computer lacks.
type missing struct {
	// What is missing: qemu-system-x86_64.
	What string
	// Debian and Fedora are the packages that have it.
	Debian, Fedora string
}

// missingError lists all that is missing.
type missingError struct{ Missing []missing }

func (e *missingError) Error() string {
	var what, debian, fedora []string
	for _, m := range e.Missing {
		what, debian, fedora = append(what, m.What), append(debian, m.Debian), append(fedora, m.Fedora)
	}
	return fmt.Sprintf("virtual machines need %s; install %s (Debian, Ubuntu) or %s (Fedora)",
		strings.Join(what, " and "), strings.Join(debian, " "), strings.Join(fedora, " "))
}

var (
	missingQEMU     = missing{"qemu-system-x86_64", "qemu-system-x86", "qemu-system-x86-core"}
	missingImg      = missing{"qemu-img", "qemu-utils", "qemu-img"}
	missingFirmware = missing{"UEFI firmware (OVMF)", "ovmf", "edk2-ovmf"}
)

// FindPrograms finds programs and firmware, without looking for KVM. The error is a
// missingError if something is missing.
func FindPrograms(o HostOptions) (Host, error) {
	if o.LookPath == nil {
		o.LookPath = exec.LookPath
	}
	if o.Firmware == nil {
		o.Firmware = func() (Firmware, error) { return findFirmware("/usr/share") }
	}
	var h Host
	var err error
	var missing missingError
	if h.QEMU, err = o.LookPath("qemu-system-x86_64"); err != nil {
		missing.Missing = append(missing.Missing, missingQEMU)
	}
	if h.Img, err = o.LookPath("qemu-img"); err != nil {
		missing.Missing = append(missing.Missing, missingImg)
	}
	if h.Firmware, err = o.Firmware(); err != nil {
		missing.Missing = append(missing.Missing, missingFirmware)
	}
	if len(missing.Missing) > 0 {
		return h, &missing
	}
	return h, nil
}

// FindHost finds all that virtual machines need, and whether KVM works. The latter takes up to
// a few seconds.
func FindHost(ctx context.Context, o HostOptions) (Host, error) {
	h, err := FindPrograms(o)
	if err != nil {
		return h, err
	}
	h.Accel = KVM
	if h.NoKVM = OpenKVM(o.Device); h.NoKVM == "" {
		h.NoKVM = h.tryKVM(ctx)
	}
	if err := ctx.Err(); err != nil {
		return h, err
	}
	if h.NoKVM != "" {
		h.Accel = TCG
	}
	return h, nil
}

// OpenKVM says why KVM's device cannot be used; empty if it can be opened. The device is
// /dev/kvm if empty.
func OpenKVM(device string) string {
	if device == "" {
		device = "/dev/kvm"
	}
	file, err := os.OpenFile(device, os.O_RDWR, 0) //nolint:gosec // KVM's device
	switch {
	case err == nil:
		_ = file.Close()
		return ""
	case errors.Is(err, fs.ErrNotExist):
		return device + " does not exist: enable virtualization in the firmware setup, or nested virtualization if this is a virtual machine"
	case errors.Is(err, fs.ErrPermission):
		return device + ": permission denied: add yourself to the group kvm (sudo usermod -aG kvm $USER) and log in again"
	}
	return err.Error()
}
