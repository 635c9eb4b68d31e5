package linux_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"ironworks/agent"
	"ironworks/agent/linux"
)

// hostWith returns a host with a bootable disk. Of the programs that tests use, the host has only the named ones.
func hostWith(t *testing.T, programs ...string) *bench {
	t.Helper()
	b := bootable(t, map[string]string{"EFI/BOOT/BOOTX64.EFI": ""})
	b.write(t, "/sys/class/net/bonding_masters", "") // no interfaces
	b.write(t, "/dev/sda", strings.Repeat("x", 1<<20))
	b.answers("512\n", "blockdev --getss")
	b.answers("", "wipefs")
	for start := range b.programs {
		if name, _, _ := strings.Cut(start, " "); !slices.Contains(programs, name) {
			delete(b.programs, start)
		}
	}
	return b
}

// TestMissingProgramIsNamed checks that the error of a step names the program that is missing in the ramdisk
// (docs/reference/agent.md, Programs). Other tests do the same: TestInstall for coreos-installer, TestWriteRawImage
// for qemu-img, and agent.TestWithoutPrograms for programs that the steps themselves run.
func TestMissingProgramIsNamed(t *testing.T) {
	t.Parallel()
	type action func(context.Context, *linux.Machine) error
	eraseMetadata := func(ctx context.Context, m *linux.Machine) error {
		return m.Erase(ctx, agent.Erase{Device: "/dev/sda"})
	}
	overwrite := func(ctx context.Context, m *linux.Machine) error {
		return m.Erase(ctx, agent.Erase{Device: "/dev/sda", Depth: agent.EraseAll, Shred: true, Passes: 1})
	}
	bootFrom := func(ctx context.Context, m *linux.Machine) error { return m.BootFrom(ctx, "/dev/sda") }
	inventory := func(ctx context.Context, m *linux.Machine) error {
		_, err := m.Inventory(ctx)
		return err
	}
	start := func(ctx context.Context, m *linux.Machine) error {
		return m.StartUnit(ctx, "start-assisted-install.service")
	}
	for _, c := range []struct {
		missing string
		has     []string
		do      action
	}{
		{"lscpu", nil, inventory},
		{"lsblk", nil, eraseMetadata},
		{"wipefs", []string{"lsblk"}, eraseMetadata},
		{"blockdev", []string{"lsblk", "wipefs"}, eraseMetadata},
		{"sgdisk", []string{"lsblk", "wipefs", "blockdev"}, eraseMetadata},
		{"shred", []string{"lsblk"}, overwrite},
		{"lsblk", nil, bootFrom},
		{"mount", []string{"lsblk"}, bootFrom},
		{"efibootmgr", []string{"lsblk", "mount"}, bootFrom},
		{"systemctl", nil, start},
	} {
		err := c.do(t.Context(), hostWith(t, c.has...).machine)
		if !errors.Is(err, agent.ErrNoProgram) || !strings.Contains(err.Error(), c.missing+" is not installed on this host") {
			t.Errorf("without %s: %v", c.missing, err)
		}
	}
}
