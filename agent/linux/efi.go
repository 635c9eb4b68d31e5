package linux

import (
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"ironworks/agent"
)

// espTypes lists the partition types of an EFI system partition: the GPT type and the MBR type.
var espTypes = []string{"c12a7328-f81f-11d2-ba4b-00a0c93ec93b", "0xef"}

// bootLoaders has the same elements as BOOTLOADERS_EFI in ironic_python_agent/efi_utils.py. These are the file names
// of boot loaders, and of CSV files that name a boot loader and its boot entry.
var bootLoaders = []string{
	"bootx64.csv", "bootaa64.csv", "boot.csv",
	"bootia32.efi", "bootx64.efi", "bootia64.efi", "bootarm.efi", "bootaa64.efi",
	"bootriscv32.efi", "bootriscv64.efi", "bootriscv128.efi", "grubaa64.efi", "winload.efi",
}

// BootFrom creates a boot entry in the firmware for the boot loader on the given disk. It removes existing entries
// with the same name. See manage_uefi in ironic_python_agent/efi_utils.py.
func (m *Machine) BootFrom(ctx context.Context, device string) error {
	h := m.host
	h.rescan(ctx, device)
	partition, number, err := h.esp(ctx, device)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp(h.path("/tmp"), "esp-*")
	if err != nil {
		return fmt.Errorf("mounting %s: %w", partition, err)
	}
	defer func() { _ = os.Remove(folder) }()
	inside := h.pathInRoot(folder)
	if _, err := h.program(ctx, "mount", partition, inside); err != nil {
		return err
	}
	defer func() {
		// If unmounting fails, only log this, because the boot entry already exists and the ramdisk will end soon.
		h.try(context.WithoutCancel(ctx), "umount", inside)
	}()
	entries, err := findBootLoaders(folder)
	if err != nil {
		return fmt.Errorf("looking for boot loaders on %s: %w", partition, err)
	}
	if len(entries) == 0 {
		return fmt.Errorf("no boot loader found on the EFI partition %s", partition)
	}
	return h.createEntries(ctx, device, number, entries)
}

// rescan makes the kernel read the partition table of a disk again.
func (h Host) rescan(ctx context.Context, device string) {
	h.try(ctx, "partx", "-av", device)
	h.try(ctx, "udevadm", "settle")
}

// pathInRoot converts a path that the agent can open to the path of this file for programs in the host's root.
func (h Host) pathInRoot(name string) string {
	relative, err := filepath.Rel(h.Root, name)
	if err != nil {
		return name
	}
	return "/" + relative
}

func (h Host) esp(ctx context.Context, device string) (partition, number string, err error) {
	rows, err := h.lsblk(ctx, device, "KNAME", "TYPE", "PARTTYPE")
	if err != nil {
		return "", "", err
	}
	for _, row := range rows {
		if row[1] != "part" && row[1] != "md" || !slices.Contains(espTypes, strings.ToLower(row[2])) {
			continue
		}
		number, err := h.read("/sys/class/block/" + row[0] + "/partition")
		if err != nil {
			return "", "", fmt.Errorf("reading the number of partition %s: %w", row[0], err)
		}
		return "/dev/" + row[0], number, nil
	}
	return "", "", agent.ErrNoEFIPartition
}

type bootEntry struct {
	loader string // path within the partition, with backslashes
	label  string
}

// findBootLoaders searches a mounted EFI system partition. If it finds a CSV file in which a distribution lists its
// boot loader, it uses the first such file. Otherwise, it returns an entry for each boot loader.
func findBootLoaders(folder string) ([]bootEntry, error) {
	var entries []bootEntry
	var list string
	err := filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() || !slices.Contains(bootLoaders, strings.ToLower(entry.Name())):
			return nil
		case strings.HasSuffix(strings.ToLower(name), ".csv"):
			list = name
			return fs.SkipAll
		}
		relative, err := filepath.Rel(folder, name)
		if err != nil {
			return err
		}
		label := "ironic" + strconv.Itoa(len(entries)+1)
		entries = append(entries, bootEntry{loader: backslashes(relative), label: label})
		return nil
	})
	if err != nil || list == "" {
		return entries, err
	}
	entry, err := readBootList(folder, list)
	return []bootEntry{entry}, err
}

func backslashes(relative string) string { return `\` + strings.ReplaceAll(relative, "/", `\`) }

// readBootList reads a CSV file in shim's format, which contains the file name and the label of a boot loader. The
// text is in UTF-16, with or without a byte order mark.
func readBootList(folder, list string) (bootEntry, error) {
	content, err := os.ReadFile(list) //nolint:gosec // found below the mounted partition
	if err != nil {
		return bootEntry{}, err
	}
	units := make([]uint16, 0, len(content)/2)
	for pair := range slices.Chunk(content, 2) {
		if len(pair) == 2 {
			units = append(units, binary.LittleEndian.Uint16(pair))
		}
	}
	text := strings.TrimPrefix(string(utf16.Decode(units)), "\ufeff")
	file, rest, ok := strings.Cut(text, ",")
	if !ok {
		return bootEntry{}, fmt.Errorf("%s has no file name and label", filepath.Base(list))
	}
	label, _, _ := strings.Cut(rest, ",")
	relative, err := filepath.Rel(folder, filepath.Join(filepath.Dir(list), file))
	return bootEntry{loader: backslashes(relative), label: label}, err
}

// entryLine matches a boot entry in the output of efibootmgr.
var entryLine = regexp.MustCompile(`^Boot([0-9a-fA-F]+)\*?\s+(.*?)\s+(?:BBS|HD|FvFile|FvVol|PciRoot|VenMsg|VenHw|UsbClass)\(`)

// createEntries creates the given boot entries, each first in the boot order, in place of those with the same label.
func (h Host) createEntries(ctx context.Context, device, number string, entries []bootEntry) error {
	present, err := h.program(ctx, "efibootmgr", "-v")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		for line := range strings.Lines(present) {
			found := entryLine.FindStringSubmatch(line)
			if found == nil || found[2] != entry.label {
				continue
			}
			if _, err := h.program(ctx, "efibootmgr", "-b", found[1], "-B"); err != nil {
				return err
			}
		}
		if _, err := h.program(ctx, "efibootmgr", "-v", "-c", "-d", device, "-p", number, "-w", "-L", entry.label, "-l", entry.loader); err != nil {
			return err
		}
	}
	return nil
}
