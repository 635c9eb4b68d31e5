package provision

import (
	"context"
	"encoding/json"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/models/plan"
)

// rootDiskPlace is the node field with the root disk of the last deployment, for the checks of the next one.
const rootDiskPlace = "extra.console.root_disk"

// conclusion returns the request that records the root disk, or nil if the node has another instance or is not active.
func (a *DeployAction) conclusion(ctx context.Context, api API, uuid string) (*entry, error) {
	// Read the node again, because the watched node contains only some of the fields.
	n, err := api.Node(ctx, uuid)
	if err != nil {
		return nil, err
	}
	r := a.checked(n)
	if n.InstanceUUID != r.instance || n.ProvisionState != models.StateActive {
		return nil, nil //nolint:nilnil // nothing is written
	}
	return rootDiskEntry(n, r)
}

// rootDiskEntry returns the entry that records the root disk, or nil if the disk is unknown or already recorded.
func rootDiskEntry(n *models.Node, r *readyNode) (*entry, error) {
	disk := identityOf(r.facts)
	if r.followUp == followUpWatch {
		disk = r.before.RootDisk // the disk that was chosen when the deployment was sent
	}
	if len(disk) == 0 || hints.RootDiskOf(n).Is(hints.DiskOf(disk)) {
		return nil, nil //nolint:nilnil // nothing is written
	}
	value, err := json.Marshal(disk)
	if err != nil {
		return nil, err
	}
	ops, err := models.Patch(n, []models.Setting{{Path: []string{"extra", "console", "root_disk"}, Op: models.SettingSet, Text: string(value)}})
	if err != nil {
		return nil, err
	}
	write := patchEntry("set "+ops[0].Path, n, ops)
	write.When, write.last = "if the deployment is watched until it succeeds", true
	return &write, nil
}

// identityOf returns the attributes that identify the root disk, or nil if the disk is ambiguous or unknown.
func identityOf(facts *plan.Facts) map[string]string {
	if facts == nil {
		return nil
	}
	if disk := facts.OnlyTarget(); disk != nil {
		return disk.Identity()
	}
	return nil
}
