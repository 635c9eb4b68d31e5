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

// WriteImage writes an image to a disk. It writes raw images as they arrive, and uses qemu-img for all others.
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

// WritePartition implements [agent.PartitionWriter].
func (m *Machine) WritePartition(ctx context.Context, partition string, content io.Reader) error {
	return m.host.copyRaw(ctx, partition, content)
}

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

// The limits for qemu-img are image_convert_memory_limit (MiB) and image_convert_attempts in the agent's config.py.
const (
	convertMiB   = 2048
	convertTries = 3
)

// convert writes an image with qemu-img. The image must be in a file, because qemu-img reads at arbitrary offsets.
//
// convert limits the program's address space, because an image may make the program allocate more memory than the
// machine has. A shell sets this limit, because every ramdisk has a shell. MALLOC_ARENA_MAX limits the number of
// malloc's arenas, each of which needs much memory. See convert_image in ironic_python_agent/qemu_img.py. Like the
// real agent, convert retries if there was not enough memory. The page cache of the download may be the cause, and
// sync allows the kernel to free it.
func (h Host) convert(ctx context.Context, write agent.ImageWrite, content io.Reader) error {
	name, remove, err := h.imageFile(content)
	if err != nil {
		return err
	}
	defer remove()
	var failed *ProgramError
	for range convertTries {
		_, err = h.program(ctx, "sh", "-c", `ulimit -v "$0" && exec "$@"`, strconv.Itoa(convertMiB<<10), "env", "MALLOC_ARENA_MAX=3",
			"qemu-img", "convert", "-f", write.Format, "-O", "host_device", "-t", "directsync", "-S", "0", "-W", name, write.Device)
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
	const notFound = 127 // exit status of env if the program does not exist
	failed, isFailure := errors.AsType[*ProgramError](err)
	switch {
	case errors.Is(err, agent.ErrNoProgram), isFailure && failed.Output.Code == notFound:
		return missingProgram("qemu-img")
	case isFailure:
		return &agent.WriteError{Output: failed.Output}
	}
	return err
}

// imageFile returns the name of a file with the image that programs on the host can open. A downloaded image is already
// in such a file, unless the agent runs in a container. remove deletes a file that imageFile created.
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

// moveBackupGPT moves the backup GPT to the end of the disk, which is necessary if the disk is larger than the image.
// Like fix_gpt_partition in ironic_python_agent/disk_utils.py, it only logs a warning if that fails.
func (h Host) moveBackupGPT(ctx context.Context, device string) {
	out, err := h.program(ctx, "sgdisk", "-v", device)
	if failed, ok := errors.AsType[*ProgramError](err); ok {
		out, err = failed.Output.Stdout, nil // sgdisk exits with an error if the table has problems
	}
	if err == nil && strings.Contains(out, "it doesn't reside\nat the end of the disk") {
		_, err = h.program(ctx, "sgdisk", "-e", device)
	}
	if err != nil {
		h.warn("Failed to fix GPT partition on disk %s: %v", device, err)
	}
}

// identifier implements get_disk_identifier from disk_utils.py: the signature in the first sector of the disk.
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
