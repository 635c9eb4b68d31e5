package provision

import (
	"context"
	"slices"
	"time"

	"ironworks/fleet"
	"ironworks/ironicclient"
	"ironworks/models"
	"ironworks/models/doctor"
	"ironworks/models/plan"
)

// DoctorAPI is what of Ironic a [Doctor] asks; *ironicclient.Client has it. Nothing of it
// reaches into a BMC.
type DoctorAPI interface {
	NodePage(ctx context.Context, q ironicclient.NodeQuery) (*ironicclient.NodePage, error)
	EachPage(ctx context.Context, q ironicclient.NodeQuery, yield func(*ironicclient.NodePage) error) error
	Node(ctx context.Context, id string, fields ...string) (*models.Node, error)
	Conductors(ctx context.Context) ([]models.Conductor, error)
	Drivers(ctx context.Context) ([]models.Driver, error)
	Version() (v models.APIVersion, agreed bool)
	Endpoint() string
	Identity() (doctor.Identity, bool)
}

// Doctor gathers what can be seen of the way to one Ironic, and of what a deployment from
// here needs. It changes nothing.
type Doctor struct {
	API        DoctorAPI
	Connection models.Connection
	// Reach asks for a page without credentials; what is there is called what it is.
	Reach func(ctx context.Context, target, what string) models.Reach
	// Web asks about deploy ISOs, kernels, ramdisks and images.
	Web   ImageWeb
	Clock Clock
	// Say tells what is being done; may be nil.
	Say func(text string)
}

const (
	// doctorRequests is how often Ironic is asked for how long it takes.
	doctorRequests = 5
	// doctorISOs is how many of the fleet's deploy ISOs are asked for.
	doctorISOs = 5
	// doctorReach bounds one look at a server that goes on sending.
	doctorReach = 15 * time.Second
)

// Gather adds to the facts what Ironic and its surroundings say, and what is to be known of
// the nodes that are named. It comes back when ctx ends, with what there is by then.
func (d *Doctor) Gather(ctx context.Context, f *doctor.Facts, names []string) {
	f.Auth = d.Connection.Auth
	var clock fleet.ServerClock
	if f.Auth.Keystone() {
		d.say("asking Keystone")
		f.Keystone = d.reach(ctx, d.Connection.Keystone.AuthURL, "Keystone")
		d.greet(ctx, f, f.Keystone, &clock)
		f.Ironic = d.lookAtIronic(ctx) // where that is, Keystone has said
	} else {
		f.Ironic = d.lookAtIronic(ctx)
		d.greet(ctx, f, f.Ironic, &clock)
	}
	if r := f.Ironic; r != nil {
		clock.Observe(r.Date, r.Sent, r.Got)
	}
	f.Skew, f.SkewKnown = clock.Skew(), clock.Known()
	if f.Asked && f.First == nil {
		d.ask(ctx, f, names)
	}
}

func (d *Doctor) say(text string) {
	if d.Say != nil {
		d.Say(text)
	}
}

func (d *Doctor) reach(ctx context.Context, target, what string) *models.Reach {
	if target == "" || ctx.Err() != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, doctorReach)
	defer cancel()
	r := d.Reach(ctx, target, what)
	return &r
}

func (d *Doctor) lookAtIronic(ctx context.Context) *models.Reach {
	d.say("looking for Ironic")
	return d.reach(ctx, d.API.Endpoint(), "the API")
}

// greet sends the first requests to Ironic's API: who we are, which version, how long it
// takes, what time it is there. Who did not answer without credentials would not with
// them, and is not waited for again.
func (d *Doctor) greet(ctx context.Context, f *doctor.Facts, met *models.Reach, clock *fleet.ServerClock) {
	if met == nil || met.Stage != models.ReachAnswered || ctx.Err() != nil {
		return
	}
	d.say("asking Ironic")
	for range doctorRequests {
		sent := d.Clock.Now()
		page, err := d.API.NodePage(ctx, ironicclient.NodeQuery{Fields: []string{"uuid"}, Limit: 1})
		if ctx.Err() != nil {
			break
		}
		f.Asked = true
		if err != nil {
			if len(f.Latencies) == 0 {
				f.First = faultOf(err)
			}
			break
		}
		clock.Observe(page.Date, sent, d.Clock.Now())
		f.Latencies = append(f.Latencies, page.Latency)
	}
	if len(f.Latencies) > 1 {
		f.Latencies = f.Latencies[1:] // the first one made the connection
	}
	f.Version, _ = d.API.Version()
	if id, is := d.API.Identity(); is {
		f.Identity = &id
	}
}

// ask reads what only those are told who are let in.
func (d *Doctor) ask(ctx context.Context, f *doctor.Facts, names []string) {
	var err error
	f.Conductors, err = d.API.Conductors(ctx)
	f.ConductorsError = doctorError(ctx, err)
	f.Drivers, err = d.API.Drivers(ctx)
	f.DriversError = doctorError(ctx, err)
	d.say("listing the nodes")
	d.tally(ctx, f)
	d.say("looking at nodes and their ramdisks")
	f.Named = make([]doctor.NamedNode, len(names))
	inParallel(ctx, len(names), func(going context.Context, i int) { f.Named[i] = d.named(going, names[i]) })
	if f.Nodes != nil {
		f.ISOs = f.Nodes.BusiestISOs(doctorISOs)
	}
	d.fetch(ctx, f)
}

// doctorError is why something could not be read; empty for no error.
func doctorError(ctx context.Context, err error) string {
	switch {
	case err == nil:
		return ""
	case ctx.Err() != nil:
		return "there was no time left"
	}
	return models.Printable(err.Error())
}

// tallied are the fields that the fleet is counted by.
func tallied() []string {
	return []string{"uuid", "name", "provision_state", "maintenance", "driver", "boot_interface", "deploy_interface", "inspect_interface", "driver_info"}
}

func (d *Doctor) tally(ctx context.Context, f *doctor.Facts) {
	tally := &doctor.NodesTally{}
	one := ""
	err := d.API.EachPage(ctx, ironicclient.NodeQuery{Fields: tallied()}, func(page *ironicclient.NodePage) error {
		for i := range page.Nodes {
			tally.Add(&page.Nodes[i])
			one = page.Nodes[i].UUID
		}
		return nil
	})
	if f.NodesError = doctorError(ctx, err); err == nil || tally.Count > 0 {
		f.Nodes = tally
	}
	alive := slices.ContainsFunc(f.Conductors, func(c models.Conductor) bool { return c.Alive })
	if one == "" || alive {
		return
	}
	// Whom Ironic itself would give a node says more than who is told to be alive.
	if n, err := d.API.Node(ctx, one, "uuid", "conductor"); err == nil {
		tally.Conductor = n.Conductor
	}
}

func (d *Doctor) named(ctx context.Context, name string) doctor.NamedNode {
	named := doctor.NamedNode{Name: models.Printable(name)}
	n, err := d.API.Node(ctx, name)
	if named.Error = doctorError(ctx, err); err != nil {
		return named
	}
	named.Node, named.Files = n, plan.BootFiles(n)
	if image, web := named.WebImage(); web {
		named.ImageFacts = askImage(ctx, d.Web, image)
	}
	return named
}

// fetch asks for the files that machines boot from, each address once.
func (d *Doctor) fetch(ctx context.Context, f *doctor.Facts) {
	var files []*plan.BootFile
	for i := range f.ISOs {
		files = append(files, &f.ISOs[i])
	}
	for i := range f.Named {
		for j := range f.Named[i].Files {
			files = append(files, &f.Named[i].Files[j])
		}
	}
	at := map[string][]*plan.BootFile{}
	var addresses []string
	for _, b := range files {
		if !b.OnTheWeb() {
			continue
		}
		if at[b.Address] == nil {
			addresses = append(addresses, b.Address)
		}
		at[b.Address] = append(at[b.Address], b)
	}
	inParallel(ctx, len(addresses), func(going context.Context, i int) {
		same := at[addresses[i]]
		answer, head, total := askFile(going, d.Web, addresses[i])
		for _, b := range same {
			b.Asked = going.Err() == nil
			b.Answer, b.Head, b.Total = answer, head, total
		}
	})
}

// askFile asks for a file's headers and what it begins with.
func askFile(ctx context.Context, web ImageWeb, address string) (answer plan.WebAnswer, head []byte, total int64) {
	answer = askWeb(ctx, func(ctx context.Context) (WebAnswer, error) { return web.Head(ctx, address) })
	total = answer.Length
	if answer.Error != "" || answer.Status/100 != 2 {
		return answer, nil, total
	}
	askWeb(ctx, func(ctx context.Context) (WebAnswer, error) {
		a, text, err := web.Get(ctx, address, doctor.BootFileHead, true)
		if err == nil && a.Status/100 == 2 {
			head = text
			if total < 0 {
				total = a.Total
			}
		}
		return a, err
	})
	return answer, head, total
}
