package provision

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/models/plan"
)

// Reader is what the checks before a deployment read of Ironic; *ironicclient.Client
// has it.
type Reader interface {
	Inventories
	Validate(ctx context.Context, id string) ([]models.Validation, error)
	Drivers(ctx context.Context) ([]models.Driver, error)
	Conductors(ctx context.Context) ([]models.Conductor, error)
	Version() (v models.APIVersion, agreed bool)
}

// lister lists all nodes; a Reader that has it lets the disks of other nodes be known.
type lister interface {
	EachPage(ctx context.Context, q ironicclient.NodeQuery, yield func(*ironicclient.NodePage) error) error
}

// templater lists the deploy templates; of a Reader without it they are not known.
type templater interface {
	DeployTemplates(ctx context.Context) ([]models.DeployTemplate, error)
}

// What is said where a Reader has neither.
const (
	noList      = "the nodes cannot be listed here"
	noTemplates = "they cannot be listed here"
)

// OthersAtMost is of how many other nodes the disks are looked at.
const OthersAtMost = 200

// Preflighter does the checks before deployments. What is the same for all nodes it
// reads once, so it is good for one look at some nodes, not for longer; [Preflighter.Fresh]
// makes the next.
type Preflighter struct {
	Reader Reader
	Clock  Clock
	// MaxInventoryAge is how old an inventory may be; 0 means [InventoryAge].
	MaxInventoryAge time.Duration
	// Policy is the context's; a plan's comes before it.
	Policy map[plan.CheckID]plan.CheckPolicy
	// Offered gives the list of steps that the node's agent offered the last time. May
	// be nil.
	Offered func(uuid string) *plan.OfferedSteps
	// Keep is told of the list while a node is followed. May be nil.
	Keep func(uuid string, steps *plan.OfferedSteps)
	// Deployments keeps what deployments will send before they send it. Nil keeps
	// nothing: who is killed then does not know what has arrived.
	Deployments *Deployments

	// Images asks about the images of direct deployments. May be nil: it is not asked.
	Images ImageWeb
	// Registry asks about oci:// images. May be nil: it is not asked.
	Registry ImageRegistry

	once   sync.Once
	common common
	images imageLooks

	// inventories are those that were read, of nodes to deploy and of others.
	inventoriesMu sync.Mutex
	inventories   map[string]answer[json.RawMessage]

	othersOnce  sync.Once
	othersKnown []plan.OtherDisks
	othersError string

	templatesOnce  sync.Once
	templates      []models.DeployTemplate
	templatesError string
}

// common is what is the same for all nodes.
type common struct {
	drivers                       []models.Driver
	driversError, conductorsError string
	conductors                    []models.Conductor
}

// Fresh is one that does the same checks and has read nothing yet.
func (p *Preflighter) Fresh() *Preflighter {
	return &Preflighter{
		Reader: p.Reader, Clock: p.Clock, MaxInventoryAge: p.MaxInventoryAge, Policy: p.Policy, Offered: p.Offered, Keep: p.Keep,
		Deployments: p.Deployments, Images: p.Images, Registry: p.Registry,
	}
}

// Preflight does all checks on a node and a deployment of it. Nothing is changed. The
// overrides are those of somebody who typed this node's name.
func (p *Preflighter) Preflight(ctx context.Context, n *models.Node, d Deployment, overrides []plan.CheckID) ([]plan.Check, error) {
	facts, err := p.facts(ctx, n, d)
	if err != nil {
		return nil, err
	}
	return plan.Checks(facts, p.choices(d, overrides)), nil
}

func (p *Preflighter) choices(d Deployment, overrides []plan.CheckID) plan.CheckChoices {
	policy := map[plan.CheckID]plan.CheckPolicy{}
	for _, from := range []map[plan.CheckID]plan.CheckPolicy{p.Policy, d.Fields.Policy} {
		for id, what := range from {
			policy[id] = what
		}
	}
	return plan.CheckChoices{Policy: policy, Override: overrides}
}

// facts gathers what is known of a node. What cannot be read is a fact as well.
func (p *Preflighter) facts(ctx context.Context, n *models.Node, d Deployment) (*plan.Facts, error) {
	p.once.Do(func() { p.common = p.readCommon(ctx) })
	version, _ := p.Reader.Version()
	f := &plan.Facts{
		Now: p.Clock.Now(), Version: version, Node: n, Verb: d.verb, Plan: d.Fields, Mine: d.mine, MaxInventoryAge: p.MaxInventoryAge,
		Drivers: p.common.drivers, DriversError: p.common.driversError,
		Conductors: p.common.conductors, ConductorsError: p.common.conductorsError,
		UserData: d.userDataFacts(), ConfigDriveText: d.Text != "", Offered: offeredNow(n),
	}
	if f.MaxInventoryAge == 0 {
		f.MaxInventoryAge = InventoryAge
	}
	if f.Offered == nil && p.Offered != nil {
		f.Offered = p.Offered(n.UUID)
	}
	if f.WantsTemplates() {
		f.Templates, f.TemplatesError = p.DeployTemplates(ctx)
	}
	if err := f.Resolve(); err != nil {
		return nil, err
	}
	if f.NeedsInventory() {
		raw, err := p.Inventory(ctx, n.UUID)
		var version *models.NeedsVersionError
		switch {
		case models.IsFault(err, models.FaultNotFound):
		case errors.As(err, &version):
			f.InventoryError = version.Error()
		case err != nil:
			f.InventoryError = models.Printable(err.Error())
		default:
			if inv, err := hints.DecodeInventory(raw); err != nil {
				f.InventoryError = models.Printable(err.Error())
			} else {
				f.Inventory = &inv
			}
		}
	}
	if f.Target() != nil { // else there is no disk that another node could have, too
		f.Others, f.OthersError = p.others(ctx)
	}
	f.Image, f.Registry = p.image(ctx, f), p.registryOf(ctx, f)
	// It reaches into the BMC: only where a deployment can begin at all.
	if _, can := models.FindTransition(n.ProvisionState, cmp.Or(d.verb, models.VerbDeploy)); !can || n.Maintenance {
		f.ValidateError = "it is not asked while the node cannot be deployed"
	} else {
		var err error
		if f.Validations, err = p.Reader.Validate(ctx, n.UUID); err != nil {
			f.ValidateError = models.Printable(err.Error())
		}
	}
	return f, ctx.Err()
}

func (p *Preflighter) readCommon(ctx context.Context) common {
	var c common
	var err error
	if c.drivers, err = p.Reader.Drivers(ctx); err != nil {
		c.driversError = models.Printable(err.Error())
	}
	if c.conductors, err = p.Reader.Conductors(ctx); err != nil {
		c.conductorsError = models.Printable(err.Error())
	}
	return c
}

// Inventory reads a node's inventory once.
func (p *Preflighter) Inventory(ctx context.Context, node string) (json.RawMessage, error) {
	p.inventoriesMu.Lock()
	if p.inventories == nil {
		p.inventories = map[string]answer[json.RawMessage]{}
	}
	p.inventoriesMu.Unlock()
	return once(&p.inventoriesMu, p.inventories, node, func() (json.RawMessage, error) { return p.Reader.Inventory(ctx, node) })
}

// others reads the disks of the other nodes, once, where a disk may be one of theirs; or
// problem, why not all could be read.
func (p *Preflighter) others(ctx context.Context) (others []plan.OtherDisks, problem string) {
	p.othersOnce.Do(func() {
		list, can := p.Reader.(lister)
		if !can {
			p.othersError = noList
			return
		}
		var err error
		if p.othersKnown, err = readOthers(ctx, list, p); err != nil {
			p.othersError = models.Printable(err.Error())
		}
	})
	return p.othersKnown, p.othersError
}

// DeployTemplates reads the deploy templates, once, where a node wants some, or problem,
// why they could not be read.
func (p *Preflighter) DeployTemplates(ctx context.Context) (templates []models.DeployTemplate, problem string) {
	p.templatesOnce.Do(func() {
		list, can := p.Reader.(templater)
		if !can {
			p.templatesError = noTemplates
			return
		}
		all, err := list.DeployTemplates(ctx)
		if err != nil {
			p.templatesError = models.Printable(err.Error())
			return
		}
		p.templates = all
	})
	return p.templates, p.templatesError
}

// errEnough ends a listing early.
var errEnough = errors.New("enough")

// readOthers reads the disks of the nodes. One that was not inspected has none.
func readOthers(ctx context.Context, list lister, inventories Inventories) ([]plan.OtherDisks, error) {
	var others []plan.OtherDisks
	err := list.EachPage(ctx, ironicclient.NodeQuery{Fields: []string{"uuid", "name"}, Limit: OthersAtMost + 1}, func(page *ironicclient.NodePage) error {
		for i := range page.Nodes {
			if len(others) == OthersAtMost {
				return errEnough
			}
			others = append(others, plan.OtherDisks{Node: page.Nodes[i].Ref()})
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	failed := make([]error, len(others))
	inParallel(ctx, len(others), func(going context.Context, i int) {
		raw, err := inventories.Inventory(going, others[i].Node.UUID)
		if err == nil {
			others[i].Disks, err = hints.DecodeDisks(raw)
		}
		if !models.IsFault(err, models.FaultNotFound) {
			failed[i] = err
		}
	})
	for _, e := range failed {
		if e != nil {
			return others, e
		}
	}
	if errors.Is(err, errEnough) {
		return others, fmt.Errorf("there are more than %d nodes", OthersAtMost)
	}
	return others, nil
}

// offeredNow is the agent's list of steps while Ironic has it: from the agent's first
// call to the end of the work.
func offeredNow(n *models.Node) *plan.OfferedSteps {
	var fields struct {
		Internal struct {
			Steps map[string][]plan.OfferedStep `json:"agent_cached_deploy_steps"`
			At    models.Time                   `json:"agent_cached_deploy_steps_refreshed"`
		} `json:"driver_internal_info"`
	}
	if json.Unmarshal(n.Raw, &fields) != nil || len(fields.Internal.Steps) == 0 {
		return nil
	}
	offered := &plan.OfferedSteps{At: fields.Internal.At}
	for iface, steps := range fields.Internal.Steps {
		for _, s := range steps {
			s.Interface = iface
			offered.Steps = append(offered.Steps, s)
		}
	}
	return offered
}
