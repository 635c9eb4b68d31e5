package hints

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"ironworks/models"
)

// RootDisk identifies the disk to which the last deployment installed a node. It is the value of
// extra.console.root_disk: a WWN or serial number, or an object that contains these. The value is nil if the disk is
// unknown.
type RootDisk struct{ value any }

// RootDiskOf returns the root disk that is stored in the node's extra field.
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

// IsKnown reports whether a root disk was stored for the node.
func (r RootDisk) IsKnown() bool { return r.value != nil }

// String returns the stored value as text.
func (r RootDisk) String() string { return fmt.Sprint(r.value) }

// Is reports whether d is the root disk.
func (r RootDisk) Is(d *Disk) bool { return r.IsKnown() && d.Named(r.value) }

// Identity returns the identifying attributes of the disk, keyed by name. It is empty if none of them was reported.
func (d *Disk) Identity() map[string]string {
	identity := map[string]string{}
	for name, value := range map[Hint]string{WWN: d.WWN, WWNWithExtension: d.WWNWithExtension, Serial: d.Serial} {
		if value != "" {
			identity[string(name)] = value
		}
	}
	return identity
}

// DiskOf returns a disk that has only the given identifying attributes.
func DiskOf(identity map[string]string) *Disk {
	return &Disk{WWN: identity[string(WWN)], WWNWithExtension: identity[string(WWNWithExtension)], Serial: identity[string(Serial)]}
}

// Named reports whether name identifies the disk. A name is the WWN or serial number of a disk, or an object that
// contains one of these.
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
