package provision

import (
	"context"

	"ironworks/enroll"
	"ironworks/models"
)

// prepareAction prepares a node for deployments: it sets the target RAID configuration and runs the clean steps.
type prepareAction struct {
	verbAction
	raid map[string]any
}

// newPrepareAction returns the action that carries out the preparation p.
func newPrepareAction(p *enroll.Preparation) prepareAction {
	return prepareAction{verbAction{req: models.ProvisionRequest{Verb: models.VerbClean, CleanSteps: p.Steps()}, setsRAID: true}, p.RAID.Config()}
}

func (a prepareAction) entries(n *models.Node) ([]entry, error) {
	list, err := a.verbAction.entries(n)
	if a.raid != nil {
		list = append([]entry{targetRAIDEntry(n, a.raid)}, list...)
	}
	return list, err
}

// prepare completes the preparation of a manageable node. Earlier runs may have done some or all of it.
func (e *Enroller) prepare(ctx, going context.Context, n *models.Node, wanted *enroll.Node, r *Enrolled) (ok bool) {
	p := wanted.Prepare
	var settings []models.BIOSSetting
	if len(p.BIOS) > 0 {
		var err error
		if settings, err = e.API.BIOS(going, n.UUID); err != nil {
			r.Outcome, r.Err = OutcomeUnknown, err
			return false
		}
	}
	left := p.Pending(n, settings)
	if left == nil {
		return true
	}
	if r.Result = e.act(ctx, going, newPrepareAction(left), n, true); r.Err != nil {
		return false
	}
	r.Changes = append(r.Changes, "prepared ("+left.String()+")")
	return e.hintAgain(ctx, going, n, wanted, r)
}

// hintAgain sets the root device hints of the input again, because deleting a RAID removes them
// (_delete_configuration_final of AgentRAID in ironic/drivers/modules/agent.py). Without hints, a deployment would
// pick any disk.
func (e *Enroller) hintAgain(ctx, going context.Context, n *models.Node, wanted *enroll.Node, r *Enrolled) (ok bool) {
	properties, _ := wanted.Fields["properties"].(map[string]any)
	if properties["root_device"] == nil || wanted.Prepare.RAID == nil {
		return true
	}
	it := &enroll.Item{Kind: enroll.Change, UUID: n.UUID, Existing: n, Changes: []enroll.FieldChange{
		{Path: []string{"properties", "root_device"}, After: properties["root_device"]},
	}}
	r.Result = e.act(ctx, going, &enrollAction{item: it, api: e.API}, n, false)
	return r.Err == nil
}
