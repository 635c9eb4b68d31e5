package image

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// An initramfs uses the newc cpio format (https://docs.kernel.org/driver-api/early-userspace/buffer-format.html).
// Each entry has a header, which consists of a 6-byte magic number and 13 fields of 8 hexadecimal digits each. The
// name with its terminating NUL and the content follow; each of them is padded to a multiple of 4 bytes.
const (
	newcMagic  = "070701"
	newcSummed = "070702" // the format with checksums, which the kernel does not verify
	newcHeader = 110
	newcEnd    = "TRAILER!!!"
	maxName    = 4096

	typeMask   = 0o170000
	typeFile   = 0o100000
	typeFolder = 0o040000
)

// These are the indices of the header fields that this package uses.
const (
	fieldInode = iota
	fieldMode
	fieldOwner
	fieldGroup
	fieldLinks
	fieldTime
	fieldSize
	fieldName = 11
	fields    = 13
)

var errNewc = errors.New("a corrupt cpio archive")

type entry struct {
	name    string
	fields  [fields]uint32
	content []byte
}

func (e *entry) isFile() bool   { return e.fields[fieldMode]&typeMask == typeFile }
func (e *entry) isFolder() bool { return e.fields[fieldMode]&typeMask == typeFolder }

// relativeName returns the name relative to the root directory, where the kernel unpacks the entry.
func (e *entry) relativeName() string {
	return strings.TrimLeft(strings.TrimPrefix(e.name, "./"), "/")
}

// readEntry reads the header and the name of the next entry, up to its content, or returns io.EOF at the end.
func readEntry(r io.Reader) (entry, error) {
	var e entry
	header := make([]byte, newcHeader)
	if _, err := io.ReadFull(r, header); err != nil {
		return e, broken(err)
	}
	if magic := string(header[:6]); magic != newcMagic && magic != newcSummed {
		return e, fmt.Errorf("%w: expected a header, found %q", errNewc, magic)
	}
	for i := range e.fields {
		value, err := strconv.ParseUint(string(header[6+8*i:14+8*i]), 16, 32)
		if err != nil {
			return e, fmt.Errorf("%w: invalid number in a header", errNewc)
		}
		e.fields[i] = uint32(value)
	}
	length := e.fields[fieldName]
	if length == 0 || length > maxName {
		return e, fmt.Errorf("%w: invalid name length (%d bytes)", errNewc, length)
	}
	name := make([]byte, length+padding(newcHeader+length))
	if _, err := io.ReadFull(r, name); err != nil {
		return e, broken(err)
	}
	// dracut pads names with extra NULs to align the content.
	e.name, _, _ = strings.Cut(string(name[:length]), "\x00")
	if e.name == newcEnd {
		return e, io.EOF
	}
	return e, nil
}

func padding[T uint32 | int64](length T) T { return -length & 3 }

func broken(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: truncated", errNewc)
	}
	return err
}

// readArchive calls visit for each entry of one archive. It skips content that visit does not read.
func readArchive(r io.Reader, visit func(e *entry, content io.Reader) error) error {
	for {
		e, err := readEntry(r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		size := int64(e.fields[fieldSize])
		content := &io.LimitedReader{R: r, N: size}
		if err := visit(&e, content); err != nil {
			return err
		}
		skip := content.N + padding(size)
		if n, err := io.CopyN(io.Discard, r, skip); n < skip {
			return broken(err)
		}
	}
}

func writeEntry(b *bytes.Buffer, e *entry) {
	header := e.fields
	header[fieldSize] = uint32(len(e.content))  //nolint:gosec // areas have at most 64 MiB
	header[fieldName] = uint32(len(e.name)) + 1 //nolint:gosec // names have at most 4 KiB
	b.WriteString(newcMagic)
	for _, field := range header {
		fmt.Fprintf(b, "%08X", field)
	}
	b.WriteString(e.name)
	b.WriteByte(0)
	b.Write(make([]byte, -b.Len()&3))
	b.Write(e.content)
	b.Write(make([]byte, -b.Len()&3))
}

func writeArchive(entries []entry) []byte {
	var b bytes.Buffer
	for i := range entries {
		writeEntry(&b, &entries[i])
	}
	end := entry{name: newcEnd}
	end.fields[fieldLinks] = 1
	writeEntry(&b, &end)
	return b.Bytes()
}
