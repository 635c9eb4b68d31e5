// Package vm tests the lab's virtual machines with QEMU: power, virtual media, boot order, UEFI variables, the serial
// line and snapshots. The machines boot live ISOs with only GRUB, which obeys commands on the serial line.
//
// The tests need QEMU, OVMF, grub-mkrescue (with x86_64-efi), xorriso and mtools, and run only with IRONWORKS_BOOT=1,
// as in make boot.
package vm
