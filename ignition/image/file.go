package image

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// EditFile changes an image file in place: its areas are written, and the file
// is on the disk when it returns. The image is read and the change worked out
// before anything is written.
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
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, fmt.Errorf("editing %s: %w", path, err)
	}
	return patch, nil
}

// copyStep is how many bytes are copied between checks for cancellation.
const copyStep = 256 << 20

// WriteFile writes an image with a change to a new file, and leaves the image
// as it is. The file appears when it is whole; one that is there already is
// never replaced ([fs.ErrExist]). Like the files of coreos-installer it is
// readable by its owner alone, since a configuration may hold secrets. Where
// the file system can, the two share what is the same.
func WriteFile(ctx context.Context, path, output string, change Change) (*Patch, error) {
	iso, patch, err := edited(path, change)
	if err != nil {
		return nil, err
	}
	defer func() { _ = iso.Close() }()
	err = writeNew(output, func(file *os.File) error {
		source := io.NewSectionReader(iso.files.r, 0, iso.files.size)
		if from, ok := iso.files.r.(*os.File); ok {
			// The kernel copies from one file to the other.
			if err := copyFile(ctx, file, from, iso.files.size); err != nil {
				return err
			}
		} else if _, err := io.Copy(file, source); err != nil {
			return err
		}
		return patch.Apply(file)
	})
	if err != nil {
		return nil, err
	}
	return patch, nil
}

// WriteTo writes an image with a change to w, and leaves the image as it is. The change
// is worked out before anything is written.
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

// edited opens an image, which the caller closes, and works a change out.
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

// WriteStream writes a stream to a new file as [WriteFile] does.
func WriteStream(ctx context.Context, output string, stream io.Reader) error {
	return writeNew(output, func(file *os.File) error {
		_, err := io.Copy(file, &contextReader{ctx: ctx.Err, r: stream})
		return err
	})
}

// contextReader ends with the context of one copy.
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

// writeNew makes a file beside where it is to be and puts it there when fill
// has succeeded.
func writeNew(path string, fill func(*os.File) error) error {
	if _, err := os.Lstat(path); err == nil {
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
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = place(file.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// place gives a file its name unless there is one of it.
func place(from, to string) error {
	err := os.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// A file system without links, as on a stick.
	if _, statErr := os.Lstat(to); statErr == nil {
		return fs.ErrExist
	}
	return os.Rename(from, to)
}
