package hints

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
)

// RootDisk is the disk of a node's last deployment as extra.console.root_disk has it:
// a wwn or serial, or an object with these. It is nil where there is none.
type RootDisk struct{ value any }

// RootDiskOf reads it.
func RootDiskOf(n *models.Node) RootDisk {
	var fields struct {
		Extra map[string]any `json:"extra"`
	}
	if json.Unmarshal(n.Raw, &fields) != nil {
		return RootDisk{}
	}
	console, _ := fields.Extra["console"].(map[string]any)
	return RootDisk{console["root_disk"]}
}

// Given says that there is one.
func (r RootDisk) Given() bool { return r.value != nil }

// String is what stands there.
func (r RootDisk) String() string { return fmt.Sprint(r.value) }

// Is says that a disk is it.
func (r RootDisk) Is(d *Disk) bool { return r.Given() && d.Named(r.value) }

// Identity is what a disk carries in it that tells it from others, under the names of
// its attributes; empty where the ramdisk told nothing of that.
func (d *Disk) Identity() map[string]string {
	identity := map[string]string{}
	for name, value := range map[Hint]string{WWN: d.WWN, WWNWithExtension: d.WWNWithExtension, Serial: d.Serial} {
		if value != "" {
			identity[string(name)] = value
		}
	}
	return identity
}

// DiskOf is a disk of which nothing is known but its identity.
func DiskOf(identity map[string]string) *Disk {
	return &Disk{WWN: identity[string(WWN)], WWNWithExtension: identity[string(WWNWithExtension)], Serial: identity[string(Serial)]}
}

// Named says that a name is one of the disk's: its wwn or serial, or an object with
// one of these.
func (d *Disk) Named(name any) bool {
	switch v := name.(type) {
	case string:
		return slices.ContainsFunc([]string{d.WWN, d.WWNWithExtension, d.WWNVendorExtension, d.Serial}, func(own string) bool {
			return own != "" && strings.EqualFold(own, strings.TrimSpace(v))
		})
	case map[string]any:
		return d.Named(v["wwn"]) || d.Named(v["wwn_with_extension"]) || d.Named(v["serial"])
	}
	return false
}
