package prepare

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"ironworks/ignition/image"
)

// AppendTo streams the initramfs of a live system with a configuration behind it. The
// file stays open until the stream is closed.
func AppendTo(ctx context.Context, path string, config []byte) (io.ReadCloser, error) {
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
