package agent

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"ironworks/python"
)

const (
	mib = 1 << 20
	// These are the default sizes of the partitions that the agent adds, in MiB.
	efiPartitionMiB  = 550
	biosPartitionMiB = 1
)

// layout describes the partitions that the agent creates on a disk for an image of a root file system.
type layout struct {
	argv  []string
	paths *dict // maps the purpose of each partition to its device
	start int   // the start of the next partition, in MiB
}

func (l *layout) add(device, what, fs, flag string, size int) {
	number := len(l.paths.Keys()) + 1
	l.argv = append(l.argv, "mkpart", "primary", fs, strconv.Itoa(l.start), strconv.Itoa(l.start+size))
	if flag != "" {
		l.argv = append(l.argv, "set", strconv.Itoa(number), flag, "on")
	}
	l.start += size
	l.paths.Set(what, partitionPath(device, number))
}

// megabytes returns the size in MiB under the given key of an image_info, or a KeyError if there is no such key.
func megabytes(given *dict, key string) (int, error) {
	if !given.Has(key) {
		return 0, raise("KeyError", "'%s'", key)
	}
	n, err := strconv.Atoi(python.Str(given.Get(key)))
	if err != nil {
		return 0, raise("ValueError", "invalid literal for int() with base 10: %s", python.Repr(given.Get(key)))
	}
	return n, nil
}

// partition creates the partitions for an image of a root file system, and formats all of them except the root
// partition. It returns a map from the purpose of each partition to its device. If the ephemeral partition must be
// preserved, it uses the existing partitions.
func (a *agent) partition(ctx context.Context, info imageInfo, device string) (*dict, error) {
	node, given := a.node.Load(), info.given
	if !given.Has("preserve_ephemeral") {
		return nil, raise("KeyError", "'preserve_ephemeral'")
	}
	sizes := map[string]int{}
	for _, key := range []string{"root_mb", "swap_mb", "ephemeral_mb"} {
		size, err := megabytes(given, key)
		if err != nil {
			return nil, err
		}
		sizes[key] = size
	}
	configdrive, err := a.configdrive(ctx, info)
	if err != nil {
		return nil, err
	}
	preserve := python.Truthy(given.Get("preserve_ephemeral"))
	if !preserve {
		if _, err := a.program(ctx, "wipefs", "--force", "--all", device); err != nil {
			return nil, writeFailed(device, err)
		}
	}
	mode, table := a.bootModeOf(node), a.tableType(node)
	l := layout{argv: []string{"parted", "-a", "optimal", "-s", device, "--", "unit", "MiB", "mklabel", table}, paths: newDict(), start: 1}
	if mode == string(UEFI) {
		l.add(device, "efi system partition", "fat32", "boot", efiPartitionMiB)
	}
	if mode == string(BIOS) && table == "gpt" {
		l.add(device, "BIOS Boot partition", "", "bios_grub", biosPartitionMiB)
	}
	if size := sizes["ephemeral_mb"]; size > 0 {
		l.add(device, "ephemeral", "", "", size)
	}
	if size := sizes["swap_mb"]; size > 0 {
		l.add(device, "swap", "linux-swap", "", size)
	}
	if size := (len(configdrive) + mib - 1) / mib; size > 0 {
		l.add(device, "configdrive", "", "", size)
	}
	boot := ""
	if mode == string(BIOS) && table == "msdos" {
		boot = "boot"
	}
	l.add(device, "root", "", boot, sizes["root_mb"])
	if !preserve {
		if _, err := a.program(ctx, l.argv...); err != nil {
			return nil, writeFailed(device, err)
		}
		a.rescan(ctx, device)
	}
	return l.paths, a.format(ctx, device, l.paths, given, preserve)
}

// format creates file systems on all partitions except root and, if preserve is true, the ephemeral partition.
func (a *agent) format(ctx context.Context, device string, paths, given *dict, preserve bool) error {
	for _, fs := range []struct{ what, kind, label string }{
		{"efi system partition", "vfat", "efi-part"}, {"swap", "swap", "swap1"}, {"ephemeral", given.Text("ephemeral_format"), "ephemeral0"},
	} {
		path := paths.Text(fs.what)
		if path == "" || fs.what == "ephemeral" && preserve {
			continue
		}
		argv := []string{"mkfs", "-t", fs.kind}
		switch fs.kind {
		case "swap":
			argv = []string{"mkswap", "-L"}
		case "vfat", "msdos":
			argv = append(argv, "-n")
		case "ext3", "ext4":
			argv = append(argv, "-F", "-L")
		default:
			argv = append(argv, "-L")
		}
		if _, err := a.program(ctx, append(argv, fs.label, path)...); err != nil {
			return writeFailed(device, err)
		}
	}
	return nil
}

func writeFailed(device string, err error) error {
	if failed, ok := errors.AsType[*processError](err); ok {
		return writeFault(device, failed.out)
	}
	return err
}

func writeFault(device string, out Output) *fault {
	return newFault(imageWriteError, "Writing image to device %s failed with exit code %d. stdout: %s. stderr: %s", device, out.Code, out.Stdout, out.Stderr)
}

func (a *agent) addUUIDs(ctx context.Context, paths *dict) (*dict, error) {
	result := newDict("partitions", paths)
	for _, p := range []struct{ key, what string }{{"root uuid", "root"}, {"efi system partition uuid", "efi system partition"}} {
		path := paths.Text(p.what)
		if path == "" {
			result.Set(p.key, nil)
			continue
		}
		for _, tag := range []string{"UUID", "PARTUUID"} {
			out, err := a.program(ctx, "blkid", "-s", tag, "-o", "value", path)
			if err == nil && strings.TrimSpace(out.Stdout) != "" {
				result.Set(p.key, strings.TrimSpace(out.Stdout))
				break
			}
		}
	}
	return result, ctx.Err()
}

// maxConfigdrive is MAX_CONFIG_DRIVE_SIZE_MB in the agent's partition_utils.py, converted to bytes.
const maxConfigdrive = 64 * mib

// configdrive returns the file system of the configdrive. Ironic sends either this file system, compressed with gzip
// and encoded in base64, or the URL from which to download it. The result is nil if there is no configdrive.
func (a *agent) configdrive(ctx context.Context, info imageInfo) ([]byte, error) {
	if info.configdrive == "" {
		return nil, nil
	}
	node, text := info.given.Text("node_uuid"), info.configdrive
	if strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://") {
		status, body, err := a.get(ctx, text)
		switch {
		case status == 0:
			return nil, newFault(deploymentError, "Can't download the configdrive content for node %s from '%s'. Reason: %v", node, text, err)
		case err != nil || status >= http.StatusBadRequest:
			return nil, newFault(deploymentError, "Can't download the configdrive content for node %s from '%s'. Got status code %d, response body %s", node, text, status, body)
		}
		text = string(body)
	}
	packed, err := decodeBase64(text)
	if err != nil {
		return nil, newFault(deploymentError, "Config drive for node %s is not base64 encoded or the content is malformed. Error: %v.", node, err)
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, newFault(deploymentError, "Encountered error while decompressing and writing config drive for node %s. Error: Not a gzipped file (%s)", node, python.Repr(string(packed[:min(2, len(packed))])))
	}
	content, err := io.ReadAll(io.LimitReader(reader, 2*maxConfigdrive))
	if err != nil {
		return nil, newFault(deploymentError, "Encountered error while decompressing and writing config drive for node %s. Error: %v", node, err)
	}
	if size := (len(content) + mib - 1) / mib; size > maxConfigdrive/mib {
		return nil, newFault(deploymentError, "Config drive size exceeds maximum limit of 64MiB. Size of the given config drive is %d MiB for node %s.", size, node)
	}
	return content, nil
}

// fitsRoot returns an error if an image of the given size, in bytes, does not fit into the root partition.
func fitsRoot(info imageInfo, size int64) error {
	root, err := megabytes(info.given, "root_mb")
	if err != nil {
		return err
	}
	if needs := (size + mib - 1) / mib; needs > int64(root) {
		return newFault(invalidParams, "Root partition is too small for requested image. Image virtual size: %d MB, Root size: %s MB", needs, fmt.Sprint(root))
	}
	return nil
}
