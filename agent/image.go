package agent

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"ironworks/python"
)

const (
	downloadTries = 10
	downloadRetry = 10 * time.Second
)

// writeImage implements the step of that name.
func (a *agent) writeImage(ctx context.Context, _, args *dict) (any, error) {
	if !args.Has("image_info") {
		return nil, raise("TypeError", "%s.write_image() missing 1 required positional argument: 'image_info'", genericManager.class)
	}
	info, err := readImageInfo(args, a.options.age(), a.md5)
	if err != nil {
		return nil, err
	}
	device, err := a.rootDisk(ctx, true)
	if err != nil {
		return nil, err
	}
	if a.written() != info.id {
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

func (a *agent) written() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.writtenImage
}

// fetchAndWrite returns the result of get_partition_uuids: the identifier of the disk, or those of
// its partitions. A raw image may be streamed to the disk and is verified afterwards; others are
// verified before the disk is touched.
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
		return err
	})
	if err != nil {
		return nil, err
	}
	return a.writeFile(ctx, info, device, file)
}

// prepare creates the partitions, if the image needs some.
func (a *agent) prepare(ctx context.Context, info imageInfo, device string) (*dict, error) {
	if !info.partition {
		return newDict(), nil
	}
	return a.partition(ctx, info, device)
}

// PartitionWriter is hardware whose partitions have content of their own.
type PartitionWriter interface {
	// WritePartition writes the content of a partition.
	WritePartition(ctx context.Context, partition string, content io.Reader) error
}

// fillConfigdrive writes the configdrive of a partition image, which has a partition for it.
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

// conductorResult returns the result that the conductor can request afterwards.
func (a *agent) conductorResult(ctx context.Context, info imageInfo, paths *dict, root string) (*dict, error) {
	if !info.partition {
		return newDict("root uuid", root), nil
	}
	if err := a.fillConfigdrive(ctx, info, paths.Text("configdrive")); err != nil {
		return nil, err
	}
	return a.addUUIDs(ctx, paths)
}

// writeFile writes a downloaded image.
func (a *agent) writeFile(ctx context.Context, info imageInfo, device string, file *os.File) (*dict, error) {
	end, err := file.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the image: %w", err)
	}
	target := device
	if info.partition {
		if err := fitsRoot(info, virtualSize(file, end)); err != nil {
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
	write := ImageWrite{Device: device, ID: info.id, Format: info.format}
	if info.configdrive != "" && !info.partition {
		write.Configdrive = func(ctx context.Context) ([]byte, error) { return a.configdrive(ctx, info) }
	}
	root, err := a.hardware.WriteImage(ctx, write, content)
	if errors.Is(err, ErrNoPartitions) {
		return "", newFault(deploymentError, "No partitions found on the device %s after writing the image.", device)
	}
	return root, err
}

// download tries the URLs until one returns the image with the right checksum.
func (a *agent) download(ctx context.Context, info imageInfo, location string, use func(io.Reader) error) error {
	var err error
	for try := range downloadTries {
		var final bool
		if final, err = a.downloadOnce(ctx, info, location, use); err == nil || final || ctx.Err() != nil {
			return err
		}
		a.log.standby.warning("Image download failed, %d of %d: %v", try, downloadTries-1, err)
		if try < downloadTries-1 && !a.sleep(ctx, downloadRetry) {
			return ctx.Err()
		}
	}
	return err
}

func (a *agent) downloadOnce(ctx context.Context, info imageInfo, location string, use func(io.Reader) error) (final bool, err error) {
	want, newHash, final, err := a.expected(ctx, info)
	if err != nil {
		return final, err
	}
	response, final, err := a.openAny(ctx, info)
	if err != nil {
		return final, err
	}
	defer func() { _ = response.Body.Close() }()
	sum := newHash()
	if err := use(io.TeeReader(response.Body, sum)); err != nil {
		var f *fault
		if errors.As(err, &f) {
			return true, f
		}
		where := location
		if info.streams {
			where = "device " + location
		}
		return false, newFault(imageDownload, "Download of image %s failed: Unable to write image to %s. Error: %v", info.id, where, err)
	}
	got := hex.EncodeToString(sum.Sum(nil))
	if got == want {
		return false, nil
	}
	const format = "Image failed to verify against checksum. location: %s; image ID: %s; image checksum: %s; verification checksum: %s"
	a.log.standby.error(format, location, info.id, want, got)
	// The real agent passes these two in the wrong order.
	return false, newFault(imageChecksum, format, info.id, location, want, got)
}

// openAny starts the download from the first URL that works.
func (a *agent) openAny(ctx context.Context, info imageInfo) (response *http.Response, final bool, err error) {
	begin := time.Now()
	var problems []string
	for _, address := range info.urls {
		a.log.standby.info("Attempting to download image from %s", address)
		var refused *refusal
		switch response, err = a.open(ctx, address); {
		case err == nil:
			return response, false, nil
		case !errors.As(err, &refused):
			return nil, true, newFault(commandExecution, "%v", err)
		case refused.status < http.StatusInternalServerError && a.options.age() == modern:
			return nil, true, newFault(imageDownload, "Download of image %s failed: %v", info.id, refused)
		}
		taken := time.Since(begin).Seconds()
		problem := fmt.Sprintf("URL: %s; time: %v seconds. Error: %v", address, taken, refused)
		a.log.standby.warning("%s", problem)
		problems = append(problems, problem)
	}
	return nil, false, newFault(imageDownload, "Download of image %s failed: %s", info.id, strings.Join(problems, "\n "))
}

// refusal is an answer other than 200.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return r.text }

// open starts a download. It retries after any answer: the real agent intends to exclude 404 and
// others, but an unsuccessful response is false in Python, so its condition never applies.
func (a *agent) open(ctx context.Context, address string) (*http.Response, error) {
	for try := 1; ; try++ {
		response, err := a.ask(ctx, address)
		if err == nil || try == downloadTries {
			return response, err
		}
		a.log.standby.warning("Unable to connect to %s, retrying. Error: %v", address, err)
		if !a.sleep(ctx, downloadRetry) {
			return nil, ctx.Err()
		}
	}
}

func (a *agent) ask(ctx context.Context, address string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	response, err := a.options.Client.Do(request)
	if err != nil || response.StatusCode == http.StatusOK {
		return response, err
	}
	defer func() { _ = response.Body.Close() }()
	const some = 64 << 10
	body, _ := io.ReadAll(io.LimitReader(response.Body, some))
	headers := newDict()
	for _, name := range slices.Sorted(maps.Keys(response.Header)) {
		headers.Set(name, response.Header.Get(name))
	}
	return nil, &refusal{response.StatusCode, fmt.Sprintf("Received status code %d from %s, expected 200. Response body: %s Response headers: %s",
		response.StatusCode, address, body, python.Repr(headers))}
}
