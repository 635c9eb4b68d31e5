package screentest

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"ironworks/ironicclient" //nolint:depguard // the poller that fills the store asks in its words
	"ironworks/models"
)

// API is an in-memory Ironic. If Err is set, every request fails with this error.
type API struct {
	Nodes      []models.Node
	PortList   []models.Port
	Groups     []models.Portgroup
	Entries    []models.HistoryEntry
	Hosts      []models.Conductor
	DriverList []models.Driver
	// Found is the inventory of every node, or nil if the nodes were not inspected.
	Found json.RawMessage
	// Storage holds the volumes of every node, and Vendor holds the vendor methods of every node.
	Storage models.Volumes
	Vendor  []models.VendorMethod
	Minor   int
	Lacks   []string
	Err     error
	// Asked lists the requests in the order in which they were received.
	Asked []string
	// asking guards Asked, because requests may run in parallel.
	asking sync.Mutex
}

func (a *API) ask(what string) error {
	a.asking.Lock()
	defer a.asking.Unlock()
	a.Asked = append(a.Asked, what)
	return a.Err
}

// Node returns the node with the given UUID, with all its fields.
func (a *API) Node(ctx context.Context, id string, _ ...string) (*models.Node, error) {
	n, _, err := a.NodeAt(ctx, id)
	return n, err
}

// NodeAt returns the node with the given UUID, with all its fields.
func (a *API) NodeAt(ctx context.Context, id string, _ ...string) (*models.Node, time.Time, error) {
	if err := a.ask("node " + id); err != nil {
		return nil, time.Time{}, err
	}
	if ctx.Err() != nil {
		return nil, time.Time{}, ctx.Err()
	}
	i := slices.IndexFunc(a.Nodes, func(n models.Node) bool { return n.UUID == id })
	if i < 0 {
		return nil, time.Time{}, &models.Fault{Kind: models.FaultNotFound, Op: "get node " + id, Status: 404, Message: "Node " + id + " could not be found."}
	}
	n := a.Nodes[i]
	if n.Raw == nil {
		n.Raw, _ = json.Marshal(&n)
	}
	return &n, time.Time{}, nil
}

// NodePage returns all nodes, with the fields that every list contains and those that q names.
func (a *API) NodePage(_ context.Context, q ironicclient.NodeQuery) (*ironicclient.NodePage, error) {
	if a.Err != nil {
		return nil, a.Err
	}
	page := &ironicclient.NodePage{}
	for i := range a.Nodes {
		n, all := listed(&a.Nodes[i]), &a.Nodes[i]
		for field, put := range map[string]func(){
			"properties": func() { n.Properties = all.Properties }, "driver_info": func() { n.DriverInfo = all.DriverInfo },
			"boot_interface": func() { n.BootInterface = all.BootInterface }, "deploy_interface": func() { n.DeployInterface = all.DeployInterface },
			"lessee": func() { n.Lessee = all.Lessee }, "conductor": func() { n.Conductor = all.Conductor }, "traits": func() { n.Traits = all.Traits },
		} {
			if slices.Contains(q.Fields, field) {
				put()
			}
		}
		page.Nodes = append(page.Nodes, n)
	}
	return page, nil
}

// CountNodes returns the number of nodes.
func (a *API) CountNodes(context.Context) (int, time.Time, error) {
	return len(a.Nodes), time.Time{}, a.Err
}

// listed returns a copy of n that contains only the fields of a node list.
func listed(n *models.Node) models.Node {
	return models.Node{
		UUID: n.UUID, Name: n.Name, InstanceUUID: n.InstanceUUID, ProvisionState: n.ProvisionState,
		TargetProvisionState: n.TargetProvisionState, PowerState: n.PowerState, TargetPowerState: n.TargetPowerState,
		Maintenance: n.Maintenance, MaintenanceReason: n.MaintenanceReason, Fault: n.Fault, LastError: n.LastError,
		Reservation: n.Reservation, Driver: n.Driver, ResourceClass: n.ResourceClass, Owner: n.Owner,
		DeployStep: n.DeployStep, CleanStep: n.CleanStep, ServiceStep: n.ServiceStep,
		Protected: n.Protected, Retired: n.Retired, Internal: n.Internal, ProvisionUpdatedAt: n.ProvisionUpdatedAt,
	}
}

// Ports returns PortList for every node.
func (a *API) Ports(context.Context, string) ([]models.Port, error) {
	return a.PortList, a.ask("ports")
}

// Portgroups returns Groups for every node.
func (a *API) Portgroups(context.Context, string) ([]models.Portgroup, error) {
	return a.Groups, a.ask("portgroups")
}

// History returns Entries for every node.
func (a *API) History(context.Context, string) ([]models.HistoryEntry, error) {
	return a.Entries, a.ask("history")
}

// Inventory returns Found, or a "not found" error if Found is nil.
func (a *API) Inventory(_ context.Context, node string) (json.RawMessage, error) {
	if err := a.ask("inventory"); err != nil {
		return nil, err
	}
	if a.Found == nil {
		return nil, &models.Fault{Kind: models.FaultNotFound, Op: "get inventory of node " + node, Status: 404, Message: "Inspection data not found."}
	}
	return a.Found, nil
}

// Volumes returns Storage for every node.
func (a *API) Volumes(context.Context, string) (models.Volumes, error) {
	return a.Storage, a.ask("volumes")
}

// VendorMethods returns Vendor for every node.
func (a *API) VendorMethods(context.Context, string) ([]models.VendorMethod, error) {
	return a.Vendor, a.ask("vendor methods")
}

// Conductors returns Hosts.
func (a *API) Conductors(context.Context) ([]models.Conductor, error) {
	return a.Hosts, a.ask("conductors")
}

// Drivers returns DriverList.
func (a *API) Drivers(context.Context) ([]models.Driver, error) {
	return a.DriverList, a.ask("drivers")
}

// Validate returns no validations.
func (a *API) Validate(context.Context, string) ([]models.Validation, error) {
	return nil, a.ask("validate")
}

// Version returns API version 1.Minor. The second result reports whether Minor is positive.
func (a *API) Version() (models.APIVersion, bool) {
	return models.APIVersion{Minor: a.Minor}, a.Minor > 0
}

// Endpoint returns the URL of Ironic.
func (a *API) Endpoint() string { return "https://ironic.rack7.example:6385" }

// Refused returns Lacks.
func (a *API) Refused() []string { return a.Lacks }

// MissingFields returns the given fields that Lacks contains.
func (a *API) MissingFields(fields []string) []string {
	return slices.DeleteFunc(slices.Clone(fields), func(f string) bool { return !slices.Contains(a.Lacks, f) })
}
