package image

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
)

// ReadWriterAt is a file that can be edited in place.
type ReadWriterAt interface {
	io.ReaderAt
	io.WriterAt
}

// errFixed means that a patch would change the size of the file, but the file has no Truncate method.
var errFixed = errors.New("the image cannot change its size")

// Apply writes the patch to the image in file. It first checks that the image is unchanged, and returns [ErrChanged]
// otherwise. It is not an error if the patch was already applied. If a write fails, Apply restores the previous
// content as far as possible. Apply does not call Sync. If the patch changes the size of the image, file needs a
// Truncate method like that of [os.File].
func (p *Patch) Apply(file ReadWriterAt) error {
	resize := func(int64) error { return nil }
	if p.size != p.base {
		sized, ok := file.(interface{ Truncate(size int64) error })
		if !ok {
			return errFixed
		}
		resize = sized.Truncate
	}
	for _, change := range p.changes {
		same, err := p.hasData(file, change, change.before)
		if err == nil && !same {
			same, err = p.hasData(file, change, change.Data)
		}
		if err != nil {
			return fmt.Errorf("reading the image before it is written: %w", err)
		}
		if !same {
			return ErrChanged
		}
	}
	// Write the end of the image first, so that no record refers to data that has not been written yet.
	backwards := func(a, b rangeChange) int { return cmp.Compare(b.Offset, a.Offset) }
	order := slices.SortedFunc(slices.Values(p.changes), backwards)
	for at, change := range order {
		if err := write(file, change.Range); err != nil {
			return p.undo(file, order[:at+1], resize, err)
		}
	}
	for _, change := range order {
		same, err := p.hasData(file, change, change.Data)
		if err == nil && !same {
			err = ErrChanged
		}
		if err != nil {
			return p.undo(file, order, resize, err)
		}
	}
	if err := resize(p.size); err != nil {
		return p.undo(file, order, resize, err)
	}
	return nil
}

// hasData reports whether the range of change starts with data and otherwise contains only zeros. Only a range that
// extends beyond the end of the unchanged image may be incomplete.
func (p *Patch) hasData(file io.ReaderAt, change rangeChange, data []byte) (bool, error) {
	found := make([]byte, change.Length)
	var err error
	if change.end() <= p.base {
		err = readFull(file, found, change.Offset)
	} else {
		found, err = available(file, change.Length, change.Offset)
	}
	if err != nil || len(data) > len(found) {
		return false, err
	}
	return bytes.Equal(found[:len(data)], data) && len(bytes.Trim(found[len(data):], "\x00")) == 0, nil
}

// undo restores the previous content of the written ranges and the size of the image.
func (p *Patch) undo(file io.WriterAt, written []rangeChange, resize func(int64) error, cause error) error {
	for _, change := range written {
		if err := write(file, Range{Offset: change.Offset, Length: change.Length, Data: change.before}); err != nil {
			return fmt.Errorf("writing the image: %w; and restoring the old data: %w", cause, err)
		}
	}
	if err := resize(p.base); err != nil {
		return fmt.Errorf("writing the image: %w; and restoring the old size: %w", cause, err)
	}
	return fmt.Errorf("writing the image (it is unchanged): %w", cause)
}

func write(file io.WriterAt, r Range) error {
	whole := make([]byte, r.Length)
	copy(whole, r.Data)
	_, err := file.WriteAt(whole, r.Offset)
	return err
}
