// Package vm proves the lab's virtual machines with QEMU itself: power, virtual media, boot order,
// UEFI variables, the serial line and snapshots. What boots are live ISOs with GRUB alone, which
// does over the serial line what it is told.
//
// The tests need QEMU, OVMF, grub-mkrescue (with x86_64-efi), xorriso and mtools, and run where
// IRONWORKS_BOOT=1 is set, as make boot sets it.
package vm
