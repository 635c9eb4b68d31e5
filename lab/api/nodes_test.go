package api_test

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"ironworks/lab/db"
)

func names(document map[string]any) []string {
	found := []string{}
	list, _ := document["nodes"].([]any)
	for _, value := range list {
		node, _ := value.(map[string]any)
		name, _ := node["name"].(string)
		found = append(found, name)
	}
	return found
}

func TestFilters(t *testing.T) {
	r := newRig(t)
	parent := r.node(func(n *db.Node) {
		n.Name, n.Owner, n.Shard, n.Description = "a", "me", "east", "Rack 1"
	})
	r.node(func(n *db.Node) {
		n.Name, n.Lessee, n.Maintenance, n.InstanceUUID = "b", "me", true, "11111111-1111-1111-1111-111111111111"
	})
	r.node(func(n *db.Node) {
		n.Name, n.ProvisionState, n.ResourceClass, n.Retired, n.Conductor = "c", "active", "gold", true, ""
	})
	r.node(func(n *db.Node) { n.Name, n.ParentNode, n.Driver = "d", parent.UUID, "fake-hardware" })
	for query, want := range map[string][]string{
		"":                      {"a", "b", "c"},
		"include_children=true": {"a", "b", "c", "d"}, "parent_node=" + parent.UUID: {"d"},
		"maintenance=true": {"b"}, "maintenance=no": {"a", "c"}, "associated=1": {"b"}, "retired=true": {"c"},
		"provision_state=active": {"c"}, "resource_class=gold": {"c"}, "driver=redfish": {"a", "b", "c"}, "owner=me": {"a"},
		"lessee=me": {"b"}, "project=me": {"a", "b"}, "shard=east,west": {"a"}, "sharded=false": {"b", "c"},
		"description_contains=rack": {"a"}, "conductor=localhost": {"a", "b"}, "conductor_group=": {"a", "b", "c"},
		"instance_uuid=11111111-1111-1111-1111-111111111111": {"b"}, "fault=clean+failure": {},
		"sort_key=name&sort_dir=desc": {"c", "b", "a"}, "sort_key=owner": {"b", "c", "a"},
		"sort_key=name&marker=" + parent.UUID: {"b", "c"}, "limit=2": {"a", "b"},
	} {
		if got := names(r.get("/v1/nodes?" + query)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
	r.check(parent, []exchange{
		{"GET", "/v1/nodes?limit=0", "", "", 400, "Limit must be positive"},
		{"GET", "/v1/nodes?limit=a", "", "", 400, "Expected an integer for limit: a"},
		{"GET", "/v1/nodes?sort_dir=x", "", "", 400, "Invalid sort direction: x. Acceptable values are 'asc' or 'desc'"},
		{"GET", "/v1/nodes?sort_key=foo", "", "", 400, `The sort_key value "foo" is an invalid field for sorting`},
		{"GET", "/v1/nodes?sort_key=extra", "", "", 400, "The sort_key value extra is an invalid field for sorting"},
		{"GET", "/v1/nodes?marker=x", "", "", 400, "Expected UUID for marker: x"},
		{"GET", "/v1/nodes?fields=foo", "", "", 500, "type object 'Node' has no attribute 'foo'"},
		{"GET", "/v1/nodes?fields=created_at", "", "", 400, "Field created_at is not a valid field."},
		{"GET", "/v1/nodes?provision_state=foo", "", "", 400, `Provision state "foo" is not valid`},
		{"GET", "/v1/nodes?provision_state=active", "1.8", "", 406, "Request not acceptable."},
		{"GET", "/v1/nodes?driver=x", "1.15", "", 406, "Request not acceptable. The minimal required API version should be 1.16"},
		{"GET", "/v1/nodes?maintenance=foo", "", "", 400, "Invalid maintenance: Unrecognized value 'foo', acceptable values " +
			"are: '0', '1', 'f', 'false', 'n', 'no', 'off', 'on', 't', 'true', 'y', 'yes'"},
		{"GET", "/v1/nodes?detail=true&fields=uuid", "", "", 400, "Can not specify ?detail=True and fields in the same request."},
		{"GET", "/v1/nodes?detail=true", "1.42", "", 400, "Invalid query parameter ?detail=True received."},
	})
}

func TestNextLinks(t *testing.T) {
	r := newRig(t)
	first, last := r.node(nil), r.node(nil)
	for query, want := range map[string]string{
		"limit=1": "sort_key=id&sort_dir=asc&fields=instance_uuid,maintenance,power_state,provision_state,uuid,name&limit=1&marker=" + first.UUID,
		"limit=1&detail=true&owner=&maintenance=false": "",
		"limit=1&detail=true":                          "sort_key=id&sort_dir=asc&detail=True&limit=1&marker=" + first.UUID,
		"limit=1&driver=redfish&fields=uuid":           "sort_key=id&sort_dir=asc&fields=uuid&limit=1&marker=" + first.UUID,
		"limit=2&fields=uuid":                          "sort_key=id&sort_dir=asc&fields=uuid&limit=2&marker=" + last.UUID,
		"limit=3":                                      "",
	} {
		next, _ := r.get("/v1/nodes?" + query)["next"].(string)
		if want != "" {
			want = "http://lab/v1/nodes?" + want
		}
		if next != want {
			t.Errorf("%s:\n got %s\nwant %s", query, next, want)
		}
	}
}

// TestTenThousandNodes checks that the next links lead to each of 10,000 nodes.
func TestTenThousandNodes(t *testing.T) {
	r := newRig(t)
	for i := range 10_000 {
		r.node(func(n *db.Node) {
			n.Name, n.Properties = fmt.Sprintf("node-%05d", i), db.Dict{"root_device": map[string]any{"name": "/dev/sda"}}
		})
	}
	seen, pages := map[string]bool{}, 0
	for path := "/v1/nodes/detail"; path != ""; pages++ {
		document := r.get(path)
		for _, name := range names(document) {
			seen[name] = true
		}
		next, _ := document["next"].(string)
		path = strings.TrimPrefix(next, "http://lab")
	}
	if len(seen) != 10_000 || pages != 11 { // a full page has a next link
		t.Errorf("%d nodes on %d pages", len(seen), pages)
	}
}

func TestCreate(t *testing.T) {
	r := newRig(t)
	n := r.node(func(n *db.Node) { n.Name = "taken" })
	r.check(n, []exchange{
		{"POST", "/v1/nodes", "", "{}", 400, "Schema error for node: 'driver' is a required property"},
		{"POST", "/v1/nodes", "", "[]", 400, "Schema error for node: [] is not of type 'object'"},
		{"POST", "/v1/nodes", "", `{"driver": 5}`, 400, "Schema error for node: 5 is not of type 'string'"},
		{
			"POST", "/v1/nodes", "", `{"driver": "redfish", "foo": 1, "bar": 2}`, 400,
			"Schema error for node: Additional properties are not allowed ('bar', 'foo' were unexpected)",
		},
		{"POST", "/v1/nodes", "", `{"driver": "nope"}`, 400, "No valid host was found. Reason: No conductor service registered " +
			`which supports driver nope for conductor group "". Ensure the driver is valid and enabled.`},
		{"POST", "/v1/nodes", "", `{"driver": "redfish", "name": "a b"}`, 400, "Cannot create node with invalid name 'a b'"},
		{"POST", "/v1/nodes", "", `{"driver": "redfish", "name": "detail"}`, 400, `The word "detail" is reserved and can not be ` +
			"used as a node name. Reserved words are: maintenance, management, states, vendor_passthru, detail, validate."},
		{"POST", "/v1/nodes", "", `{"driver": "redfish", "name": "taken"}`, 409, "A node with name taken already exists."},
		{"POST", "/v1/nodes", "", `{"driver": "redfish", "uuid": "x"}`, 400, "Expected UUID for uuid: x"},
		{"POST", "/v1/nodes", "", `{"driver": "redfish", "properties": null}`, 500, "'NoneType' object has no attribute 'get'"},
		{"POST", "/v1/nodes", "1.30", `{"driver": "redfish", "owner": "x"}`, 406, "Request not acceptable."},
	})
	answer := r.do("POST", "/v1/nodes", "1.10", `{"driver": "redfish", "uuid": "11111111-1111-1111-1111-111111111111"}`)
	if answer.Code != http.StatusCreated ||
		answer.Header().Get("Location") != "http://lab/v1/nodes/11111111-1111-1111-1111-111111111111" {
		t.Errorf("%d %v", answer.Code, answer.Header())
	}
	if state := r.get("/v1/nodes/11111111-1111-1111-1111-111111111111")["provision_state"]; state != "available" {
		t.Errorf("before 1.11 a new node is available, not %v", state)
	}
	made := r.want("POST", "/v1/nodes", `{"driver": "redfish", "maintenance": "yes", "driver_info": {"redfish_password": "x",
		"a": {"token": 5}}, "instance_info": {"configdrive": {"x": 1}, "image_url": "u"}}`, http.StatusCreated)
	for field, want := range map[string]any{
		"maintenance": true, "provision_state": "enroll", "deploy_interface": "direct", "updated_at": nil,
		"driver_info":   map[string]any{"redfish_password": "******", "a": map[string]any{"token": "******"}},
		"instance_info": map[string]any{"configdrive": "******", "image_url": "******"},
	} {
		if !reflect.DeepEqual(made[field], want) {
			t.Errorf("%s is %v, want %v", field, made[field], want)
		}
	}
}

func TestFindByName(t *testing.T) {
	r := newRig(t)
	n := r.node(func(n *db.Node) { n.Name = "one.json" })
	r.check(n, []exchange{
		{"GET", "/v1/nodes/one.json", "1.4", "", 404, "Node one.json could not be found."},
		{"GET", "/v1/nodes/one.json", "1.90", "", 200, ""},
		{"GET", "/v1/nodes/one.json", "1.91", "", 200, ""},
		{"GET", "/v1/nodes/" + url.PathEscape("a_b"), "1.9", "", 400, "Expected a logical name or UUID but received a_b."},
	})
}
