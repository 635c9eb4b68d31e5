package linux

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"ironworks/agent"
)

// WriteImage writes an image to a disk. Raw images are written as they arrive; others need
// qemu-img.
func (m *Machine) WriteImage(ctx context.Context, write agent.ImageWrite, content io.Reader) (string, error) {
	h := m.host
	var err error
	if write.Format == "raw" {
		err = h.copyRaw(ctx, write.Device, content)
	} else {
		err = h.convert(ctx, write, content)
	}
	if err != nil {
		return "", fmt.Errorf("writing the image to %s: %w", write.Device, err)
	}
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

// convert writes an image that qemu-img reads. The program reads a file, at any place in it.
func (h Host) convert(ctx context.Context, write agent.ImageWrite, content io.Reader) error {
	file, err := os.CreateTemp(h.path("/tmp"), "image-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	_, err = io.Copy(file, content)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	_, err = h.program(ctx, "qemu-img", "convert", "-f", write.Format, "-O", "host_device", "-t", "directsync", "-S", "0", "-W",
		h.inside(file.Name()), write.Device)
	return err
}

// identifier is get_disk_identifier of ironic_python_agent/disk_utils.py: the signature in the
// disk's first sector.
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
