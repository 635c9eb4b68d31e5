package image

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

var errFrame = errors.New("corrupt compressed data")

// frameReader reads exactly one xz stream or zstd frame. Decoders read ahead, into the initrd's next archive.
type frameReader struct {
	in *bufio.Reader
	// left is the number of bytes in the current part that are still unread.
	left int64
	// step parses the beginning of the next part and returns the length of that part in bytes, or 0 at the end.
	step func() (int64, error)
}

func (f *frameReader) Read(p []byte) (int, error) {
	if f.left == 0 {
		left, err := f.step()
		switch {
		case errors.Is(err, io.EOF):
			return 0, io.ErrUnexpectedEOF
		case err != nil:
			return 0, err
		case left == 0:
			return 0, io.EOF
		}
		f.left = left
	}
	n, err := f.in.Read(p[:min(int64(len(p)), f.left)])
	f.left -= int64(n)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// zstdFrame returns a reader of one zstd frame (RFC 8878, section 3.1.1): header, blocks, optional checksum.
func zstdFrame(in *bufio.Reader) *frameReader {
	const header, block, end = 0, 1, 2
	state, checksum := header, int64(0)
	step := func() (int64, error) {
		switch state {
		case header:
			b, err := in.Peek(5)
			if err != nil {
				return 0, err
			}
			descriptor := b[4]
			single := descriptor&0x20 != 0
			length := int64(5) + []int64{0, 1, 2, 4}[descriptor&3] + []int64{0, 2, 4, 8}[descriptor>>6]
			if !single {
				length++ // the header has a window descriptor
			} else if descriptor>>6 == 0 {
				length++ // the content size takes one byte
			}
			checksum = int64(descriptor & 4)
			state = block
			return length, nil
		case block:
			b, err := in.Peek(3)
			if err != nil {
				return 0, err
			}
			kind, length := b[0]>>1&3, int64(b[0])>>3|int64(b[1])<<5|int64(b[2])<<13
			if kind == 1 {
				length = 1 // the block stores one byte that is to be repeated
			}
			if b[0]&1 != 0 {
				state = end
			}
			return 3 + length, nil
		default:
			length := checksum
			checksum = 0
			return length, nil
		}
	}
	return &frameReader{in: in, step: step}
}

// xzStream parses one stream of the .xz format 1.2.1: a header, blocks of LZMA2 chunks, an index and a footer.
type xzStream struct {
	in *bufio.Reader
	// next parses the beginning of the next part and returns its length in bytes.
	next func() (int64, error)
	// check is the size of the check at the end of each block. packed is the size of the current block's chunks.
	check, packed int64
	// records is the number of index records still to be read. index is the number of index bytes parsed so far.
	records uint64
	index   int64
}

func xzFrame(in *bufio.Reader) *frameReader {
	x := &xzStream{in: in}
	x.next = x.header
	return &frameReader{in: in, step: func() (int64, error) { return x.next() }}
}

func (x *xzStream) header() (int64, error) {
	b, err := x.in.Peek(12)
	if err != nil {
		return 0, err
	}
	if kind := b[7] & 15; kind > 0 {
		x.check = 4 << ((kind - 1) / 3)
	}
	x.next = x.block
	return 12, nil
}

func (x *xzStream) block() (int64, error) {
	b, err := x.in.Peek(1)
	if err != nil {
		return 0, err
	}
	if b[0] == 0 {
		x.records, x.index, err = x.number(1)
		x.next = x.record
		return x.index, err
	}
	x.packed, x.next = 0, x.chunk
	return (int64(b[0]) + 1) * 4, nil
}

func (x *xzStream) chunk() (int64, error) {
	b, err := x.in.Peek(1)
	if err != nil {
		return 0, err
	}
	var length int64
	switch control := b[0]; {
	case control == 0:
		x.next = x.block
		x.packed++
		return 1 + padding(x.packed) + x.check, nil
	case control < 0x80:
		if b, err = x.in.Peek(3); err != nil {
			return 0, err
		}
		length = 3 + int64(binary.BigEndian.Uint16(b[1:])) + 1
	default:
		if b, err = x.in.Peek(5); err != nil {
			return 0, err
		}
		length = 5 + int64(binary.BigEndian.Uint16(b[3:])) + 1
		if control >= 0xc0 {
			length++ // the header also contains new LZMA properties
		}
	}
	x.packed += length
	return length, nil
}

// record parses an index record. After the last record, it parses the index padding and the footer.
func (x *xzStream) record() (int64, error) {
	if x.records == 0 {
		x.next = func() (int64, error) { return 0, nil }
		return padding(x.index) + 4 + 12, nil
	}
	x.records--
	_, first, err := x.number(0)
	if err != nil {
		return 0, err
	}
	_, length, err := x.number(first)
	x.index += length
	return length, err
}

// number returns a multibyte integer and the offset of its end. at is its offset from the next unread byte.
func (x *xzStream) number(at int64) (uint64, int64, error) {
	var value uint64
	for shift := uint(0); shift < 63; shift += 7 {
		b, err := x.in.Peek(int(at) + 1)
		if err != nil {
			return 0, 0, err
		}
		value |= uint64(b[at]&0x7f) << shift
		at++
		if b[at-1]&0x80 == 0 {
			return value, at, nil
		}
	}
	return 0, 0, fmt.Errorf("%w: unterminated xz integer", errFrame)
}
