package hints

import (
	"errors"
	"fmt"
)

// Case is a question for Ironic and the agent: which disk do these hints select? Skip and RAID have the same meaning as
// in [Search].
type Case struct {
	Hints Hints
	Disks []Disk
	Skip  Hints
	RAID  []RAIDVolume
}

// errNoCase rejects JSON that is not a case.
var errNoCase = errors.New(`want {"hints": …, "disks": […]}`)

// DecodeCase parses {"hints": …, "disks": […]}, with optional "skip_block_devices" and "raid"
// (a list of {"name", "is_root_volume", "parts"}).
func DecodeCase(raw []byte) (Case, error) {
	v, err := DecodePython(raw)
	if err != nil {
		return Case{}, err
	}
	d, _ := v.(*PythonDict)
	disks, ok := d.Get("disks").(PythonList)
	if !ok {
		return Case{}, errNoCase
	}
	c := Case{Hints: Hints{d.Get("hints")}, Skip: Hints{d.Get("skip_block_devices")}}
	if c.Disks, err = disksOf(disks); err != nil {
		return Case{}, err
	}
	volumes, _ := d.Get("raid").(PythonList)
	for _, item := range volumes {
		volume, ok := item.(*PythonDict)
		if !ok {
			return Case{}, fmt.Errorf("a RAID volume is not an object: %w", errNoCase)
		}
		read := RAIDVolume{Name: PythonStr(volume.Get("name")), Root: PythonTruthy(volume.Get("is_root_volume"))}
		parts, _ := volume.Get("parts").(PythonList)
		for _, part := range parts {
			read.Parts = append(read.Parts, PythonStr(part))
		}
		c.RAID = append(c.RAID, read)
	}
	return c, nil
}

// Verdict has Ironic's and the agent's answers to a [Case]. They can differ: one may accept
// hints that the other refuses.
type Verdict struct {
	// Valid is the result of Ironic's validation of the node. Because is the reason of a failed validation.
	Valid   bool         `json:"valid"`
	Because *string      `json:"invalid_because"`
	Agent   AgentVerdict `json:"agent"`
}

// AgentVerdict is the result in the ramdisk: the selected disk, or an error.
type AgentVerdict struct {
	Picks *string `json:"picks"`
	Error *string `json:"error"`
}

// Search returns the agent's search for a case.
func (c Case) Search(by Generation) Search {
	return Search{Generation: by, Hints: c.Hints, Skip: c.Skip, RAID: c.RAID}
}

// Judge answers a case as Ironic and the agent of a generation do.
func (c Case) Judge(by Generation) Verdict {
	verdict := Verdict{Valid: true}
	if err := c.Hints.Validate(by); err != nil {
		text := err.Error()
		verdict.Valid, verdict.Because = false, &text
	}
	name, err := c.Search(by).pick(c.Disks)
	if err != nil {
		text := err.Full()
		verdict.Agent.Error = &text
		return verdict
	}
	if name != "" { // the agent can select a disk without a name
		verdict.Agent.Picks = &name
	}
	return verdict
}
