package metal3

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExamplesOfMetal3 checks the nodes for the examples of baremetal-operator 02aa505 (August 2026), which are in
// testdata/examples. The nodes' fields must match those that baremetal-operator sets for its ipmi and libvirt access
// types.
func TestExamplesOfMetal3(t *testing.T) {
	t.Parallel()
	type want struct{ node, problem, image string }
	ipmi := func(address string) string {
		return `"driver_info":{"ipmi_address":"` + address + `","ipmi_password":"1f2d1e2e67df","ipmi_port":"6233","ipmi_priv_level":"ADMINISTRATOR","ipmi_username":"admin"}`
	}
	rhcos := "http://172.22.0.1/images/rhcos-ootpa-latest.qcow2"
	for name, hosts := range map[string]map[string]want{
		"example-host.yaml":                 {"example-baremetalhost": {node: ipmi("192.168.122.1")}},
		"example-host-bad-credentials.yaml": {"example-baremetalhost": {problem: "line 29: Secret example-baremetalhost-secret-no-password: no password"}},
		"worker-0.yaml":                     {"worker-0": {node: `"ipmi_port":"6233"`, image: rhcos}},
		"demo-hosts.yaml": {
			"demo-discovered":             {problem: "spec.bmc.address: missing"},
			"demo-externally-provisioned": {node: ipmi("192.168.122.1")},
			"demo-registration-error":     {node: ipmi("192.168.122.1")},
			"demo-registering":            {node: ipmi("192.168.122.2")},
			"demo-available":              {node: ipmi("192.168.122.3")},
			"demo-inspecting":             {node: ipmi("192.168.122.4")},
			"demo-provisioning":           {node: ipmi("192.168.122.6"), image: rhcos},
			"demo-provisioned":            {node: ipmi("192.168.122.8"), image: rhcos},
			"demo-validation-error":       {node: ipmi("192.168.122.8"), image: rhcos},
		},
	} {
		text, err := os.ReadFile(filepath.Join("testdata", "examples", name))
		if err != nil {
			t.Fatal(err)
		}
		found := read(t, string(text))
		if len(found.Nodes) != len(hosts) {
			t.Errorf("%s: %d nodes, want %d", name, len(found.Nodes), len(hosts))
		}
		planned := map[string]string{}
		if found.Plan != nil {
			for i := range found.Plan.Nodes {
				planned[found.Plan.Nodes[i].Name] = found.Plan.Nodes[i].Image.Source
			}
		}
		for i := range found.Nodes {
			n := &found.Nodes[i]
			w := hosts[n.Name()]
			body, err := json.Marshal(n.Body())
			problems := strings.Join(n.Problems, "; ")
			if err != nil || !strings.Contains(string(body), w.node) || !strings.Contains(problems, w.problem) || w.problem == "" && problems != "" {
				t.Errorf("%s: %s: %s, problems %q: %v", name, n.Name(), body, problems, err)
			}
			if image := planned[n.Name()]; image != w.image {
				t.Errorf("%s: %s: image %q, want %q", name, n.Name(), image, w.image)
			}
		}
	}
}
