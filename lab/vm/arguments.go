package vm

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// PCI addresses are fixed, because the device paths in UEFI variables contain them.
const (
	nicDevice     = 0x02
	scsiDevice    = 0x03
	rngDevice     = 0x04
	firstNVMe     = 0x08
	sataDevice    = 0x1f // q35's own AHCI controller
	sataFunction  = 2
	cdPort        = 0
	cdDriveID     = "cd"
	cdDeviceID    = "cd0"
	variablesFile = "vars.fd"
	// File descriptors that QEMU inherits; os/exec numbers them from 3.
	monitorFD = 3
	serialFD  = 4
)

// arguments returns QEMU's command line for one boot.
func (s *Spec) arguments(host Host, folder string, boot Boot, now time.Time) []string {
	args := []string{
		"-name", s.Name, "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
		"-machine", "q35,accel=" + string(host.Accel), "-cpu", "max,model-id=" + s.Processor,
		"-smp", strconv.Itoa(s.CPUs), "-m", strconv.Itoa(s.MemoryMiB), "-uuid", s.UUID,
		"-smbios", fmt.Sprintf("type=0,vendor=%s,version=%s,uefi=on", s.Vendor, s.BIOSVersion),
		"-smbios", fmt.Sprintf("type=1,manufacturer=%s,product=%s,serial=%s,uuid=%s", s.Vendor, s.Product, s.Serial, s.UUID),
		"-drive", "if=pflash,unit=0,format=raw,readonly=on,file=" + escape(host.Firmware.Code),
		"-drive", "if=pflash,unit=1,format=raw,file=" + escape(filepath.Join(folder, variablesFile)),
		"-chardev", fmt.Sprintf("socket,id=monitor,fd=%d", monitorFD), "-mon", "chardev=monitor,mode=control",
		"-chardev", fmt.Sprintf("socket,id=serial,fd=%d", serialFD), "-device", "isa-serial,chardev=serial",
		"-device", fmt.Sprintf("virtio-rng-pci,addr=%#x", rngDevice),
		"-netdev", s.netdev(), "-device", fmt.Sprintf("virtio-net-pci,netdev=net,mac=%s,addr=%#x,speed=%d,duplex=full", s.MAC, nicDevice, NICSpeed),
	}
	if s.ClockOffset != 0 {
		args = append(args, "-rtc", "base="+now.UTC().Add(s.ClockOffset).Format("2006-01-02T15:04:05"))
	}
	args = append(args, s.diskArguments(folder)...)
	medium := ""
	if boot.CD != "" {
		args = append(args, "-drive", "if=none,id="+cdDriveID+",media=cdrom,readonly=on,format=raw,file="+escape(boot.CD))
		medium = ",drive=" + cdDriveID
	}
	return append(args, "-device", fmt.Sprintf("ide-cd,id=%s,bus=ide.%d%s", cdDeviceID, cdPort, medium))
}

// netdev returns the value of QEMU's -netdev option: user networking with DHCP, NAT and the forwarded ports.
func (s *Spec) netdev() string {
	var b strings.Builder
	fmt.Fprintf(&b, "user,id=net,hostname=%s,host=%s,dhcpstart=%s", s.Name, HostAddress, s.Address)
	if s.BootFile != "" {
		b.WriteString(",bootfile=" + s.BootFile)
	}
	if s.Isolated {
		b.WriteString(",restrict=on")
	}
	for _, f := range s.Forwards {
		fmt.Fprintf(&b, ",hostfwd=tcp:%s-:%d", f.From, f.To)
	}
	return b.String()
}

func (s *Spec) diskArguments(folder string) []string {
	args := []string{"-device", fmt.Sprintf("virtio-scsi-pci,id=scsi,addr=%#x", scsiDevice)}
	var nvme, scsi int
	for i, d := range s.Disks {
		id := fmt.Sprintf("disk%d", i)
		args = append(args, "-drive", fmt.Sprintf("if=none,id=%s,format=qcow2,discard=unmap,file=%s", id, escape(d.file(folder))))
		if d.Kind == NVMe {
			// Set the UUID to zeros, because by default QEMU generates a new one at each start.
			args = append(args,
				"-device", fmt.Sprintf("nvme,id=nvme%d,serial=%s,addr=%#x", nvme, d.Serial, firstNVMe+nvme),
				"-device", fmt.Sprintf("nvme-ns,bus=nvme%d,drive=%s,nsid=1,uuid=00000000-0000-0000-0000-000000000000", nvme, id))
			nvme++
			continue
		}
		rotation := 1 // a medium that does not rotate (SBC-3, medium rotation rate)
		if d.Kind == HDD {
			rotation = 7200
		}
		args = append(args, "-device", fmt.Sprintf("scsi-hd,bus=scsi.0,channel=0,scsi-id=0,lun=%d,drive=%s,serial=%s,wwn=%#016x,vendor=%s,product=%s,rotation_rate=%d",
			scsi, id, d.Serial, d.WWN, d.Vendor, d.Product, rotation))
		scsi++
	}
	return args
}

// escape doubles the commas in a path, because QEMU separates options with commas.
func escape(path string) string { return strings.ReplaceAll(path, ",", ",,") }
