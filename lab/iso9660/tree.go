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

// Image returns an image, far smaller than 4 GiB, with the given label, and the offset of each file in bytes.
func (t Tree) Image(label string) (image []byte, offsets map[string]int64) {
	root := &entry{name: "\x00", folder: true}
	root.parent = root
	for _, path := range slices.Sorted(maps.Keys(t)) {
		at := root
		parts := strings.Split(path, "/")
		for _, part := range parts[:len(parts)-1] {
			at = at.child(part)
		}
		at.files = append(at.files, &entry{name: plainName(parts[len(parts)-1]) + ";1", path: path, content: t[path], size: sizeOf(t[path])})
	}
	folders := root.all(nil)
	next := uint32(18)
	for _, f := range folders {
		f.size = sizeOf(f.records()) // the numbers in the records are still wrong, but not their sizes
		f.sector = next
		next += f.size / sector
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
		image = append(image, f.records()...)
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

// entry is a folder, with its content, or a file.
type entry struct {
	name           string
	folder         bool
	sector, size   uint32 // the first sector, and the size in bytes
	parent         *entry
	folders, files []*entry
	path           string // path and content of a file
	content        []byte
}

func (f *entry) child(name string) *entry {
	name = plainName(name)
	for _, c := range f.folders {
		if c.name == name {
			return c
		}
	}
	c := &entry{name: name, folder: true, parent: f}
	f.folders = append(f.folders, c)
	return c
}

func (f *entry) all(found []*entry) []*entry {
	found = append(found, f)
	for _, c := range f.folders {
		found = c.all(found)
	}
	return found
}

// records returns the records of a folder, padded to whole sectors. No record crosses a sector boundary.
func (f *entry) records() []byte {
	records := [][]byte{f.record("\x00"), f.parent.record("\x01")}
	for _, c := range slices.Concat(f.folders, f.files) {
		records = append(records, c.record(c.name))
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

func volume(label string, root *entry, sectors uint32) []byte {
	v := make([]byte, sector)
	copy(v, "\x01CD001\x01")
	copy(v[8:], bytes.Repeat([]byte(" "), 64))
	copy(v[40:], label)
	both32(v[80:], sectors)
	both16(v[120:], 1)
	both16(v[124:], 1)
	both16(v[128:], sector)
	copy(v[156:], root.record(root.name))
	copy(v[190:], bytes.Repeat([]byte(" "), 623))
	v[881] = 1
	return v
}

// record returns a record with the given name.
func (f *entry) record(name string) []byte {
	r := make([]byte, (33+len(name)+1)&^1)
	r[0] = byte(len(r)) //nolint:gosec // names are short
	both32(r[2:], f.sector)
	both32(r[10:], f.size)
	if f.folder {
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
