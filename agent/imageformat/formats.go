package imageformat

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// qcow inspects the QEMU image formats whose signature starts with QFI, such as qcow2. See QcowInspector.
func qcow(i image) inspected {
	header := i.at(0, sector)
	if !bytes.HasPrefix(header, []byte("QFI\xfb")) {
		return inspected{}
	}
	const backing, features, sizeAt = 8, 0x48, 24
	found := inspected{matches: true, complete: true, size: int64(binary.BigEndian.Uint64(header[sizeAt:]))} //nolint:gosec // a huge size is negative, and fits nowhere
	if binary.BigEndian.Uint64(header[backing:]) != 0 {
		found.reasons = append(found.reasons, "Image has a backing file")
	}
	const dataFile, known = 1 << 2, 1<<4 - 1
	set := binary.BigEndian.Uint64(header[features:])
	if set&dataFile != 0 {
		found.reasons = append(found.reasons, "Image has data_file set")
	}
	version := binary.BigEndian.Uint32(header[4:])
	switch {
	case i.rules == Current && version == 2: // version 2 has no feature bits to check
	case i.rules == Current && version != 3:
		found.reasons = append(found.reasons, "Unsupported qcow2 version")
	case set&^known != 0:
		found.reasons = append(found.reasons, "Unknown QCOW2 features found")
	}
	return found
}

// vhd inspects Virtual PC's VHD format. See VHDInspector.
func vhd(i image) inspected {
	const sizeAt = 40
	found := inspected{matches: bytes.HasPrefix(i.upTo(sector), []byte("conectix"))}
	if header := i.at(0, sector); header != nil {
		found.complete, found.size = true, int64(binary.BigEndian.Uint64(header[sizeAt:])) //nolint:gosec // as in qcow
	}
	return found
}

// vdi inspects VirtualBox's VDI format. See VDIInspector.
func vdi(i image) inspected {
	const signatureAt, signature, sizeAt = 0x40, 0xbeda107f, 0x170
	header := i.at(0, sector)
	if header == nil || binary.LittleEndian.Uint32(header[signatureAt:]) != signature {
		return inspected{}
	}
	return inspected{matches: true, complete: true, size: int64(binary.LittleEndian.Uint64(header[sizeAt:]))} //nolint:gosec // as in qcow
}

// qed inspects an obsolete format of QEMU, which no agent accepts. See QEDInspector.
func qed(i image) inspected {
	return inspected{
		matches: bytes.HasPrefix(i.at(0, sector), []byte("QED\x00")), complete: true, size: i.inspectedSize(), reasons: []string{"This file format is not allowed"},
	}
}

// iso inspects CD and DVD images. See ISOInspector.
func iso(i image) inspected {
	const start, length, blocksAt, blockAt, primary = 32 << 10, 2 << 10, 80, 128, 1
	header := i.at(start, length)
	if header == nil || !slices.Contains([]string{"CD001", "NSR02", "NSR03"}, string(header[1:6])) {
		return inspected{}
	}
	found := inspected{matches: true, complete: true}
	if header[0] == primary {
		found.size = int64(binary.LittleEndian.Uint32(header[blocksAt:])) * int64(binary.LittleEndian.Uint16(header[blockAt:]))
	}
	return found
}

// luks inspects encrypted images. See LUKSInspector. The agent has no passphrase to decrypt them.
func luks(i image) inspected {
	const length, versionAt, offsetAt = 592, 6, 104
	found := inspected{matches: bytes.HasPrefix(i.upTo(length), []byte("LUKS\xba\xbe"))}
	header := i.at(0, length)
	if header == nil {
		return found
	}
	found.complete, found.size = true, i.inspectedSize()-int64(binary.BigEndian.Uint32(header[offsetAt:]))*sector
	if binary.BigEndian.Uint16(header[versionAt:]) != 1 {
		found.reasons = []string{"LUKS version is not supported"}
	}
	return found
}

// gpt inspects images that start with a partition table, either GPT or MBR. See GPTInspector.
func gpt(i image) inspected {
	const fatsAt, mediaAt, fatMedia, signatureAt, table, entry, entries = 0x10, 0x15, 0xf8, 510, 446, 16, 4
	header := i.at(0, sector)
	if header == nil || header[signatureAt] != 0x55 || header[signatureAt+1] != 0xaa || header[fatsAt] == 2 && header[mediaAt] == fatMedia {
		return inspected{}
	}
	found := inspected{matches: true, complete: true, size: i.inspectedSize()}
	if problem := mbrProblem(header[table : table+entry*entries]); problem != "" {
		found.reasons = []string{problem}
	}
	return found
}

func mbrProblem(table []byte) string {
	const entry, typeAt, lbaAt, protective, bootable = 16, 4, 8, 0xee, 0x80
	var used []int
	isGPT := false
	for n, e := range slices.Collect(slices.Chunk(table, entry)) {
		if e[0] != 0 && e[0] != bootable {
			return "MBR PTE has invalid boot flag"
		}
		if e[typeAt] != 0 {
			used = append(used, n)
		}
		if e[typeAt] != protective {
			continue
		}
		isGPT = true
		if !bytes.Equal(e[1:4], []byte{0, 2, 0}) {
			return "GPT MBR has invalid start CHS"
		}
		if binary.LittleEndian.Uint32(e[lbaAt:]) != 1 {
			return "GPT MBR has invalid start LBA"
		}
	}
	if isGPT && !slices.Equal(used, []int{0}) {
		return "GPT MBR defines invalid extra partitions"
	}
	if len(used) == 0 {
		return "GPT MBR has no partitions defined"
	}
	return ""
}

const (
	vhdxTable     = 192 << 10
	vhdxTableSize = 64 << 10
)

// vhdx inspects Hyper-V's VHDX format. The size of the disk is stored in the image's metadata. See VHDXInspector.
func vhdx(i image) inspected {
	const identity, metadataSize = 32, 64 << 10
	found := inspected{matches: bytes.HasPrefix(i.upTo(identity), []byte("vhdxfile"))}
	table := i.at(vhdxTable, vhdxTableSize)
	if !found.matches || table == nil {
		return found
	}
	found.complete = true
	metadata, ok := region(table)
	if !ok {
		found.matches = i.rules == Current // the old inspector treats an image with a bad table as another format
		return found
	}
	at := int64(min(metadata, 1<<62)) //nolint:gosec // bounded
	content := i.at(at, min(metadataSize, max(0, i.size-at)))
	item, length, ok := metadataItem(content)
	if !ok {
		found.complete = len(content) == metadataSize
		return found
	}
	size := i.at(at+int64(item), int64(min(length, metadataSize)))
	if found.complete = size != nil; len(size) == 8 {
		found.size = int64(binary.LittleEndian.Uint64(size)) //nolint:gosec // as in qcow
	}
	return found
}

// region returns the offset of the metadata region, or false if the region table is invalid or does not list it.
func region(table []byte) (uint64, bool) {
	const first, entry, most = 16, 32, 2048
	count := binary.LittleEndian.Uint32(table[8:])
	if string(table[:4]) != "regi" || count >= most {
		return 0, false
	}
	for n := range int(count) {
		if e := table[first+n*entry:]; len(e) >= entry && string(e[:16]) == metadataRegion {
			return binary.LittleEndian.Uint64(e[16:]), true
		}
	}
	return 0, false
}

// The following GUIDs are in the byte order in which VHDX files store them.
const (
	metadataRegion  = "\x06\xa2\x7c\x8b\x90\x47\x9a\x4b\xb8\xfe\x57\x5f\x05\x0f\x88\x6e"
	virtualDiskSize = "\x24\x42\xa5\x2f\x1b\xcd\x76\x48\xb2\x11\x5d\xbe\xd8\x3b\xf4\xb8"
)

// metadataItem searches the metadata for the item that holds the size of the disk. It returns the item's offset from
// the start of the metadata and its length, both in bytes.
func metadataItem(metadata []byte) (at, length uint32, found bool) {
	const header, entry = 32, 32
	if len(metadata) < header || string(metadata[:8]) != "metadata" {
		return 0, 0, false
	}
	count := int(binary.LittleEndian.Uint16(metadata[10:]))
	if len(metadata) < header+count*entry {
		return 0, 0, false
	}
	for n := range count {
		if e := metadata[header+n*entry:]; string(e[:16]) == virtualDiskSize {
			return binary.LittleEndian.Uint32(e[16:]), binary.LittleEndian.Uint32(e[20:]), true
		}
	}
	return 0, 0, false
}
