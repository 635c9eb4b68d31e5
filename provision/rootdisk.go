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

// concludeTimeout is the time limit of the request that follows a successful action; the conductor may still have the
// node locked for a moment.
const concludeTimeout = 30 * time.Second

// conclude sends the request that follows a successful action. If the request fails, it returns a note for the result.
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

// rootDiskPlace is the field that records the disk of the last deployment, for the checks
// of the next one.
const rootDiskPlace = "extra.console.root_disk"

// conclusion returns the request that records the disk of the deployment, unless the node has another instance by now.
func (a *DeployAction) conclusion(ctx context.Context, api API, uuid string) (*entry, error) {
	// Read the node again, because the watched node lacks most fields.
	n, err := api.Node(ctx, uuid)
	if err != nil {
		return nil, err
	}
	r := a.checked(n)
	if r == nil || n.InstanceUUID != r.instance || n.ProvisionState != models.StateActive {
		return nil, nil //nolint:nilnil // nothing is written
	}
	return rootDiskEntry(n, r)
}

// rootDiskEntry returns the entry that records the disk of a deployment; nil if the disk is unknown or recorded
// already.
func rootDiskEntry(n *models.Node, r *readyNode) (*entry, error) {
	disk := identityOf(r.facts)
	if r.followUp == followUpWatch {
		disk = r.before.RootDisk // the disk when the deployment was sent
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
	write.When, write.last = "if watched until it succeeds", true
	return &write, nil
}

// identityOf returns the attributes that identify the disk of the deployment; nil if the disk is ambiguous or unknown.
func identityOf(facts *plan.Facts) map[string]string {
	if facts == nil {
		return nil
	}
	if disk := facts.OnlyTarget(); disk != nil {
		return disk.Identity()
	}
	return nil
}
