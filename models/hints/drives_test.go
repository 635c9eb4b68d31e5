package hints

import (
	"slices"
	"testing"

	"ironworks/models"
)

func TestCompareBMCDisks(t *testing.T) {
	t.Parallel()
	sda := Disk{Name: "/dev/sda", Size: 480e9, Serial: "s1 "}
	for _, test := range []struct {
		name   string
		disks  []Disk
		drives []models.BMCDrive
		// differ lists the rows that differ. rows is the total number of rows.
		differ []string
		rows   int
	}{
		{name: "nothing was inspected", drives: []models.BMCDrive{{ID: "0", Serial: "S1"}}},
		{name: "the BMC tells no drives", disks: []Disk{sda}},
		{name: "the same", disks: []Disk{sda}, drives: []models.BMCDrive{{ID: "0", Serial: "S1", Bytes: 480103981056}}, rows: 1},
		{name: "another size", disks: []Disk{sda}, drives: []models.BMCDrive{{ID: "0", Serial: "S1", Bytes: 960e9}}, differ: []string{"disk /dev/sda"}, rows: 1},
		{
			name: "a drive that was swapped", disks: []Disk{sda, {Name: "/dev/sdb", Size: 4e12, Serial: "S2"}},
			drives: []models.BMCDrive{{ID: "0", Serial: "S1", Bytes: 480e9}, {ID: "1", Serial: "S9", Bytes: 4e12}},
			differ: []string{"disk /dev/sdb", "drive 1"}, rows: 3,
		},
		{name: "volumes of a RAID controller", disks: []Disk{{Name: "/dev/sda", Size: 1e12, Serial: "0x6001"}}, drives: []models.BMCDrive{{ID: "0", Serial: "S1"}, {ID: "1", Serial: "S2"}}, rows: 1},
		{name: "no serial numbers", disks: []Disk{{Name: "/dev/vda", Size: 1e9}}, drives: []models.BMCDrive{{ID: "0"}}, rows: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var differ []string
			rows := CompareDrives(test.disks, test.drives)
			for _, d := range rows {
				if d.Differs {
					differ = append(differ, d.What)
				}
			}
			if !slices.Equal(differ, test.differ) || len(rows) != test.rows {
				t.Errorf("%+v, want %v to differ in %d rows", rows, test.differ, test.rows)
			}
		})
	}
}
