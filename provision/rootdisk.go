package provision

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/models/plan"
	"ironworks/printable"
)

// concludeTimeout is the time limit of the request that is sent after an action has succeeded. At that time, the
// conductor may still hold the lock on the node.
const concludeTimeout = 30 * time.Second

// conclude sends the request that an action requires after it has succeeded. If that fails, it returns a note for the
// result.
func (r *Runner) conclude(ctx context.Context, a Action, n *models.Node) (note string) {
	ctx, stop := context.WithTimeout(ctx, concludeTimeout)
	defer stop()
	write, err := a.conclusion(ctx, r.API, n.UUID)
	if err == nil && write != nil {
		_, _, err = r.audited(ctx, *write, n)
	}
	if err != nil {
		return printable.Line(fmt.Sprintf("deployed, but cannot record the root disk in %s: %v", rootDiskPlace, err))
	}
	return ""
}

// rootDiskPlace is the node field in which the root disk of the last deployment is recorded. The checks of the next
// deployment read it.
const rootDiskPlace = "extra.console.root_disk"

// conclusion returns the request that records the root disk of the deployment. It returns nil if the node now has
// another instance or is not active.
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

// rootDiskEntry returns the entry that records the root disk of a deployment. It returns nil if the disk is unknown
// or is already recorded.
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

// identityOf returns the attributes that identify the root disk of the deployment. It returns nil if the disk is
// ambiguous or unknown.
func identityOf(facts *plan.Facts) map[string]string {
	if facts == nil {
		return nil
	}
	if disk := facts.OnlyTarget(); disk != nil {
		return disk.Identity()
	}
	return nil
}
