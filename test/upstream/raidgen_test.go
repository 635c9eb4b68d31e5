package upstream_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"ironworks/models/raid"
)

// raidGenerator makes random RAID configurations and drives.
type raidGenerator struct{ *rand.Rand }

func pickOf[T any](r *rand.Rand, values ...T) T { return values[r.IntN(len(values))] }

// drives returns random drives of only a few kinds, so that many of them are equal.
func (g raidGenerator) drives() []raidDrive {
	type kind struct {
		media, protocol string
		capacity        int64
	}
	kinds := make([]kind, 1+g.IntN(3))
	for i := range kinds {
		kinds[i] = kind{
			pickOf(g.Rand, "HDD", "SSD", "SSD", "SSD", "SMR"), pickOf(g.Rand, "SAS", "SATA", "SATA", "NVMe"),
			pickOf[int64](g.Rand, 480_103_981_056, 300_000_000_000, 1_920_383_410_176, 1<<40, 100<<30, 64<<20, 1_000_204_886_016),
		}
		if g.IntN(30) == 0 {
			kinds[i].media = ""
		}
		if g.IntN(30) == 0 {
			kinds[i].protocol = pickOf(g.Rand, "", "NVMeOverFabrics")
		}
	}
	drives := make([]raidDrive, g.IntN(14))
	for i := range drives {
		k := kinds[g.IntN(len(kinds))]
		drives[i] = raidDrive{ID: fmt.Sprint(i + 1), Controller: "1", Media: k.media, Protocol: k.protocol, Capacity: k.capacity}
		if g.IntN(4) == 0 {
			drives[i].Controller = "2"
		}
		if g.IntN(60) == 0 {
			drives[i].ID = "1" // drives of different controllers may have the same ID
		}
	}
	return drives
}

func (g raidGenerator) assignment() raidCase {
	c := raidCase{Node: raidNode, Drives: g.drives()}
	var disks []any
	for i := range 1 + g.IntN(3) {
		disks = append(disks, g.logicalDisk(fmt.Sprint("v", i)))
	}
	c.Config, _ = json.Marshal(map[string]any{"logical_disks": disks})
	return c
}

func (g raidGenerator) logicalDisk(name string) map[string]any {
	d := map[string]any{
		"volume_name": name,
		"raid_level":  pickOf(g.Rand, "0", "1", "5", "6", "1+0", "5+0", "6+0", "1", "5", "1+0", "0"),
		"size_gb":     pickOf[any](g.Rand, 0, 1, 20, 50, 60, 93, 100, 200, 400, 447, 800, g.IntN(100), g.IntN(100), g.IntN(2000)),
	}
	if g.IntN(40) == 0 {
		d["raid_level"] = pickOf(g.Rand, "JBOD", "2")
	}
	named := g.IntN(5) == 0
	if named {
		ids := []any{}
		for range 1 + g.IntN(5) {
			ids = append(ids, pickOf(g.Rand, "1", "2", "3", "4", "5", "6", "7", "none"))
		}
		d["physical_disks"], d["controller"] = ids, pickOf(g.Rand, "1", "2")
		if g.IntN(30) == 0 {
			d["physical_disks"] = []any{map[string]any{"size": "> 1"}, map[string]any{"size": "> 1"}}
		}
	}
	if named && g.IntN(2) == 0 || g.IntN(60) == 0 {
		d["size_gb"] = "MAX"
	}
	if g.IntN(3) > 0 {
		d["share_physical_disks"] = g.IntN(3) > 0
	}
	if g.IntN(9) == 0 {
		d["disk_type"] = pickOf(g.Rand, "hdd", "ssd")
	}
	if g.IntN(12) == 0 {
		d["interface_type"] = pickOf(g.Rand, "sas", "sata", "sata", "scsi")
	}
	if g.IntN(6) == 0 {
		d["number_of_physical_disks"] = 1 + g.IntN(7)
	}
	if !named && g.IntN(8) == 0 {
		d["controller"] = "2"
	}
	return d
}

// brokenConfig returns a configuration with a few random changes, some of which are errors.
func (g raidGenerator) brokenConfig() any {
	var disks []any
	for i := range g.IntN(4) {
		d := g.logicalDisk(fmt.Sprint("v", i))
		if g.IntN(3) == 0 {
			d["is_root_volume"] = g.IntN(2) == 0
		}
		for range g.IntN(3) {
			g.spoil(d)
		}
		disks = append(disks, d)
	}
	config := map[string]any{"logical_disks": disks}
	switch g.IntN(25) {
	case 0:
		config["disks"] = 1
	case 1:
		delete(config, "logical_disks")
	case 2:
		config["logical_disks"] = g.value()
	case 3:
		config["logical_disks"] = append(disks, g.value())
	case 4:
		return g.value()
	}
	if disks == nil && config["logical_disks"] != nil {
		config["logical_disks"] = []any{}
	}
	return config
}

func (g raidGenerator) spoil(d map[string]any) {
	keys := []string{
		"raid_level", "size_gb", "volume_name", "is_root_volume", "share_physical_disks", "disk_type", "interface_type",
		"number_of_physical_disks", "controller", "physical_disks", "size", "Raid_level", "zusätzlich",
	}
	key := pickOf(g.Rand, keys...)
	switch g.IntN(4) {
	case 0:
		delete(d, key)
	default:
		d[key] = g.value()
	}
}

// value returns a random JSON value of any type.
func (g raidGenerator) value() any {
	switch g.IntN(14) {
	case 0:
		return nil
	case 1:
		return g.IntN(2) == 0
	case 2:
		return g.IntN(5) - 2
	case 3:
		return json.Number(pickOf(g.Rand, "1.0", "-0.5", "1e3", "-2.5", "99999999"))
	case 4:
		return []any{}
	case 5:
		return []any{g.value(), g.value()}
	case 6:
		return map[string]any{}
	case 7:
		return map[string]any{"size": g.value(), "name": "it's"}
	case 8:
		return pickOf(g.Rand, raid.Levels()...)
	case 9:
		return []any{"1", g.value()}
	case 10:
		return []any{map[string]any{"name": "a"}, g.value()}
	case 11:
		return []any{"1", "2"}
	default:
		return pickOf(g.Rand, "MAX", "hdd", "SSD", "sas", "", "x", "ü'\"", "true")
	}
}
