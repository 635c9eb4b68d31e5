package image

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

var (
	// ErrNotLive means that an initramfs is not the initramfs of a CoreOS live system.
	ErrNotLive = errors.New("not the initramfs of a CoreOS live system")
	// ErrCustomized means that an initramfs already contains a configuration or keyfiles.
	ErrCustomized = errors.New("the initramfs is already customized")
)

// liveStamp is the path of a file that the initramfs of every CoreOS live system since 2020 contains.
const liveStamp = "etc/coreos-live-initramfs"

// Initramfs represents the initramfs of a live system. [Initramfs.Append] adds a configuration to it.
type Initramfs struct {
	base io.ReaderAt
	size int64
}

// ReadInitramfs checks that base is the initramfs of a live system, and returns [ErrNotLive] otherwise. It returns
// [ErrCustomized] if the initramfs already contains a configuration or keyfiles. size is the length of the initramfs
// in bytes. ReadInitramfs has to unpack the whole file, which takes 1–2 s, and stops early when ctx is done.
func ReadInitramfs(ctx context.Context, base io.ReaderAt, size int64) (*Initramfs, error) {
	var live, customized bool
	source := &contextReader{ctx: ctx.Err, r: io.NewSectionReader(base, 0, size)}
	err := readInitrd(source, maxInitramfs, func(e *entry, _ io.Reader) error {
		name := e.relativeName()
		live = live || name == liveStamp
		customized = customized || e.isFile() && (name == configName || strings.HasPrefix(name, networkFolder+"/"))
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

// Append returns the initramfs followed by config. It is for environments such as Ironic that can boot only a single
// initramfs. If the initramfs is compressed with zstd, an empty archive precedes it. All streams share the same
// initramfs and do not copy it.
func (i *Initramfs) Append(config []byte) (*Overlay, error) {
	packed, err := Wrap(config)
	if err != nil {
		return nil, err
	}
	base, size, err := i.uncompressedStart()
	if err != nil {
		return nil, err
	}
	// The kernel requires archives to start at a multiple of 4.
	return NewOverlay(base, size, Range{Offset: size + padding(size), Length: int64(len(packed)), Data: packed})
}

// zstdMagic is the magic number at the start of a zstd frame (RFC 8878, section 3.1.1).
const zstdMagic = "\x28\xb5\x2f\xfd"

// uncompressedStart returns the initramfs and its size. If the initramfs starts with zstd, an empty archive is
// inserted before it. Otherwise, Ironic 39.0.0 would unpack the file (ironic/common/images.py,
// _handle_zstd_compression). Unpacking fails if other data, such as an appended configuration, follows the zstd
// frame.
func (i *Initramfs) uncompressedStart() (io.ReaderAt, int64, error) {
	magic := make([]byte, len(zstdMagic))
	if _, err := i.base.ReadAt(magic, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, fmt.Errorf("reading the initramfs: %w", err)
	}
	if string(magic) != zstdMagic {
		return i.base, i.size, nil
	}
	empty := writeArchive(nil)
	return &concatenation{first: empty, then: i.base}, int64(len(empty)) + i.size, nil
}

type concatenation struct {
	first []byte
	then  io.ReaderAt
}

func (b *concatenation) ReadAt(p []byte, at int64) (int, error) {
	n := 0
	if at < int64(len(b.first)) {
		n = copy(p, b.first[at:])
	}
	if n == len(p) {
		return n, nil
	}
	m, err := b.then.ReadAt(p[n:], at+int64(n)-int64(len(b.first)))
	return n + m, err
}
