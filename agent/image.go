package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"ironworks/python"
)

// writeImage implements the write_image step.
func (a *agent) writeImage(ctx context.Context, _, args *dict) (any, error) {
	if !args.Has("image_info") {
		return nil, raise("TypeError", "%s.write_image() missing 1 required positional argument: 'image_info'", genericManager.class)
	}
	info, err := readImageInfo(args, a.options.generation(), a.rules.md5)
	if err != nil {
		return nil, err
	}
	device, err := a.rootDisk(ctx, true)
	if err != nil {
		return nil, err
	}
	if a.writtenDevice() != info.id {
		written, err := a.fetchAndWrite(ctx, info, device)
		if err != nil {
			return nil, err
		}
		a.mu.Lock()
		a.writtenImage, a.partitionUUIDs = info.id, written
		a.mu.Unlock()
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

func (a *agent) writtenDevice() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.writtenImage
}

// fetchAndWrite downloads the image and writes it to the device. It returns what get_partition_uuids will return: the
// identifier of the disk, or the identifiers of its partitions. An image that is streamed is verified only after it
// was written. All other images are verified before anything is written to the disk.
func (a *agent) fetchAndWrite(ctx context.Context, info imageInfo, device string) (*dict, error) {
	if info.streams {
		paths, err := a.prepare(ctx, info, device)
		if err != nil {
			return nil, err
		}
		target := device
		if info.partition {
			target = paths.Text("root")
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
		if err := rewind(file); err != nil {
			return err
		}
		_, err := io.Copy(file, content)
		return outOfSpace(info, file, err)
	})
	if err != nil {
		return nil, err
	}
	return a.writeFile(ctx, info, device, file)
}

// prepare creates the partitions, if the image is a partition image.
func (a *agent) prepare(ctx context.Context, info imageInfo, device string) (*dict, error) {
	if !info.partition {
		return newDict(), nil
	}
	return a.partition(ctx, info, device)
}

// PartitionWriter is implemented by a [Hardware] that can write to a single partition.
type PartitionWriter interface {
	// WritePartition writes content to the given partition.
	WritePartition(ctx context.Context, partition string, content io.Reader) error
}

// fillConfigdrive writes the configdrive to the partition that the agent created for it. The agent creates such a
// partition only for partition images.
func (a *agent) fillConfigdrive(ctx context.Context, info imageInfo, partition string) error {
	writer, ok := a.hardware.(PartitionWriter)
	if !ok || partition == "" {
		return nil
	}
	content, err := a.configdrive(ctx, info)
	if err != nil {
		return err
	}
	return writer.WritePartition(ctx, partition, bytes.NewReader(content))
}

// conductorResult returns the result that the conductor can later request with the get_partition_uuids command. For a
// partition image, it first writes the configdrive.
func (a *agent) conductorResult(ctx context.Context, info imageInfo, paths *dict, root string) (*dict, error) {
	if !info.partition {
		return newDict("root uuid", root), nil
	}
	if err := a.fillConfigdrive(ctx, info, paths.Text("configdrive")); err != nil {
		return nil, err
	}
	return a.addUUIDs(ctx, paths)
}

// writeFile checks the downloaded image in file and writes it to the device. No other program may read the file
// before the check.
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
	target := device
	if info.partition {
		if err := fitsRoot(info, size); err != nil {
			return nil, err
		}
	}
	paths, err := a.prepare(ctx, info, device)
	if err != nil {
		return nil, err
	}
	if info.partition {
		target = paths.Text("root")
	}
	root, err := a.write(ctx, info, target, file)
	if err != nil {
		return nil, err
	}
	return a.conductorResult(ctx, info, paths, root)
}

func rewind(file *os.File) error {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return file.Truncate(0)
}

func (a *agent) write(ctx context.Context, info imageInfo, device string, content io.Reader) (string, error) {
	write := ImageWrite{Device: device, ID: info.id, Format: info.format, Wipe: !info.streams && !info.partition}
	if info.configdrive != "" && !info.partition {
		write.Configdrive = func(ctx context.Context) ([]byte, error) { return a.configdrive(ctx, info) }
	}
	root, err := a.hardware.WriteImage(ctx, write, content)
	var failed *WriteError
	switch {
	case errors.Is(err, ErrNoPartitions):
		return "", newFault(deploymentError, "No partitions found on the device %s after writing the image.", device)
	case errors.As(err, &failed):
		return "", newFault(imageWriteError, "Writing image to device %s failed with exit code %d. stdout: %s. stderr: %s",
			device, failed.Output.Code, failed.Output.Stdout, failed.Output.Stderr)
	}
	return root, err
}
