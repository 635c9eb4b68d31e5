package ironicclient

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"ironworks/models"
	"ironworks/models/request"
)

// The nodes in these tests. A limited client can see only mine.
const (
	mine   = "11111111-0000-0000-0000-000000000000"
	others = "22222222-0000-0000-0000-000000000000"
)

func within(ident string) bool { return ident == mine || ident == "mine" }

// everything is a server that responds to each request with objects of both nodes, and records the requests.
type everything struct {
	*httptest.Server
	mu   sync.Mutex
	seen []string
}

func (e *everything) asked() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.seen)
}

func newEverything(t *testing.T) *everything {
	t.Helper()
	e := &everything{}
	object := func(node string) map[string]any {
		return map[string]any{"uuid": node, "name": node, "node_uuid": node, "address": "52:54:00:00:00:01", "secret-of": node}
	}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.mu.Lock()
		e.seen = append(e.seen, r.Method+" "+r.URL.RequestURI())
		e.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Openstack-Ironic-Api-Version", "1.99")
		w.Header().Set("X-Openstack-Ironic-Api-Minimum-Version", "1.1")
		w.Header().Set("X-Openstack-Ironic-Api-Maximum-Version", "1.99")
		both := []any{object(mine), object(others)}
		answer := object(others)
		for _, list := range []string{"nodes", "ports", "portgroups", "connectors", "targets", "allocations", "shards"} {
			if strings.HasSuffix(r.URL.Path, "/"+list) {
				answer = map[string]any{list: both}
			}
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(e.Close)
	return e
}

// TestLimitedClient calls every method of a client for a node that the client must not see. It checks that the client
// sends only requests for lists, whose responses are filtered, and requests whose responses are discarded. New
// methods are covered automatically.
func TestLimitedClient(t *testing.T) {
	t.Parallel()
	e := newEverything(t)
	c := client(t, e.URL, Options{Limit: within})
	// These methods do not concern nodes, or their responses are filtered.
	common := []string{"Conductors", "Drivers", "DeployTemplates", "InspectionRules", "RawDeployTemplates", "RawRunbooks", "Identity", "Version", "Refused", "Endpoint", "MissingFields", "Format", "Close"}
	answered := map[string]bool{}
	of := reflect.TypeOf(c)
	for i := range of.NumMethod() {
		m := of.Method(i)
		if slices.Contains(common, m.Name) {
			continue
		}
		for _, ident := range []string{others, "others", strings.ToUpper(others), mine + "/../" + others, "detail", ""} {
			before := len(e.asked())
			failed, text := invoke(t, c, m, ident)
			sent := e.asked()[before:]
			for _, s := range sent {
				if strings.Contains(s, "22222222") && !strings.HasPrefix(s, "GET /v1/") {
					t.Errorf("%s(%q) sent %s", m.Name, ident, s)
				}
			}
			if !failed {
				answered[m.Name] = true
			}
			if !failed && strings.Contains(text, "22222222") {
				t.Errorf("%s(%q) returned another node: %s", m.Name, ident, text)
			}
			if failed && len(sent) > 0 && !slices.Contains([]string{"RawPort", "RawPortgroup", "Allocation"}, m.Name) {
				t.Errorf("%s(%q) sent %q before it failed", m.Name, ident, sent)
			}
		}
	}
	got := slices.Sorted(func(yield func(string) bool) {
		for name := range answered {
			if !yield(name) {
				return
			}
		}
	})
	if want := []string{"EachPage", "NodePage"}; !slices.Equal(got, want) {
		t.Errorf("methods that answered: %q, want %q", got, want)
	}
}

// invoke calls a method and passes ident for each text parameter. It reports whether the method failed. If the method
// succeeded, text contains its results.
func invoke(t *testing.T, c *Client, m reflect.Method, ident string) (failed bool, text string) {
	t.Helper()
	var pages []any
	args := []reflect.Value{reflect.ValueOf(c)}
	for i := 1; i < m.Type.NumIn(); i++ {
		in := m.Type.In(i)
		switch {
		case m.Type.IsVariadic() && i == m.Type.NumIn()-1:
		case in == reflect.TypeFor[context.Context]():
			args = append(args, reflect.ValueOf(t.Context()))
		case in.Kind() == reflect.String:
			args = append(args, reflect.ValueOf(ident).Convert(in))
		case in == reflect.TypeFor[map[string]any]():
			args = append(args, reflect.ValueOf(map[string]any{"node_uuid": ident, "uuid": ident}))
		case in == reflect.TypeFor[func(*NodePage) error]():
			args = append(args, reflect.ValueOf(func(p *NodePage) error {
				pages = append(pages, p.Nodes)
				return nil
			}))
		case in == reflect.TypeFor[request.Request]():
			args = append(args, reflect.ValueOf(request.Power(ident, models.TargetOn)))
		default:
			args = append(args, reflect.Zero(in))
		}
	}
	for _, out := range m.Func.Call(args) {
		if err, is := out.Interface().(error); is && err != nil {
			return true, ""
		}
		if out = reflect.Indirect(out); out.IsValid() {
			text += fmt.Sprintf("%+v", out.Interface())
		}
	}
	return false, text + fmt.Sprintf("%+v", pages)
}

// TestLimitedReads checks that requests for other nodes, for objects of other nodes, and for collections that contain
// them are refused.
func TestLimitedReads(t *testing.T) {
	t.Parallel()
	for path, query := range map[string]string{
		"nodes/" + others: "", "nodes/" + others + "/vifs": "", "ports": "", "ports/x": "", "ports/detail": "", "portgroups/x": "", "portgroups/x/ports": "",
		"allocations": "", "allocations/x": "", "volume/connectors/x": "", "volume/targets/x": "", "volume/connectors": "", "volume/targets": "node=" + others,
		"volume": "", "nodes/detail": "", "shards": "", "chassis": "", "chassis/x/nodes": "", "heartbeat/" + others: "", "lookup": "", "inspection_rules/x/../../nodes": "",
		"events": "", "continue_inspection": "",
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			e := newEverything(t)
			c := client(t, e.URL, Options{Limit: within})
			one := call{op: "read", method: http.MethodGet, path: path}
			if query != "" {
				one.query = url.Values{"node": {others}}
			}
			resp, err := c.do(t.Context(), one)
			if err == nil {
				t.Errorf("answered: %s", resp.body)
			}
		})
	}
}

// TestLimitedChanges checks that no request in package request is sent for another node, and that every request that
// concerns a node is sent for the user's own node.
func TestLimitedChanges(t *testing.T) {
	t.Parallel()
	ops := []models.PatchOp{{Op: "add", Path: "/extra/a", Value: 1}}
	of := func(id string) map[string]request.Request {
		return map[string]request.Request{
			"provision": request.Provision(id, models.ProvisionRequest{Verb: models.VerbManage}), "power": request.Power(id, models.TargetOff),
			"raid": request.TargetRAID(id, map[string]any{}), "boot device": request.BootDevice(id, "pxe", false), "maintenance": request.Maintenance(id, true, "x"),
			"console": request.Console(id, true), "patch": request.Patch(id, ops), "traits": request.Traits(id, nil), "add trait": request.AddTrait(id, "CUSTOM_X"),
			"remove trait": request.RemoveTrait(id, "CUSTOM_X"), "validate": request.Validate(id), "delete": request.Delete(id),
			"attach": request.AttachVIF(id, "v", "", ""), "detach": request.DetachVIF(id, "v"),
		}
	}
	general := map[string]request.Request{
		"create node": request.CreateNode(map[string]any{"uuid": mine}), "create port": request.CreatePort(map[string]any{"node_uuid": mine}),
		"create group": request.CreatePortgroup(map[string]any{"node_uuid": mine}), "patch port": request.PatchPort(mine, ops), "patch group": request.PatchPortgroup(mine, ops),
		"delete port": request.DeletePort(mine), "delete group": request.DeletePortgroup(mine), "allocate": request.Allocate(models.AllocationRequest{ResourceClass: "x"}),
		"deallocate": request.Deallocate(mine), "allocation": request.Allocation(others), "delete rule": request.DeleteRule(request.Rule{}),
	}
	refused := func(t *testing.T, name string, r request.Request) {
		t.Helper()
		e := newEverything(t)
		_, err := client(t, e.URL, Options{Limit: within}).Send(t.Context(), r)
		if r.Method == http.MethodGet && r.Path == "/v1/allocations/"+others {
			return // it is sent, but the response is discarded
		}
		if err == nil || len(e.asked()) > 0 {
			t.Errorf("%s: %v; sent %q", name, err, e.asked())
		}
	}
	for _, id := range []string{others, "others"} {
		for name, r := range of(id) {
			refused(t, name, r)
		}
	}
	for name, r := range general {
		refused(t, name, r)
	}
	for name, r := range of("mine") {
		e := newEverything(t)
		_, _ = client(t, e.URL, Options{Limit: within}).Send(t.Context(), r)
		if len(e.asked()) == 0 {
			t.Errorf("%s of an own node was not sent", name)
		}
	}
}
