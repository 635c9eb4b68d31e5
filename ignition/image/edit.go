package image

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// ErrInUse means that an image already contains a configuration. Set Change.Force to replace it.
var ErrInUse = errors.New("the image already has an Ignition configuration embedded")

// ErrChanged means that the image was changed, for example by another program, after it was read.
var ErrChanged = errors.New("the image has changed since it was read")

// Change describes an edit of an image. The rest of the image stays the same, including other files in the area.
type Change struct {
	// Ignition is the configuration to embed. It is not validated. If it is nil, no configuration is embedded.
	Ignition []byte
	// RemoveIgnition requests that the embedded configuration, if any, be removed.
	RemoveIgnition bool
	// Kargs describes how to change the kernel arguments.
	Kargs KargsEdit
	// Force allows replacing an existing configuration, or all content of the area if that is unreadable.
	Force bool
}

// Patch holds the changes that an edit makes to an image: the changed ranges and their new bytes.
type Patch struct {
	// Kargs holds the changed kernel arguments. Unmatched lists those to delete or replace that were not found.
	Kargs     string
	Unmatched []string
	// Used is the size of the area's content after the change, in bytes.
	Used int64

	// base is the size of the image before the change, and size is its size after the change, in bytes. The changed
	// image starts with the first kept bytes of the old image, overlaid with the changes.
	base, kept, size int64
	changes          []rangeChange
}

type rangeChange struct {
	Range
	before []byte
}

// Edit computes the patch for a change. Its errors include [ErrInUse], [ErrNoKargs], [TooLargeError] and [KargError].
func (i *ISO) Edit(change Change) (*Patch, error) {
	p := &Patch{base: i.files.size, kept: i.files.size, size: i.files.size, Used: int64(len(i.contents.lay()))}
	if change.Ignition == nil && !change.RemoveIgnition && change.Kargs.IsZero() {
		return nil, errNothing
	}
	if change.Ignition != nil || change.RemoveIgnition {
		switch {
		case i.contentsErr != nil && !change.Force:
			return nil, fmt.Errorf("reading the embedded data: %w", i.contentsErr)
		case change.Ignition != nil && !change.Force && i.contents.config() != nil:
			return nil, ErrInUse
		case i.grown != nil:
			return i.editGrown(change)
		}
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
		p.Kargs = i.kargs.Current
	}
	return p, nil
}

func (i *ISO) editArea(change Change, p *Patch) error {
	next := i.contents.without()
	if change.Ignition != nil {
		var err error
		if next, err = next.with(change.Ignition); err != nil {
			return err
		}
	}
	content, tooLarge := next.bytes(i.area.length)
	ranges := []Range{{Offset: i.area.offset, Length: i.area.length, Data: content}}
	if tooLarge != nil {
		// Embed the configuration by moving the area to the end of the image.
		var err error
		if content, err = next.bytes(maxArea); err != nil {
			return err
		}
		ranges, err = i.grow(content)
		switch {
		case errors.Is(err, errNoGrowth):
			return tooLarge
		case err != nil:
			return err
		}
		p.size = ranges[len(ranges)-1].end()
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

// Stream returns a reader of the changed image. It reads the unchanged parts from base, which must be the image
// before the change. The stream keeps only the compressed configuration in memory, not the image.
func (p *Patch) Stream(base io.ReaderAt) (*Overlay, error) {
	return NewOverlay(base, min(p.kept, p.size), p.Ranges()...)
}
