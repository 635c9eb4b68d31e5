package image

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Range is a part of a file, together with its new content.
type Range struct {
	// Offset is the start of the range. Length is its length in bytes.
	Offset, Length int64
	// Data is the new content. If it is shorter than Length, zeros fill the rest.
	Data []byte
}

func (r Range) end() int64 { return r.Offset + r.Length }

// readAt fills p with the content of the range. at is the offset in the file that corresponds to the start of p.
func (r Range) readAt(p []byte, at int64) {
	n := 0
	if from := at - r.Offset; from < int64(len(r.Data)) {
		n = copy(p, r.Data[from:])
	}
	clear(p[n:])
}

// Overlay is a file whose content is replaced in some ranges, for example an image customized for one node. It
// implements io.ReadSeeker for net/http.ServeContent. Only the ranges are in memory. Read and Seek must not be called
// concurrently, but several overlays can share a base.
type Overlay struct {
	base   io.ReaderAt
	length int64
	size   int64
	ranges []Range
	at     int64
}

var errRanges = errors.New("overlay ranges must be in order")

// NewOverlay returns an overlay that replaces ranges of base. size is the length of base in bytes. A range may extend
// beyond the end of base; the file then becomes longer, with zeros in any gap. The ranges must not overlap.
func NewOverlay(base io.ReaderAt, size int64, ranges ...Range) (*Overlay, error) {
	ranges = slices.SortedFunc(slices.Values(ranges), func(a, b Range) int { return cmp.Compare(a.Offset, b.Offset) })
	o := &Overlay{base: base, length: size, size: size, ranges: ranges}
	var end int64
	for _, r := range ranges {
		if r.Offset < end || r.Length < int64(len(r.Data)) || r.end() < r.Offset {
			return nil, fmt.Errorf("%w: %d bytes at %d", errRanges, r.Length, r.Offset)
		}
		end = r.end()
	}
	o.size = max(size, end)
	return o, nil
}

// Size returns the length of the file in bytes.
func (o *Overlay) Size() int64 { return o.size }

// Read implements io.Reader.
func (o *Overlay) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	n, err := o.ReadAt(p, o.at)
	o.at += int64(n)
	if n > 0 && errors.Is(err, io.EOF) {
		err = nil
	}
	return n, err
}

// ReadAt implements io.ReaderAt.
func (o *Overlay) ReadAt(p []byte, at int64) (int, error) {
	if at < 0 {
		return 0, errors.New("reading before the start of an image")
	}
	done := 0
	for done < len(p) {
		if at >= o.size {
			return done, io.EOF
		}
		n, err := o.piece(p[done:], at)
		done += n
		at += int64(n)
		if err != nil {
			return done, err
		}
	}
	return done, nil
}

// piece reads into p from the offset at. It stops at the end of the range that contains this offset, or else at the end
// of the base, at the start of the next range, or at the end of the file.
func (o *Overlay) piece(p []byte, at int64) (int, error) {
	i, _ := slices.BinarySearchFunc(o.ranges, at, func(r Range, at int64) int {
		if r.end() <= at {
			return -1
		}
		return 1
	})
	end := o.size
	if i < len(o.ranges) {
		if r := o.ranges[i]; at >= r.Offset {
			p = p[:min(int64(len(p)), r.end()-at)]
			r.readAt(p, at)
			return len(p), nil
		}
		end = o.ranges[i].Offset
	}
	if at >= o.length { // the offset is in a gap after the base
		p = p[:min(int64(len(p)), end-at)]
		clear(p)
		return len(p), nil
	}
	p = p[:min(int64(len(p)), min(end, o.length)-at)]
	n, err := o.base.ReadAt(p, at)
	switch {
	case n == len(p):
		return n, nil
	case err == nil || errors.Is(err, io.EOF):
		return n, fmt.Errorf("the image became shorter while it was read: %w", io.ErrUnexpectedEOF)
	}
	return n, err
}

// Seek implements io.Seeker.
func (o *Overlay) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += o.at
	case io.SeekEnd:
		offset += o.size
	default:
		return 0, fmt.Errorf("seeking in an image: invalid whence %d", whence)
	}
	if offset < 0 {
		return 0, errors.New("seeking before the start of an image")
	}
	o.at = offset
	return offset, nil
}
