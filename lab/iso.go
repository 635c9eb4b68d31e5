package lab

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"ironworks/ignition/image"
)

// embedArea is as large as in Fedora CoreOS.
const embedArea = 256 << 10

// LiveISO is an image with the marks of a CoreOS live image and an Ignition
// configuration in it (nil: none yet), and without a system: for machines that
// boot nothing real. It is as large as those marks, 0.3 MB.
func LiveISO(config []byte) ([]byte, error) {
	area := make([]byte, embedArea)
	if config != nil {
		packed, err := image.Wrap(config)
		if err != nil {
			return nil, fmt.Errorf("making a live image: %w", err)
		}
		if len(packed) > embedArea {
			return nil, fmt.Errorf("making a live image: the configuration takes %d bytes of %d", len(packed), embedArea)
		}
		copy(area, packed)
	}
	kargs, bootLoader := kargsFiles()
	return isoImage("ironworks-lab", []isoFolder{
		{name: "COREOS", files: []isoFile{
			{"IGNINFO.JSO;1", []byte(`{"file": "images/ignition.img"}` + "\n")}, {"KARGS.JSO;1", kargs},
		}},
		{name: "ISOLINUX", files: []isoFile{{"ISOLINUX.CFG;1", bootLoader}}},
		{name: "IMAGES", files: []isoFile{{"IGNITION.IMG;1", area}}},
	}), nil
}

// liveKargs are the kernel arguments of a live system, as many as Fedora CoreOS has.
const liveKargs = "coreos.liveiso=ironworks-lab ignition.firstboot ignition.platform.id=metal"

// kargsFiles are the arguments with room for a kilobyte more, and where they stand.
func kargsFiles() (info, bootLoader []byte) {
	size := len(liveKargs) + 1024
	info = fmt.Appendf(nil, `{"default": %q, "size": %d, "files": [{"path": "isolinux/isolinux.cfg", "offset": 0}]}`+"\n", liveKargs, size)
	bootLoader = append([]byte(liveKargs+"\n"), bytes.Repeat([]byte("#"), size-len(liveKargs)-1)...)
	return info, append(bootLoader, "# COREOS_KARG_EMBED_AREA\n"...)
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
	iso := make([]byte, 16*isoSector, int(next)*isoSector)
	iso = append(iso, volume(label, rootSector, next)...)
	iso = append(iso, pad([]byte("\xffCD001\x01"))...)
	iso = append(iso, pad(root)...)
	iso = append(iso, folderSectors...)
	return append(iso, contents...)
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
