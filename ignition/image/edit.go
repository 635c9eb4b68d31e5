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

	// base is the size of the image, and size its size after the change. kept is the number of bytes at the start of
	// the image that stay, apart from the changes.
	base, kept, size int64
	changes          []rangeChange
}

// rangeChange is a range of an image with its new and its previous content.
type rangeChange struct {
	Range
	before []byte
}

// Edit computes the patch for a change, without writing it. The errors include [ErrInUse],
// [ErrNoKargs], [TooLargeError] and [KargError].
func (i *ISO) Edit(change Change) (*Patch, error) {
	p := &Patch{base: i.files.size, kept: i.files.size, size: i.files.size, Used: i.Used()}
	if change.Ignition == nil && !change.RemoveIgnition && change.Kargs.IsZero() {
		return nil, errNothing
	}
	if i.grown != nil && (change.Ignition != nil || change.RemoveIgnition) {
		return i.editGrown(change)
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
		return fmt.Errorf("reading the embedded data: %w", i.contentsErr)
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
	var large *TooLargeError
	if errors.As(err, &large) {
		return i.editGrowing(change, next, large, p)
	}
	if err != nil {
		return err
	}
	// Verify that the result reads back as requested.
	back, err := readContents(content)
	if err != nil {
		return fmt.Errorf("verifying the packed data: %w", err)
	}
	if !bytes.Equal(back.config(), change.Ignition) {
		return errors.New("verifying the packed data: configurations differ")
	}
	p.Used = int64(len(content))
	return p.add(i.files.r, Range{Offset: i.area.offset, Length: i.area.length, Data: content})
}

// editGrowing moves the area to the end of the image.
func (i *ISO) editGrowing(change Change, next contents, large *TooLargeError, p *Patch) error {
	content, err := next.bytes(maxArea)
	if err != nil {
		return err
	}
	ranges, err := i.grow(content)
	if errors.Is(err, errNoGrowth) {
		return large
	}
	if err != nil {
		return err
	}
	back, err := readContents(content)
	if err != nil || !bytes.Equal(back.config(), change.Ignition) {
		return errors.Join(errors.New("verifying the packed data: configurations differ"), err)
	}
	p.Used, p.size = int64(len(content)), ranges[len(ranges)-1].end()
	return p.add(i.files.r, ranges...)
}

func (p *Patch) add(r io.ReaderAt, ranges ...Range) error {
	for _, one := range ranges {
		before, err := available(r, one.Length, one.Offset)
		if err != nil {
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
	return NewOverlay(base, min(p.kept, p.size), p.Ranges()...)
}
