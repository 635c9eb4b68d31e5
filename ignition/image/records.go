package image

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"
)

// fileRecord holds the data that is needed to move a file: the offset of its directory record, and its extent.
type fileRecord struct {
	record int64
	extent extent
}

// descriptor is a volume descriptor with a folder tree. It is either the primary descriptor or the one of the Joliet
// extension.
type descriptor struct {
	offset int64
	root   extent
	joliet bool
}

// descriptors returns the volume descriptors that have a folder tree.
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
		if root, _, length := record(sector[156:190]); length > 0 && root.folder {
			found = append(found, descriptor{offset: at, root: root, joliet: joliet})
		}
	}
	return found, nil
}

// locate finds the file at path in the descriptor's folder tree. In a Joliet tree, names are long and encoded in
// UCS-2.
func (f isoFiles) locate(d descriptor, path string) (fileRecord, bool, error) {
	at := fileRecord{extent: d.root}
	for part := range strings.SplitSeq(path, "/") {
		if !at.extent.folder || at.extent.length > maxDirectory || at.extent.offset+at.extent.length > f.size {
			return fileRecord{}, false, nil
		}
		content := make([]byte, at.extent.length)
		if err := readFull(f.r, content, at.extent.offset); err != nil {
			return fileRecord{}, false, err
		}
		next, found := findRecord(content, part, d.joliet)
		if !found {
			return fileRecord{}, false, nil
		}
		next.record += at.extent.offset
		at = next
	}
	return at, !at.extent.folder, nil
}

// findRecord searches the records of a folder for the given name. The offset in the result is relative to the start
// of the folder.
func findRecord(folder []byte, name string, joliet bool) (fileRecord, bool) {
	exact, plain := strings.ToUpper(name), plainName(name)
	for at := 0; at < len(folder); {
		if folder[at] == 0 {
			at = (at/sectorSize + 1) * sectorSize
			continue
		}
		e, _, length := record(folder[at:])
		if length == 0 {
			return fileRecord{}, false
		}
		raw := folder[at+33 : at+33+int(folder[at+32])]
		text := string(raw)
		if joliet {
			text = ucs2(raw)
		}
		text, _, _ = strings.Cut(strings.ToUpper(text), ";")
		text = strings.TrimSuffix(text, ".")
		if text == exact || !joliet && text == plain {
			return fileRecord{record: int64(at), extent: e}, true
		}
		at += length
	}
	return fileRecord{}, false
}

func ucs2(raw []byte) string {
	units := make([]uint16, len(raw)/2)
	for i := range units {
		units[i] = binary.BigEndian.Uint16(raw[2*i:])
	}
	return string(utf16.Decode(units))
}

// bothEndian returns n in both byte orders, little-endian first, as ISO 9660 requires (ECMA-119, 7.3.3).
func bothEndian(n int64) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(n)) //nolint:gosec // checked by the caller
	return binary.BigEndian.AppendUint32(b, uint32(n))    //nolint:gosec // checked by the caller
}
