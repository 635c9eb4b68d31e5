package ignition

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrNotISO says that a file is no ISO 9660 image.
var ErrNotISO = errors.New("not an ISO 9660 image")

const (
	sectorSize      = 2048
	firstDescriptor = 16
	// maxDescriptors and maxDirectory bound what a broken image makes us read.
	maxDescriptors = 64
	maxDirectory   = 1 << 20
)

// extent is where something lies in an image, in bytes.
type extent struct {
	offset, length int64
	folder         bool
}

// isoFiles finds files of an ISO 9660 image by their plain names: what
// coreos-installer goes by, too, so that Rock Ridge and Joliet do not matter.
type isoFiles struct {
	r    io.ReaderAt
	size int64
	root extent
}

func openISO(r io.ReaderAt, size int64) (isoFiles, error) {
	sector := make([]byte, sectorSize)
	for i := range int64(maxDescriptors) {
		if _, err := r.ReadAt(sector, (firstDescriptor+i)*sectorSize); err != nil {
			return isoFiles{}, fmt.Errorf("%w: it ends in the middle of its descriptors", ErrNotISO)
		}
		if string(sector[1:6]) != "CD001" {
			return isoFiles{}, fmt.Errorf("%w: no volume descriptor", ErrNotISO)
		}
		switch sector[0] {
		case 1:
			volume := int64(binary.LittleEndian.Uint32(sector[80:])) * sectorSize
			if volume > size {
				return isoFiles{}, fmt.Errorf("%w: it should have %d bytes and has %d", ErrNotISO, volume, size)
			}
			files := isoFiles{r: r, size: size}
			files.root, _, _ = record(sector[156:190])
			return files, nil
		case 255:
			return isoFiles{}, fmt.Errorf("%w: no primary volume", ErrNotISO)
		}
	}
	return isoFiles{}, fmt.Errorf("%w: no primary volume", ErrNotISO)
}

// record reads a directory record: what it is, its name, and its length in
// the directory.
func record(b []byte) (extent, string, int) {
	length := int(b[0])
	if length < 34 || length > len(b) || 33+int(b[32]) > length {
		return extent{}, "", 0
	}
	e := extent{
		offset: int64(binary.LittleEndian.Uint32(b[2:])) * sectorSize,
		length: int64(binary.LittleEndian.Uint32(b[10:])),
		folder: b[25]&2 != 0,
	}
	name, _, _ := strings.Cut(string(b[33:33+int(b[32])]), ";")
	return e, strings.TrimSuffix(name, "."), length
}

// find gives the extent of a file: images/ignition.img. Names are compared as
// a plain image has them: upper case, eight letters, three of the extension.
func (f isoFiles) find(path string) (extent, bool, error) {
	at := f.root
	for name := range strings.SplitSeq(path, "/") {
		if !at.folder {
			return extent{}, false, nil
		}
		next, found, err := f.entry(at, plainName(name))
		if err != nil || !found {
			return extent{}, false, err
		}
		at = next
	}
	if at.offset+at.length > f.size {
		return extent{}, false, fmt.Errorf("%w: %s lies beyond its end", ErrNotISO, path)
	}
	return at, !at.folder, nil
}

func (f isoFiles) entry(folder extent, want string) (extent, bool, error) {
	content := make([]byte, min(folder.length, maxDirectory))
	if _, err := f.r.ReadAt(content, folder.offset); err != nil {
		return extent{}, false, fmt.Errorf("%w: a folder lies beyond its end", ErrNotISO)
	}
	for at := 0; at < len(content); {
		if content[at] == 0 { // the rest of the sector is empty
			at = (at/sectorSize + 1) * sectorSize
			continue
		}
		found, name, length := record(content[at:])
		if length == 0 {
			return extent{}, false, fmt.Errorf("%w: a broken folder", ErrNotISO)
		}
		if strings.ToUpper(name) == want {
			return found, true, nil
		}
		at += length
	}
	return extent{}, false, nil
}

func plainName(name string) string {
	base, extension, dotted := strings.Cut(strings.ToUpper(name), ".")
	base = base[:min(len(base), 8)]
	if !dotted {
		return base
	}
	return base + "." + extension[:min(len(extension), 3)]
}
