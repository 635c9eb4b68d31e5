package linux_test

import (
	"errors"
	"reflect"
	"testing"

	"ironworks/agent"
)

const dmidecodeOutput = `# dmidecode 3.4
SMBIOS 3.0.0 present.

Handle 0x0000, DMI type 0, 24 bytes
BIOS Information
	Vendor: ACME
	Characteristics:
		PCI is supported
		USB legacy: supported
		lost

Handle 0x0400, DMI type 4, 42 bytes
Processor Information
	Socket Designation: CPU 0

Handle 0x1000, DMI type 16, 23 bytes
Physical Memory Array
	Number Of Devices: 4

Handle 0x1001, DMI type 16, 23 bytes
Physical Memory Array
	Number Of Devices: 8

Handle 0x1100, DMI type 17, 40 bytes
Memory Device
	Size: 16 GB

Handle 0x1101, DMI type x, 40 bytes
	Size: lost

`

// TestDMIDecode checks how the collector parses output that does not occur in the recordings: lists, several memory
// arrays, and structures without a valid type.
func TestDMIDecode(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if _, _, err := b.machine.Collect(t.Context(), "dmi-decode"); err == nil || err.Error() != "failed to run dmidecode: dmidecode is not installed on this host" {
		t.Errorf("without dmidecode: %v", err)
	}
	b.fails(1, "/dev/mem: Permission denied\n", "dmidecode")
	_, _, err := b.machine.Collect(t.Context(), "dmi-decode")
	var whole agent.CollectorError
	if !errors.As(err, &whole) || whole != "failed to run dmidecode: dmidecode -t bios -t processor -t memory failed with exit code 1: /dev/mem: Permission denied" {
		t.Errorf("a failed dmidecode: %v", err)
	}
	b.answers(dmidecodeOutput, "dmidecode")
	key, value, err := b.machine.Collect(t.Context(), "dmi-decode")
	want := map[string]any{
		"bios": map[string]any{"Handle": "Handle 0x0000, DMI type 0, 24 bytes", "Vendor": "ACME", "Characteristics": []any{"PCI is supported"}, "USB legacy": "supported"},
		"cpu":  []any{map[string]any{"Handle": "Handle 0x0400, DMI type 4, 42 bytes", "Socket Designation": "CPU 0"}},
		"memory": map[string]any{
			"Number Of Devices": 12, "devices": []any{map[string]any{"Handle": "Handle 0x1100, DMI type 17, 40 bytes", "Size": "16 GB"}},
		},
	}
	if err != nil || key != "dmi" || !reflect.DeepEqual(value, want) {
		t.Errorf("%s is %v, %v", key, value, err)
	}
	b.answers("Handle 0x1000, DMI type 16, 23 bytes\n\tNumber Of Devices: many\n", "dmidecode")
	if _, value, err = b.machine.Collect(t.Context(), "dmi-decode"); err != nil || !reflect.DeepEqual(value, map[string]any{}) {
		t.Errorf("an invalid number: %v, %v", value, err)
	}
}
