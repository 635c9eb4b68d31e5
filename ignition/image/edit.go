package image

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// ErrInUse says that an image already has a configuration, which only force
// replaces.
var ErrInUse = errors.New("the image already has an Ignition configuration embedded")

// ErrChanged says that an image is no longer what it was when it was read:
// somebody else edits it.
var ErrChanged = errors.New("the image has changed since it was read")

// Change is what to edit in an image. What it does not name stays as it is,
// other files in the area, too.
type Change struct {
	// Ignition is the configuration to embed, nil for none. Nothing looks at
	// what is in it.
	Ignition []byte
	// RemoveIgnition takes the configuration out; there may be none.
	RemoveIgnition bool
	// Kargs changes the kernel arguments.
	Kargs KargsEdit
	// Force replaces a configuration that is there, and an area that cannot
	// be read with all that is in it.
	Force bool
}

// Patch is what a change does to an image: some ranges with other bytes.
type Patch struct {
	// Kargs are the kernel arguments after it; Unmatched are those to delete
	// or replace that were not there.
	Kargs     string
	Unmatched []string
	// Used is how much of the image's capacity is in use after it, in bytes.
	Used int64

	size    int64
	changes []rangeChange
}

// rangeChange is a range with what stood there before.
type rangeChange struct {
	Range
	before []byte
}

// Edit works out what a change does, and does nothing yet. [ErrInUse],
// [ErrNoKargs], a [TooLargeError] or a [KargError] are why it cannot be done.
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
	// What the machine will find is what was asked for.
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

// Ranges are the parts of the image that change.
func (p *Patch) Ranges() []Range {
	ranges := make([]Range, 0, len(p.changes))
	for _, change := range p.changes {
		ranges = append(ranges, change.Range)
	}
	return ranges
}

// Stream is the image with the change, read from the unchanged base. It costs
// as much memory as the packed configuration has.
func (p *Patch) Stream(base io.ReaderAt) (*Overlay, error) {
	return NewOverlay(base, p.size, p.Ranges()...)
}

// ReadWriterAt is a file that is edited in place.
type ReadWriterAt interface {
	io.ReaderAt
	io.WriterAt
}

// Apply writes the change into an image. Before it writes, it makes sure that
// the image is still the one that was read ([ErrChanged]). If writing fails, it
// puts back what stood there, as far as that can be written; afterwards the
// file has to be synchronized. A patch that is there already is no change.
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

// undo puts back what stood in the ranges up to one.
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

// holds tells whether data and zeros behind it are at a place.
func holds(file io.ReaderAt, offset, length int64, data []byte) (bool, error) {
	whole := make([]byte, length)
	if err := readFull(file, whole, offset); err != nil {
		return false, err
	}
	return bytes.Equal(whole[:len(data)], data) && len(bytes.Trim(whole[len(data):], "\x00")) == 0, nil
}
