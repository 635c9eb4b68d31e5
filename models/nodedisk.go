package models

import (
	"encoding/json"
	"time"
)

// InspectedAt is when the inspection of a node ended, as Ironic tells it; zero when it
// does not, or when the whole node was not read.
func InspectedAt(n *Node) time.Time {
	var fields struct {
		Finished Time `json:"inspection_finished_at"`
	}
	if json.Unmarshal(n.Raw, &fields) != nil {
		return time.Time{}
	}
	return fields.Finished.Time
}

// RAIDRoot is the name of the volume of software RAID that target_raid_config makes
// the root volume, empty when there is none. The newest agent remembers the volumes
// that it creates, and takes this one before it looks at hints.
func RAIDRoot(n *Node) string {
	var fields struct {
		Target struct {
			Disks []struct {
				Controller string `json:"controller"`
				Name       string `json:"volume_name"`
				Root       bool   `json:"is_root_volume"`
			} `json:"logical_disks"`
		} `json:"target_raid_config"`
	}
	if json.Unmarshal(n.Raw, &fields) != nil {
		return ""
	}
	for _, d := range fields.Target.Disks {
		switch {
		case !d.Root || d.Controller != "software":
		case d.Name == "":
			return "a volume without a name"
		default:
			return d.Name
		}
	}
	return ""
}
