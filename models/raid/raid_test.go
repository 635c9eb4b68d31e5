package raid

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ironworks/models/hints"
)

func parsed(t *testing.T, text string) any {
	t.Helper()
	v, err := hints.DecodePython([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, want string }{
		{`{"logical_disks": [{"size_gb": 100, "raid_level": "1"}, {"size_gb": "MAX", "raid_level": "0", "is_root_volume": true}]}`, ""},
		{`{"logical_disks": [{"size_gb": 100}]}`, "RAID config validation error: 'raid_level' is a required property"},
		{`{}`, "'logical_disks' is a required property"},
		{`{"logical_disks": []}`, "[] should be non-empty"},
		{`{"logical_disks": {}}`, "{} is not of type 'array'"},
		{`{"logical_disks": ["x"]}`, "'x' is not of type 'object'"},
		{`{"disks": []}`, "'logical_disks' is a required property"},
		{`{"disks": [], "logical_disks": [{"size_gb": 1, "raid_level": "1"}]}`, "Additional properties are not allowed ('disks' was unexpected)"},
		{`{"logical_disks": [{"size_gb": -1, "raid_level": "1"}]}`, "-1 is less than the minimum of 0"},
		{`{"logical_disks": [{"size_gb": 1.0, "raid_level": "1"}]}`, "1.0 is not valid under any of the given schemas"},
		{`{"logical_disks": [{"size_gb": 1, "raid_level": "7"}]}`, "'7' is not one of ['JBOD', '0', '1', '2', '5', '6', '1+0', '5+0', '6+0']"},
		{`{"logical_disks": [{"size_gb": 1, "raid_level": "1", "b": 1, "a": 2}]}`, "('a', 'b' were unexpected)"},
		{`{"logical_disks": [{"size_gb": 1, "raid_level": "1", "physical_disks": ["1"]}]}`, "'controller' is a dependency of 'physical_disks'"},
		{`{"logical_disks": [{"size_gb": 1, "raid_level": "1", "number_of_physical_disks": 0}]}`, "0 is less than or equal to the minimum of 0"},
		{`{"logical_disks": [{"size_gb": 1, "raid_level": "1", "is_root_volume": true}, {"size_gb": 1, "raid_level": "1", "is_root_volume": true}]}`, "2 root volumes were specified"},
	} {
		err := Check(parsed(t, test.text))
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", test.text, err, test.want)
		}
	}
	scsi := `{"logical_disks": [{"size_gb": 1, "raid_level": "1", "interface_type": "scsi"}]}`
	if err := CheckHardware(parsed(t, scsi)); err == nil || err.Error() != "interface type `scsi` not supported by Redfish RAID" {
		t.Error(err)
	}
}

func TestDecodeNamesDiskKeyValueAndFix(t *testing.T) {
	t.Parallel()
	// These values have the types that decoding YAML and JSON produces.
	config := map[string]any{"logical_disks": []any{
		map[string]any{"raid_level": "1", "size_gb": 100, "is_root_volume": true},
		map[string]any{
			"raid_level": 5, "size_gb": json.Number("1.5"), "disk_type": "nvme", "physical_disks": []any{"1", map[string]any{}}, "size": 1,
			"number_of_physical_disks": 0, "share_physical_disks": "yes", "is_root_volume": true,
		},
	}}
	_, err := Decode(config)
	want := `logical disk 2: size: 1: unknown key; known keys: raid_level, size_gb, volume_name, is_root_volume, share_physical_disks, disk_type, interface_type, number_of_physical_disks, controller, physical_disks
logical disk 2: raid_level: 5: use one of JBOD, 0, 1, 2, 5, 6, 1+0, 5+0, 6+0
logical disk 2: share_physical_disks: 'yes': use true or false
logical disk 2: disk_type: 'nvme': use one of hdd, ssd
logical disk 2: number_of_physical_disks: 0: use a whole number of drives, at least 1
logical disk 2: size_gb: 1.5: use a whole number of GiB, or "MAX"
logical disk 2: physical_disks: ['1', {}]: specify the controller as well
logical disk 2: physical_disks: ['1', {}]: list drive IDs, or, for software RAID, two or more objects with device hints
logical disk 2: is_root_volume: True: only one logical disk can be the root volume`
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	for _, broken := range []any{nil, "x", map[string]any{}, map[string]any{"logical_disks": "x"}, map[string]any{"disks": 1}} {
		if _, err := Decode(broken); err == nil {
			t.Errorf("%v is accepted", broken)
		}
	}
}

// shelf returns the given number of identical 480 GB drives behind one controller.
func shelf(count int) []Drive {
	drives := make([]Drive, count)
	for i := range drives {
		drives[i] = Drive{ID: fmt.Sprint(i + 1), Controller: "1", Protocol: "SATA", MediaType: "SSD", CapacityBytes: 480_103_981_056}
	}
	return drives
}

func TestAssign(t *testing.T) {
	t.Parallel()
	busy := shelf(3)
	busy[1].InUse = true
	nvme := shelf(3)
	nvme[0].Protocol = "NVMe"
	for _, test := range []struct {
		disks  string
		drives []Drive
		want   string
	}{
		{`{"raid_level": "1", "size_gb": 100}, {"raid_level": "5", "size_gb": 200}`, shelf(5), "5 on 1 [3 4 5] 214748364800 1x3; 1 on 1 [1 2] 107374182400 1x2; "},
		{`{"raid_level": "5", "size_gb": "MAX", "controller": "c", "physical_disks": ["2", "1", "3"]}`, busy, "5 on c [2 1 3] 960193626112 1x3 busy [2]; "},
		{`{"raid_level": "1+0", "size_gb": 50}`, shelf(4), "1+0 on 1 [1 2 3 4] 53687091200 0x0; "},
		{`{"raid_level": "5", "size_gb": 100}`, shelf(2), "Redfish exception occurred. Error: failed to find matching physical disks for all logical disks"},
		{`{"raid_level": "1+0", "size_gb": 100}`, shelf(3), "Redfish exception occurred. Error: Spanned RAID volumes cannot contain a single span"},
		{`{"raid_level": "JBOD", "size_gb": 100}`, shelf(3), "Redfish exception occurred. Error: Cannot calculate spans for RAID level \"JBOD\""},
		{`{"raid_level": "1", "size_gb": 100, "interface_type": "sata"}`, nvme, "<Protocol.NVMe: 'NVMe'>"},
		{`{"raid_level": "1", "size_gb": "MAX"}`, shelf(2), "create_configuration called with invalid target_raid_configuration for node n. 'physical_disks' is missing from logical_disk " +
			"while 'size_gb'='MAX' was requested: {'raid_level': '1', 'size_gb': 'MAX'}"},
		// When placing the second disk fails with an error, Ironic continues without that disk.
		{`{"raid_level": "0", "size_gb": 1}, {"raid_level": "1+0", "size_gb": 1}`, shelf(3), "0 on 1 [1 2] 1073741824 1x2; "},
	} {
		disks, err := Decode(parsed(t, `{"logical_disks": [`+test.disks+`]}`))
		if err != nil {
			t.Fatal(err)
		}
		volumes, err := Assign(disks, test.drives, "n")
		got := ""
		for _, v := range volumes {
			got += fmt.Sprintf("%s on %s %v %d %dx%d", v.RAIDLevel, v.Controller, v.Drives, v.Bytes, v.SpanDepth, v.SpanLength)
			if v.Busy != nil {
				got += fmt.Sprintf(" busy %v", v.Busy)
			}
			got += "; "
		}
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.disks, got, test.want)
		}
	}
}

func TestToCreate(t *testing.T) {
	t.Parallel()
	volumes := []Volume{
		{LogicalDisk: LogicalDisk{VolumeName: "a", Controller: "2"}},
		{LogicalDisk: LogicalDisk{VolumeName: "b", Controller: "1", IsRoot: true}},
		{LogicalDisk: LogicalDisk{VolumeName: "c", Controller: "1"}},
	}
	for want, got := range map[string][]Volume{
		"bca": ToCreate(volumes, true, true), "b": ToCreate(volumes, true, false), "ca": ToCreate(volumes, false, true), "": ToCreate(volumes, false, false),
	} {
		names := ""
		for _, v := range got {
			names += v.VolumeName
		}
		if names != want {
			t.Errorf("%s, want %s", names, want)
		}
	}
}

func TestSoftware(t *testing.T) {
	t.Parallel()
	newest, old := Software{Devices: 2, KeepsVolumes: true}, Software{Devices: 2, KeepsVolumes: true, Generation: hints.GenerationOld}
	config := `{"logical_disks": [{"size_gb": "MAX", "raid_level": "0", "controller": "software", "is_root_volume": true},
		{"size_gb": "MAX", "raid_level": "5", "is_root_volume": true, "physical_disks": ["a"]}]}`
	all := newest.Check(parsed(t, config))
	if len(all) != 9 || len(old.Check(parsed(t, config))) != 6 {
		t.Errorf("%d and %d problems: %q", len(all), len(old.Check(parsed(t, config))), all)
	}
	good := `{"logical_disks": [{"size_gb": "MAX", "raid_level": "1", "controller": "software"}]}`
	if problems := (Software{Devices: 2}).Check(parsed(t, good)); problems != nil {
		t.Error(problems)
	}
}
