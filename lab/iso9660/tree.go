// Package iso9660 writes plain ISO 9660 images (ECMA-119) for simulated machines: no Rock Ridge,
// no Joliet, not bootable.
package iso9660

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
	"strings"
)

const sector = 2048

// Tree maps the paths of an image's files to their contents. Names in the image are shortened to eight characters,
// plus three characters of the extension.
type Tree map[string][]byte

// Image returns an image with the given label, and the offset of each file in bytes. The whole image is in memory, so
// it must be far smaller than 4 GiB.
func (t Tree) Image(label string) (image []byte, offsets map[string]int64) {
	root := &folder{name: "\x00"}
	root.parent = root
	for _, path := range slices.Sorted(maps.Keys(t)) {
		at := root
		parts := strings.Split(path, "/")
		for _, part := range parts[:len(parts)-1] {
			at = at.child(part)
		}
		at.files = append(at.files, &file{name: plainName(parts[len(parts)-1]) + ";1", path: path, content: t[path]})
	}
	folders := root.all(nil)
	next := uint32(18)
	for _, f := range folders {
		f.sector = next
		next += f.length() / sector
	}
	offsets = map[string]int64{}
	var contents []byte
	for _, f := range folders {
		for _, file := range f.files {
			file.sector = next
			offsets[file.path] = int64(next) * sector
			padded := pad(file.content)
			contents = append(contents, padded...)
			next += sizeOf(padded) / sector
		}
	}
	image = make([]byte, 16*sector, int(next)*sector)
	image = append(image, volume(label, root, next)...)
	image = append(image, pad([]byte("\xffCD001\x01"))...)
	for _, f := range folders {
		image = append(image, f.sectors()...)
	}
	return append(image, contents...), offsets
}

// plainName returns the shortened name, in upper case, that a file or a folder has in the image.
func plainName(name string) string {
	base, extension, dotted := strings.Cut(strings.ToUpper(name), ".")
	base = base[:min(len(base), 8)]
	if !dotted {
		return base
	}
	return base + "." + extension[:min(len(extension), 3)]
}

type file struct {
	name, path string
	content    []byte
	sector     uint32
}

type folder struct {
	name    string
	parent  *folder
	folders []*folder
	files   []*file
	sector  uint32
}

func (f *folder) child(name string) *folder {
	name = plainName(name)
	for _, c := range f.folders {
		if c.name == name {
			return c
		}
	}
	c := &folder{name: name, parent: f}
	f.folders = append(f.folders, c)
	return c
}

func (f *folder) all(found []*folder) []*folder {
	found = append(found, f)
	for _, c := range f.folders {
		found = c.all(found)
	}
	return found
}

// sectors returns the folder's records. No record crosses a sector boundary.
func (f *folder) sectors() []byte {
	records := [][]byte{record("\x00", f.sector, f.length(), true), record("\x01", f.parent.sector, f.parent.length(), true)}
	for _, c := range f.folders {
		records = append(records, record(c.name, c.sector, c.length(), true))
	}
	for _, c := range f.files {
		records = append(records, record(c.name, c.sector, sizeOf(c.content), false))
	}
	var b []byte
	for _, r := range records {
		if len(b)%sector+len(r) > sector {
			b = pad(b)
		}
		b = append(b, r...)
	}
	return pad(b)
}

// length returns the length of the folder's records in bytes, which is a multiple of the sector size.
func (f *folder) length() uint32 {
	at := 2 * 34
	for _, name := range f.names() {
		size := (33 + len(name) + 1) &^ 1
		if at%sector+size > sector {
			at = (at/sector + 1) * sector
		}
		at += size
	}
	return uint32((at + sector - 1) / sector * sector) //nolint:gosec // names are few, and short
}

func (f *folder) names() []string {
	var names []string
	for _, c := range f.folders {
		names = append(names, c.name)
	}
	for _, c := range f.files {
		names = append(names, c.name)
	}
	return names
}

func volume(label string, root *folder, sectors uint32) []byte {
	v := make([]byte, sector)
	copy(v, "\x01CD001\x01")
	copy(v[8:], bytes.Repeat([]byte(" "), 64))
	copy(v[40:], label)
	both32(v[80:], sectors)
	both16(v[120:], 1)
	both16(v[124:], 1)
	both16(v[128:], sector)
	copy(v[156:], record("\x00", root.sector, root.length(), true))
	copy(v[190:], bytes.Repeat([]byte(" "), 623))
	v[881] = 1
	return v
}

func record(name string, at, length uint32, folder bool) []byte {
	r := make([]byte, (33+len(name)+1)&^1)
	r[0] = byte(len(r)) //nolint:gosec // names are short
	both32(r[2:], at)
	both32(r[10:], length)
	if folder {
		r[25] = 2
	}
	both16(r[28:], 1)
	r[32] = byte(len(name)) //nolint:gosec // as above
	copy(r[33:], name)
	return r
}

// sizeOf returns the size of a file as ISO 9660 stores it; files are far smaller than 4 GiB.
func sizeOf(content []byte) uint32 { return uint32(len(content)) } //nolint:gosec // as it says

func both32(b []byte, value uint32) {
	binary.LittleEndian.PutUint32(b, value)
	binary.BigEndian.PutUint32(b[4:], value)
}

func both16(b []byte, value uint16) {
	binary.LittleEndian.PutUint16(b, value)
	binary.BigEndian.PutUint16(b[2:], value)
}

func pad(b []byte) []byte {
	return append(b[:len(b):len(b)], make([]byte, -len(b)&(sector-1))...)
}
