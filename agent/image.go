package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"ironworks/python"
)

func (a *agent) writeImage(ctx context.Context, _, args *dict) (any, error) {
	if !args.Has("image_info") {
		return nil, raise("TypeError", "%s.write_image() missing 1 required positional argument: 'image_info'", genericManager.class)
	}
	info, err := readImageInfo(args, a.options.generation(), a.options.Images.MD5)
	if err != nil {
		return nil, err
	}
	device, err := a.rootDisk(ctx, true)
	if err != nil {
		return nil, err
	}
	if a.writtenImage != info.id {
		written, err := a.fetchAndWrite(ctx, info, device)
		if err != nil {
			return nil, err
		}
		a.writtenImage, a.partitionUUIDs = info.id, written
	}
	uuids, _ := a.getPartitionUUIDs(ctx, nil)
	efi := python.Str(uuids.(*dict).Get("efi system partition uuid"))
	message := fmt.Sprintf("image (%s) written to device %s root_uuid=%s", info.id, device, python.Str(uuids.(*dict).Get("root uuid")))
	if info.bootMode == string(UEFI) && (info.bootOption == "local" || efi != "None") {
		message += " efi_system_partition_uuid=" + efi
	}
	a.log.standby.info("%s", message)
	return newDict("result", "prepare_image: "+message), nil
}

// fetchAndWrite downloads the image and writes it to the device. It returns what get_partition_uuids will return: the
// identifier of the disk, or the identifiers of its partitions. An image that is streamed is verified only after it
// was written. All other images are verified before anything is written to the disk.
func (a *agent) fetchAndWrite(ctx context.Context, info imageInfo, device string) (*dict, error) {
	if info.streams {
		paths, target, err := a.prepare(ctx, info, device)
		if err != nil {
			return nil, err
		}
		root := ""
		err = a.download(ctx, info, target, func(content io.Reader) error {
			var err error
			root, err = a.write(ctx, info, target, content)
			return err
		})
		if err != nil {
			return nil, err
		}
		return a.conductorResult(ctx, info, paths, root)
	}
	file, err := os.CreateTemp("", "image-*")
	if err != nil {
		return nil, fmt.Errorf("keeping the image: %w", err)
	}
	defer func() {
		_ = file.Close()
		_ = os.Remove(file.Name())
	}()
	err = a.download(ctx, info, "/tmp/"+info.id, func(content io.Reader) error {
		// Discard what an earlier attempt has written.
		_, err := file.Seek(0, io.SeekStart)
		if err = errors.Join(err, file.Truncate(0)); err != nil {
			return err
		}
		_, err = io.Copy(file, content)
		if errors.Is(err, syscall.ENOSPC) { // a retry would fail, too
			return newFault(imageNoSpace, "Download of image %s failed: Unable to write image to %s. Error: [Errno 28] No space left on device", info.id, file.Name())
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return a.writeFile(ctx, info, device, file)
}

// prepare returns the device to which the image is written. For a partition image, it first creates the partitions.
func (a *agent) prepare(ctx context.Context, info imageInfo, device string) (paths *dict, target string, err error) {
	if !info.partition {
		return newDict(), device, nil
	}
	paths, err = a.partition(ctx, info, device)
	return paths, paths.Text("root"), err
}

// PartitionWriter is implemented by a [Hardware] that can write to a single partition.
type PartitionWriter interface {
	// WritePartition writes content to the given partition.
	WritePartition(ctx context.Context, partition string, content io.Reader) error
}

// conductorResult returns the result that the conductor can later request with the get_partition_uuids command. For a
// partition image, it first writes the configdrive to the partition that the agent created for it.
func (a *agent) conductorResult(ctx context.Context, info imageInfo, paths *dict, root string) (*dict, error) {
	if !info.partition {
		return newDict("root uuid", root), nil
	}
	partition := paths.Text("configdrive")
	if writer, ok := a.hardware.(PartitionWriter); ok && partition != "" {
		content, err := a.configdrive(ctx, info)
		if err == nil {
			err = writer.WritePartition(ctx, partition, bytes.NewReader(content))
		}
		if err != nil {
			return nil, err
		}
	}
	return a.addUUIDs(ctx, paths)
}

// writeFile checks the image in file and writes it to the device. No other program may read it before the check.
func (a *agent) writeFile(ctx context.Context, info imageInfo, device string, file *os.File) (*dict, error) {
	end, err := file.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the image: %w", err)
	}
	format, size, err := a.checkFormat(info, file, end)
	if err != nil {
		return nil, err
	}
	info.format = format
	if info.partition {
		if err := fitsRoot(info, size); err != nil {
			return nil, err
		}
	}
	paths, target, err := a.prepare(ctx, info, device)
	if err != nil {
		return nil, err
	}
	root, err := a.write(ctx, info, target, file)
	if err != nil {
		return nil, err
	}
	return a.conductorResult(ctx, info, paths, root)
}

func (a *agent) write(ctx context.Context, info imageInfo, device string, content io.Reader) (string, error) {
	write := ImageWrite{Device: device, ID: info.id, Format: info.format, Wipe: !info.streams && !info.partition}
	if info.configdrive != "" && !info.partition {
		write.Configdrive = func(ctx context.Context) ([]byte, error) { return a.configdrive(ctx, info) }
	}
	root, err := a.hardware.WriteImage(ctx, write, content)
	if errors.Is(err, ErrNoPartitions) {
		return "", newFault(deploymentError, "No partitions found on the device %s after writing the image.", device)
	}
	if failed, ok := errors.AsType[*WriteError](err); ok {
		return "", writeFault(device, failed.Output)
	}
	return root, err
}
