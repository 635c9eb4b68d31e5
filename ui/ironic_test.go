package ui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"ironworks/ironicclient" //nolint:depguard // the poller and the runner ask in its words
	"ironworks/models"
	"ironworks/models/request"
)

// fakeIronic is an in-memory Ironic whose nodes change state. Each verb takes a second.
type fakeIronic struct {
	mu    sync.Mutex
	nodes []*fakeNode
	fault error
	// refuse maps node names to errors. Every change to one of these nodes fails with its error.
	refuse map[string]error
	// sent holds the received requests, each in the form "verb name".
	sent []string
	// validated counts the validations of each node since its last deployment. inspected records the nodes whose
	// inventory has been read since then. unchecked lists the deployments requested without reading the inventory, or
	// with fewer than two validations.
	validated map[string]int
	inspected map[string]bool
	unchecked []string
	// slow is the time that a validation takes.
	slow time.Duration
}

type fakeNode struct {
	models.Node
	due  time.Time
	then models.ProvisionState
	// fails is the error that the next verb leaves in LastError, or "" if the verb succeeds.
	fails string
	// valid makes all interfaces pass validation. more holds fields that are returned for a single node but not in
	// lists.
	valid bool
	more  map[string]any
}

func newFakeIronic(nodes ...models.Node) *fakeIronic {
	f := &fakeIronic{refuse: map[string]error{}, validated: map[string]int{}, inspected: map[string]bool{}}
	for _, n := range nodes {
		f.nodes = append(f.nodes, &fakeNode{Node: n})
	}
	return f
}

// change calls do while it holds the fake's lock, so that do may modify the fake and its nodes.
func (f *fakeIronic) change(do func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	do()
}

func (f *fakeIronic) requests() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.sent)
}

// now carries out the transition that is due, if any, and returns the node.
func (n *fakeNode) now() models.Node {
	if !n.due.IsZero() && !time.Now().Before(n.due) {
		n.due, n.ProvisionState, n.TargetProvisionState = time.Time{}, n.then, ""
		if n.fails != "" {
			n.LastError, n.fails = n.fails, ""
		}
	}
	out := n.Node
	out.Raw, _ = json.Marshal(&n.Node)
	if n.more != nil {
		var object map[string]any
		_ = json.Unmarshal(out.Raw, &object)
		maps.Copy(object, n.more)
		out.Raw, _ = json.Marshal(object)
	}
	return out
}

func (f *fakeIronic) find(id string) (*fakeNode, error) {
	if f.fault != nil {
		return nil, f.fault
	}
	for _, n := range f.nodes {
		if n.UUID == id || n.Name == id {
			return n, nil
		}
	}
	return nil, &models.Fault{Kind: models.FaultNotFound, Op: "get node " + id, Status: 404, Message: "Node " + id + " could not be found."}
}

func (f *fakeIronic) NodePage(_ context.Context, q ironicclient.NodeQuery) (*ironicclient.NodePage, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fault != nil {
		return nil, f.fault
	}
	page := &ironicclient.NodePage{Date: time.Now()}
	limit := q.Limit
	if limit == 0 {
		limit = ironicclient.DefaultPage
	}
	begun := q.Marker == ""
	for _, n := range f.nodes {
		switch {
		case !begun:
			begun = n.UUID == q.Marker
		case len(page.Nodes) == limit:
			page.More = true
			return page, nil
		default:
			now := n.now()
			now.Raw = nil
			page.Nodes = append(page.Nodes, now)
		}
	}
	return page, nil
}

func (f *fakeIronic) CountNodes(context.Context) (int, time.Time, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.nodes), time.Now(), f.fault
}

func (f *fakeIronic) EachPage(ctx context.Context, q ironicclient.NodeQuery, yield func(*ironicclient.NodePage) error) error {
	q.Limit = 1000
	page, err := f.NodePage(ctx, q)
	if err != nil {
		return err
	}
	return yield(page)
}

func (f *fakeIronic) NodeAt(_ context.Context, id string, _ ...string) (*models.Node, time.Time, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.find(id)
	if err != nil {
		return nil, time.Time{}, err
	}
	now := n.now()
	return &now, time.Now(), nil
}

func (f *fakeIronic) Node(ctx context.Context, id string, fields ...string) (*models.Node, error) {
	n, _, err := f.NodeAt(ctx, id, fields...)
	return n, err
}

// act records a change and applies it to the node with the given ID.
func (f *fakeIronic) act(id, what string, do func(n *fakeNode)) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.find(id)
	if err != nil {
		return "", err
	}
	f.sent = append(f.sent, what+" "+n.Name)
	if err := f.refuse[n.Name]; err != nil {
		return "", err
	}
	do(n)
	return fmt.Sprintf("req-%04d", len(f.sent)), nil
}

// Send applies a change and records it with its verb, power target, or paths.
func (f *fakeIronic) Send(_ context.Context, r request.Request) (request.Answer, error) {
	id, err := f.carryOut(r)
	return request.Answer{ID: id}, err
}

func (f *fakeIronic) carryOut(r request.Request) (string, error) {
	id := strings.Split(r.Path, "/")[3]
	if ops, is := r.Body.([]models.PatchOp); is {
		return f.patched(id, ops)
	}
	body, _ := r.Body.(map[string]any)
	switch what := r.Path[strings.LastIndex(r.Path, "/")+1:]; what {
	case "provision":
		verb := verbOf(body["target"])
		illegal := ""
		req, err := f.act(id, string(verb), func(n *fakeNode) {
			if !f.provisioned(n, verb) {
				illegal = fmt.Sprintf("The requested action %q can not be performed on node %q while it is in state %q.", verb, n.UUID, n.ProvisionState)
			}
		})
		if illegal != "" {
			return "", &models.Fault{Kind: models.FaultBadRequest, Status: 400, Message: illegal}
		}
		return req, err
	case "power":
		target, _ := body["target"].(models.PowerTarget)
		return f.act(id, string(target), func(n *fakeNode) { n.PowerState = target.Ends() })
	case "boot_device":
		return f.act(id, fmt.Sprint("boot-device ", body["boot_device"]), func(*fakeNode) {})
	case "maintenance":
		on := r.Method == http.MethodPut
		return f.act(id, fmt.Sprintf("maintenance %v", on), func(n *fakeNode) {
			n.Maintenance = on
			n.MaintenanceReason, _ = body["reason"].(string)
		})
	default: // the request sets traits
		return f.act(id, r.Method+" "+what, func(*fakeNode) {})
	}
}

func verbOf(target any) models.Verb {
	all := models.Verbs()
	return all[slices.IndexFunc(all, func(v models.Verb) bool { return v.Target() == target })]
}

// provisioned applies a provision verb to n. It reports whether the state of n allows the verb.
func (f *fakeIronic) provisioned(n *fakeNode, verb models.Verb) bool {
	if verb == models.VerbDeploy || verb == models.VerbRebuild {
		// The checks validate the node once, and it is validated again just before the request.
		if f.validated[n.UUID] < 2 || !f.inspected[n.UUID] {
			f.unchecked = append(f.unchecked, string(verb)+" "+n.Name)
		}
		f.validated[n.UUID], f.inspected[n.UUID] = 0, false
	}
	t, ok := models.FindTransition(n.ProvisionState, verb)
	if !ok {
		return false
	}
	n.LastError = ""
	n.ProvisionState, n.TargetProvisionState = t.Enters, t.Success[0]
	n.due, n.then = time.Now().Add(time.Second), t.Success[0]
	if n.fails != "" {
		n.then = models.StateEnroll
	}
	return true
}

func (f *fakeIronic) patched(id string, ops []models.PatchOp) (string, error) {
	var paths []string
	for _, op := range ops {
		paths = append(paths, op.Op+" "+op.Path)
	}
	taken := false
	req, err := f.act(id, strings.Join(paths, ","), func(n *fakeNode) {
		for _, op := range ops {
			switch instance, _ := op.Value.(string); {
			case op.Path != "/instance_uuid":
			case instance != "" && n.InstanceUUID != "" && n.InstanceUUID != instance:
				taken = true
			default:
				n.InstanceUUID = instance
			}
		}
	})
	if taken {
		return "", &models.Fault{Kind: models.FaultConflict, Status: 409, Message: "Node is associated with an instance."}
	}
	return req, err
}

func (f *fakeIronic) Allocation(context.Context, string) (*models.Allocation, error) {
	return nil, &models.Fault{Kind: models.FaultNotFound, Status: 404}
}

func (f *fakeIronic) Ports(context.Context, string) ([]models.Port, error) {
	return []models.Port{{UUID: "p", Address: "52:54:00:12:34:56", PXEEnabled: true, PhysicalNetwork: "provisioning"}}, nil
}

func (f *fakeIronic) Portgroups(context.Context, string) ([]models.Portgroup, error) { return nil, nil }

func (f *fakeIronic) History(context.Context, string) ([]models.HistoryEntry, error) {
	return []models.HistoryEntry{{
		UUID: "h", CreatedAt: models.Time{Time: time.Now().Add(-time.Minute)}, Severity: "ERROR", EventType: "provisioning",
		Event: "No suitable device was found for deployment using these hints {'wwn': '0x5000'}",
	}}, nil
}

func (f *fakeIronic) Inventory(_ context.Context, id string) (json.RawMessage, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.find(id)
	if err == nil {
		f.inspected[n.UUID] = true
	}
	if err == nil && n.valid {
		// Each node has different disks, because equal ones would look like shared disks.
		return json.RawMessage(fmt.Sprintf(`{"inventory":{"disks":[{"name":"/dev/nvme0n1","model":"P4510","serial":"PHLJ1-%[1]s","size":894000000000,"rotational":false},
			{"name":"/dev/sda","model":"MZ7","serial":"S3Z9-%[1]s","size":447000000000,"wwn":"0x5002538e%[1]s"}]}}`, n.Name)), nil
	}
	return json.RawMessage(`{"inventory":{"disks":[{"name":"/dev/nvme0n1","model":"P4510","serial":"PHLJ1","size":894000000000},
		{"name":"/dev/sda","model":"MZ7","serial":"S3Z9","size":447000000000}],
		"system_vendor":{"manufacturer":"Dell","product_name":"R650","serial_number":"7XK2"}}}`), nil
}

func (f *fakeIronic) Conductors(context.Context) ([]models.Conductor, error) {
	return []models.Conductor{
		{Hostname: "conductor-1", Alive: true, Drivers: []string{"redfish"}},
		{Hostname: "conductor-2", Alive: true, Drivers: []string{"redfish", "ipmi"}},
		{Hostname: "conductor-3", Alive: true, Group: "rack7", Drivers: []string{"redfish"}},
	}, nil
}

func (f *fakeIronic) DeployTemplates(context.Context) ([]models.DeployTemplate, error) {
	return nil, errors.New("the deploy templates cannot be listed")
}

func (f *fakeIronic) Drivers(context.Context) ([]models.Driver, error) {
	return []models.Driver{
		{
			Name: "redfish", Type: "dynamic", Hosts: []string{"conductor-1", "conductor-2", "conductor-3"},
			Default: map[string]string{"deploy": "direct", "boot": "redfish-virtual-media"},
			Enabled: map[string][]string{"deploy": {"direct", "custom-agent", "ramdisk"}, "boot": {"redfish-virtual-media", "ipxe"}},
		},
		{Name: "ipmi", Type: "dynamic", Hosts: []string{"conductor-2"}, Default: map[string]string{"deploy": "direct"}, Enabled: map[string][]string{"deploy": {"direct"}}},
	}, nil
}

func (f *fakeIronic) Validate(ctx context.Context, id string) ([]models.Validation, error) {
	f.mu.Lock()
	slow := f.slow
	f.mu.Unlock()
	select {
	case <-time.After(slow):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	yes, no := true, false
	n, err := f.find(id)
	if err != nil {
		return nil, err
	}
	f.validated[n.UUID]++
	if n.valid {
		return []models.Validation{{Interface: "power", Result: &yes}, {Interface: "deploy", Result: &yes}}, nil
	}
	return []models.Validation{
		{Interface: "power", Result: &yes},
		{Interface: "bios", Result: &no, Reason: "no vendor"},
		{Interface: "deploy", Result: &no, Reason: "Node has no image_source"},
		{Interface: "rescue", Result: nil},
	}, nil
}

func (f *fakeIronic) Version() (models.APIVersion, bool) {
	return models.APIVersion{Minor: models.NewestMinor}, true
}
func (f *fakeIronic) Endpoint() string  { return "https://ironic.rack7.example:6385/" }
func (f *fakeIronic) Refused() []string { return nil }

func (f *fakeIronic) MissingFields([]string) []string { return nil }
