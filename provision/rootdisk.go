package provision

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/models/plan"
)

// concludeWithin bounds what is written after the end: the conductor may hold the node
// for a moment still.
const concludeWithin = 30 * time.Second

// conclude writes what an action has to write. It has ended well already: what fails is
// a note.
func (r *Runner) conclude(ctx context.Context, a Action, n *models.Node) (note string) {
	ctx, stop := context.WithTimeout(ctx, concludeWithin)
	defer stop()
	write, err := a.conclusion(ctx, r.API, n.UUID)
	if err == nil && write != nil {
		_, _, err = r.audited(ctx, *write, n)
	}
	if err != nil {
		return models.Printable(fmt.Sprintf("the deployment is done, but its disk was not written to %s: %v", rootDiskPlace, err))
	}
	return ""
}

// rootDiskPlace is where the disk of the last deployment stands, for the check of the
// next one.
const rootDiskPlace = "extra.console.root_disk"

// conclusion writes down which disk was installed to, but not to a node that is another
// instance by now.
func (a *DeployAction) conclusion(ctx context.Context, api API, uuid string) (*entry, error) {
	// What was looked at while it was followed lacks most fields.
	n, err := api.Node(ctx, uuid)
	if err != nil {
		return nil, err
	}
	r := a.of(n)
	if r == nil || n.InstanceUUID != r.instance || n.ProvisionState != models.StateActive {
		return nil, nil //nolint:nilnil // nothing is written then
	}
	return rootDiskEntry(n, r)
}

// rootDiskEntry writes down which disk a deployment installs to; nil where that is not known,
// and where it is written already.
func rootDiskEntry(n *models.Node, r *readyNode) (*entry, error) {
	disk := identityOf(r.facts)
	if r.rest == restFollow {
		disk = r.before.RootDisk // as it was when it was sent
	}
	if len(disk) == 0 || hints.RootDiskOf(n).Is(hints.DiskOf(disk)) {
		return nil, nil //nolint:nilnil // nothing is written then
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
	write.When, write.last = "if it is followed, and ends well", true
	return &write, nil
}

// identityOf tells the disk that is installed to from others. It is none where that is
// not sure, where several disks would do or none is known.
func identityOf(facts *plan.Facts) map[string]string {
	if facts == nil {
		return nil
	}
	if disk := facts.OnlyTarget(); disk != nil {
		return disk.Identity()
	}
	return nil
}
