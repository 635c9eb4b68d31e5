package hints

import (
	"fmt"
	"strings"

	"ironworks/models"
)

// CompareDrives compares the disks in an inventory with the drives that the BMC reports. Disks and drives are matched
// by serial number. If no serial number matches, CompareDrives reports no difference, because a RAID controller shows
// volumes to the ramdisk but drives to the BMC.
func CompareDrives(disks []Disk, drives []models.BMCDrive) []models.BMCDifference {
	if len(disks) == 0 || len(drives) == 0 {
		return nil
	}
	bySerial := map[string]*models.BMCDrive{}
	for i := range drives {
		if serial := serialKey(drives[i].Serial); serial != "" {
			bySerial[serial] = &drives[i]
		}
	}
	joined := map[string]bool{}
	for i := range disks {
		if serial := serialKey(disks[i].Serial); bySerial[serial] != nil {
			joined[serial] = true
		}
	}
	var out []models.BMCDifference
	for i := range disks {
		d := &disks[i]
		row := models.BMCDifference{What: "disk " + d.Name, Ironic: strings.TrimSpace(models.FormatBytes(d.Size) + " " + d.Serial), BMC: "no drive has this serial number"}
		serial := serialKey(d.Serial)
		drive := bySerial[serial]
		switch {
		case drive != nil:
			row.BMC = fmt.Sprintf("%s %s", models.FormatBytes(drive.Bytes), drive.ID)
			row.Differs = drive.Bytes > 0 && d.Size > 0 && !sameSize(d.Size, drive.Bytes)
		case serial == "":
			row.BMC = "unknown: the disk has no serial number"
		default:
			row.Differs = len(joined) > 0
		}
		out = append(out, row)
	}
	for i := range drives {
		d := &drives[i]
		serial := serialKey(d.Serial)
		if len(joined) == 0 || serial == "" || joined[serial] {
			continue
		}
		out = append(out, models.BMCDifference{
			What: "drive " + d.ID, Ironic: "not among the inspected disks", BMC: strings.TrimSpace(models.FormatBytes(d.Bytes) + " " + d.Serial), Differs: true,
		})
	}
	return out
}

// serialKey normalizes a serial number. Firmware may pad it with spaces and change its case.
func serialKey(s string) string { return strings.ToUpper(strings.TrimSpace(s)) }

// sameSize reports whether a and b differ by at most one percent, because controllers round sizes.
func sameSize(a, b int64) bool {
	return (max(a, b)-min(a, b))*100 <= max(a, b)
}
