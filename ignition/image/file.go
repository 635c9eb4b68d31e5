package image

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// EditFile edits the image file at path in place, and syncs it. It computes the whole change before it writes.
func EditFile(path string, change Change) (*Patch, error) {
	iso, err := open(path, os.O_RDWR)
	if err != nil {
		return nil, err
	}
	file, _ := iso.closer.(*os.File)
	patch, err := iso.Edit(change)
	if err == nil {
		err = patch.Apply(file)
	}
	if err == nil {
		err = file.Sync()
	}
	if err = cmp.Or(err, file.Close()); err != nil {
		return nil, fmt.Errorf("editing %s: %w", path, err)
	}
	return patch, nil
}

// copyStep is the number of bytes copied between checks for cancellation.
const copyStep = 256 << 20

// WriteFile writes a changed copy of the image at path to a new file at output. The file appears only when it is
// complete. WriteFile never replaces an existing file; it returns [fs.ErrExist] instead. The mode of the file is
// 0600, as in coreos-installer, because a configuration may contain secrets. If the file system supports it, the copy
// shares unchanged blocks with the original.
func WriteFile(ctx context.Context, path, output string, change Change) (*Patch, error) {
	iso, patch, err := edited(path, change)
	if err != nil {
		return nil, err
	}
	defer func() { _ = iso.Close() }()
	err = writeNew(output, false, func(file *os.File) error {
		// Copy from file to file, so that the kernel can copy the data efficiently.
		if err := copyFile(ctx, file, iso.closer.(*os.File), iso.files.size); err != nil {
			return err
		}
		return patch.Apply(file)
	})
	if err != nil {
		return nil, err
	}
	return patch, nil
}

// WriteTo writes a changed copy of the image at path to w. It computes the whole change before it writes anything.
func WriteTo(w io.Writer, path string, change Change) (*Patch, error) {
	iso, patch, err := edited(path, change)
	if err != nil {
		return nil, err
	}
	defer func() { _ = iso.Close() }()
	stream, err := patch.Stream(iso)
	if err != nil {
		return nil, err
	}
	_, err = io.Copy(w, stream)
	return patch, err
}

// edited opens the image at path and computes the patch for change. The caller must close the image.
func edited(path string, change Change) (*ISO, *Patch, error) {
	iso, err := Open(path)
	if err != nil {
		return nil, nil, err
	}
	patch, err := iso.Edit(change)
	if err != nil {
		_ = iso.Close()
		return nil, nil, fmt.Errorf("editing %s: %w", path, err)
	}
	return iso, patch, nil
}

func copyFile(ctx context.Context, to, from *os.File, size int64) error {
	if _, err := from.Seek(0, io.SeekStart); err != nil {
		return err
	}
	for left := size; left > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := io.CopyN(to, from, min(left, copyStep))
		if err != nil {
			return err
		}
		left -= n
	}
	return nil
}

// WriteStream writes a stream to a new file at output, under the same conditions as [WriteFile]. If replace is true, it
// replaces an existing file.
func WriteStream(ctx context.Context, output string, stream io.Reader, replace bool) error {
	return writeNew(output, replace, func(file *os.File) error {
		_, err := io.Copy(file, &contextReader{ctx.Err, stream})
		return err
	})
}

// contextReader reads from r until its context is done. After that, reads fail.
type contextReader struct {
	ctx func() error
	r   io.Reader
}

func (c *contextReader) Read(p []byte) (int, error) {
	if err := c.ctx(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// writeNew calls fill with a temporary file in the folder of path, and renames the file to path if fill succeeds. It
// fails if path exists, unless replace is true.
func writeNew(path string, replace bool, fill func(*os.File) error) error {
	if _, err := os.Lstat(path); err == nil && !replace {
		return fmt.Errorf("writing %s: %w", path, fs.ErrExist)
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".ironworks-*.tmp")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	defer func() { _ = os.Remove(file.Name()) }()
	err = fill(file)
	if err == nil {
		err = file.Sync()
	}
	err = cmp.Or(err, file.Close())
	switch {
	case err == nil && replace:
		err = os.Rename(file.Name(), path)
	case err == nil:
		err = place(file.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// place renames a file. It fails if the new name already exists.
func place(from, to string) error {
	err := os.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// The file system does not support hard links; an example is FAT on a USB stick.
	if _, statErr := os.Lstat(to); statErr == nil {
		return fs.ErrExist
	}
	return os.Rename(from, to)
}
