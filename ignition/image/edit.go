package image

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// ErrInUse means that an image already has a configuration. Change.Force replaces it.
var ErrInUse = errors.New("the image already has an Ignition configuration embedded")

// ErrChanged means that another program changed the image since it was read.
var ErrChanged = errors.New("the image has changed since it was read")

// Change is an edit of an image. It keeps everything else, including other files in the area.
type Change struct {
	// Ignition is the configuration to embed, or nil. It is not validated.
	Ignition []byte
	// RemoveIgnition removes the configuration, if any.
	RemoveIgnition bool
	// Kargs changes the kernel arguments.
	Kargs KargsEdit
	// Force replaces an existing configuration, and an unreadable area with all its content.
	Force bool
}

// Patch is the effect of a change on an image: the ranges with new bytes.
type Patch struct {
	// Kargs are the kernel arguments after the change. Unmatched are the arguments to delete or
	// replace that were not found.
	Kargs     string
	Unmatched []string
	// Used is the size of the area's content after the change, in bytes.
	Used int64

	size    int64
	changes []rangeChange
}

// rangeChange is a range with its previous content.
type rangeChange struct {
	Range
	before []byte
}

// Edit computes the patch for a change, without writing it. The errors include [ErrInUse],
// [ErrNoKargs], [TooLargeError] and [KargError].
func (i *ISO) Edit(change Change) (*Patch, error) {
	p := &Patch{size: i.files.size, Used: i.Used()}
	if change.Ignition == nil && !change.RemoveIgnition && change.Kargs.IsZero() {
		return nil, errNothing
	}
	if change.Ignition != nil || change.RemoveIgnition {
		if err := i.editArea(change, p); err != nil {
			return nil, err
		}
	}
	if !change.Kargs.IsZero() {
		kargs, err := i.Kargs()
		if err != nil {
			return nil, err
		}
		if p.Kargs, p.Unmatched, err = change.Kargs.Apply(kargs); err != nil {
			return nil, err
		}
		ranges, err := i.kargs.ranges(p.Kargs)
		if err != nil {
			return nil, err
		}
		if err := p.add(i.files.r, ranges...); err != nil {
			return nil, err
		}
	} else if i.kargsErr == nil {
		p.Kargs = i.kargs.current
	}
	return p, nil
}

func (i *ISO) editArea(change Change, p *Patch) error {
	if i.contentsErr != nil && !change.Force {
		return fmt.Errorf("reading what is embedded: %w", i.contentsErr)
	}
	if change.Ignition != nil && !change.Force && i.contents.config() != nil {
		return ErrInUse
	}
	next, err := i.contents.without()
	if err != nil {
		return err
	}
	if change.Ignition != nil {
		if next, err = next.with(change.Ignition); err != nil {
			return err
		}
	}
	content, err := next.bytes(i.area.length)
	if err != nil {
		return err
	}
	// Verify that the result reads back as requested.
	back, err := readContents(content)
	if err != nil {
		return fmt.Errorf("reading back what was packed: %w", err)
	}
	if !bytes.Equal(back.config(), change.Ignition) {
		return errors.New("reading back what was packed: configurations differ")
	}
	p.Used = int64(len(content))
	return p.add(i.files.r, Range{Offset: i.area.offset, Length: i.area.length, Data: content})
}

func (p *Patch) add(r io.ReaderAt, ranges ...Range) error {
	for _, one := range ranges {
		before := make([]byte, one.Length)
		if err := readFull(r, before, one.Offset); err != nil {
			return fmt.Errorf("reading the data to replace: %w", err)
		}
		p.changes = append(p.changes, rangeChange{Range: one, before: bytes.Clone(bytes.TrimRight(before, "\x00"))})
	}
	return nil
}

// Ranges returns the parts of the image that change.
func (p *Patch) Ranges() []Range {
	ranges := make([]Range, 0, len(p.changes))
	for _, change := range p.changes {
		ranges = append(ranges, change.Range)
	}
	return ranges
}

// Stream returns the changed image, read from the unchanged base. It holds only the compressed
// configuration in memory.
func (p *Patch) Stream(base io.ReaderAt) (*Overlay, error) {
	return NewOverlay(base, p.size, p.Ranges()...)
}

// ReadWriterAt is a file for editing in place.
type ReadWriterAt interface {
	io.ReaderAt
	io.WriterAt
}

// Apply writes the patch to an image. It first checks that the image is unchanged
// ([ErrChanged]). If a write fails, it restores the previous content as far as possible. The
// caller synchronizes the file. Applying a patch twice is no error.
func (p *Patch) Apply(file ReadWriterAt) error {
	for _, change := range p.changes {
		same, err := holds(file, change.Offset, change.Length, change.before)
		if err == nil && !same {
			same, err = holds(file, change.Offset, change.Length, change.Data)
		}
		if err != nil {
			return fmt.Errorf("reading the image before it is written: %w", err)
		}
		if !same {
			return ErrChanged
		}
	}
	for at, change := range p.changes {
		if err := write(file, change.Range); err != nil {
			return p.undo(file, at, err)
		}
	}
	for _, change := range p.changes {
		same, err := holds(file, change.Offset, change.Length, change.Data)
		if err == nil && !same {
			err = ErrChanged
		}
		if err != nil {
			return p.undo(file, len(p.changes)-1, err)
		}
	}
	return nil
}

// undo restores the ranges up to last.
func (p *Patch) undo(file io.WriterAt, last int, cause error) error {
	for _, change := range p.changes[:last+1] {
		if err := write(file, Range{Offset: change.Offset, Length: change.Length, Data: change.before}); err != nil {
			return fmt.Errorf("writing the image: %w; and restoring the old data: %w", cause, err)
		}
	}
	return fmt.Errorf("writing the image (it is unchanged): %w", cause)
}

func write(file io.WriterAt, r Range) error {
	whole := make([]byte, r.Length)
	copy(whole, r.Data)
	_, err := file.WriteAt(whole, r.Offset)
	return err
}

// holds reports whether file has data followed by zeros at offset.
func holds(file io.ReaderAt, offset, length int64, data []byte) (bool, error) {
	whole := make([]byte, length)
	if err := readFull(file, whole, offset); err != nil {
		return false, err
	}
	return bytes.Equal(whole[:len(data)], data) && len(bytes.Trim(whole[len(data):], "\x00")) == 0, nil
}
