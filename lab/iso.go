package lab

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"

	"github.com/cavaliergopher/cpio"
)

// embedArea is as large as in Fedora CoreOS.
const embedArea = 256 << 10

// LiveISO is an image with the marks of a CoreOS live image and an Ignition
// configuration in it (nil: none yet), and without a system: for machines that
// boot nothing real. It is as large as those marks, 0.3 MB.
func LiveISO(config []byte) ([]byte, error) {
	area := make([]byte, embedArea)
	if config != nil {
		packed, err := packConfig(config)
		if err != nil {
			return nil, fmt.Errorf("making a live image: %w", err)
		}
		if len(packed) > embedArea {
			return nil, fmt.Errorf("making a live image: the configuration takes %d bytes of %d", len(packed), embedArea)
		}
		copy(area, packed)
	}
	return isoImage("ironworks-lab", []isoFolder{
		{name: "COREOS", files: []isoFile{{"IGNINFO.JSO;1", []byte(`{"file": "images/ignition.img"}` + "\n")}}},
		{name: "IMAGES", files: []isoFile{{"IGNITION.IMG;1", area}}},
	}), nil
}

func packConfig(config []byte) ([]byte, error) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	archive := cpio.NewWriter(z)
	if err := archive.WriteHeader(&cpio.Header{Name: "config.ign", Mode: cpio.TypeReg | 0o600, Size: int64(len(config))}); err != nil {
		return nil, fmt.Errorf("packing: %w", err)
	}
	if _, err := archive.Write(config); err != nil {
		return nil, fmt.Errorf("packing: %w", err)
	}
	if err := archive.Close(); err != nil {
		return nil, fmt.Errorf("packing: %w", err)
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("packing: %w", err)
	}
	return packed.Bytes(), nil
}

type isoFile struct {
	name    string
	content []byte
}

type isoFolder struct {
	name  string
	files []isoFile
}

const isoSector = 2048

// isoImage is a plain ISO 9660 image (ECMA-119) of one level of folders, each
// of which fits into a sector.
func isoImage(label string, folders []isoFolder) []byte {
	// Sectors: 16 the volume, 17 its end, 18 the root, then the folders, then
	// the files.
	const rootSector = 18
	next := uint32(rootSector + 1)
	for range folders {
		next++
	}
	root := folderSector(rootSector, rootSector)
	var folderSectors, contents []byte
	for i, folder := range folders {
		sector := uint32(rootSector + 1 + i) //nolint:gosec // a handful
		own := folderSector(sector, rootSector)
		for _, file := range folder.files {
			own = append(own, isoRecord(file.name, next, sizeOf(file.content), false)...)
			padded := pad(file.content)
			contents = append(contents, padded...)
			next += sizeOf(padded) / isoSector
		}
		folderSectors = append(folderSectors, pad(own)...)
		root = append(root, isoRecord(folder.name, sector, isoSector, true)...)
	}
	image := make([]byte, 16*isoSector, int(next)*isoSector)
	image = append(image, volume(label, rootSector, next)...)
	image = append(image, pad([]byte("\xffCD001\x01"))...)
	image = append(image, pad(root)...)
	image = append(image, folderSectors...)
	return append(image, contents...)
}

func volume(label string, rootSector, sectors uint32) []byte {
	v := make([]byte, isoSector)
	copy(v, "\x01CD001\x01")
	copy(v[8:], bytes.Repeat([]byte(" "), 64))
	copy(v[40:], label)
	both32(v[80:], sectors)
	both16(v[120:], 1)
	both16(v[124:], 1)
	both16(v[128:], isoSector)
	copy(v[156:], isoRecord("\x00", rootSector, isoSector, true))
	copy(v[190:], bytes.Repeat([]byte(" "), 623))
	v[881] = 1
	return v
}

// folderSector begins a folder with itself and its parent.
func folderSector(own, parent uint32) []byte {
	return append(isoRecord("\x00", own, isoSector, true), isoRecord("\x01", parent, isoSector, true)...)
}

func isoRecord(name string, sector, length uint32, folder bool) []byte {
	size := 33 + len(name)
	size += size % 2
	r := make([]byte, size)
	r[0] = byte(size) //nolint:gosec // names are ours, and short
	both32(r[2:], sector)
	both32(r[10:], length)
	if folder {
		r[25] = 2
	}
	both16(r[28:], 1)
	r[32] = byte(len(name)) //nolint:gosec // as above
	copy(r[33:], name)
	return r
}

// sizeOf is of files that are far below 4 GiB.
func sizeOf(content []byte) uint32 { return uint32(len(content)) } //nolint:gosec // as it says

func both32(b []byte, value uint32) {
	binary.LittleEndian.PutUint32(b, value)
	binary.BigEndian.PutUint32(b[4:], value)
}

func both16(b []byte, value uint16) {
	binary.LittleEndian.PutUint16(b, value)
	binary.BigEndian.PutUint16(b[2:], value)
}

func pad(content []byte) []byte {
	if rest := len(content) % isoSector; rest != 0 {
		content = append(content[:len(content):len(content)], make([]byte, isoSector-rest)...)
	}
	return content
}
