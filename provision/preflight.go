package provision

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/hints"
	"ironworks/models/plan"
	"ironworks/printable"
	"ironworks/provision/images"
)

// Reader is the part of Ironic's API that is needed for the checks before a deployment.
type Reader interface {
	Inventories
	Validate(ctx context.Context, id string) ([]models.Validation, error)
	Drivers(ctx context.Context) ([]models.Driver, error)
	Conductors(ctx context.Context) ([]models.Conductor, error)
	DeployTemplates(ctx context.Context) ([]models.DeployTemplate, error)
	EachPage(ctx context.Context, q ironicclient.NodeQuery, yield func(*ironicclient.NodePage) error) error
	Version() (v models.APIVersion, agreed bool)
}

// maxOthers is the maximum number of nodes whose disks are compared with the target disk.
const maxOthers = 200

// Preflighter runs the checks before deployments. It reads the data shared by all nodes only once, so use each
// Preflighter for one set of checks only; [Preflighter.Fresh] returns a new one.
type Preflighter struct {
	Reader Reader
	// MaxInventoryAge is the age from which an inventory is reported as old; 0 means [InventoryAge].
	MaxInventoryAge time.Duration
	// Policy is the context's policy for the checks. A plan's policy overrides it.
	Policy map[plan.CheckID]plan.CheckPolicy
	// NoOverride means that checks cannot be overridden, and that the policy of a plan cannot weaken them.
	NoOverride bool
	// Offered returns the steps that the node's agent offered last. It may be nil.
	Offered func(uuid string) *plan.OfferedSteps
	// StoreOffered stores the steps that the agent of a watched node offers. It may be nil.
	StoreOffered func(uuid string, steps *plan.OfferedSteps)
	// Deployments records the requests of deployments before they are sent. If it is nil, nothing is recorded, and
	// the result of a deployment is unknown after a crash.
	Deployments *Deployments

	// Images queries the images of direct deployments. If nil, they are not queried.
	Images images.Servers
	// Registry queries oci:// images. If nil, they are not queried.
	Registry images.Registries

	// inventories holds the inventories that have been read, both of the nodes to deploy and of other nodes.
	inventories memo[json.RawMessage]
	images      memo[*plan.ImageFacts]
	drivers     onceList[models.Driver]
	conductors  onceList[models.Conductor]
	others      onceList[plan.OtherDisks]
	templates   onceList[models.DeployTemplate]
}

// Fresh returns a Preflighter with the same settings that has read nothing yet.
func (p *Preflighter) Fresh() *Preflighter {
	return &Preflighter{
		Reader: p.Reader, MaxInventoryAge: p.MaxInventoryAge, Policy: p.Policy, NoOverride: p.NoOverride, Offered: p.Offered, StoreOffered: p.StoreOffered,
		Deployments: p.Deployments, Images: p.Images, Registry: p.Registry,
	}
}

// Preflight runs all checks for deployment d on node n, without changing anything. overrides lists the checks for
// which the operator has typed this node's name.
func (p *Preflighter) Preflight(
	ctx context.Context, n *models.Node, d Deployment, overrides []plan.CheckID,
) (facts *plan.Facts, checks []plan.Check, err error) {
	if facts, err = p.facts(ctx, n, d); err != nil {
		return facts, nil, err
	}
	return facts, plan.Checks(facts, p.choices(d, overrides)), nil
}

func (p *Preflighter) choices(d Deployment, overrides []plan.CheckID) plan.CheckChoices {
	policy := map[plan.CheckID]plan.CheckPolicy{}
	maps.Copy(policy, p.Policy)
	for id, own := range d.Fields.Policy {
		if !p.NoOverride || own == plan.PolicyRefuse {
			policy[id] = own
		}
	}
	return plan.CheckChoices{Policy: policy, Override: overrides, NoOverride: p.NoOverride}
}

// facts collects the facts about a node. If something cannot be read, that is recorded as a fact as well.
func (p *Preflighter) facts(ctx context.Context, n *models.Node, d Deployment) (*plan.Facts, error) {
	drivers, driversError := p.drivers.get(func() ([]models.Driver, error) { return p.Reader.Drivers(ctx) })
	conductors, conductorsError := p.conductors.get(func() ([]models.Conductor, error) { return p.Reader.Conductors(ctx) })
	version, _ := p.Reader.Version()
	f := &plan.Facts{
		Now: time.Now(), Version: version, Node: n, Verb: d.verb, Plan: d.Fields, OwnInstanceUUID: d.ownInstance, MaxInventoryAge: p.MaxInventoryAge,
		Drivers: drivers, DriversError: driversError, Conductors: conductors, ConductorsError: conductorsError,
		UserData: d.userDataFacts(), ConfigDriveText: d.Text != "", Offered: offeredSteps(n),
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
		inventory, err := readInventory(ctx, p, n.UUID)
		var version *models.NeedsVersionError
		switch {
		case models.IsFault(err, models.FaultNotFound):
		case errors.As(err, &version):
			f.InventoryError = version.Error()
		case err != nil:
			f.InventoryError = printable.Line(err.Error())
		default:
			f.Inventory = &inventory
		}
	}
	if f.Target() != nil { // without a target disk, the disks of other nodes do not matter
		f.Others, f.OthersError = p.others.get(func() ([]plan.OtherDisks, error) { return readOthers(ctx, p.Reader, p) })
	}
	f.Image, f.Registry = p.image(ctx, f), p.registryOf(ctx, f)
	// Ironic's validation connects to the BMC, so it is requested only if the node's state allows a deployment.
	if _, can := models.FindTransition(n.ProvisionState, cmp.Or(d.verb, models.VerbDeploy)); !can || n.Maintenance {
		f.ValidateError = "not validated: the node cannot be deployed in its current state"
	} else {
		var err error
		if f.Validations, err = p.Reader.Validate(ctx, n.UUID); err != nil {
			f.ValidateError = printable.Line(err.Error())
		}
	}
	return f, ctx.Err()
}

// Inventory returns the inventory of the node, which is read from Ironic only once.
func (p *Preflighter) Inventory(ctx context.Context, node string) (json.RawMessage, error) {
	return p.inventories.get(node, func() (json.RawMessage, error) { return p.Reader.Inventory(ctx, node) })
}

// DeployTemplates returns the deploy templates, which are read only once, or the problem that prevented reading them.
func (p *Preflighter) DeployTemplates(ctx context.Context) (templates []models.DeployTemplate, problem string) {
	templates, problem = p.templates.get(func() ([]models.DeployTemplate, error) { return p.Reader.DeployTemplates(ctx) })
	if problem != "" {
		return nil, problem
	}
	return templates, ""
}

var errStop = errors.New("enough")

// readOthers reads the disks of all nodes, up to maxOthers. Nodes that were not inspected have no disks.
func readOthers(ctx context.Context, list Reader, inventories Inventories) ([]plan.OtherDisks, error) {
	var others []plan.OtherDisks
	err := list.EachPage(ctx, ironicclient.NodeQuery{Fields: []string{"uuid", "name"}, Limit: maxOthers + 1}, func(page *ironicclient.NodePage) error {
		for i := range page.Nodes {
			if len(others) == maxOthers {
				return errStop
			}
			others = append(others, plan.OtherDisks{Node: page.Nodes[i].Ref()})
		}
		return nil
	})
	if err != nil && !errors.Is(err, errStop) {
		return nil, err
	}
	failed := make([]error, len(others))
	InParallel(ctx, len(others), func(going context.Context, i int) {
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
	if errors.Is(err, errStop) {
		return others, fmt.Errorf("there are more than %d nodes", maxOthers)
	}
	return others, nil
}

// offeredSteps returns the steps that the node's agent offers, or nil if they are unknown. Ironic knows them from the
// agent's first heartbeat to the end of the operation.
func offeredSteps(n *models.Node) *plan.OfferedSteps {
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

// image queries the image of a direct deployment, once for all nodes. It returns nil if there is nothing to query.
func (p *Preflighter) image(ctx context.Context, f *plan.Facts) *plan.ImageFacts {
	image, web := f.WebImage()
	if p.Images == nil || !web {
		return nil
	}
	facts, _ := p.images.get(image.Source+"\n"+image.Checksum, func() (*plan.ImageFacts, error) { return images.Query(ctx, p.Images, image), nil })
	return facts
}

// registryOf queries the registry about the oci:// image of a deployment. It returns nil if there is none.
func (p *Preflighter) registryOf(ctx context.Context, f *plan.Facts) *plan.RegistryFacts {
	image, is := f.RegistryImage()
	if !is || p.Registry == nil {
		return nil
	}
	return images.QueryRegistry(ctx, p.Registry, image)
}
