package provision

import (
	"context"
	"fmt"
	"sync"
	"time"

	"ironworks/agentlog"
	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/explain"
)

// ExplainAPI is what of Ironic an explanation is made from.
type ExplainAPI interface {
	NodeAt(ctx context.Context, id string, fields ...string) (*models.Node, time.Time, error)
	History(ctx context.Context, node string) ([]models.HistoryEntry, error)
	Conductors(ctx context.Context) ([]models.Conductor, error)
	Version() (v models.APIVersion, agreed bool)
}

// OthersAPI is what of Ironic the other nodes are listed from.
type OthersAPI interface {
	History(ctx context.Context, node string) ([]models.HistoryEntry, error)
	EachPage(ctx context.Context, q ironicclient.NodeQuery, yield func(*ironicclient.NodePage) error) error
	Version() (v models.APIVersion, agreed bool)
}

// ExplainSources are what an explanation is made from beside Ironic's word on the node. All
// of them may be nil.
type ExplainSources struct {
	// Others gives all nodes, to compare one with; see [ListOthers].
	Others func(ctx context.Context) ([]*models.Row, error)
	// Seen gives what was seen of the node while it was watched.
	Seen func(uuid string) (models.Row, bool)
	// Past gives what was kept of a node at Ironic's time.
	Past func(ctx context.Context, n *models.Node, now time.Time) (Past, error)
	// BMC gives what the node's BMC says at Ironic's time; nil does not ask it.
	BMC func(ctx context.Context, n *models.Node, now time.Time) (*explain.BMCFacts, error)
	// Ports gives the node's ports.
	Ports func(ctx context.Context, uuid string) ([]models.Port, error)
	// Agent asks the agent at an address of a node that is waited for whether it is there.
	Agent func(ctx context.Context, address string) explain.AgentFacts
	// Changes gives what was changed of a node from here, at Ironic's time.
	Changes func(uuid string, now time.Time) []models.NodeChange
}

// Past is what was kept of a node's work.
type Past struct {
	// Work is the last piece of work that was seen; nil where none was.
	Work *models.Work
	// Lines of the ramdisk's log during that work, and what it tells of the machine's last
	// boot; nil where there is none.
	Lines []models.LogLine
	Boot  *explain.BootLog
	// Estimate is what others took; nil where nobody knows.
	Estimate *models.Estimate
}

// Explained is what is the matter with a node.
type Explained struct {
	Node  models.NodeRef
	State models.ProvisionState
	// Explanations have the best one first; there always is one.
	Explanations []explain.Explanation
	// Missing says what could not be read, beside the node itself.
	Missing []error
}

// Explainer explains nodes of one Ironic. What all nodes share is read once.
type Explainer struct {
	api     ExplainAPI
	sources ExplainSources

	mu         sync.Mutex
	rows       []*models.Row
	conductors []models.Conductor
	listed     bool
	asked      bool
}

// NewExplainer makes one.
func NewExplainer(api ExplainAPI, sources ExplainSources) *Explainer {
	return &Explainer{api: api, sources: sources}
}

// explainedFields are what is read of the siblings.
var explainedFields = []string{"uuid", "name", "provision_state", "last_error", "maintenance", "fault"}

// Explain reads a node and what belongs to it, and says what is the matter with it. Only a
// node that cannot be read is an error.
func (x *Explainer) Explain(ctx context.Context, id string) (*Explained, error) {
	n, now, err := x.api.NodeAt(ctx, id)
	if err != nil {
		return nil, err
	}
	facts := explain.Facts{Now: now, Row: x.row(n)}
	facts.Version, _ = x.api.Version()
	if x.sources.Changes != nil {
		facts.Row.Changes = x.sources.Changes(n.UUID, now)
	}
	done := &Explained{Node: n.Ref(), State: n.ProvisionState}
	missing := func(what string, err error) {
		if err != nil {
			done.Missing = append(done.Missing, fmt.Errorf("%s: %w", what, err))
		}
	}
	if facts.Version.Has(models.FeatureHistory) {
		facts.History, err = x.api.History(ctx, n.UUID)
		missing("the node's history", err)
	}
	facts.Conductors, err = x.readConductors(ctx)
	missing("conductors", err)
	if x.sources.Others != nil && (n.ProvisionState.Busy() || n.ProvisionState.Failed()) {
		facts.Siblings, err = x.siblings(ctx, facts.Row, facts.History)
		missing("the other nodes", err)
	}
	if x.sources.Past != nil {
		kept, err := x.sources.Past(ctx, n, now)
		missing("what was kept of the node", err)
		facts.Work, facts.Lines, facts.Estimate = kept.Work, kept.Lines, kept.Estimate
		if kept.Boot != nil {
			facts.Row.Log = kept.Boot.Told()
		}
	}
	if x.sources.Ports != nil && facts.NeedsPorts() {
		facts.Ports, err = x.sources.Ports(ctx, n.UUID)
		missing("the node's ports", err)
		if err == nil && facts.Ports == nil {
			facts.Ports = []models.Port{}
		}
	}
	if i := n.Internal; x.sources.Agent != nil && i != nil && i.AgentURL != "" && n.ProvisionState.Class() == models.ClassWait {
		agent := x.sources.Agent(ctx, i.AgentURL)
		facts.Agent = &agent
	}
	if x.sources.BMC != nil {
		facts.BMC, err = x.sources.BMC(ctx, n, now)
		missing("the BMC", err)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	maskFacts(&facts)
	done.Explanations = explain.Explain(&facts)
	return done, nil
}

// row is the node with what was seen of the state that it is in.
func (x *Explainer) row(n *models.Node) *models.Row {
	row := &models.Row{Node: *n}
	if x.sources.Seen == nil {
		return row
	}
	if seen, there := x.sources.Seen(n.UUID); there && seen.Node.ProvisionState.Phase() == n.ProvisionState.Phase() {
		row.Since, row.FirstSeen, row.Reason, row.Log = seen.Since, seen.FirstSeen, seen.Reason, seen.Log
	}
	return row
}

// ExplainText says what a reason means that somebody has; the state may be empty. Nobody
// is asked.
func ExplainText(text string, state models.ProvisionState) []explain.Explanation {
	return explain.Explain(&explain.Facts{Text: agentlog.Masked(text), State: state})
}

// maskFacts takes the secrets out of all texts that Ironic gave. Lines have none.
func maskFacts(f *explain.Facts) {
	n := &f.Row.Node
	n.LastError, n.MaintenanceReason = agentlog.Masked(n.LastError), agentlog.Masked(n.MaintenanceReason)
	f.Row.Reason = agentlog.Masked(f.Row.Reason)
	history := make([]models.HistoryEntry, len(f.History))
	for i, h := range f.History {
		h.Event = agentlog.Masked(h.Event)
		history[i] = h
	}
	f.History = history
	if f.Work == nil {
		return
	}
	work := agentlog.MaskedWork(f.Work)
	f.Work = &work
}

func (x *Explainer) readConductors(ctx context.Context) ([]models.Conductor, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.asked {
		return x.conductors, nil
	}
	list, err := x.api.Conductors(ctx)
	if err != nil {
		return nil, err
	}
	x.conductors, x.asked = list, true
	return list, nil
}

// mostSiblingReasons bounds the histories that are read of other nodes: the newest Ironic
// clears last_error, and many that fail alike need not all be asked.
const mostSiblingReasons = 8

// siblings compares the node with those in the same work.
func (x *Explainer) siblings(ctx context.Context, row *models.Row, history []models.HistoryEntry) (*explain.Siblings, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.listed {
		rows, err := x.sources.Others(ctx)
		if err != nil {
			return nil, err
		}
		x.rows, x.listed = rows, true
	}
	this := *row
	if reason := models.FailureReason(&row.Node, models.Evidence{}, history); reason != "" {
		this.Reason = reason
	}
	if !row.Node.ProvisionState.Failed() {
		this.Reason = ""
	}
	return explain.FindSiblings(&this, x.rows), nil
}

// ListOthers reads all nodes, and why some of them failed.
func ListOthers(ctx context.Context, api OthersAPI) ([]*models.Row, error) {
	var rows []*models.Row
	err := api.EachPage(ctx, ironicclient.NodeQuery{Fields: explainedFields}, func(p *ironicclient.NodePage) error {
		for i := range p.Nodes {
			rows = append(rows, &models.Row{Node: p.Nodes[i]})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	v, _ := api.Version()
	left := mostSiblingReasons
	for _, r := range rows {
		if left == 0 || !v.Has(models.FeatureHistory) {
			break
		}
		if !r.Node.ProvisionState.Failed() || r.Node.LastError != "" {
			continue
		}
		left--
		if history, err := api.History(ctx, r.Node.UUID); err == nil {
			r.Reason = models.FailureReason(&r.Node, models.Evidence{}, history)
		}
	}
	return rows, nil
}
