package prepare

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"ironworks/ignition/image"
)

// WriteFile writes content, which may contain secrets, to the file at path. The mode of the file is 0600, and the
// file appears only when it is complete. An existing file is replaced only if force is true; otherwise, the error is
// fs.ErrExist. Devices and other special files are never replaced.
func WriteFile(ctx context.Context, path string, content io.Reader, force bool) error {
	info, err := os.Lstat(path)
	if err != nil || !force {
		return image.WriteStream(ctx, path, content)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("writing %s: not a regular file", path)
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), ".ironworks-*.tmp")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	fresh := filepath.Join(dir, filepath.Base(path))
	if err := image.WriteStream(ctx, fresh, content); err != nil {
		return err
	}
	if err := os.Rename(fresh, path); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
