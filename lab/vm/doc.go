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
