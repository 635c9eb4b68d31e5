package provision

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"ironworks/audit"
	"ironworks/models"
	"ironworks/models/plan"
	"ironworks/printable"
)

// Stage is the progress of a deployment at the time when its record was last written. Each stage is recorded before
// its requests are sent, so the record does not show whether they have arrived.
type Stage string

// The stages of a deployment, in order.
const (
	// StagePreparing means that the node is being reserved, changed and validated.
	StagePreparing Stage = "preparing"
	// StageSending means that the deployment request is being sent.
	StageSending Stage = "sending"
	// StageFollowing means that Ironic has accepted the deployment, and that a process is watching it.
	StageFollowing Stage = "following"
	// StageGivingBack means that a deployment that Ironic did not accept is being reverted.
	StageGivingBack Stage = "giving back"
	// StageSent means that Ironic has accepted the deployment, and that no process is watching it because it has
	// failed or was never watched. The record shows that the node's instance_uuid was set from this console.
	StageSent Stage = "sent"
)

// Unfinished describes the deployment of a node as recorded on disk, but without secrets.
type Unfinished struct {
	Node models.NodeRef `json:"node"`
	// Verb is deploy or rebuild. Old records omit it, which means deploy.
	Verb  models.Verb `json:"verb,omitempty"`
	Stage Stage       `json:"stage"`
	// Started is the time just before the first request was sent, and At is the time just before the last one was
	// sent. Both are on this machine's clock and accurate to the second.
	Started time.Time `json:"began"`
	At      time.Time `json:"at"`
	// Instance is the instance_uuid of the deployment. If the node had it before (Kept), it is not removed.
	Instance string `json:"instance_uuid"`
	Kept     bool   `json:"kept,omitempty"`
	// Allocated reports whether the node is reserved by an allocation whose UUID is Instance.
	Allocated bool `json:"allocated,omitempty"`
	// From is the state of the node before the deployment. Touched is the node's provision_updated_at at that time.
	From    models.ProvisionState `json:"from"`
	Touched models.Time           `json:"touched"`
	// Digest identifies the deployment. It is the SHA-256 of everything that the deployment requests.
	Digest string `json:"digest"`
	// Overrides lists the checks that were overridden on this node.
	Overrides []plan.CheckID `json:"overrides,omitempty"`
	// Actor is the user who started the deployment on a server with several users.
	Actor audit.Actor `json:"actor,omitzero"`
}

func (u *Unfinished) verb() models.Verb { return cmp.Or(u.Verb, models.VerbDeploy) }

// settleTime is the maximum time for which a request may be in transit to Ironic after its sender was killed. It
// exceeds the time for which a conductor tries to lock a node (3 attempts, 1 s apart).
const settleTime = 5 * time.Second

type next int

const (
	// nextWait means that it is not yet known which requests have arrived.
	nextWait next = iota
	// nextSend means that Ironic has not received the deployment request. All requests can be sent or repeated.
	nextSend
	// nextFollow means that Ironic has accepted the deployment.
	nextFollow
	// nextGiveBack means that the deployment has already failed and its changes must be reverted.
	nextGiveBack
	// nextOver means that the node no longer belongs to this deployment, or that there is nothing left to do.
	nextOver
)

// next returns the next action for the deployment, and perhaps a reason. The node shows which requests have arrived:
// its instance_uuid is unique, and it leaves its state when Ironic accepts a deployment.
func (r *record) next(n *models.Node, now time.Time) (do next, why string) {
	u := &r.Unfinished
	ours := n.InstanceUUID == u.Instance
	failed := n.ProvisionState == models.StateDeployFailed
	taken := u.Stage == StageFollowing || u.Stage == StageSent
	switch {
	case !ours && n.InstanceUUID != "":
		return nextOver, "the node now belongs to another instance: " + printable.Line(n.InstanceUUID)
	case ours && u.Stage == StageSent && failed:
		return nextSend, "" // the deployment can be tried again
	case ours && u.Stage == StageSent && u.verb() == models.VerbRebuild && n.ProvisionState == models.StateActive:
		return nextOver, "the rebuild has finished" // so that another rebuild can be requested
	case ours && deploys(n.ProvisionState) && (taken || u.hasLeftState(n)):
		return nextFollow, ""
	case taken:
		return nextOver, fmt.Sprintf("the node is now %s; this deployment is no longer running", printable.Line(string(n.ProvisionState)))
	case n.Reservation != "" || now.Sub(u.At) < settleTime && !u.At.After(now):
		return nextWait, ""
	case u.Stage == StageGivingBack && (ours || u.Allocated): // after a failed allocation, the node is not reserved
		return nextGiveBack, ""
	case u.Stage == StageGivingBack && n.ProvisionState == u.From && len(stillChanged(n, r.Restore)) > 0:
		return nextGiveBack, "" // another client released the node before its fields were restored
	case u.Stage == StageGivingBack:
		return nextOver, "the node was released"
	case !ours && u.Stage == StageSending:
		return nextOver, "the instance_uuid was removed in the meantime"
	}
	return nextSend, ""
}

// hasLeftState reports whether the node has left the state in which the deployment started. If it is there again (after
// another failure or a rebuild), only provision_updated_at reveals that. A node never returns to available with its
// instance_uuid.
func (u *Unfinished) hasLeftState(n *models.Node) bool {
	comesBack := n.ProvisionState == models.StateDeployFailed || n.ProvisionState == models.StateActive
	return n.ProvisionState != u.From || comesBack && !n.ProvisionUpdatedAt.Equal(u.Touched.Time)
}

// deploys reports whether a deployment passes through this state, or ends in it.
func deploys(s models.ProvisionState) bool {
	return slices.Contains([]models.ProvisionState{
		models.StateDeploying, models.StateDeployWait, models.StateDeployHold, models.StateActive, models.StateDeployFailed,
	}, s)
}
