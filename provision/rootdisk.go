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

// concluding is an action that has something to write about itself once it has ended
// well.
type concluding interface {
	// conclusion is what is written to the node as it is now; nil for nothing.
	conclusion(n *models.Node) (*request, error)
}

// concludeWithin bounds what is written after the end: the conductor may hold the node
// for a moment still.
const concludeWithin = 30 * time.Second

// conclude writes what an action has to write. It has ended well already: what fails is
// a note.
func (r *Runner) conclude(ctx context.Context, a Action, n *models.Node) (note string) {
	c, is := a.(concluding)
	if !is {
		return ""
	}
	ctx, stop := context.WithTimeout(ctx, concludeWithin)
	defer stop()
	// What was looked at while it was followed lacks most fields.
	now, err := r.API.Node(ctx, n.UUID)
	var write *request
	if err == nil {
		write, err = c.conclusion(now)
	}
	if err == nil && write != nil {
		_, _, err = r.audited(ctx, *write, now)
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
func (a *DeployAction) conclusion(n *models.Node) (*request, error) {
	r := a.of(n)
	if r == nil || n.InstanceUUID != r.instance || n.ProvisionState != models.StateActive {
		return nil, nil //nolint:nilnil // nothing is written then
	}
	disk := identityOf(r.facts)
	if r.rest == restFollow {
		disk = r.before.RootDisk // as it was when it was sent
	}
	ops, err := rootDiskPatch(n, disk)
	if err != nil || ops == nil {
		return nil, err
	}
	write := patchRequest("set "+ops[0].Path, n, ops)
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

// rootDiskPatch is what writes down which disk is installed to, nil for none and where it
// is written already.
func rootDiskPatch(n *models.Node, identity map[string]string) ([]models.PatchOp, error) {
	if len(identity) == 0 || hints.RootDiskOf(n).Is(hints.DiskOf(identity)) {
		return nil, nil
	}
	value, err := json.Marshal(identity)
	if err != nil {
		return nil, err
	}
	return models.Patch(n, []models.Setting{{Path: []string{"extra", "console", "root_disk"}, Op: models.SettingSet, Text: string(value)}})
}
