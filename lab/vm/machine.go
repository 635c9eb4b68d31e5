// Package vm runs QEMU virtual machines for the lab: UEFI firmware with persistent variables,
// disks, a network interface in user networking, a serial line, and snapshots.
//
//	host, err := vm.FindHost(ctx, vm.HostOptions{})
//	v, err := vm.New(ctx, host, spec, folder)
//	end, err := v.Run(ctx, vm.Boot{Target: vm.TargetCD, CD: "live.iso"})
//
// One call of [VM.Run] is one boot: QEMU runs with -no-reboot, so that a reset by the guest ends
// the process and the caller decides what boots next. The package needs no root privileges, and
// knows neither Redfish nor Ironic.
package vm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"

	"ironworks/atomicfile"
)

// VM is a virtual machine. It is powered off except during [VM.Run].
type VM struct {
	host    Host
	spec    Spec
	folder  string
	serial  *Serial
	monitor atomic.Pointer[qmp] // nil while the machine is off
}

// errOff reports that the machine is not running.
var errOff = errors.New("the virtual machine is powered off")

// New returns a machine whose disks, UEFI variables and serial log are in a folder. It keeps existing files, but
// returns an error if the size of an existing disk differs.
func New(ctx context.Context, host Host, spec Spec, folder string) (*VM, error) {
	if err := spec.check(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("making virtual machine %s: %w", spec.Name, err)
	}
	v := &VM{host: host, spec: spec, folder: folder, serial: newSerial(filepath.Join(folder, "serial.log"))}
	if err := v.makeFiles(ctx); err != nil {
		return nil, fmt.Errorf("making virtual machine %s: %w", spec.Name, err)
	}
	return v, nil
}

// Serial returns the machine's serial line.
func (v *VM) Serial() *Serial { return v.serial }

func (v *VM) makeFiles(ctx context.Context) error {
	unlock, err := lock(v.folder)
	if err != nil {
		return err
	}
	defer unlock()
	variables := filepath.Join(v.folder, variablesFile)
	if _, err := os.Stat(variables); errors.Is(err, fs.ErrNotExist) {
		if err := copyFile(v.host.Firmware.Variables, variables); err != nil {
			return err
		}
	}
	for _, d := range v.spec.Disks {
		if err := v.makeDisk(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// makeDisk creates an empty disk, or checks the size of an existing one.
func (v *VM) makeDisk(ctx context.Context, d Disk) error {
	path := d.file(v.folder)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		_, err := v.host.runImg(ctx, "create", "-q", "-f", "qcow2", path, fmt.Sprint(d.SizeBytes))
		return err
	}
	out, err := v.host.runImg(ctx, "info", "--output=json", path)
	if err != nil {
		return err
	}
	var info struct {
		Size int64 `json:"virtual-size"`
	}
	if err := json.Unmarshal(out, &info); err != nil {
		return fmt.Errorf("reading the answer of qemu-img: %w", err)
	}
	if info.Size != d.SizeBytes {
		return fmt.Errorf("%s has %d bytes, not %d: use the previous size, or remove the file", path, info.Size, d.SizeBytes)
	}
	return nil
}

// runImg runs qemu-img and returns its output.
func (h Host) runImg(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, h.Img, args...) //nolint:gosec // found by FindHost
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("qemu-img %s: %w: %s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}

// PowerButton asks the guest to shut down (ACPI). The guest may ignore the request.
func (v *VM) PowerButton(ctx context.Context) error {
	return v.execute(ctx, "system_powerdown", nil)
}

// Eject ejects the medium. Like a BMC, it does so even if the guest has locked the medium.
func (v *VM) Eject(ctx context.Context) error {
	return v.execute(ctx, "eject", map[string]any{"id": cdDeviceID, "force": true})
}

func (v *VM) execute(ctx context.Context, command string, arguments map[string]any) error {
	monitor := v.monitor.Load()
	if monitor == nil {
		return fmt.Errorf("machine %s: %w", v.spec.Name, errOff)
	}
	if err := monitor.run(ctx, command, arguments, nil); err != nil {
		return fmt.Errorf("machine %s: %w", v.spec.Name, err)
	}
	return nil
}

// copyFile copies a file atomically; only its owner can read the copy.
func copyFile(from, to string) error {
	content, err := os.ReadFile(from) //nolint:gosec // the machine's own files and the firmware
	if err == nil {
		err = atomicfile.Replace(to, content)
	}
	if err != nil {
		return fmt.Errorf("copying %s: %w", from, err)
	}
	return nil
}
