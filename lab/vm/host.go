package vm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Accel is the QEMU accelerator that runs the guest's code.
type Accel string

// Supported accelerators.
const (
	KVM Accel = "kvm" // runs code on the CPU itself
	TCG Accel = "tcg" // translates code, which is ten to twenty times slower
)

// Host holds the programs and features of this computer that virtual machines need.
type Host struct {
	// QEMU and Img are the programs qemu-system-x86_64 and qemu-img.
	QEMU, Img string
	Firmware  Firmware
	Accel     Accel
	// NoKVM is the reason why Accel is not KVM. It is empty if Accel is KVM.
	NoKVM string
}

// HostOptions allows tests to change where FindHost searches. With the zero value, FindHost searches this computer.
type HostOptions struct {
	// LookPath finds a program; nil means exec.LookPath.
	LookPath func(name string) (string, error)
	// Firmware finds UEFI firmware; nil means findFirmware below /usr/share.
	Firmware func() (Firmware, error)
	// Device is KVM's device; empty means /dev/kvm.
	Device string
}

// FindPrograms finds the programs and the firmware, without testing KVM. If something is missing, the error names it,
// and the packages that contain it.
func FindPrograms(o HostOptions) (Host, error) {
	if o.LookPath == nil {
		o.LookPath = exec.LookPath
	}
	if o.Firmware == nil {
		o.Firmware = func() (Firmware, error) { return findFirmware("/usr/share") }
	}
	var missing, debian, fedora []string
	need := func(err error, what, debianPackage, fedoraPackage string) {
		if err != nil {
			missing, debian, fedora = append(missing, what), append(debian, debianPackage), append(fedora, fedoraPackage)
		}
	}
	var h Host
	var err error
	h.QEMU, err = o.LookPath("qemu-system-x86_64")
	need(err, "qemu-system-x86_64", "qemu-system-x86", "qemu-system-x86-core")
	h.Img, err = o.LookPath("qemu-img")
	need(err, "qemu-img", "qemu-utils", "qemu-img")
	h.Firmware, err = o.Firmware()
	need(err, "UEFI firmware (OVMF)", "ovmf", "edk2-ovmf")
	if len(missing) > 0 {
		return h, fmt.Errorf("virtual machines need %s; install %s (Debian, Ubuntu) or %s (Fedora)",
			strings.Join(missing, " and "), strings.Join(debian, " "), strings.Join(fedora, " "))
	}
	return h, nil
}

// FindHost finds everything that virtual machines need, and tests KVM, which takes up to ten seconds.
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

// OpenKVM returns the reason why KVM's device cannot be used, or "". An empty device means /dev/kvm.
func OpenKVM(device string) string {
	device = cmp.Or(device, "/dev/kvm")
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

// kvmTrial is the maximum time that the firmware may take under KVM to write to its serial line. 1 s is usual.
const kvmTrial = 10 * time.Second

// tryKVM starts the firmware under KVM. It returns the reason why that does not work, or "". Opening the device proves
// little: in some virtual machines, KVM fails at the first instruction that it must emulate.
func (h Host) tryKVM(ctx context.Context) string {
	folder, err := os.MkdirTemp("", "ironworks-kvm-")
	if err != nil {
		return err.Error()
	}
	defer func() { _ = os.RemoveAll(folder) }()
	h.Accel = KVM
	if err := copyFile(h.Firmware.Variables, filepath.Join(folder, variablesFile)); err != nil {
		return err.Error()
	}
	ctx, cancel := context.WithTimeout(ctx, kvmTrial)
	defer cancel()
	v := &VM{host: h, folder: folder, serial: newSerial(""), spec: Spec{
		Name: "kvm-trial", UUID: "00000000-0000-0000-0000-000000000000", CPUs: 1, MemoryMiB: 256, MAC: "52:54:00:00:00:00",
		Address: netip.AddrFrom4([4]byte{10, 0, 2, 15}), Isolated: true, Processor: "trial",
	}}
	wrote := make(chan struct{})
	v.serial.onFirst = func() {
		close(wrote)
		cancel()
	}
	_, err = v.run(ctx, Boot{})
	select {
	case <-wrote:
		return ""
	default:
	}
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return "KVM does not run the firmware: " + first
	}
	return "KVM does not run the firmware: no output within " + kvmTrial.String()
}
