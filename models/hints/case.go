package hints

import (
	"errors"
	"fmt"
)

// Case is a question to Ironic and the agent: which disk do these hints select? The Skip and RAID fields have the
// same meaning as in [Search].
type Case struct {
	Hints Hints
	Disks []Disk
	Skip  Hints
	RAID  []RAIDVolume
}

var errNoCase = errors.New(`want {"hints": …, "disks": […]}`)

// DecodeCase parses a case of the form {"hints": …, "disks": […]}. Optional fields are "skip_block_devices" and
// "raid", a list of {"name", "is_root_volume", "parts"}.
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

// Verdict holds the answers of Ironic and the agent to a [Case]. They can differ, because one may accept hints that
// the other rejects.
type Verdict struct {
	// Valid reports whether Ironic's validation of the node succeeds. If not, Because gives the reason.
	Valid   bool         `json:"valid"`
	Because *string      `json:"invalid_because"`
	Agent   AgentVerdict `json:"agent"`
}

// AgentVerdict is the result of the agent's search: the selected disk, or an error.
type AgentVerdict struct {
	Picks *string `json:"picks"`
	Error *string `json:"error"`
}

// Search returns the search that an agent of the given generation performs for the case.
func (c Case) Search(by Generation) Search {
	return Search{Generation: by, Hints: c.Hints, Skip: c.Skip, RAID: c.RAID}
}

// Judge predicts how Ironic and the agent of the given generation answer the case.
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
	if name != "" { // the selected disk may have no name
		verdict.Agent.Picks = &name
	}
	return verdict
}
