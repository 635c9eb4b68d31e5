package agent

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"os"
	"time"
)

const (
	downloadTries = 10
	downloadRetry = 10 * time.Second
)

// imageInfo is what the conductor says of the image of a direct deployment.
type imageInfo struct {
	id, format  string
	urls        []string
	algorithm   string
	checksum    string
	newHash     func() hash.Hash
	streams     bool
	bootMode    string
	bootOption  string
	configdrive string
}

// writeImage is the step of that name.
func (a *agent) writeImage(ctx context.Context, _, args *dict) (any, error) {
	info, err := readImageInfo(args)
	if err != nil {
		return nil, err
	}
	device, err := a.rootDisk(ctx, true)
	if err != nil {
		return nil, err
	}
	if a.written() != info.id {
		root, err := a.fetchAndWrite(ctx, info, device)
		if err != nil {
			return nil, err
		}
		a.mu.Lock()
		a.writtenImage, a.partitionUUIDs = info.id, newDict("root uuid", root)
		a.mu.Unlock()
	}
	uuids, _ := a.getPartitionUUIDs(ctx, nil)
	message := fmt.Sprintf("image (%s) written to device %s root_uuid=%s", info.id, device, str(uuids.(*dict).get("root uuid")))
	if info.bootMode == string(UEFI) && info.bootOption == "local" {
		message += " efi_system_partition_uuid=None"
	}
	a.log.standby.info("%s", message)
	return newDict("result", "prepare_image: "+message), nil
}

func (a *agent) written() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.writtenImage
}

// fetchAndWrite answers the identifier of the disk. A raw image may go straight
// to the disk and is compared afterwards; any other must be right before the
// disk is touched.
func (a *agent) fetchAndWrite(ctx context.Context, info imageInfo, device string) (string, error) {
	if info.streams {
		var root string
		err := a.download(ctx, info, device, func(content io.Reader) error {
			var err error
			root, err = a.write(ctx, info, device, content)
			return err
		})
		return root, err
	}
	file, err := os.CreateTemp("", "image-*")
	if err != nil {
		return "", fmt.Errorf("keeping the image: %w", err)
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
		return "", err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return "", fmt.Errorf("reading the image: %w", err)
	}
	return a.write(ctx, info, device, file)
}

func rewind(file *os.File) error {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return file.Truncate(0)
}

func (a *agent) write(ctx context.Context, info imageInfo, device string, content io.Reader) (string, error) {
	root, err := a.hardware.WriteImage(ctx, ImageWrite{
		Device: device, ID: info.id, Format: info.format, Configdrive: info.configdrive,
	}, content)
	if errors.Is(err, ErrNoPartitions) {
		return "", newFault(deploymentError, "No partitions found on the device %s after writing the image.", device)
	}
	return root, err
}

// download tries the URLs until one gives the image with the right checksum.
// Whoever is told not to come back does not.
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
	for _, address := range info.urls {
		var response *http.Response
		if response, final, err = a.open(ctx, info.id, address); err != nil {
			if final {
				return true, err
			}
			continue
		}
		defer func() { _ = response.Body.Close() }()
		sum := info.newHash()
		if err := use(io.TeeReader(response.Body, sum)); err != nil {
			var f *fault
			if errors.As(err, &f) {
				return true, f
			}
			return false, newFault(imageDownload, "Download of image %s failed: Unable to write image to %s. Error: %v", info.id, location, err)
		}
		if got := hex.EncodeToString(sum.Sum(nil)); got != info.checksum {
			f := newFault(imageChecksum, "Image failed to verify against checksum. location: %s; image ID: %s; image checksum: %s; verification checksum: %s",
				location, info.id, info.checksum, got)
			a.log.standby.error("%s", f.Details)
			return false, f
		}
		return false, nil
	}
	return false, err
}

// open begins a download; an answer below 500 that is not 200 is final.
func (a *agent) open(ctx context.Context, id, address string) (response *http.Response, final bool, err error) {
	a.log.standby.info("Attempting to download image from %s", address)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, true, newFault(imageDownload, "Download of image %s failed: %v", id, err)
	}
	response, err = a.options.Client.Do(request)
	if err != nil {
		return nil, false, newFault(imageDownload, "Download of image %s failed: %v", id, err)
	}
	if response.StatusCode != http.StatusOK {
		const some = 1000
		body, _ := io.ReadAll(io.LimitReader(response.Body, some))
		_ = response.Body.Close()
		return nil, response.StatusCode < http.StatusInternalServerError, newFault(imageDownload,
			"Download of image %s failed: Received status code %d from %s, expected 200. Response body: %s", id, response.StatusCode, address, body)
	}
	return response, false, nil
}
