package imageformat

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"unicode"
)

const (
	vmdkHeader     = 64
	vmdkDescriptor = 1<<20 - 1 // maximum length in bytes
	vmdkFooter     = 3 * sector
	// vmdkFooterFollows replaces the offset of the grain directory if the valid header is at the end of the file.
	vmdkFooterFollows = 1<<64 - 1
	// textSeen is the number of bytes, one chunk, that oslo.utils reads from an image that is a text descriptor.
	textSeen = 4096
)

// vmdk inspects VMware's VMDK format: a sparse file that contains a descriptor, or only one. See VMDKInspector.
func vmdk(i image) inspected {
	header := i.upTo(sector)
	if i.rules == Old {
		return oldVMDK(i, header)
	}
	if len(header) >= vmdkHeader && !bytes.HasPrefix(header, []byte("KDMV")) {
		if !isText(header) {
			return inspected{}
		}
		text := descriptorText(i.upTo(textSeen))
		_, matches := createType(text)
		return inspected{matches: matches, complete: true, reasons: descriptorProblems(text)}
	}
	found := inspected{matches: bytes.HasPrefix(header, []byte("KDMV"))}
	if !found.matches || len(header) < vmdkHeader {
		return found
	}
	h := parseVMDK(header)
	found.complete = true
	if h.version < 1 || h.version > 3 || h.at != sector {
		found.reasons = []string{"No descriptor found"}
		return found
	}
	descriptor := i.at(sector, h.length)
	text := descriptorText(descriptor)
	found.complete, found.reasons = descriptor != nil, descriptorProblems(text)
	if hasKnownType(text) {
		found.size = int64(h.sectors) * sector //nolint:gosec // a huge size fits nowhere
	}
	if h.directory == vmdkFooterFollows {
		footer := i.at(i.size-vmdkFooter, vmdkFooter)
		found.complete = found.complete && footer != nil
		if footer != nil && !goodFooter(header, footer) {
			found.reasons = append(found.reasons, "Footer is invalid")
		}
	}
	return found
}

// oldVMDK inspects a VMDK image like agent 9.4.2: it must have the header of a sparse file and no footer.
func oldVMDK(i image, header []byte) inspected {
	if len(header) < sector || !bytes.HasPrefix(header, []byte("KDMV")) {
		return inspected{}
	}
	h := parseVMDK(header)
	if h.version < 1 || h.version > 3 || h.at != sector || h.directory == vmdkFooterFollows {
		return inspected{}
	}
	descriptor := i.at(sector, h.length)
	if descriptor == nil {
		return inspected{}
	}
	text := strings.ToLower(string(bytes.TrimRight(descriptor, "\x00")))
	found := inspected{matches: true, complete: true}
	switch problem := extentProblem(text); {
	case !isASCII(descriptor) || problem == badDescriptor:
		found.broken = true
	case problem != "":
		found.reasons = []string{problem}
	}
	if hasKnownType(text) {
		found.size = int64(h.sectors) * sector //nolint:gosec // a huge size fits nowhere
	}
	return found
}

type sparseHeader struct {
	version            uint32
	sectors, directory uint64
	at, length         int64 // offset and length of the descriptor, in bytes
}

func parseVMDK(header []byte) sparseHeader {
	const versionAt, sectorsAt, descriptorAt, lengthAt, directoryAt = 4, 12, 28, 36, 56
	number := func(at int) uint64 { return binary.LittleEndian.Uint64(header[at:]) }
	h := sparseHeader{version: binary.LittleEndian.Uint32(header[versionAt:]), sectors: number(sectorsAt), directory: number(directoryAt)}
	h.at = int64(min(number(descriptorAt), 1<<40)) * sector                    //nolint:gosec // bounded
	h.length = min(int64(min(number(lengthAt), 1<<40))*sector, vmdkDescriptor) //nolint:gosec // bounded
	return h
}

func isASCII(content []byte) bool {
	return !slices.ContainsFunc(content, func(b byte) bool { return b > unicode.MaxASCII })
}

func isText(content []byte) bool {
	return !slices.ContainsFunc(content, func(b byte) bool {
		// Python's isspace also accepts the separators 0x1c to 0x1f.
		space := b >= '\t' && b <= '\r' || b >= 0x1c && b <= 0x1f
		return !space && (b < ' ' || b > '~')
	})
}

// descriptorText returns the descriptor up to the first NUL in lower case, or "" if it is not ASCII text.
func descriptorText(descriptor []byte) string {
	text, _, _ := bytes.Cut(descriptor, []byte{0})
	if !isASCII(text) {
		return ""
	}
	return strings.ToLower(string(text))
}

// createType returns the type of the disk, which a descriptor stores in its createType field.
func createType(text string) (name string, found bool) {
	const longest = 64
	_, rest, found := strings.Cut(text, `createtype="`)
	name, _, closed := strings.Cut(rest, `"`)
	switch {
	case !found || closed && len(name) >= longest:
		return "", false
	case !closed && rest != "":
		return rest[:len(rest)-1], true // the real agent's slice to -1 drops the last character
	}
	return name, true
}

func hasKnownType(text string) bool {
	name, _ := createType(text)
	return name == "monolithicsparse" || name == "streamoptimized"
}

const badDescriptor = "Invalid VMDK descriptor data"

func descriptorProblems(text string) []string {
	switch {
	case text == "":
		return []string{"No descriptor found"}
	case !hasKnownType(text):
		return []string{"Unsupported subformat"}
	}
	if problem := extentProblem(text); problem != "" {
		return []string{problem}
	}
	return nil
}

// extentProblem describes what is wrong with the lines of a descriptor, or returns "" if they are valid. For example,
// it rejects an extent in another folder, because a conversion would read that file.
func extentProblem(text string) string {
	extents, paths := 0, false
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimFunc(line, func(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f })
		key, _, isField := strings.Cut(line, "=")
		access, _, _ := strings.Cut(line, " ")
		switch {
		case line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "ddb"):
		case isField && !strings.Contains(key, " "):
		case slices.Contains([]string{"rw", "rdonly", "noaccess"}, access):
			extents++
			paths = paths || strings.Contains(line, "/")
		default:
			return badDescriptor
		}
	}
	switch {
	case paths:
		return "Invalid extent filenames found"
	case extents == 0:
		return "No extents found"
	}
	return ""
}

// goodFooter reports whether the footer is enclosed in valid markers and agrees with the header.
func goodFooter(header, footer []byte) bool {
	const sizeAt, typeAt, zeroAt, isFooter = 8, 12, 16, 3
	h, f := parseVMDK(header), parseVMDK(footer[sector:])
	first, last := footer[:sector], footer[2*sector:]
	marker := binary.LittleEndian.Uint32(first[sizeAt:]) == 0 && binary.LittleEndian.Uint32(first[typeAt:]) == isFooter
	zero := func(b []byte) bool { return len(bytes.Trim(b, "\x00")) == 0 }
	return bytes.Equal(header[:8], footer[sector:sector+8]) && h.at == f.at && h.length == f.length &&
		f.directory != vmdkFooterFollows && marker && zero(first[zeroAt:]) && zero(last)
}
