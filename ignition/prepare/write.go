package prepare

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"ironworks/ignition/image"
)

// WriteFile writes content, which may contain secrets, to the file at path. The mode of the file is 0600, and the
// file appears only when it is complete. An existing file is replaced only if force is true; otherwise, the error is
// fs.ErrExist. Devices and other special files are never replaced.
func WriteFile(ctx context.Context, path string, content io.Reader, force bool) error {
	info, err := os.Lstat(path)
	replace := err == nil && force
	if replace && !info.Mode().IsRegular() {
		return fmt.Errorf("writing %s: not a regular file", path)
	}
	return image.WriteStream(ctx, path, content, replace)
}

// Initrd returns a stream of an initrd that contains config. If path is set, the stream is the live system's
// initramfs at path, followed by the configuration. The file at path stays open until the stream is closed.
func Initrd(ctx context.Context, path string, config []byte) (io.ReadCloser, error) {
	if path == "" {
		packed, err := image.Wrap(config)
		return io.NopCloser(bytes.NewReader(packed)), err
	}
	file, err := os.Open(path) //nolint:gosec // the user's own file
	if err != nil {
		return nil, err
	}
	stream, err := appended(ctx, file, config)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{stream, file}, nil
}

func appended(ctx context.Context, file *os.File, config []byte) (io.Reader, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	initramfs, err := image.ReadInitramfs(ctx, file, info.Size())
	if err != nil {
		return nil, err
	}
	return initramfs.Append(config)
}

// EditImage edits the ISO at path in place. If output is set, it writes an edited copy to output instead.
func EditImage(ctx context.Context, path, output string, change image.Change) (*image.Patch, error) {
	if output == "" {
		return image.EditFile(path, change)
	}
	return image.WriteFile(ctx, path, output, change)
}
