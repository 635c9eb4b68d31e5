package vm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
)

// emptyStore returns an empty variable store as edk2's build creates it. size is the size of the store in bytes,
// without the header of the firmware volume.
func emptyStore(size int) []byte {
	const header = 72
	content := bytes.Repeat([]byte{0xff}, header+size)
	clear(content[:header])
	copy(content[40:], "_FVH")
	binary.LittleEndian.PutUint16(content[48:], header)
	copy(content[header:], authenticatedGUID[:])
	binary.LittleEndian.PutUint32(content[header+16:], uint32(size))
	return content
}

func reparse(t *testing.T, s *variableStore) *variableStore {
	t.Helper()
	again, err := parseVariables(bytes.Clone(s.content))
	if err != nil {
		t.Fatal(err)
	}
	return again
}

func TestVariables(t *testing.T) {
	s, err := parseVariables(emptyStore(1024))
	if err != nil {
		t.Fatal(err)
	}
	if _, found := s.get("BootOrder"); found || s.free != s.start {
		t.Errorf("an empty store has variables: %+v", s.list)
	}
	for _, data := range [][]byte{{1, 0}, {2, 0, 1, 0}, {3, 0, 2, 0, 1}} {
		if err := s.set("BootOrder", data); err != nil {
			t.Fatal(err)
		}
		if err := s.set("BootNext", []byte{7, 0}); err != nil {
			t.Fatal(err)
		}
		s = reparse(t, s)
		if got, found := s.get("BootOrder"); !found || !bytes.Equal(got, data) {
			t.Errorf("read %v, want %v", got, data)
		}
	}
	if len(s.list) != 2 {
		t.Errorf("%d variables are valid, want 2", len(s.list))
	}
	used := s.free
	if err := s.set("BootNext", []byte{7, 0}); err != nil || s.free != used {
		t.Errorf("setting the same value took %d bytes, %v", s.free-used, err)
	}
	if err := s.set("BootOrder", make([]byte, 1024)); !errors.Is(err, errVariablesFull) {
		t.Errorf("a full store: %v", err)
	}
	if got, _ := s.get("BootOrder"); len(got) != 5 {
		t.Errorf("a failed change changed the store: %v", got)
	}
}

func TestInvalidVariables(t *testing.T) {
	good := emptyStore(256)
	runaway := bytes.Clone(good)
	copy(runaway[72+storeHeaderSize:], []byte{0xaa, 0x55, variableAdded})
	for name, content := range map[string][]byte{
		"nothing": nil, "zeros": make([]byte, 4096), "cut short": good[:90], "a variable without an end": runaway,
	} {
		if _, err := parseVariables(content); !errors.Is(err, errVariables) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBootNext(t *testing.T) {
	mac, _ := net.ParseMAC("52:54:00:00:00:01")
	path := filepath.Join(t.TempDir(), "vars.fd")
	if err := os.WriteFile(path, emptyStore(4096), 0o600); err != nil {
		t.Fatal(err)
	}
	next := func(target Target) (number []byte, option []byte) {
		t.Helper()
		if err := editVariables(path, func(s *variableStore) error { return s.bootNext(target, mac) }); err != nil {
			t.Fatal(err)
		}
		if err := editVariables(path, func(s *variableStore) error {
			number, _ = s.get("BootNext")
			if len(number) == 2 {
				option, _ = s.get(optionName(binary.LittleEndian.Uint16(number)))
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return number, option
	}
	if number, _ := next(TargetDisk); number != nil {
		t.Errorf("without any option the disk is %v", number)
	}
	// PciRoot(0x0)/Pci(0x1F,0x2)/Sata(0x0,0xFFFF,0x0)
	want := []byte{2, 1, 12, 0, 0xd0, 0x41, 3, 10, 0, 0, 0, 0, 1, 1, 6, 0, 2, 0x1f, 3, 18, 10, 0, 0, 0, 0xff, 0xff, 0, 0, 0x7f, 0xff, 4, 0}
	if _, option := next(TargetCD); !bytes.Equal(optionPath(option), want) {
		t.Errorf("the CD's option is %x", option)
	}
	if _, option := next(TargetNetwork); !bytes.Contains(optionPath(option), []byte(mac)) || isDisk(optionPath(option)) {
		t.Errorf("the network's option is %x", option)
	}
	options := map[string][]byte{
		"Boot0001":  bootOption("CD", rootNode, pciNode(sataDevice, sataFunction), sataNode(cdPort)),
		"Boot0002":  bootOption("PXE", rootNode, pciNode(nicDevice, 0), macNode(mac), ipv4Node()),
		"Boot0003":  bootOption("Fedora", append([]byte{4, 1, 42, 0}, make([]byte, 38)...), []byte{4, 4, 6, 0, 0, 0}),
		"Boot0004":  bootOption("NVMe", rootNode, pciNode(firstNVMe, 0), append([]byte{3, 0x17, 16, 0}, make([]byte, 12)...)),
		"BootOrder": {1, 0, 2, 0, 9, 0, 3, 0, 4, 0},
	}
	if err := editVariables(path, func(s *variableStore) error {
		for name, data := range options {
			if err := s.set(name, data); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if number, _ := next(TargetDisk); !bytes.Equal(number, []byte{3, 0}) {
		t.Errorf("the first disk is %v, want 3", number)
	}
	if number, _ := next(TargetDefault); !bytes.Equal(number, []byte{3, 0}) {
		t.Errorf("no target changed BootNext to %v", number)
	}
}
