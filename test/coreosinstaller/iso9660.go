package coreosinstaller

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
	"strings"
)

const sector = 2048

// Tree is the files of an image by their paths, whose names are of eight
// letters and three of the extension at most once they are cut.
type Tree map[string][]byte

// ISO makes a plain ISO 9660 image (ECMA-119) of the tree: no Rock Ridge, no
// Joliet, nothing to boot. It also tells where each file lies.
func (t Tree) ISO(label string) ([]byte, map[string]int64) {
	root := &folder{name: "\x00"}
	root.parent = root
	for _, path := range slices.Sorted(maps.Keys(t)) {
		at := root
		parts := strings.Split(path, "/")
		for _, part := range parts[:len(parts)-1] {
			at = at.child(part)
		}
		at.files = append(at.files, &file{name: PlainName(parts[len(parts)-1]) + ";1", path: path, content: t[path]})
	}
	folders := root.all(nil)
	next := uint32(18)
	for _, f := range folders {
		f.sector = next
		next += uint32(len(f.sectors()) / sector)
	}
	offsets := map[string]int64{}
	var contents []byte
	for _, f := range folders {
		for _, file := range f.files {
			file.sector = next
			offsets[file.path] = int64(next) * sector
			padded := pad(file.content)
			contents = append(contents, padded...)
			next += uint32(len(padded) / sector)
		}
	}
	image := make([]byte, 16*sector, int(next)*sector)
	image = append(image, volume(label, root, next)...)
	image = append(image, pad([]byte("\xffCD001\x01"))...)
	for _, f := range folders {
		image = append(image, f.sectors()...)
	}
	return append(image, contents...), offsets
}

// PlainName is the name of a file as a plain image has it.
func PlainName(name string) string {
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
	name = PlainName(name)
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

// sectors are the folder's records, none of which crosses a sector.
func (f *folder) sectors() []byte {
	records := [][]byte{record("\x00", f.sector, f.length(), true), record("\x01", f.parent.sector, f.parent.length(), true)}
	for _, c := range f.folders {
		records = append(records, record(c.name, c.sector, c.length(), true))
	}
	for _, c := range f.files {
		records = append(records, record(c.name, c.sector, uint32(len(c.content)), false))
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

// length is that of the sectors, worked out from the names alone.
func (f *folder) length() uint32 {
	at := 2 * 34
	for _, name := range f.names() {
		size := (33 + len(name) + 1) &^ 1
		if at%sector+size > sector {
			at = (at/sector + 1) * sector
		}
		at += size
	}
	return uint32((at + sector - 1) / sector * sector)
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
	r[0] = byte(len(r))
	both32(r[2:], at)
	both32(r[10:], length)
	if folder {
		r[25] = 2
	}
	both16(r[28:], 1)
	r[32] = byte(len(name))
	copy(r[33:], name)
	return r
}

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
