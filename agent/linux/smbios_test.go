package linux

import (
	"bytes"
	"slices"
	"testing"

	"ironworks/agent"
)

// smbiosSample returns a table that contains a BIOS, a system with a SKU, a memory module of 16 GiB without strings,
// and the end marker.
func smbiosSample() []byte {
	part := func(kind byte, length int, set map[int]byte, texts ...string) []byte {
		data := make([]byte, length)
		data[0], data[1] = kind, byte(length)
		for at, value := range set {
			data[at] = value
		}
		for _, text := range texts {
			data = append(append(data, text...), 0)
		}
		if len(texts) == 0 {
			data = append(data, 0)
		}
		return append(data, 0)
	}
	return slices.Concat(
		part(smbiosBIOS, 0x18, map[int]byte{4: 1, 5: 2, 8: 3}, "Vendor", "1.2", "01/02/2025"),
		part(smbiosSystem, 0x1b, map[int]byte{4: 1, 5: 2, 7: 3, 0x19: 4}, "Maker", "Model", "Serial ", "SKU"),
		part(smbiosMemory, 0x22, map[int]byte{0x0d: 0x40}),
		part(smbiosEnd, 4, nil),
	)
}

func TestSMBIOS(t *testing.T) {
	t.Parallel()
	all := parseSMBIOS(append(smbiosSample(), "what follows the end"...))
	want := agent.SystemVendor{
		Manufacturer: "Maker", ProductName: "Model (SKU)", SerialNumber: "Serial",
		Firmware: agent.Firmware{Vendor: "Vendor", Version: "1.2", BuildDate: "01/02/2025"},
	}
	if got := vendor(all); len(all) != 4 || got != want || moduleMiB(all[2]) != 16<<10 {
		t.Errorf("%d structures, %+v, %d MiB", len(all), got, moduleMiB(all[2]))
	}
}

// TestTruncatedSMBIOS checks that the structures before the cut remain the same wherever the table is truncated.
func TestTruncatedSMBIOS(t *testing.T) {
	t.Parallel()
	table := smbiosSample()
	whole := parseSMBIOS(table)
	for size := range table {
		some := parseSMBIOS(table[:size])
		if len(some) > len(whole) {
			t.Fatalf("%d bytes have %d structures", size, len(some))
		}
		for i, s := range some {
			last := i == len(some)-1
			if s.kind != whole[i].kind || !bytes.Equal(s.data, whole[i].data) || !last && !slices.Equal(s.strings, whole[i].strings) {
				t.Errorf("%d bytes: structure %d is %+v", size, i, s)
			}
		}
		_ = vendor(some)
	}
}

// TestHostileSMBIOS checks tables that no firmware should contain. Some have wrong lengths or refer to strings that
// do not exist. One has so many strings that copying them repeatedly would take minutes.
func TestHostileSMBIOS(t *testing.T) {
	t.Parallel()
	const texts = 1 << 20
	many := append([]byte{smbiosSystem, 8, 0, 0, 1, 255, 0, 254}, bytes.Repeat([]byte("a\x00"), texts)...)
	all := parseSMBIOS(many)
	if len(all) != 1 || len(all[0].strings) != texts {
		t.Fatalf("%d structures", len(all))
	}
	if got := vendor(all); got.Manufacturer != "a" || got.ProductName != "a" || got.SerialNumber != "a" {
		t.Errorf("got %+v", got)
	}
	for name, table := range map[string][]byte{
		"empty": nil, "header only": {1, 4, 0, 0}, "shorter than its header": {1, 3, 0, 0, 0, 0}, "length 0": bytes.Repeat([]byte{0}, 64),
		"longer than the table": {1, 255, 0, 0, 0, 0}, "text without an end": {1, 8, 0, 0, 9, 9, 0, 9, 'a'},
	} {
		if got := vendor(parseSMBIOS(table)); got != (agent.SystemVendor{}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// FuzzSMBIOS checks that arbitrary tables, such as those of broken firmware, neither cause a panic nor yield
// impossible sizes.
func FuzzSMBIOS(f *testing.F) {
	f.Add(smbiosSample())
	f.Add([]byte{1, 4, 0, 0, 'a', 0, 0, 127, 4, 0, 0, 0, 0})
	f.Add([]byte{17, 0x20, 0, 0})
	f.Fuzz(func(t *testing.T, table []byte) {
		structures := parseSMBIOS(table)
		_ = vendor(structures)
		size := 0
		for _, s := range structures {
			size += len(s.data)
			if mib := moduleMiB(s); mib < 0 {
				t.Errorf("a module has %d MiB", mib)
			}
			for _, text := range s.strings {
				size += len(text)
			}
		}
		if size > len(table) {
			t.Errorf("%d bytes of %d", size, len(table))
		}
	})
}
