package provision

import (
	"context"
	"fmt"
	"time"

	"ironworks/agentlog"
	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/explain"
)

// ExplainAPI is the part of Ironic's API that an [Explainer] uses to read data about the explained node.
type ExplainAPI interface {
	NodeAt(ctx context.Context, id string, fields ...string) (*models.Node, time.Time, error)
	History(ctx context.Context, node string) ([]models.HistoryEntry, error)
	Conductors(ctx context.Context) ([]models.Conductor, error)
	Version() (v models.APIVersion, agreed bool)
}

// OthersAPI is the part of Ironic's API that [ListOthers] needs.
type OthersAPI interface {
	History(ctx context.Context, node string) ([]models.HistoryEntry, error)
	EachPage(ctx context.Context, q ironicclient.NodeQuery, yield func(*ironicclient.NodePage) error) error
	Version() (v models.APIVersion, agreed bool)
}

// ExplainSources lists the sources of an explanation apart from Ironic's data about the node. Any of them may be nil.
type ExplainSources struct {
	// Others returns all nodes, so that the explained node can be compared with them; see [ListOthers].
	Others func(ctx context.Context) ([]*models.Row, error)
	// Observed returns the observations made while the node with the given UUID was being watched.
	Observed func(uuid string) (models.Row, bool)
	// Journal returns the facts in the node's journal; now is Ironic's time.
	Journal func(ctx context.Context, n *models.Node, now time.Time) (JournalFacts, error)
	// BMC returns the facts from the node's BMC; now is Ironic's time. If it is nil, the BMC is not queried.
	BMC func(ctx context.Context, n *models.Node, now time.Time) (*explain.BMCFacts, error)
	// Ports returns the node's ports.
	Ports func(ctx context.Context, uuid string) ([]models.Port, error)
	// Agent probes the agent's address of a node in a wait state.
	Agent func(ctx context.Context, address string) explain.AgentFacts
	// Changes returns the changes that were made to the node from this console. Their times are on Ironic's clock.
	Changes func(uuid string, now time.Time) []models.NodeChange
}

// JournalFacts holds the journal's data about a node's last operation.
type JournalFacts struct {
	// Work is the last operation that was observed, or nil if there is none.
	Work *models.Work
	// Lines is the ramdisk's log during that operation, and Boot summarizes the last boot. Both may be nil.
	Lines []models.LogLine
	Boot  *explain.BootLog
	// Estimate is the time that the operation took on other nodes, or nil if that is unknown.
	Estimate *models.Estimate
}

// Explained is the result of [Explainer.Explain].
type Explained struct {
	Node  models.NodeRef
	State models.ProvisionState
	// Explanations contains at least one explanation, with the best one first.
	Explanations []explain.Explanation
	// Missing lists the errors of the sources that could not be read.
	Missing []error
}

// Explainer explains the states of nodes in one Ironic. Data that is the same for all nodes is read only once.
type Explainer struct {
	api     ExplainAPI
	sources ExplainSources

	rows       memo[[]*models.Row]
	conductors memo[[]models.Conductor]
}

// NewExplainer returns an Explainer that reads data from Ironic with api, and other data from the given sources.
func NewExplainer(api ExplainAPI, sources ExplainSources) *Explainer {
	return &Explainer{api: api, sources: sources}
}

// Explain reads a node and the evidence about it, and explains its state. It returns an error only if the node cannot
// be read or ctx is done.
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
	facts.Conductors, err = x.conductors.get("", func() ([]models.Conductor, error) { return x.api.Conductors(ctx) })
	missing("conductors", err)
	if x.sources.Others != nil && (n.ProvisionState.Busy() || n.ProvisionState.Failed()) {
		facts.Siblings, err = x.siblings(ctx, facts.Row, facts.History)
		missing("the other nodes", err)
	}
	if x.sources.Journal != nil {
		kept, err := x.sources.Journal(ctx, n, now)
		missing("journal of the node", err)
		facts.Work, facts.Lines, facts.Estimate = kept.Work, kept.Lines, kept.Estimate
		if kept.Boot != nil {
			facts.Row.Log = kept.Boot.Progress()
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

func (x *Explainer) row(n *models.Node) *models.Row {
	row := &models.Row{Node: *n}
	if x.sources.Observed == nil {
		return row
	}
	if seen, there := x.sources.Observed(n.UUID); there && seen.Node.ProvisionState.Phase() == n.ProvisionState.Phase() {
		row.Since, row.FirstSeen, row.Reason, row.Log = seen.Since, seen.FirstSeen, seen.Reason, seen.Log
	}
	return row
}

// ExplainText explains an error message without querying anything. The state may be empty.
func ExplainText(text string, state models.ProvisionState) []explain.Explanation {
	return explain.Explain(&explain.Facts{Text: agentlog.Masked(text), State: state})
}

// maskFacts masks secrets in all messages from Ironic. Log lines are masked already.
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

// maxSiblingReasons is the maximum number of other nodes whose history is read. The newest Ironic clears last_error,
// so the reasons are only in the histories. If many nodes have the same failure, reading a few of them is enough.
const maxSiblingReasons = 8

func (x *Explainer) siblings(ctx context.Context, row *models.Row, history []models.HistoryEntry) (*explain.Siblings, error) {
	rows, err := x.rows.get("", func() ([]*models.Row, error) { return x.sources.Others(ctx) })
	if err != nil {
		return nil, err
	}
	this := *row
	if reason := models.FailureReason(&row.Node, models.Evidence{}, history); reason != "" {
		this.Reason = reason
	}
	if !row.Node.ProvisionState.Failed() {
		this.Reason = ""
	}
	return explain.FindSiblings(&this, rows), nil
}

// ListOthers reads all nodes and, for at most maxSiblingReasons failed nodes, the reason for the failure.
func ListOthers(ctx context.Context, api OthersAPI) ([]*models.Row, error) {
	var rows []*models.Row
	fields := []string{"uuid", "name", "provision_state", "last_error", "maintenance", "fault"}
	err := api.EachPage(ctx, ironicclient.NodeQuery{Fields: fields}, func(p *ironicclient.NodePage) error {
		for i := range p.Nodes {
			rows = append(rows, &models.Row{Node: p.Nodes[i]})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	AddReasons(ctx, api, rows, maxSiblingReasons)
	return rows, nil
}

// AddReasons adds the reason for the failure to the rows of failed nodes without last_error. It reads the histories of
// at most the given number of nodes.
func AddReasons(ctx context.Context, api OthersAPI, rows []*models.Row, most int) {
	v, _ := api.Version()
	for _, r := range rows {
		if most == 0 || !v.Has(models.FeatureHistory) {
			return
		}
		if !r.Node.ProvisionState.Failed() || r.Node.LastError != "" {
			continue
		}
		most--
		if history, err := api.History(ctx, r.Node.UUID); err == nil {
			r.Reason = models.FailureReason(&r.Node, models.Evidence{}, history)
		}
	}
}
