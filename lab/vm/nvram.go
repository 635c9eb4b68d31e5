package vm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"slices"
	"unicode/utf16"

	"ironworks/atomicfile"
)

// variableStore is a UEFI variable store in the layout of edk2. It consists of a firmware volume header (MdePkg,
// PiFirmwareVolume.h), a store header, and a sequence of authenticated variables (MdeModulePkg, VariableFormat.h).
// Variables have no checksums, so a store can be edited in place while no firmware uses it.
type variableStore struct {
	content []byte
	start   int // offset of the first variable
	end     int // end of the store
	free    int // offset at which the next variable is appended
	list    []variable
}

// variable is a valid variable in the store.
type variable struct {
	at, dataAt int
	name       string
	guid       [16]byte
	data       []byte
}

const (
	storeHeaderSize    = 28
	variableHeaderSize = 60
	variableMark       = 0x55aa
	variableAdded      = 0x3f
	inDeletion         = 0xfe // mask for the state of a variable that is being replaced
	deleted            = 0xfd // mask for the state of a deleted variable
	// bootAttributes are NON_VOLATILE | BOOTSERVICE_ACCESS | RUNTIME_ACCESS.
	bootAttributes = 7
	// maxVariables is the maximum number of variables that are read, in case the store is damaged.
	maxVariables = 10_000
)

// GUIDs in the byte order of the store.
var (
	// authenticatedGUID is gEfiAuthenticatedVariableGuid, AAF32C78-947B-439A-A180-2E144EC37792.
	authenticatedGUID = [16]byte{0x78, 0x2c, 0xf3, 0xaa, 0x7b, 0x94, 0x9a, 0x43, 0xa1, 0x80, 0x2e, 0x14, 0x4e, 0xc3, 0x77, 0x92}
	// globalGUID is EFI_GLOBAL_VARIABLE, 8BE4DF61-93CA-11D2-AA0D-00E098032B8C.
	globalGUID = [16]byte{0x61, 0xdf, 0xe4, 0x8b, 0xca, 0x93, 0xd2, 0x11, 0xaa, 0x0d, 0x00, 0xe0, 0x98, 0x03, 0x2b, 0x8c}

	errVariables     = errors.New("not a UEFI variable store")
	errVariablesFull = errors.New("the UEFI variable store is full")
)

// parseVariables reads a store. The store keeps the content and edits it in place.
func parseVariables(content []byte) (*variableStore, error) {
	if len(content) < 64 || string(content[40:44]) != "_FVH" {
		return nil, errVariables
	}
	header := int(binary.LittleEndian.Uint16(content[48:]))
	if header+storeHeaderSize > len(content) || !bytes.Equal(content[header:header+16], authenticatedGUID[:]) {
		return nil, errVariables
	}
	size := int(binary.LittleEndian.Uint32(content[header+16:]))
	if size < storeHeaderSize || size > len(content)-header {
		return nil, errVariables
	}
	s := &variableStore{content: content, start: header + storeHeaderSize, end: header + size}
	return s, s.read()
}

// read finds the valid variables, and the start of the free space.
func (s *variableStore) read() error {
	at := s.start
	for range maxVariables {
		if at+variableHeaderSize > s.end || binary.LittleEndian.Uint16(s.content[at:]) != variableMark {
			break
		}
		head := s.content[at:]
		nameSize, dataSize := int(binary.LittleEndian.Uint32(head[36:])), int(binary.LittleEndian.Uint32(head[40:]))
		if nameSize < 0 || dataSize < 0 || nameSize > s.end || dataSize > s.end || at+variableHeaderSize+nameSize+dataSize > s.end {
			return fmt.Errorf("%w: a variable at %d runs past the end", errVariables, at)
		}
		if state := head[2]; state == variableAdded || state == variableAdded&inDeletion {
			v := variable{at: at, dataAt: at + variableHeaderSize + nameSize, name: utf16Text(head[variableHeaderSize : variableHeaderSize+nameSize])}
			copy(v.guid[:], head[44:60])
			v.data = s.content[v.dataAt : v.dataAt+dataSize]
			s.list = append(s.list, v)
		}
		at = aligned(at + variableHeaderSize + nameSize + dataSize)
	}
	s.free = at
	return nil
}

func aligned(at int) int { return (at + 3) &^ 3 }

// get returns the data of a global variable.
func (s *variableStore) get(name string) ([]byte, bool) {
	i := slices.IndexFunc(s.list, func(v variable) bool { return v.name == name && v.guid == globalGUID })
	if i < 0 {
		return nil, false
	}
	return s.list[i].data, true
}

// set adds or replaces a global variable. The firmware reclaims the space of the old variable.
func (s *variableStore) set(name string, data []byte) error {
	if old, found := s.get(name); found && bytes.Equal(old, data) {
		return nil
	}
	text := utf16Bytes(name)
	size := variableHeaderSize + len(text) + len(data)
	if s.free+size > s.end {
		return fmt.Errorf("%w: setting %s", errVariablesFull, name)
	}
	s.list = slices.DeleteFunc(s.list, func(v variable) bool {
		if v.name != name || v.guid != globalGUID {
			return false
		}
		s.content[v.at+2] &= deleted
		return true
	})
	head := make([]byte, variableHeaderSize, size)
	binary.LittleEndian.PutUint16(head, variableMark)
	head[2] = variableAdded
	binary.LittleEndian.PutUint32(head[4:], bootAttributes)
	binary.LittleEndian.PutUint32(head[36:], uint32(len(text))) //nolint:gosec // short
	binary.LittleEndian.PutUint32(head[40:], uint32(len(data))) //nolint:gosec // short
	copy(head[44:], globalGUID[:])
	copy(s.content[s.free:], append(append(head, text...), data...))
	dataAt := s.free + variableHeaderSize + len(text)
	s.list = append(s.list, variable{at: s.free, dataAt: dataAt, name: name, guid: globalGUID, data: s.content[dataAt : dataAt+len(data)]})
	s.free = aligned(s.free + size)
	return nil
}

func utf16Bytes(text string) []byte {
	var b []byte
	for _, unit := range append(utf16.Encode([]rune(text)), 0) {
		b = binary.LittleEndian.AppendUint16(b, unit)
	}
	return b
}

func utf16Text(b []byte) string {
	var units []uint16
	for i := 0; i+1 < len(b); i += 2 {
		unit := binary.LittleEndian.Uint16(b[i:])
		if unit == 0 {
			break
		}
		units = append(units, unit)
	}
	return string(utf16.Decode(units))
}

// editVariables changes the store in a file. No firmware may use the file at the same time.
func editVariables(path string, change func(*variableStore) error) error {
	content, err := os.ReadFile(path) //nolint:gosec // below the machine's folder
	if err != nil {
		return fmt.Errorf("reading UEFI variables: %w", err)
	}
	before := bytes.Clone(content)
	s, err := parseVariables(content)
	if err == nil {
		err = change(s)
	}
	if err != nil {
		return fmt.Errorf("editing UEFI variables in %s: %w", path, err)
	}
	if bytes.Equal(before, content) {
		return nil
	}
	if err := atomicfile.Replace(path, content); err != nil {
		return fmt.Errorf("writing UEFI variables: %w", err)
	}
	return nil
}
