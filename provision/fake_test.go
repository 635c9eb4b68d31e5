package provision_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ironworks/audit"
	"ironworks/models"
	"ironworks/models/request"
	"ironworks/provision"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeAPI is an in-memory Ironic that accepts every change. Its nodes make no progress unless the test changes them.
type fakeAPI struct {
	mu      sync.Mutex
	nodes   map[string]models.Node
	history map[string][]models.HistoryEntry
	version models.APIVersion
	// calls lists the calls that change something. looks is the number of calls that read.
	calls   []string
	looks   int
	running int
	atOnce  int
	// took is the duration of a change. skew is the time by which the server's clock is ahead.
	took, skew time.Duration
	// onCall runs before a change and can make it fail; onLook can make a read fail. onApplied runs after a change
	// has been carried out and can replace the answer with an error.
	onCall    func(call, id string) error
	onLook    func(id string) error
	onApplied func(call, id string) error
}

func newAPI(nodes ...models.Node) *fakeAPI {
	f := &fakeAPI{
		nodes: map[string]models.Node{}, history: map[string][]models.HistoryEntry{},
		version: models.APIVersion{Minor: models.NewestMinor},
	}
	for _, n := range nodes {
		f.nodes[n.UUID] = n
	}
	return f
}

func node(name string, s models.ProvisionState) models.Node {
	empty := func() map[string]any { return map[string]any{} }
	return models.Node{
		UUID: "uuid-" + name, Name: name, ProvisionState: s, PowerState: models.PowerOff,
		Properties: empty(), DriverInfo: empty(), InstanceInfo: empty(),
	}
}

// later applies change to the named node once d has passed.
func (f *fakeAPI) later(d time.Duration, name string, change func(n *models.Node)) {
	time.AfterFunc(d, func() { f.set(name, change) })
}

func (f *fakeAPI) set(name string, change func(n *models.Node)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for uuid, n := range f.nodes {
		if n.Name == name {
			change(&n)
			f.nodes[uuid] = n
		}
	}
}

func (f *fakeAPI) now() time.Time { return time.Now().Add(f.skew) }

func (f *fakeAPI) Version() (models.APIVersion, bool) { return f.version, true }

func (f *fakeAPI) Node(ctx context.Context, id string, fields ...string) (*models.Node, error) {
	n, _, err := f.NodeAt(ctx, id, fields...)
	return n, err
}

func (f *fakeAPI) NodeAt(ctx context.Context, id string, _ ...string) (*models.Node, time.Time, error) {
	f.mu.Lock()
	f.looks++
	look := f.onLook
	f.mu.Unlock()
	if look != nil {
		if err := look(id); err != nil {
			return nil, time.Time{}, err
		}
	}
	if ctx.Err() != nil {
		return nil, time.Time{}, &models.Fault{Kind: models.FaultCanceled, Err: ctx.Err()}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, n := range f.nodes {
		if n.UUID == id || n.Name == id {
			return &n, f.now().Truncate(time.Second), nil
		}
	}
	return nil, time.Time{}, &models.Fault{Kind: models.FaultNotFound, Status: 404, Message: "Node " + id + " could not be found."}
}

func (f *fakeAPI) History(_ context.Context, id string) ([]models.HistoryEntry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.history[id], nil
}

func (f *fakeAPI) record(name, event string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	entry := models.HistoryEntry{CreatedAt: models.Time{Time: f.now()}, Severity: "ERROR", Event: event}
	f.history["uuid-"+name] = append([]models.HistoryEntry{entry}, f.history["uuid-"+name]...)
}

func (f *fakeAPI) call(ctx context.Context, id, format string, args ...any) (string, error) {
	call := fmt.Sprintf(format, args...)
	f.mu.Lock()
	f.calls = append(f.calls, strings.TrimPrefix(id, "uuid-")+" "+call)
	f.running++
	f.atOnce = max(f.atOnce, f.running)
	on := f.onCall
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.running--
		f.mu.Unlock()
	}()
	select {
	case <-ctx.Done():
		return "", &models.Fault{Kind: models.FaultCanceled, Sent: true, Err: ctx.Err()}
	case <-time.After(f.took):
	}
	if on != nil {
		if err := on(call, id); err != nil {
			return "", err
		}
	}
	return "req-" + strings.TrimPrefix(id, "uuid-"), nil
}

// Send applies a runner's request. It records a call that consists of the last part of the path and the values in the
// body.
func (f *fakeAPI) Send(ctx context.Context, r request.Request) (request.Answer, error) {
	parts := strings.Split(strings.TrimPrefix(r.Path, "/v1/"), "/")
	id, body := parts[1], string(r.Payload())
	var call string
	switch what := parts[len(parts)-1]; {
	case r.Method == http.MethodPatch:
		call = "patch " + body
	case r.Method == http.MethodDelete && len(parts) == 2:
		call = "delete"
	case what == "provision":
		call = "provision " + field(body, "target")
	case what == "power":
		call = "power " + field(body, "target")
	case what == "boot_device":
		call = "boot " + field(body, "boot_device") + " " + field(body, "persistent")
	case what == "maintenance":
		call = fmt.Sprintf("maintenance %v %q", r.Method == http.MethodPut, field(body, "reason"))
	case what == "traits":
		call = "traits " + field(body, "traits")
	case r.Method == http.MethodPut:
		call = "trait+ " + what
	default:
		call = "trait- " + what
	}
	var answer request.Answer
	var err error
	answer.ID, err = f.call(ctx, id, "%s", call)
	if ops, is := r.Body.([]models.PatchOp); is && err == nil {
		if err = f.patch(id, ops); err != nil {
			return request.Answer{}, err
		}
		answer.Body = f.raw(id)
		if f.onApplied != nil {
			err = f.onApplied(call, id)
		}
	}
	return answer, err
}

func (f *fakeAPI) Allocation(context.Context, string) (*models.Allocation, error) {
	return nil, &models.Fault{Kind: models.FaultNotFound, Status: 404}
}

// field returns the named field of a JSON object as text, or "" if the field is missing or null.
func field(body, name string) string {
	var object map[string]any
	_ = json.Unmarshal([]byte(body), &object)
	if object[name] == nil {
		return ""
	}
	return fmt.Sprint(object[name])
}

// memAudit keeps audit records in memory. If fail is not 0, the write with that number (counted from 1) and all later
// writes fail.
type memAudit struct {
	mu      sync.Mutex
	records []audit.Record
	writes  int
	fail    int
}

var errDiskFull = errors.New("no space left on device")

func (a *memAudit) Write(r audit.Record) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.writes++
	if a.fail > 0 && a.writes >= a.fail {
		return errDiskFull
	}
	a.records = append(a.records, r)
	return nil
}

func (a *memAudit) lines() []string {
	var lines []string
	for _, r := range a.records {
		lines = append(lines, strings.TrimRight(fmt.Sprintf("%s %s %s %s %s", r.Node.Name, r.Verb, r.Result, r.RequestID, r.Reason), " "))
	}
	return lines
}

// act plans and runs the action on the named nodes of the fake Ironic.
func act(t *testing.T, api *fakeAPI, a provision.Action, opts provision.RunOptions, names ...string) ([]provision.Result, *memAudit) {
	t.Helper()
	book := &memAudit{}
	r := &provision.Runner{API: api, Audit: book, Context: "lab"}
	var nodes []models.Node
	for _, n := range names {
		nodes = append(nodes, api.nodes["uuid-"+n])
	}
	return r.Run(t.Context(), r.Plan(a, nodes), opts), book
}

func verb(v models.Verb) provision.Action {
	r := models.ProvisionRequest{Verb: v}
	step := []models.Step{{Interface: "deploy", Step: "erase_devices_metadata"}}
	switch v {
	case models.VerbClean:
		r.CleanSteps = step
	case models.VerbService:
		r.ServiceSteps = step
	case models.VerbRescue:
		r.RescuePassword = "hunter2"
	case models.VerbDeploy, models.VerbRebuild:
		return provision.Bare(r)
	default:
	}
	return provision.Provision(r)
}

func settings(t *testing.T, args ...string) provision.Action {
	t.Helper()
	var list []models.Setting
	for _, a := range args {
		s, err := models.ParseSetting(a)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	return provision.Set(list)
}
