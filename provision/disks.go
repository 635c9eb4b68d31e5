package provision

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/printable"
)

// Inventories reads the inventories that inspection has stored; *ironicclient.Client implements it.
type Inventories interface {
	Inventory(ctx context.Context, node string) (json.RawMessage, error)
}

// readInventory reads the inventory of a node and decodes it.
func readInventory(ctx context.Context, api Inventories, node string) (hints.Inventory, error) {
	raw, err := api.Inventory(ctx, node)
	if err != nil {
		return hints.Inventory{}, err
	}
	return hints.DecodeInventory(raw)
}

// InventoryAge is the age from which an inventory is reported as old: disks or their device names may have changed.
const InventoryAge = 30 * 24 * time.Hour

// NodeDisks holds the disks of a node as found by inspection, and the node's root device hints.
type NodeDisks struct {
	Node       *models.Node
	Inventory  hints.Inventory
	Hints      hints.NodeHints
	Generation hints.Generation
	// Inspected is the time when inspection ended according to Ironic. It is zero if the time is unknown.
	Inspected time.Time
}

// ReadDisks reads the inventory and the root device hints of a node. If the node was not inspected, the error is a
// *models.Refusal with a remedy. The API version determines how Ironic interprets the hints.
func ReadDisks(ctx context.Context, api Inventories, node *models.Node, version models.APIVersion) (*NodeDisks, error) {
	rootHints, err := hints.Of(node)
	if err != nil {
		return nil, err
	}
	inventory, err := readInventory(ctx, api, node.UUID)
	if models.IsFault(err, models.FaultNotFound) {
		refused := &models.Refusal{Kind: models.RefusedState, Action: "disks", Node: node.Label(), Why: "no inventory for the node: disks unknown"}
		refused.Hint, refused.ScreenHint = inspectHint(node)
		return nil, refused
	}
	if err != nil {
		return nil, err
	}
	return &NodeDisks{
		Node: node, Inventory: inventory, Hints: rootHints, Generation: hints.GenerationOf(version), Inspected: models.InspectedAt(node),
	}, nil
}

// inspectHint returns the advice to inspect the node, as a shell command and as a command of the terminal interface.
func inspectHint(n *models.Node) (command, key string) {
	command, key = "run ironworks inspect "+n.Label(), "inspect the node (:inspect)"
	if n.ProvisionState != models.StateManageable {
		return command + " once the node is manageable", key + " in state manageable"
	}
	return command, key
}

// DiskReport is the JSON form of a node's disks.
type DiskReport struct {
	Node      models.NodeRef    `json:"node"`
	Inspected *time.Time        `json:"inspected_at"`
	Hints     hints.Hints       `json:"hints"`
	HintsFrom hints.Source      `json:"hints_from"`
	Skip      hints.Hints       `json:"skip_block_devices"`
	Valid     bool              `json:"valid"`
	Because   string            `json:"invalid_because,omitempty"`
	Picks     string            `json:"picks"`
	Error     string            `json:"error,omitempty"`
	Notes     []string          `json:"notes"`
	Problems  []hints.Problem   `json:"problems"`
	Disks     []hints.DiskCheck `json:"disks"`
}

// Report returns the JSON form of the node's disks. e explains the search for the root disk. now and maxAge are used as
// in [NodeDisks.Notes].
func (d *NodeDisks) Report(e hints.Explanation, now time.Time, maxAge time.Duration) DiskReport {
	r := DiskReport{
		Node: d.Node.Ref(), Hints: d.Hints.Hints, HintsFrom: d.Hints.Source, Skip: d.Hints.Skip, Valid: true, Picks: e.Picks, Error: e.Error,
		Notes: append([]string{}, d.Notes(now, maxAge)...), Problems: append([]hints.Problem{}, e.Problems...), Disks: append([]hints.DiskCheck{}, e.Disks...),
	}
	if !d.Inspected.IsZero() {
		r.Inspected = &d.Inspected
	}
	if err := r.Hints.Validate(d.Generation); err != nil {
		r.Valid, r.Because = false, err.Error()
	}
	return r
}

// Search returns a search for the root disk that follows the agent's rules and uses the node's hints.
func (d *NodeDisks) Search() hints.Search {
	return hints.Search{Generation: d.Generation, Hints: d.Hints.Hints, Skip: d.Hints.Skip}
}

// Notes returns warnings about the disks, the hints and an inventory older than maxAge, one clause each.
func (d *NodeDisks) Notes(now time.Time, maxAge time.Duration) []string {
	var notes []string
	say := func(format string, args ...any) {
		notes = append(notes, printable.Line(fmt.Sprintf(format, args...)))
	}
	switch age := now.Sub(d.Inspected); {
	case d.Inspected.IsZero():
		say("time of inspection unknown")
	case age > maxAge:
		say("the inventory is %d days old; inspect the node again to be sure", int(age.Hours()/24))
	}
	if len(d.Inventory.Disks) == 0 {
		say("inspection found no disks")
	}
	if d.Inventory.OutOfBand() {
		say("the inventory comes from the BMC: device names differ in the ramdisk, and hints by WWN or path cannot be checked")
	}
	if d.Hints.Instance.IsSet() && d.Hints.Properties.IsSet() && d.Hints.Instance.String() != d.Hints.Properties.String() {
		say("instance_info.root_device overrides properties.root_device %s", d.Hints.Properties)
	}
	for _, entry := range d.Search().SkipEntries() {
		if entry.NamesVolume() {
			say("skip_block_devices names a RAID volume, which the inventory does not list: %s", entry)
		}
	}
	if volume := models.RAIDRoot(d.Node); volume != "" {
		say("target_raid_config makes %s the root volume: if a deployment creates it, the agent installs to it and ignores the hints", volume)
	}
	other := d.Search()
	other.Generation = hints.GenerationNewest
	if d.Generation == hints.GenerationNewest {
		other.Generation = hints.GenerationOld
	}
	mine, _ := d.Search().Pick(d.Inventory.Disks)
	if theirs, _ := other.Pick(d.Inventory.Disks); theirs != mine {
		say("agents of the %s generation would pick %s", other.Generation, cmp.Or(theirs, "nothing"))
	}
	return notes
}

// PinDisk returns the setting that writes the most stable hint for the named disk of the node, and the hint itself. It
// refuses a hint without effect: hints in instance_info override those in properties, and skip_block_devices both.
func (d *NodeDisks) PinDisk(name string, to hints.Source) (models.Setting, hints.Hints, error) {
	refuse := func(why, hint, screenHint string) (models.Setting, hints.Hints, error) {
		return models.Setting{}, hints.Hints{}, &models.Refusal{
			Kind: models.RefusedArguments, Action: "hints set", Node: d.Node.Label(), Why: why, Hint: hint, ScreenHint: screenHint,
		}
	}
	disk, err := hints.FindDisk(d.Inventory.Disks, name)
	if err != nil {
		return refuse(err.Error(), "", "")
	}
	if to == hints.OfProperties && d.Hints.Instance.IsSet() {
		return refuse("instance_info.root_device "+printable.Line(d.Hints.Instance.String())+" takes precedence",
			"use --to instance_info, or remove it: ironworks set "+d.Node.Label()+" instance_info.root_device-",
			"save the hints in instance_info, or "+models.RunKey("set", "instance_info.root_device-"))
	}
	hints, err := hints.MostStable(disk, d.Inventory.Disks)
	if err != nil {
		return refuse(err.Error(), "set a hint manually: ironworks set "+d.Node.Label()+" properties.root_device.NAME=VALUE",
			"set a hint manually: "+models.RunKey("set", "properties.root_device.NAME=VALUE"))
	}
	search := d.Search()
	search.Hints = hints
	if _, err := search.Pick(d.Inventory.Disks); err != nil {
		return refuse("skip_block_devices excludes "+printable.Line(disk.Name), "", "")
	}
	return models.Setting{Path: []string{string(to), "root_device"}, Op: models.SettingSet, Text: hints.String()}, hints, nil
}

// PinAction writes a hint that identifies one disk of a node. Use [Pin] to create one.
type PinAction struct {
	immediateAction
	disks *NodeDisks
	disk  string
	to    hints.Source
}

// Pin returns an action that writes the most stable hint for the named disk; see [NodeDisks.PinDisk]. disks holds the
// disks that were shown to the operator. Even if the node has been inspected again in the meantime, the hint is
// therefore for the disk that the operator chose, not for another disk with the same name. The current state of the
// node determines whether the hint would have an effect.
func Pin(disks *NodeDisks, disk string, to hints.Source) *PinAction {
	return &PinAction{disks: disks, disk: disk, to: to}
}

// Name returns the ironworks command that does the same: "hints set".
func (*PinAction) Name() string { return "hints set" }

// Refuse refuses a node if no hint can be written for the disk, or if Ironic accepts no changes to the node.
func (a *PinAction) Refuse(n *models.Node, _ models.APIVersion) *models.Refusal {
	ops, refused := a.patch(n)
	switch {
	case refused != nil:
		return refused
	case len(ops) == 0:
		return nil
	}
	return unchangeable(a, n)
}

// patch returns the operations that write the hint to the node, or none if the node already has it.
func (a *PinAction) patch(n *models.Node) ([]models.PatchOp, *models.Refusal) {
	fail := func(err error) ([]models.PatchOp, *models.Refusal) {
		if refused, is := errors.AsType[*models.Refusal](err); is {
			return nil, refused
		}
		return nil, refusal(a, n, models.RefusedArguments, printable.Line(err.Error()), "")
	}
	if n.UUID != a.disks.Node.UUID {
		return nil, refusal(a, n, models.RefusedArguments, "the disk belongs to another node, "+printable.Line(a.disks.Node.Label()), "")
	}
	rootHints, err := hints.Of(n)
	if err != nil {
		return fail(err)
	}
	now := *a.disks
	now.Node, now.Hints = n, rootHints
	setting, pinned, err := now.PinDisk(a.disk, a.to)
	if err != nil {
		return fail(err)
	}
	there := rootHints.Instance
	if a.to == hints.OfProperties {
		there = rootHints.Properties
	}
	if there.String() == pinned.String() {
		return nil, nil
	}
	ops, err := models.Patch(n, []models.Setting{setting})
	if err != nil {
		return fail(err)
	}
	return ops, nil
}

func (a *PinAction) entries(n *models.Node) ([]entry, error) {
	ops, refused := a.patch(n)
	if refused != nil {
		return nil, refused
	}
	if len(ops) == 0 {
		return nil, nil
	}
	return []entry{patchEntry("set "+ops[0].Path, n, ops)}, nil
}
