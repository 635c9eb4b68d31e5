package linux

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"ironworks/agent"
)

// WriteImage writes an image to a disk. A raw image is written while it arrives; qemu-img writes the others.
func (m *Machine) WriteImage(ctx context.Context, write agent.ImageWrite, content io.Reader) (string, error) {
	h := m.host
	var err error
	if write.Wipe {
		err = h.eraseMetadata(ctx, write.Device)
	}
	switch {
	case err != nil:
	case write.Format == "raw":
		err = h.copyRaw(ctx, write.Device, content)
	default:
		err = h.convert(ctx, write, content)
	}
	if err != nil {
		return "", fmt.Errorf("writing the image to %s: %w", write.Device, err)
	}
	h.moveBackupGPT(ctx, write.Device)
	h.rescan(ctx, write.Device)
	out, err := h.program(ctx, "lsblk", "-nro", "TYPE", write.Device)
	if err != nil {
		return "", err
	}
	if !strings.Contains(out, "part") {
		return "", agent.ErrNoPartitions
	}
	if write.Configdrive != nil {
		drive, err := write.Configdrive(ctx)
		if err != nil {
			return "", err
		}
		if err := h.writeConfigdrive(ctx, write.Device, drive); err != nil {
			return "", err
		}
	}
	return h.identifier(write.Device)
}

// WritePartition writes the content of a partition.
func (m *Machine) WritePartition(ctx context.Context, partition string, content io.Reader) error {
	return m.host.copyRaw(ctx, partition, content)
}

// copyRaw copies an image to a disk.
func (h Host) copyRaw(ctx context.Context, device string, content io.Reader) error {
	const chunk = 4 << 20
	disk, err := os.OpenFile(h.path(device), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	buffer := make([]byte, chunk)
	for err == nil && ctx.Err() == nil {
		var n int
		n, err = io.ReadFull(content, buffer)
		if n > 0 {
			if _, failed := disk.Write(buffer[:n]); failed != nil {
				err = failed
			}
		}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = disk.Sync()
	}
	return errors.Join(err, ctx.Err(), disk.Close())
}

// Limits of qemu-img: the defaults of image_convert_memory_limit (in MiB) and image_convert_attempts of
// ironic_python_agent/config.py.
const (
	convertMiB   = 2048
	convertTries = 3
)

// convertCommand returns the command line of qemu-img, with a limited address space: an image may make the program
// allocate more memory than the machine has. A shell sets the limit, because every ramdisk has one. See convert_image
// of ironic_python_agent/qemu_img.py. MALLOC_ARENA_MAX limits the arenas, each of which needs much memory.
func convertCommand(format, image, device string) []string {
	return []string{
		"sh", "-c", `ulimit -v "$0" && exec "$@"`, strconv.Itoa(convertMiB << 10), "env", "MALLOC_ARENA_MAX=3",
		"qemu-img", "convert", "-f", format, "-O", "host_device", "-t", "directsync", "-S", "0", "-W", image, device,
	}
}

// convert writes an image with qemu-img, which needs a file because it reads at any offset. Like the real agent, it
// retries if memory was short: the page cache of the download may be the reason, and sync frees it.
func (h Host) convert(ctx context.Context, write agent.ImageWrite, content io.Reader) error {
	name, remove, err := h.imageFile(content)
	if err != nil {
		return err
	}
	defer remove()
	var failed *ProgramError
	for range convertTries {
		_, err = h.program(ctx, convertCommand(write.Format, name, write.Device)...)
		if !errors.As(err, &failed) {
			break
		}
		text := failed.Output.Stderr
		if !strings.Contains(text, "Resource temporarily unavailable") && !strings.Contains(text, "Cannot allocate memory") {
			break
		}
		h.warn("Failed to convert image, retrying. Error: %v", err)
		h.try(ctx, "sync")
	}
	const notFound = 127 // the exit status of env for a missing program
	switch {
	case errors.Is(err, agent.ErrNoProgram):
		return missingProgram("qemu-img")
	case !errors.As(err, &failed):
		return err
	case failed.Output.Code == notFound:
		return missingProgram("qemu-img")
	}
	return &agent.WriteError{Output: failed.Output}
}

// imageFile returns the name of a file with the content, as the host's programs see it. A downloaded image already is
// such a file, unless the agent runs in a container.
func (h Host) imageFile(content io.Reader) (name string, remove func(), err error) {
	if file, ok := content.(*os.File); ok && h.Root == "/" {
		return file.Name(), func() {}, nil
	}
	file, err := os.CreateTemp(h.path("/tmp"), "image-*")
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.Remove(file.Name()) }
	_, err = io.Copy(file, content)
	if err = errors.Join(err, file.Close()); err != nil {
		remove()
		return "", nil, err
	}
	return h.pathInRoot(file.Name()), remove, nil
}

// moveBackupGPT moves the backup of a GPT to the end of a disk that is larger than the image. Like fix_gpt_partition of
// ironic_python_agent/disk_utils.py it only warns of a failure.
func (h Host) moveBackupGPT(ctx context.Context, device string) {
	out, err := h.program(ctx, "sgdisk", "-v", device)
	var failed *ProgramError
	if errors.As(err, &failed) {
		out, err = failed.Output.Stdout, nil // sgdisk fails for a table with problems
	}
	if err == nil && strings.Contains(out, "it doesn't reside\nat the end of the disk") {
		_, err = h.program(ctx, "sgdisk", "-e", device)
	}
	if err != nil {
		h.warn("Failed to fix GPT partition on disk %s: %v", device, err)
	}
}

// identifier implements get_disk_identifier of ironic_python_agent/disk_utils.py: the signature in the disk's first
// sector.
func (h Host) identifier(device string) (string, error) {
	const at, size = 440, 4
	disk, err := os.Open(h.path(device))
	if err != nil {
		return "", err
	}
	signature := make([]byte, size)
	_, err = disk.ReadAt(signature, at)
	if err = errors.Join(err, disk.Close()); err != nil {
		return "", fmt.Errorf("reading the identifier of %s: %w", device, err)
	}
	return fmt.Sprintf("0x%08x", binary.LittleEndian.Uint32(signature)), nil
}
