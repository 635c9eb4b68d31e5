package vm

import (
	"context"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// kvmTrial is how long the firmware may take to write to its serial line under KVM; it takes
// about a second.
const kvmTrial = 10 * time.Second

// tryKVM starts the firmware under KVM and says why that does not work; empty if it does. That
// the device can be opened proves little: in some virtual machines KVM fails at the first
// instruction that it has to emulate.
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
