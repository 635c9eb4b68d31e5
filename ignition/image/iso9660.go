package image

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf16"
)

var (
	// ErrNotISO means that a file is not an ISO 9660 image.
	ErrNotISO = errors.New("not an ISO 9660 image")
	// ErrTruncated means that an image is shorter than its header declares, usually because a download was
	// interrupted. It is always returned together with [ErrNotISO].
	ErrTruncated = errors.New("the image is truncated")
	// ErrNoFile means that an image has no file with this name.
	ErrNoFile = errors.New("no such file in the image")
)

const (
	sectorSize      = 2048
	firstDescriptor = 16
	// These limits protect against broken or hostile images. They apply to the number of volume descriptors, the
	// sizes of a folder and of a path in bytes, and the depth of folders.
	maxDescriptors = 64
	maxDirectory   = 1 << 20
	maxDepth       = 16
	maxPath        = 1 << 10
)

// extent is a range of an image, in bytes.
type extent struct {
	offset, length int64
	folder         bool
}

// isoFiles finds files in an ISO 9660 image by plain names, without Rock Ridge and Joliet, like coreos-installer.
type isoFiles struct {
	r      io.ReaderAt
	size   int64
	volume string
	root   extent
}

func openISO(r io.ReaderAt, size int64) (isoFiles, error) {
	sector := make([]byte, sectorSize)
	for i := range int64(maxDescriptors) {
		at := (firstDescriptor + i) * sectorSize
		if at+sectorSize > size {
			return isoFiles{}, fmt.Errorf("%w: it ends before the volume descriptor", ErrNotISO)
		}
		if err := readFull(r, sector, at); err != nil {
			return isoFiles{}, fmt.Errorf("reading a volume descriptor: %w", err)
		}
		if string(sector[1:6]) != "CD001" {
			return isoFiles{}, fmt.Errorf("%w: no volume descriptor", ErrNotISO)
		}
		switch sector[0] {
		case 1:
			return primary(r, size, sector)
		case 255:
			return isoFiles{}, fmt.Errorf("%w: no primary volume descriptor", ErrNotISO)
		}
	}
	return isoFiles{}, fmt.Errorf("%w: no primary volume descriptor", ErrNotISO)
}

func primary(r io.ReaderAt, size int64, sector []byte) (isoFiles, error) {
	volume := int64(binary.LittleEndian.Uint32(sector[80:])) * sectorSize
	if volume > size {
		return isoFiles{}, fmt.Errorf("%w: %w: it should have %d bytes and has %d", ErrNotISO, ErrTruncated, volume, size)
	}
	files := isoFiles{r: r, size: size, volume: strings.TrimRight(string(sector[40:72]), " \x00")}
	var length int
	if files.root, _, length = record(sector[156:190], false); length == 0 || !files.root.folder {
		return isoFiles{}, fmt.Errorf("%w: no root directory", ErrNotISO)
	}
	return files, nil
}

// record parses a directory record. It returns the extent and the name of the file or folder, and the length of the
// record in bytes. The length is 0 if the record is invalid. In a Joliet tree, names are long and encoded in UCS-2.
func record(b []byte, joliet bool) (extent, string, int) {
	if len(b) < 34 {
		return extent{}, "", 0
	}
	length := int(b[0])
	if length < 34 || length > len(b) || 33+int(b[32]) > length {
		return extent{}, "", 0
	}
	e := extent{
		offset: int64(binary.LittleEndian.Uint32(b[2:])) * sectorSize,
		length: int64(binary.LittleEndian.Uint32(b[10:])),
		folder: b[25]&2 != 0,
	}
	name := string(b[33 : 33+int(b[32])])
	if joliet {
		units := make([]uint16, len(name)/2)
		for i := range units {
			units[i] = binary.BigEndian.Uint16(b[33+2*i:])
		}
		name = string(utf16.Decode(units))
	}
	name, _, _ = strings.Cut(name, ";")
	return e, strings.TrimSuffix(name, "."), length
}

// find returns the extent of the file at path, for example images/ignition.img. Names in the ISO may be in upper
// case, and shortened to 8 characters plus an extension of 3 characters. path may contain the long names.
func (f isoFiles) find(path string) (extent, error) {
	parts := slices.DeleteFunc(strings.Split(path, "/"), func(part string) bool { return part == "" || part == "." })
	if len(path) > maxPath || len(parts) == 0 || len(parts) > maxDepth || slices.Contains(parts, "..") || strings.Contains(path, "\x00") {
		return extent{}, fmt.Errorf("%w: %.64q is not a valid path", ErrNoFile, path)
	}
	at, found, err := f.walk(f.root, parts, false)
	switch {
	case err != nil:
		return extent{}, fmt.Errorf("looking for %s: %w", path, err)
	case !found:
		return extent{}, fmt.Errorf("%w: %s", ErrNoFile, path)
	case at.folder:
		return extent{}, fmt.Errorf("%w: %s is a directory", ErrNoFile, path)
	case at.offset+at.length > f.size:
		return extent{}, fmt.Errorf("%w: %w: %s lies beyond its end", ErrNotISO, ErrTruncated, path)
	}
	return at.extent, nil
}

// fileRecord is an extent with the offset of its directory record, which is needed to move a file.
type fileRecord struct {
	extent
	record int64
}

func (f isoFiles) walk(root extent, parts []string, joliet bool) (at fileRecord, found bool, err error) {
	at.extent = root
	for _, part := range parts {
		if !at.folder {
			return at, false, nil
		}
		if at, found, err = f.entry(at.extent, part, joliet); err != nil || !found {
			return at, false, err
		}
	}
	return at, true, nil
}

// entry searches a folder for an entry with the given name. An exact match takes precedence over a match with the
// shortened name, which does not exist in a Joliet tree.
func (f isoFiles) entry(folder extent, name string, joliet bool) (second fileRecord, found bool, err error) {
	switch {
	case folder.length > maxDirectory:
		return second, false, fmt.Errorf("%w: a directory is too large (%d bytes)", ErrNotISO, folder.length)
	case folder.offset+folder.length > f.size:
		return second, false, fmt.Errorf("%w: %w: a directory lies beyond its end", ErrNotISO, ErrTruncated)
	}
	content := make([]byte, folder.length)
	if err := readFull(f.r, content, folder.offset); err != nil {
		return second, false, fmt.Errorf("reading a directory: %w", err)
	}
	exact, plain := strings.ToUpper(name), plainName(name)
	for at := 0; at < len(content); {
		if content[at] == 0 { // there are no more records in this sector
			at = (at/sectorSize + 1) * sectorSize
			continue
		}
		e, name, length := record(content[at:], joliet)
		if length == 0 {
			return second, false, fmt.Errorf("%w: invalid directory", ErrNotISO)
		}
		switch one := (fileRecord{e, folder.offset + int64(at)}); {
		case strings.ToUpper(name) == exact:
			return one, true, nil
		case strings.ToUpper(name) == plain && !joliet:
			second, found = one, true
		}
		at += length
	}
	return second, found, nil
}

func plainName(name string) string {
	base, extension, dotted := strings.Cut(strings.ToUpper(name), ".")
	base = base[:min(len(base), 8)]
	if !dotted {
		return base
	}
	return base + "." + extension[:min(len(extension), 3)]
}

// content returns the content of the file at path. It fails if the file is larger than limit bytes.
func (f isoFiles) content(path string, limit int64) ([]byte, error) {
	at, err := f.find(path)
	if err != nil {
		return nil, err
	}
	if at.length > limit {
		return nil, fmt.Errorf("%s has %d bytes, but the limit is %d", path, at.length, limit)
	}
	content := make([]byte, at.length)
	if err := readFull(f.r, content, at.offset); err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return content, nil
}

// readFull reads a range that must be inside the image. Reaching the end of the image is an error.
func readFull(r io.ReaderAt, b []byte, at int64) error {
	n, err := r.ReadAt(b, at)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: %w: cannot read %d bytes at %d", ErrNotISO, ErrTruncated, len(b), at)
	}
	return err
}

// descriptor is a volume descriptor with a folder tree. It is either the primary descriptor or the Joliet descriptor.
type descriptor struct {
	offset int64
	root   extent
	joliet bool
}

func (f isoFiles) descriptors() ([]descriptor, error) {
	var found []descriptor
	sector := make([]byte, sectorSize)
	for i := range int64(maxDescriptors) {
		at := (firstDescriptor + i) * sectorSize
		if err := readFull(f.r, sector, at); err != nil {
			return nil, err
		}
		kind := sector[0]
		if string(sector[1:6]) != "CD001" || kind == 255 {
			break
		}
		// The Joliet descriptor is a supplementary descriptor with an escape sequence for UCS-2 (Joliet 3.2).
		joliet := kind == 2 && sector[88] == '%' && sector[89] == '/' && strings.IndexByte("@CE", sector[90]) >= 0
		if kind != 1 && !joliet {
			continue
		}
		if root, _, length := record(sector[156:190], false); length > 0 && root.folder {
			found = append(found, descriptor{offset: at, root: root, joliet: joliet})
		}
	}
	return found, nil
}

// bothEndian returns n in both byte orders, little-endian first, as ISO 9660 requires (ECMA-119, 7.3.3).
func bothEndian(n int64) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(n)) //nolint:gosec // checked by the caller
	return binary.BigEndian.AppendUint32(b, uint32(n))    //nolint:gosec // checked by the caller
}
