package provision

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"ironworks/models"
	"ironworks/models/hints"
)

// Inventories is where what inspection found can be read; *ironicclient.Client has it.
type Inventories interface {
	Inventory(ctx context.Context, node string) (json.RawMessage, error)
}

// Disks are the machine's serial and its disks, for whoever is asked whether they may be
// erased; that they are not known is said too.
func Disks(ctx context.Context, api Inventories, uuid string) []models.Detail {
	var inv hints.Inventory
	raw, err := api.Inventory(ctx, uuid)
	if err == nil {
		inv, err = hints.DecodeInventory(raw)
	}
	if err != nil {
		return (*hints.Inventory)(nil).Details()
	}
	return inv.Details()
}

// InventoryAge is how old an inventory may be before that is said: disks are swapped,
// and names go to other disks.
const InventoryAge = 30 * 24 * time.Hour

// NodeDisks are the disks of a node as inspection found them, and what its hints make
// of them.
type NodeDisks struct {
	Node      *models.Node
	Inventory hints.Inventory
	Hints     hints.NodeHints
	By        hints.Generation
	// Inspected is when Ironic says that inspection ended; zero when it does not.
	Inspected time.Time
}

// ReadDisks reads the inventory and the hints of a node. A node that was not inspected
// is a *models.Refusal with the way out. The version tells which Ironic reads the hints.
func ReadDisks(ctx context.Context, api Inventories, node *models.Node, version models.APIVersion) (*NodeDisks, error) {
	rootHints, err := hints.Of(node)
	if err != nil {
		return nil, err
	}
	raw, err := api.Inventory(ctx, node.UUID)
	if models.IsFault(err, models.FaultNotFound) {
		hint := "inspect it: ironworks inspect " + node.Label()
		if node.ProvisionState != models.StateManageable {
			hint += ", when it is manageable"
		}
		return nil, &models.Refusal{
			Kind: models.RefusedState, Action: "disks", Node: node.Label(),
			Why: "Ironic has no inventory of the node, so its disks are not known", Hint: hint,
		}
	}
	if err != nil {
		return nil, err
	}
	d := &NodeDisks{Node: node, Hints: rootHints, By: hints.GenerationOf(version), Inspected: models.InspectedAt(node)}
	if d.Inventory, err = hints.DecodeInventory(raw); err != nil {
		return nil, err
	}
	return d, nil
}

// Search is the agent's search for the root disk of the node.
func (d *NodeDisks) Search() hints.Search {
	return hints.Search{By: d.By, Hints: d.Hints.Hints, Skip: d.Hints.Skip}
}

// Notes are what has to be known about the disks and the hints, one sentence each.
// maxAge is how old the inventory may be.
func (d *NodeDisks) Notes(now time.Time, maxAge time.Duration) []string {
	var notes []string
	say := func(format string, args ...any) {
		notes = append(notes, models.Printable(fmt.Sprintf(format, args...)))
	}
	switch age := now.Sub(d.Inspected); {
	case d.Inspected.IsZero():
		say("it is not known when the node was inspected")
	case age > maxAge:
		say("the inventory is %d days old: inspect the node again before you trust it", int(age.Hours()/24))
	}
	if len(d.Inventory.Disks) == 0 {
		say("inspection found no disks")
	}
	if d.Inventory.OutOfBand() {
		say("inspection read the disks from the BMC: the ramdisk calls them by other names, and hints at a WWN or place cannot be checked")
	}
	if d.Hints.Instance.Given() && d.Hints.Properties.Given() && d.Hints.Instance.String() != d.Hints.Properties.String() {
		say("instance_info.root_device comes first; properties.root_device %s does not count", d.Hints.Properties)
	}
	for _, entry := range d.Search().SkipEntries() {
		if entry.NamesVolume() {
			say("skip_block_devices names a RAID volume, which the inventory does not tell: %s", entry)
		}
	}
	if volume := models.RAIDRoot(d.Node); volume != "" {
		say("target_raid_config makes %s the root volume: when a deployment creates it, the agent installs to it, whatever the hints say", volume)
	}
	other := d.Search()
	other.By = hints.GenerationNewest
	if d.By == hints.GenerationNewest {
		other.By = hints.GenerationOld
	}
	mine, _ := d.Search().Pick(d.Inventory.Disks)
	if theirs, _ := other.Pick(d.Inventory.Disks); theirs != mine {
		say("an agent of the %s generation would pick %s", other.By, orNothing(theirs))
	}
	return notes
}

func orNothing(name string) string {
	if name == "" {
		return "nothing"
	}
	return name
}

// PinDisk is the setting that writes the most stable hint for a disk of the node, and
// the hint. It is refused where the hint would not do: hints of the instance come
// before those of the properties, and skip_block_devices before all.
func (d *NodeDisks) PinDisk(name string, to hints.Source) (models.Setting, hints.Hints, error) {
	refuse := func(why, hint string) (models.Setting, hints.Hints, error) {
		return models.Setting{}, hints.Hints{}, &models.Refusal{
			Kind: models.RefusedArguments, Action: "hints set", Node: d.Node.Label(), Why: why, Hint: hint,
		}
	}
	disk, err := hints.FindDisk(d.Inventory.Disks, name)
	if err != nil {
		return refuse(err.Error(), "")
	}
	if to == hints.OfProperties && d.Hints.Instance.Given() {
		return refuse("instance_info.root_device "+models.Printable(d.Hints.Instance.String())+" comes before the properties",
			"use --to instance_info, or remove it: ironworks set "+d.Node.Label()+" instance_info.root_device-")
	}
	hints, err := hints.MostStable(disk, d.Inventory.Disks)
	if err != nil {
		return refuse(err.Error(), "write a hint by hand: ironworks set "+d.Node.Label()+" properties.root_device.NAME=VALUE")
	}
	search := d.Search()
	search.Hints = hints
	if _, err := search.Pick(d.Inventory.Disks); err != nil {
		return refuse("skip_block_devices leaves "+models.Printable(disk.Name)+" alone", "")
	}
	return models.Setting{Path: []string{string(to), "root_device"}, Op: models.SettingSet, Text: hints.String()}, hints, nil
}
