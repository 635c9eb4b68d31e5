package image

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
)

var (
	// ErrNotLive says that an initramfs is not that of a CoreOS live system.
	ErrNotLive = errors.New("not the initramfs of a CoreOS live system")
	// ErrCustomized says that an initramfs already has a configuration or
	// keyfiles of its own.
	ErrCustomized = errors.New("the initramfs is already customized")
)

// liveStamp is in the initramfs of every live system since 2020.
const liveStamp = "etc/coreos-live-initramfs"

// Initramfs is the initramfs of a live system, to which a configuration can be
// appended.
type Initramfs struct {
	base io.ReaderAt
	size int64
}

// ReadInitramfs makes sure that an initramfs of size bytes is one of a live
// system ([ErrNotLive]) and has no configuration yet ([ErrCustomized]). All of
// it is unpacked for that, which takes a second or two; ctx ends it.
func ReadInitramfs(ctx context.Context, base io.ReaderAt, size int64) (*Initramfs, error) {
	var live, customized bool
	source := &contextReader{ctx: ctx.Err, r: io.NewSectionReader(base, 0, size)}
	err := readInitrd(source, maxInitramfs, func(e *entry, _ io.Reader) error {
		name := e.plain()
		live = live || name == liveStamp
		customized = customized || e.isFile() && (name == configName || isNetwork(name))
		return nil
	})
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("reading the initramfs: %w", ctx.Err())
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrNotLive, err)
	case !live:
		return nil, ErrNotLive
	case customized:
		return nil, ErrCustomized
	}
	return &Initramfs{base: base, size: size}, nil
}

// Append is the initramfs with a configuration, and maybe other files, behind
// it: for a boot that loads one initramfs only, as Ironic's do. It is read from
// the initramfs itself, which any number of such streams share.
func (i *Initramfs) Append(config []byte, others ...Member) (*Overlay, error) {
	if slices.ContainsFunc(others, func(m Member) bool { return m.Name == configName }) {
		return nil, fmt.Errorf("packing: %s twice", configName)
	}
	packed, err := Pack(append(slices.Clip(others), Member{Name: configName, Content: config})...)
	if err != nil {
		return nil, err
	}
	// The kernel wants archives to begin at a multiple of 4.
	return NewOverlay(i.base, i.size, Range{Offset: i.size + padding(i.size), Length: int64(len(packed)), Data: packed})
}
