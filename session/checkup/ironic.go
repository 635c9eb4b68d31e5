package checkup

import (
	"context"
	"slices"
	"sync"
	"time"

	"ironworks/fleet"
	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/doctor"
	"ironworks/models/plan"
	"ironworks/printable"
	"ironworks/provision"
	"ironworks/provision/images"
)

// ironicAPI is the part of Ironic's API that a gatherer uses. None of its requests makes Ironic connect to a BMC.
type ironicAPI interface {
	NodePage(ctx context.Context, q ironicclient.NodeQuery) (*ironicclient.NodePage, error)
	EachPage(ctx context.Context, q ironicclient.NodeQuery, yield func(*ironicclient.NodePage) error) error
	Node(ctx context.Context, id string, fields ...string) (*models.Node, error)
	Conductors(ctx context.Context) ([]models.Conductor, error)
	Drivers(ctx context.Context) ([]models.Driver, error)
	Version() (v models.APIVersion, agreed bool)
	Endpoint() string
	Identity() (doctor.Identity, bool)
	provision.Inventories
}

// gatherer collects facts about the connection to an Ironic, and about the prerequisites for a deployment.
type gatherer struct {
	api        ironicAPI
	connection models.Connection
	// reach requests the page at target without credentials. The what argument names the server in messages.
	reach func(ctx context.Context, target, what string) models.Reach
	// web requests the headers and the start of deploy ISOs, kernels, ramdisks and images.
	web images.Servers
	// say is called before each part of the work, with a description of that part.
	say func(text string)
}

const (
	// doctorRequests is the number of requests used to measure Ironic's latency.
	doctorRequests = 5
	// doctorISOs is the maximum number of the fleet's deploy ISOs that are requested.
	doctorISOs = 5
	// doctorInventories is the maximum number of inventories that are read to find discovered nodes.
	doctorInventories = 20
	// doctorReach is the time limit of one request, because a server may never stop sending.
	doctorReach = 15 * time.Second
)

// gather adds facts about Ironic, its surroundings and the named nodes to f. If ctx is canceled or its deadline
// expires, gather returns early, with partial facts.
func (d *gatherer) gather(ctx context.Context, f *doctor.Facts, names []string) {
	f.Auth = d.connection.Auth
	var clock fleet.ServerClock
	if f.Auth.Keystone() {
		d.say("asking Keystone")
		f.Keystone = d.reachServer(ctx, d.connection.Keystone.AuthURL, "Keystone")
		d.probe(ctx, f, f.Keystone, &clock)
		f.Ironic = d.reachIronic(ctx) // the address is from Keystone's catalog
	} else {
		f.Ironic = d.reachIronic(ctx)
		d.probe(ctx, f, f.Ironic, &clock)
	}
	if r := f.Ironic; r != nil {
		clock.Observe(r.Date, r.Sent, r.Got)
	}
	f.Skew, f.SkewKnown = clock.Skew(), clock.Known()
	if f.Asked && f.First == nil {
		d.readDetails(ctx, f, names)
	}
}

func (d *gatherer) reachServer(ctx context.Context, target, what string) *models.Reach {
	if target == "" || ctx.Err() != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, doctorReach)
	defer cancel()
	r := d.reach(ctx, target, what)
	return &r
}

func (d *gatherer) reachIronic(ctx context.Context) *models.Reach {
	d.say("looking for Ironic")
	return d.reachServer(ctx, d.api.Endpoint(), "the API")
}

// probe sends the first requests to Ironic's API, to find out the identity, the version, the latency and the clock.
// If the server did not answer a request without credentials, probe does not send one with credentials.
func (d *gatherer) probe(ctx context.Context, f *doctor.Facts, reached *models.Reach, clock *fleet.ServerClock) {
	if reached == nil || reached.Stage != models.ReachAnswered || ctx.Err() != nil {
		return
	}
	d.say("asking Ironic")
	for range doctorRequests {
		sent := time.Now()
		page, err := d.api.NodePage(ctx, ironicclient.NodeQuery{Fields: []string{"uuid"}, Limit: 1})
		if ctx.Err() != nil {
			break
		}
		f.Asked = true
		if err != nil {
			if len(f.Latencies) == 0 {
				f.First = models.FaultOf(err, "get node")
			}
			break
		}
		clock.Observe(page.Date, sent, time.Now())
		f.Latencies = append(f.Latencies, page.Latency)
	}
	if len(f.Latencies) > 1 {
		f.Latencies = f.Latencies[1:] // the first one includes the connection setup
	}
	f.Version, _ = d.api.Version()
	if id, is := d.api.Identity(); is {
		f.Identity = &id
	}
}

// readDetails reads data that requires authentication.
func (d *gatherer) readDetails(ctx context.Context, f *doctor.Facts, names []string) {
	var err error
	f.Conductors, err = d.api.Conductors(ctx)
	f.ConductorsError = doctorError(ctx, err)
	f.Drivers, err = d.api.Drivers(ctx)
	f.DriversError = doctorError(ctx, err)
	d.say("listing the nodes")
	d.countNodes(ctx, f)
	d.say("checking nodes and ramdisks")
	f.Named = make([]doctor.NamedNode, len(names))
	provision.InParallel(ctx, len(names), func(going context.Context, i int) { f.Named[i] = d.namedNode(going, names[i]) })
	if f.Nodes != nil {
		f.ISOs = f.Nodes.BusiestISOs(doctorISOs)
	}
	d.fetch(ctx, f)
}

// doctorError returns the reason why a fact could not be read, or "" if err is nil.
func doctorError(ctx context.Context, err error) string {
	switch {
	case err == nil:
		return ""
	case ctx.Err() != nil:
		return "skipped: out of time"
	}
	return printable.Line(err.Error())
}

// tallyFields returns the node fields that are needed for the statistics of the fleet.
func tallyFields() []string {
	return []string{"uuid", "name", "provision_state", "maintenance", "driver", "boot_interface", "deploy_interface", "inspect_interface", "driver_info"}
}

func (d *gatherer) countNodes(ctx context.Context, f *doctor.Facts) {
	tally := &doctor.NodesTally{}
	one := ""
	err := d.api.EachPage(ctx, ironicclient.NodeQuery{Fields: tallyFields()}, func(page *ironicclient.NodePage) error {
		for i := range page.Nodes {
			tally.Add(&page.Nodes[i])
			one = page.Nodes[i].UUID
		}
		return nil
	})
	if f.NodesError = doctorError(ctx, err); err == nil || tally.Count > 0 {
		f.Nodes = tally
	}
	d.discovered(ctx, tally)
	alive := slices.ContainsFunc(f.Conductors, func(c models.Conductor) bool { return c.Alive })
	if one == "" || alive {
		return
	}
	// A node's conductor is better evidence of a running conductor than the liveness in the list.
	if n, err := d.api.Node(ctx, one, "uuid", "conductor"); err == nil {
		tally.Conductor = n.Conductor
	}
}

// discovered looks for nodes that were enrolled by auto-discovery.
func (d *gatherer) discovered(ctx context.Context, tally *doctor.NodesTally) {
	var mu sync.Mutex
	provision.ReadHardware(ctx, d.api, tally.Nameless[:min(len(tally.Nameless), doctorInventories)], func(uuid string, hardware *models.Hardware, err error) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case err != nil:
		case hardware.Discovered:
			tally.Discovered = append(tally.Discovered, uuid)
		default:
			tally.Undiscovered++
		}
	})
	slices.Sort(tally.Discovered)
}

func (d *gatherer) namedNode(ctx context.Context, name string) doctor.NamedNode {
	named := doctor.NamedNode{Name: printable.Line(name)}
	n, err := d.api.Node(ctx, name)
	if named.Error = doctorError(ctx, err); err != nil {
		return named
	}
	named.Node, named.Files = n, plan.BootFiles(n)
	if image, web := named.WebImage(); web {
		named.ImageFacts = images.Query(ctx, d.web, image)
	}
	return named
}

// fetch requests the files that machines boot from. It requests each address only once.
func (d *gatherer) fetch(ctx context.Context, f *doctor.Facts) {
	var files []*plan.BootFile
	for i := range f.ISOs {
		files = append(files, &f.ISOs[i])
	}
	for i := range f.Named {
		for j := range f.Named[i].Files {
			files = append(files, &f.Named[i].Files[j])
		}
	}
	byAddress := map[string][]*plan.BootFile{}
	var addresses []string
	for _, b := range files {
		if !b.OnTheWeb() {
			continue
		}
		if byAddress[b.Address] == nil {
			addresses = append(addresses, b.Address)
		}
		byAddress[b.Address] = append(byAddress[b.Address], b)
	}
	provision.InParallel(ctx, len(addresses), func(going context.Context, i int) {
		same := byAddress[addresses[i]]
		answer, head, total := images.QueryFile(going, d.web, addresses[i])
		for _, b := range same {
			b.Asked = going.Err() == nil
			b.Answer, b.Head, b.Total = answer, head, total
		}
	})
}
