package provision

import (
	"cmp"
	"fmt"
	"time"

	"ironworks/audit"
	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/printable"
)

// Stage is the progress of a deployment when its record was last written. Each stage is recorded before its requests
// are sent, so it is not known whether they have arrived.
type Stage string

// Stages, in order.
const (
	// StagePreparing: the node is reserved, changed and validated.
	StagePreparing Stage = "preparing"
	// StageSending: the deployment request is sent.
	StageSending Stage = "sending"
	// StageFollowing: Ironic accepted the deployment, and a process watches it.
	StageFollowing Stage = "following"
	// StageGivingBack: the deployment failed before Ironic accepted it, and its changes are being reverted.
	StageGivingBack Stage = "giving back"
	// StageSent: Ironic accepted the deployment, which failed or was never watched; no process watches it. The
	// record shows that the node's instance_uuid is from this console.
	StageSent Stage = "sent"
)

// Unfinished is the record of a node's deployment, without secrets.
type Unfinished struct {
	Node models.NodeRef `json:"node"`
	// Verb is deploy or rebuild; empty, in old records, is deploy.
	Verb  models.Verb `json:"verb,omitempty"`
	Stage Stage       `json:"stage"`
	// Started is the time before the first request was sent, and At the time before the last one was sent, accurate to
	// the second. Both are on this machine's clock.
	Started time.Time `json:"began"`
	At      time.Time `json:"at"`
	// Instance is the instance_uuid that the deployment gives the node. Kept reports that the node already had this
	// instance_uuid, so that it is not removed.
	Instance string `json:"instance_uuid"`
	Kept     bool   `json:"kept,omitempty"`
	// Allocated reports that an allocation with that UUID reserves the node.
	Allocated bool `json:"allocated,omitempty"`
	// From is the node's state before the deployment, and Touched its provision_updated_at at that time.
	From    models.ProvisionState `json:"from"`
	Touched models.Time           `json:"touched"`
	// Digest identifies a deployment: the SHA-256 of everything that it requests.
	Digest string `json:"digest"`
	// Overrides are the checks that were overridden on this node.
	Overrides []plan.CheckID `json:"overrides,omitempty"`
	// Actor is the user of a server who started the deployment.
	Actor audit.Actor `json:"actor,omitzero"`
}

func (u *Unfinished) verb() models.Verb { return cmp.Or(u.Verb, models.VerbDeploy) }

// settleTime is the time for which a request whose sender was killed may be in transit to Ironic: longer than a
// conductor tries to lock a node (3 times, 1 s).
const settleTime = 5 * time.Second

// next says what must be done next for an unfinished deployment.
type next int

const (
	// nextWait: it is not known yet which requests have arrived.
	nextWait next = iota
	// nextSend: Ironic has no deployment request; the requests before it may be sent, or repeated.
	nextSend
	// nextFollow: Ironic has accepted the deployment.
	nextFollow
	// nextGiveBack: the deployment had failed already.
	nextGiveBack
	// nextOver: the node no longer belongs to this deployment.
	nextOver
)

// next returns what must be done next. The node shows which requests have arrived: its instance_uuid is unique, and
// after Ironic has accepted a deployment, the node has left its state.
func (r *record) next(n *models.Node, now time.Time) (do next, why string) {
	u := &r.Unfinished
	ours := n.InstanceUUID == u.Instance
	failed := n.ProvisionState == models.StateDeployFailed
	taken := u.Stage == StageFollowing || u.Stage == StageSent
	switch {
	case !ours && n.InstanceUUID != "":
		return nextOver, "the node now belongs to another instance: " + printable.Line(n.InstanceUUID)
	case ours && u.Stage == StageSent && failed:
		return nextSend, "" // another attempt
	case ours && u.Stage == StageSent && u.verb() == models.VerbRebuild && n.ProvisionState == models.StateActive:
		return nextOver, "the rebuild has finished" // the rebuild may be requested again
	case ours && deploys(n.ProvisionState) && (taken || u.hasLeftState(n)):
		return nextFollow, ""
	case taken:
		return nextOver, fmt.Sprintf("the node is now %s; this deployment is no longer running", printable.Line(string(n.ProvisionState)))
	case n.Reservation != "" || now.Sub(u.At) < settleTime && !u.At.After(now):
		return nextWait, ""
	case u.Stage == StageGivingBack && (ours || u.Allocated): // a failed allocation reserves no node
		return nextGiveBack, ""
	case u.Stage == StageGivingBack && n.ProvisionState == u.From && len(stillChanged(n, r.Restore)) > 0:
		return nextGiveBack, "" // another client released the node before its fields were restored
	case u.Stage == StageGivingBack:
		return nextOver, "the node was released"
	case !ours && u.Stage == StageSending:
		return nextOver, "the instance_uuid was removed meanwhile"
	}
	return nextSend, ""
}

// hasLeftState reports whether the node has left the state that it was deployed from. If the state is the same again
// (failed twice, or rebuilt), only the time of the state shows that; a node never returns to available with its
// instance_uuid.
func (u *Unfinished) hasLeftState(n *models.Node) bool {
	comesBack := n.ProvisionState == models.StateDeployFailed || n.ProvisionState == models.StateActive
	return n.ProvisionState != u.From || comesBack && !n.ProvisionUpdatedAt.Equal(u.Touched.Time)
}

// deploys reports whether a deployment passes through this state, or ends in it.
func deploys(s models.ProvisionState) bool {
	switch s {
	case models.StateDeploying, models.StateDeployWait, models.StateDeployHold, models.StateActive, models.StateDeployFailed:
		return true
	default:
		return false
	}
}
