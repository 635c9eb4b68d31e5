package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ironworks/models/hints"
	"ironworks/python"
)

// rootDisk returns the name of the disk to which the system is installed. If refresh is true and the node has no root
// device hints, rootDisk requests the node from Ironic again, because hints may have been set since the lookup.
func (a *agent) rootDisk(ctx context.Context, refresh bool) (string, error) {
	node := a.node.Load()
	hints := rootHints(node)
	if refresh && !python.Truthy(hints) {
		node = a.refreshNode(ctx)
		hints = rootHints(node)
	}
	a.log.hardware.debug("Looking for a device matching root hints %s", python.Repr(hints))
	disks, err := a.candidates(ctx, node, a.options.generation() == currentAgent)
	if err != nil {
		return "", err
	}
	name, disks := a.raidRoot(ctx, disks, hints)
	if name != "" {
		return name, nil
	}
	name, err = a.options.generation().pick(disks, hints)
	if err != nil {
		return "", err
	}
	a.log.hardware.info("Picked root device %s for node %s based on root device hints %s", name, node.Text("uuid"), python.Repr(hints))
	return name, nil
}

// raidRoot returns the name of the root array in the RAID configuration that this agent has applied. If there is no
// root array, it returns "" and the disks without the configured arrays and their members.
func (a *agent) raidRoot(ctx context.Context, disks []Disk, hints any) (string, []Disk) {
	for _, r := range a.raidRoots {
		if r.root {
			a.log.hardware.debug("Using root volume, %s, from target raid config.", r.name)
			if python.Truthy(hints) {
				a.log.hardware.warning("Both root device hints (%s) and a root volume from the target RAID configuration are defined. The RAID root volume will be used.", python.Repr(hints))
			}
			return r.name, nil
		}
		out := append([]string{r.name}, a.holderDisks(ctx, r.name)...)
		disks = slices.DeleteFunc(disks, func(d Disk) bool { return slices.Contains(out, d.Name) })
	}
	return "", disks
}

// rootHints returns the root device hints of the instance if there are any, and those of the node otherwise.
func rootHints(node *dict) any {
	if hints := node.Dict("instance_info").Get("root_device"); python.Truthy(hints) {
		return hints
	}
	return node.Dict("properties").Get("root_device")
}

// pick returns the name of the disk that matches the hints or, without hints, of the smallest large enough disk.
func (a generation) pick(disks []Disk, wanted any) (string, error) {
	given, all, err := hintSearch(wanted, disks)
	if err != nil {
		return "", err
	}
	name, err := hints.Search{Generation: a.generation(), Hints: given}.Pick(all)
	if err != nil {
		return "", hintFault(err)
	}
	return name, nil
}

// candidates returns the disks that the node does not skip. If every is true, it compares the node's hints with all
// serials and WWNs of a disk. Otherwise, it uses only the first serial and the first WWN.
func (a *agent) candidates(ctx context.Context, node *dict, every bool) ([]Disk, error) {
	disks, err := a.hardware.BlockDevices(ctx)
	if err != nil {
		return nil, err
	}
	if !every {
		disks = single(disks)
	}
	given, all, err := hintSearch(node.Dict("properties").Get("skip_block_devices"), disks)
	if err != nil {
		return nil, err
	}
	search := hints.Search{Generation: a.options.generation().generation(), Skip: given}
	skipped, err := search.Skipped(all)
	if err != nil {
		return nil, hintFault(err)
	}
	for i, entry := range search.SkipEntries() {
		var names []string
		for _, d := range disks {
			if at, skip := skipped[d.Name]; skip && at == i {
				names = append(names, d.Name)
			}
		}
		if len(names) > 0 {
			a.log.hardware.warning("Using hint %s skipping devices: %s", entry.Repr(), strings.Join(names, ","))
		}
	}
	if err := a.skipArrays(ctx, node, skipped); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(disks, func(d Disk) bool {
		_, skip := skipped[d.Name]
		return skip
	}), nil
}

// skipArrays adds the arrays that the node preserves, which it specifies by volume name, to the skipped map.
func (a *agent) skipArrays(ctx context.Context, node *dict, skipped map[string]int) error {
	volumes := skippedVolumes(node)
	if len(volumes) == 0 || a.options.generation() == legacyAgent {
		return nil
	}
	arrays, err := a.lsblk(ctx, "raid", "md")
	if err != nil {
		return err
	}
	for _, f := range a.planDeletion(ctx, arrays, volumes) {
		if f.action == keep {
			skipped[f.name] = -1 // skipped, although no entry of skip_block_devices matches it
		}
	}
	return nil
}

// erasable returns the devices that may be erased. Partitions come before their disks.
func (a *agent) erasable(ctx context.Context, node *dict) ([]Disk, error) {
	// Agents of both generations use only one serial per disk when they erase.
	disks, err := a.candidates(ctx, node, false)
	if err != nil {
		return nil, err
	}
	partitions, err := a.lsblk(ctx, "part")
	if err != nil {
		return nil, err
	}
	for _, name := range partitions {
		if disk, _ := splitPartition(name); slices.ContainsFunc(disks, func(d Disk) bool { return d.Name == disk }) {
			disks = append(disks, Disk{Name: name, partition: true})
		}
	}
	slices.SortFunc(disks, func(a, b Disk) int { return strings.Compare(b.Name, a.Name) })
	return slices.DeleteFunc(disks, func(d Disk) bool {
		member := a.raidMember(ctx, d.Name)
		switch {
		case member:
			a.log.hardware.info("Skipping erasure of RAID member device %s", d.Name)
		case d.VirtualMedia:
			a.log.hardware.info("Skipping erasure of virtual media device %s", d.Name)
		case d.ReadOnly:
			a.log.hardware.info("Skipping erasure of read-only device %s", d.Name)
		}
		return member || d.VirtualMedia || d.ReadOnly
	}), nil
}

// single returns copies of the disks in which each list of serials or WWNs contains only its first element.
func single(disks []Disk) []Disk {
	all := slices.Clone(disks)
	for i := range all {
		d := &all[i]
		d.Serial, d.WWN = d.Serial.First(), d.WWN.First()
		d.WWNWithExtension, d.WWNVendorExtension = d.WWNWithExtension.First(), d.WWNVendorExtension.First()
	}
	return all
}

// awaitDisks waits for the root disk after the lookup, because disks may appear late. After the last attempt, it only
// logs that the disk is missing. Invalid hints, in contrast, end the agent, so that Ironic runs into a timeout.
func (a *agent) awaitDisks(ctx context.Context) error {
	for try := 1; ; try++ {
		_, err := a.rootDisk(ctx, false)
		f, ok := errors.AsType[*fault](err)
		switch {
		case err == nil:
			return nil
		case !ok || f.Type != deviceNotFound:
			a.log.hardware.error("Unexpected error dispatching wait_for_disks to manager: %v", err)
			return fmt.Errorf("waiting for the disks: %w", err)
		case try >= a.options.DiskTries:
			a.log.hardware.warning("The root device was not detected")
			return nil
		}
		a.log.hardware.debug("Still waiting for the root device to appear, attempt %d of %d", try, a.options.DiskTries)
		if !a.sleep(ctx, a.options.DiskWait) {
			return ctx.Err()
		}
	}
}

// Package hints matches disks with root device hints. The following functions convert its values and errors.

func (a generation) generation() hints.Generation {
	if a == legacyAgent {
		return hints.GenerationOld
	}
	return hints.GenerationNewest
}

func hintSearch(value any, disks []Disk) (hints.Hints, []hints.Disk, error) {
	given, err := hints.Decode([]byte(dump(value)))
	if err != nil {
		return hints.Hints{}, nil, fmt.Errorf("reading root device hints: %w", err)
	}
	all, err := HintDisks(disks)
	return given, all, err
}

// HintDisks converts disks to the form that root device hints are matched with.
func HintDisks(disks []Disk) ([]hints.Disk, error) {
	if len(disks) == 0 {
		return nil, nil // a RAID controller without volumes hides all drives
	}
	raw, err := json.Marshal(disks)
	if err != nil {
		return nil, fmt.Errorf("writing the disks: %w", err)
	}
	return hints.DecodeDisks(raw)
}

func hintFault(err error) error {
	e, ok := errors.AsType[*hints.Error](err)
	switch {
	case !ok:
		return err
	case e.NotFound():
		return newFault(deviceNotFound, "%s", e.Text)
	}
	return raise(e.Class, "%s", e.Text)
}

func (a generation) matching(disks []Disk, hints *dict) (list, error) {
	given, all, err := hintSearch(hints, disks)
	if err != nil {
		return nil, err
	}
	names := list{}
	for d, err := range given.Matching(all, a.generation()) {
		if err != nil {
			return nil, hintFault(err)
		}
		names = append(names, d.Name)
	}
	return names, nil
}
