package provision

import (
	"cmp"
	"fmt"
	"time"

	"ironworks/models"
	"ironworks/models/plan"
)

// Stage is how far a deployment had come when its record was last written. A stage is
// written before its requests are sent, so that what it names may have arrived or not.
type Stage string

// The stages, in order.
const (
	// StagePreparing: the node is taken, written to and asked whether it is valid.
	StagePreparing Stage = "preparing"
	// StageSending: the request that deploys is sent.
	StageSending Stage = "sending"
	// StageFollowing: Ironic has taken it, and somebody waits for its end.
	StageFollowing Stage = "following"
	// StageGivingBack: it failed before Ironic took it; what was changed is taken back.
	StageGivingBack Stage = "giving back"
	// StageSent: Ironic has taken it, and nobody waits any longer: it failed, or nobody
	// wanted to. It is kept to know the node's instance_uuid as ours.
	StageSent Stage = "sent"
)

// Unfinished is the record of a node's deployment, without what may be secret.
type Unfinished struct {
	Node models.NodeRef `json:"node"`
	// Verb is deploy or rebuild; empty, in old records, is deploy.
	Verb  models.Verb `json:"verb,omitempty"`
	Stage Stage       `json:"stage"`
	// Began is when the first request was about to be sent, At when the last one was, to
	// the second, both on this machine's clock.
	Began time.Time `json:"began"`
	At    time.Time `json:"at"`
	// Instance is the instance_uuid that the deployment gives the node. Kept says that
	// the node had it before, so that it is not taken away.
	Instance string `json:"instance_uuid"`
	Kept     bool   `json:"kept,omitempty"`
	// Allocated says that an allocation with that uuid reserves the node.
	Allocated bool `json:"allocated,omitempty"`
	// From is the node's state before, and Touched its provision_updated_at.
	From    models.ProvisionState `json:"from"`
	Touched models.Time           `json:"touched"`
	// Digest tells one deployment from another: a SHA-256 of all that was asked for.
	Digest string `json:"digest"`
	// Overrides are the checks that were overridden on this node.
	Overrides []plan.CheckID `json:"overrides,omitempty"`
}

func (u *Unfinished) verb() models.Verb { return cmp.Or(u.Verb, models.VerbDeploy) }

// settleTime is how long a request whose sender was killed may be on its way to Ironic,
// without a sign of it: longer than a conductor tries to lock a node (3 times, 1 s).
const settleTime = 5 * time.Second

// next is what has to be done about an unfinished deployment.
type next int

const (
	// nextWait: it cannot be told yet what has arrived.
	nextWait next = iota
	// nextSend: Ironic has not been asked to deploy; all requests before that may be
	// sent, or sent again.
	nextSend
	// nextFollow: Ironic has taken it.
	nextFollow
	// nextGiveBack: it had failed already.
	nextGiveBack
	// nextOver: the node is no longer this deployment's.
	nextOver
)

// next finds out from the node what has arrived: the instance_uuid is ours alone, and
// once Ironic has taken a deployment the node has left its state.
func (r *record) next(n *models.Node, now time.Time) (do next, why string) {
	u := &r.Unfinished
	ours := n.InstanceUUID == u.Instance
	failed := n.ProvisionState == models.StateDeployFailed
	taken := u.Stage == StageFollowing || u.Stage == StageSent
	switch {
	case !ours && n.InstanceUUID != "":
		return nextOver, "the node is another instance's meanwhile: " + models.Printable(n.InstanceUUID)
	case ours && u.Stage == StageSent && failed:
		return nextSend, "" // another try
	case ours && u.Stage == StageSent && u.verb() == models.VerbRebuild && n.ProvisionState == models.StateActive:
		return nextOver, "the rebuild has ended" // and may be asked for once more
	case ours && deploys(n.ProvisionState) && (taken || u.moved(n)):
		return nextFollow, ""
	case taken:
		return nextOver, fmt.Sprintf("the node is %s meanwhile, and no longer deployed by this", models.Printable(string(n.ProvisionState)))
	case n.Reservation != "" || now.Sub(u.At) < settleTime && !u.At.After(now):
		return nextWait, ""
	case u.Stage == StageGivingBack && (ours || u.Allocated): // one that failed has no node
		return nextGiveBack, ""
	case u.Stage == StageGivingBack && n.ProvisionState == u.From && len(stillChanged(n, r.Restore)) > 0:
		return nextGiveBack, "" // somebody released the node before its fields were restored
	case u.Stage == StageGivingBack:
		return nextOver, "it was given back"
	case !ours && u.Stage == StageSending:
		return nextOver, "somebody has taken the instance_uuid away meanwhile"
	}
	return nextSend, ""
}

// moved says that the node has left the state that it was deployed from. Of one that
// failed and has failed again, or is active and was rebuilt, only the time tells; to
// available it never comes back with its instance_uuid.
func (u *Unfinished) moved(n *models.Node) bool {
	comesBack := n.ProvisionState == models.StateDeployFailed || n.ProvisionState == models.StateActive
	return n.ProvisionState != u.From || comesBack && !n.ProvisionUpdatedAt.Equal(u.Touched.Time)
}

// deploys says that a state is one that a deployment leads through or to.
func deploys(s models.ProvisionState) bool {
	switch s {
	case models.StateDeploying, models.StateDeployWait, models.StateDeployHold, models.StateActive, models.StateDeployFailed:
		return true
	default:
		return false
	}
}
