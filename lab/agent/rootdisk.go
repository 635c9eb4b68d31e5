package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// minRootDisk is the least that a disk must have to be picked without hints.
const minRootDisk = 4 * gib

// rootDisk picks the disk that is installed to. A node without hints may have
// been given some since the agent looked it up, so refresh asks once more.
func (a *agent) rootDisk(ctx context.Context, refresh bool) (string, error) {
	node := a.cachedNode()
	hints := rootHints(node)
	if refresh && !truthy(hints) {
		node = a.refreshNode(ctx)
		hints = rootHints(node)
	}
	a.log.hardware.debug("Looking for a device matching root hints %s", repr(hints))
	disks, err := a.candidates(ctx, node, a.options.age() == modern)
	if err != nil {
		return "", err
	}
	name := ""
	if truthy(hints) {
		name, err = a.matchRootDisk(disks, hints)
	} else {
		name, err = guessRootDisk(disks)
	}
	if err != nil {
		return "", err
	}
	a.log.hardware.info("Picked root device %s for node %s based on root device hints %s", name, node.text("uuid"), repr(hints))
	return name, nil
}

// rootHints are those of the instance, else those of the node.
func rootHints(node *dict) any {
	if hints := node.dict("instance_info").get("root_device"); truthy(hints) {
		return hints
	}
	return node.dict("properties").get("root_device")
}

func (a *agent) matchRootDisk(disks []Disk, hints any) (string, error) {
	given, ok := hints.(*dict)
	if !ok {
		return "", raise("TypeError", "root device hints must be an object, got %s", typeName(hints))
	}
	name := ""
	err := a.options.age().findByHints(disks, given, func(d Disk) bool {
		name = d.Name
		return false
	})
	var e *exception
	switch {
	case errors.As(err, &e) && e.class == "ValueError":
		return "", newFault(deviceNotFound, "No devices could be found using the root device hints %s because they failed to validate. Error: %s", repr(hints), e)
	case err != nil:
		return "", err
	case name == "":
		return "", newFault(deviceNotFound, "No suitable device was found for deployment using these hints %s", repr(hints))
	}
	return name, nil
}

// guessRootDisk takes the smallest disk that is large enough.
func guessRootDisk(disks []Disk) (string, error) {
	sorted := slices.SortedFunc(slices.Values(disks), func(a, b Disk) int {
		return cmp.Or(cmp.Compare(a.Size, b.Size), strings.Compare(a.Name, b.Name))
	})
	for _, d := range sorted {
		if d.Size >= minRootDisk {
			return d.Name, nil
		}
	}
	return "", newFault(deviceNotFound, "No suitable device was found for deployment - root device hints were not provided and all found block devices are smaller than %dB.", int64(minRootDisk))
}

// candidates are the disks without those that the node wants left alone; every
// serial and WWN counts, or only the first of each disk.
func (a *agent) candidates(ctx context.Context, node *dict, every bool) ([]Disk, error) {
	disks, err := a.hardware.BlockDevices(ctx)
	if err != nil {
		return nil, err
	}
	if !every {
		disks = single(disks)
	}
	skip, _ := node.dict("properties").get("skip_block_devices").(list)
	skipped := map[string]bool{}
	for _, entry := range skip {
		hints, ok := entry.(*dict)
		if !ok || hints.has("volume_name") {
			continue // a name of a RAID volume: that is none of our disks
		}
		var names []string
		err := a.options.age().findByHints(disks, hints, func(d Disk) bool {
			if !skipped[d.Name] {
				names = append(names, d.Name)
			}
			skipped[d.Name] = true
			return true
		})
		if err != nil {
			return nil, err
		}
		if len(names) > 0 {
			a.log.hardware.warning("Using hint %s skipping devices: %s", repr(hints), strings.Join(names, ","))
		}
	}
	return slices.DeleteFunc(disks, func(d Disk) bool { return skipped[d.Name] }), nil
}

// erasable are the candidates that may be erased, partitions before disks.
func (a *agent) erasable(ctx context.Context, node *dict) ([]Disk, error) {
	// When it erases, the agent knows one serial of a disk, whatever its age.
	disks, err := a.candidates(ctx, node, false)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(disks, func(a, b Disk) int { return strings.Compare(b.Name, a.Name) })
	return slices.DeleteFunc(disks, func(d Disk) bool {
		switch {
		case d.VirtualMedia:
			a.log.hardware.info("Skipping erasure of virtual media device %s", d.Name)
		case d.ReadOnly:
			a.log.hardware.info("Skipping erasure of read-only device %s", d.Name)
		}
		return d.VirtualMedia || d.ReadOnly
	}), nil
}

// single leaves each disk the first of its serials and WWNs.
func single(disks []Disk) []Disk {
	first := func(t Texts) Texts {
		if len(t) == 0 {
			return nil
		}
		return t[:1]
	}
	all := slices.Clone(disks)
	for i := range all {
		d := &all[i]
		d.Serial, d.WWN = first(d.Serial), first(d.WWN)
		d.WWNWithExtension, d.WWNVendorExtension = first(d.WWNWithExtension), first(d.WWNVendorExtension)
	}
	return all
}

// awaitDisks looks for the root disk of a node that the agent has just come to
// know. The real agent looks ten times; here all disks are there from the
// start. That there is none is only logged. Hints that cannot even be compared
// are the end of the agent, so that Ironic waits for it in vain.
func (a *agent) awaitDisks(ctx context.Context) error {
	_, err := a.rootDisk(ctx, false)
	var f *fault
	switch {
	case err == nil:
		return nil
	case errors.As(err, &f) && f.Type == deviceNotFound:
		a.log.hardware.warning("The root device was not detected")
		return nil
	}
	a.log.hardware.error("Unexpected error dispatching wait_for_disks to manager: %v", err)
	return fmt.Errorf("waiting for the disks: %w", err)
}
