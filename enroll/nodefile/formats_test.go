package nodefile_test

import (
	"strings"
	"testing"

	"ironworks/enroll/nodefile"
)

// readAs reads text as a file of the given format. The all result consists of the nodes, in the form that show
// returns, followed by all notes. If reading fails, the all result is the error message.
func readAs(t *testing.T, text string, format nodefile.Format) (file nodefile.File, all string) {
	t.Helper()
	file, err := nodefile.Options{File: "f.yaml", Format: format}.Read([]byte(text))
	if err != nil {
		return file, err.Error()
	}
	all = show(t, file.Nodes) + strings.Join(file.Notes, "\n") + "\n"
	for i := range file.Nodes {
		all += strings.Join(file.Nodes[i].Notes, "\n") + "\n"
	}
	return file, all
}

// TestBaremetalFiles checks how chassis and all kinds of ports are read, and that values of the wrong kind are
// reported with their lines.
func TestBaremetalFiles(t *testing.T) {
	t.Parallel()
	node := func(rest string) string { return "nodes:\n- name: n1\n  driver: ipmi\n  " + rest + "\n" }
	for name, c := range map[string]struct{ text, want string }{
		"chassis by UUID":         {"chassis:\n- uuid: c1\n  nodes: [{name: n1, driver: ipmi}]\n", "line 2: chassis c1: not created; create it with baremetal chassis create\n"},
		"node of a chassis":       {"chassis:\n- description: left\n  nodes:\n  - {name: n1, driver: ipmi}\n", "chassis_uuid: not set because chassis left is not created"},
		"chassis without a name":  {"chassis:\n- nodes: [{name: n1, driver: ipmi}]\n", "chassis without uuid: not created"},
		"nodes of a chassis":      {"chassis:\n- nodes: 7\n", "f.yaml:2: nodes: must be a list, not a number"},
		"node that is text":       {"chassis:\n- nodes: [a]\n", "f.yaml:2: nodes: must be an object, not a string"},
		"nodes that are text":     {"nodes: a\nchassis: []\n", "f.yaml:1: nodes: must be a list, not a string"},
		"a node that is a list":   {"nodes:\n- []\n", "f.yaml:2: nodes: must be an object, not a list"},
		"a mistyped key":          {"node: []\nnodes: []\n", `f.yaml:1: unknown key "node" (did you mean "nodes"?)`},
		"two documents":           {"nodes: []\n---\nnodes: []\n", "f.yaml:3: format baremetal allows a single document, but the file has 2"},
		"a mistyped field":        {node("resource_clss: big"), `line 4: unknown field "resource_clss" (did you mean "resource_class"?)`},
		"a boolean as text":       {node("automated_clean: 'off'"), `"automated_clean":false`},
		"a boolean as yes":        {node("protected: 'yes'"), `"protected":true`},
		"no boolean":              {node("retired: maybe"), "line 4: retired: must be true or false"},
		"an object as text":       {node("properties: big"), "line 4: properties: must be an object, not a string"},
		"text as a boolean":       {node("resource_class: true"), "line 4: resource_class: must be a string, not a boolean; quote it"},
		"text as a list":          {node("owner: [a]"), "line 4: owner: must be a string, not a list"},
		"null is not set":         {node("owner: null"), `{"driver":"ipmi","name":"n1"}`},
		"driver_info as a list":   {node("driver_info: [a]"), "line 4: driver_info: must be an object, not a list"},
		"a password as a list":    {node("driver_info: {ipmi_password: [a]}"), "driver_info.ipmi_password: must be a string, not a list; quote it"},
		"ports as an object":      {node("ports: {a: b}"), "line 4: ports: must be a list, not an object"},
		"a port as text":          {node("ports: [a]"), "port: must be an object, not a string"},
		"an unknown port field":   {node("ports: [{address: '52:54:00:00:00:01', pxe_enable: true}]"), `port: unknown field "pxe_enable" (did you mean "pxe_enabled"?)`},
		"another node's port":     {node("ports: [{address: '52:54:00:00:00:01', node_uuid: x}]"), "port: node_uuid refers to another object; nest the port instead"},
		"all kinds of port field": {node("ports: [{address: '52:54:00:00:00:01', pxe_enabled: false, local_link_connection: {port_id: e1}}]"), `{"address":"52:54:00:00:00:01","local_link_connection":{"port_id":"e1"},"pxe_enabled":false}`},
		"a port twice":            {node("ports: [{address: '52:54:00:00:00:01'}, {address: '52-54-00-00-00-01'}]"), "port address 52:54:00:00:00:01 appears twice"},
		"a group's own fields":    {node("portgroups: [{name: b, mode: 802.3ad, properties: {x: 1}, standalone_ports_supported: false, bad: 1}]"), `port group: unknown field "bad"`},
		"traits as text":          {node("traits: a"), "line 4: traits: must be a list, not a string"},
		"a trait as a list":       {node("traits: [[a]]"), "traits: must be a string, not a list"},
		"no traits":               {node("traits: null"), `{"driver":"ipmi","name":"n1"}`},
		"uuid of the node":        {node("uuid: nope"), `uuid "nope" is not a UUID`},
		"hostile name":            {"nodes:\n- name: \"a\\e[31m/../b\"\n  driver: ipmi\n", `use letters, digits, and - . _ ~`},
	} {
		if _, got := readAs(t, c.text, nodefile.Baremetal); !strings.Contains(got, c.want) {
			t.Errorf("%s: no %q in\n%s", name, c.want, got)
		}
	}
}

// TestBifrostInventories checks how Bifrost's inventories and the output of bifrost_inventory.py are read. The cases
// include deployments and groups in driver_info.
func TestBifrostInventories(t *testing.T) {
	t.Parallel()
	host := func(rest string) string { return "n1:\n  driver: ipmi\n  " + rest + "\n" }
	for name, c := range map[string]struct{ text, want string }{
		"the inventory's program":  {"_meta: {hostvars: {n1: {driver: ipmi}, localhost: {ansible_connection: local}}}\n", "host localhost: skipped, this is Ansible's own host"},
		"groups of driver_info":    {host("driver_info: {power: {ipmi_address: 10.0.0.1}, console: null}"), `"driver_info":{"ipmi_address":"10.0.0.1"}`},
		"empty properties":         {host("properties: {ram: '', cpus: null, cpu_arch: x86_64}"), `"properties":{"cpu_arch":"x86_64"}`},
		"host that is text":        {"n1: {driver: ipmi}\nn2: a\n", "f.yaml:2: host n2: must be an object, not a string"},
		"hosts as a list":          {"- a\n", "expected an object of hosts, not a list"},
		"NIC as text":              {host("nics: [a]"), "nics: must be an object with mac, not a string"},
		"a NIC's network":          {host("network_interface: eth0"), "network_interface: not set because it names a NIC in Bifrost"},
		"traits":                   {host("traits: [CUSTOM_A]"), "[CUSTOM_A]"},
		"an unknown field":         {host("ipv4_gateway: 10.0.0.1"), "ipv4_gateway: not a node field, and ignored by Bifrost's enroll role (1 node)"},
		"instance_info as a list":  {host("instance_info: [a]"), "instance_info: must be an object, not a list"},
		"an instance's other data": {host("instance_info: {image_source: 'http://h/i', root_gb: 10}"), "instance_info.root_gb: not in the deployment plan"},
	} {
		if _, got := readAs(t, c.text, nodefile.Bifrost); !strings.Contains(got, c.want) {
			t.Errorf("%s: no %q in\n%s", name, c.want, got)
		}
	}
	file, _ := readAs(t, host("instance_info: {image_source: /srv/i.qcow2, image_os_hash_value: abc, image_os_hash_algo: sha256}"), nodefile.Bifrost)
	if file.Plan == nil || file.Plan.Nodes[0].Image.Source != "file:///srv/i.qcow2" || file.Plan.Nodes[0].Image.Algorithm != "sha256" {
		t.Errorf("plan %+v", file.Plan)
	}
}

// TestInstackenvFiles checks how TripleO's drivers and fields are read.
func TestInstackenvFiles(t *testing.T) {
	t.Parallel()
	node := func(rest string) string { return "nodes:\n- pm_type: redfish\n  pm_addr: h\n  " + rest + "\n" }
	for name, c := range map[string]struct{ text, want string }{
		"the list only":            {"- {pm_type: ipmi, pm_addr: 10.0.0.1, pm_port: 6230}\n", `"ipmi_port":`},
		"other keys":               {"nodes: [{pm_type: ipmi, pm_addr: a}]\nhost-ip: 10.0.0.1\n", "line 2: host-ip: unused key"},
		"no list":                  {"nodes: {a: {pm_type: ipmi}}\n", "expected an object with a list of nodes"},
		"a node as text":           {"nodes: [a, {pm_type: ipmi, pm_addr: b}]\n", "f.yaml:1: nodes: must be an object, not a string"},
		"no pm_type":               {"nodes: [{pm_addr: a}]\n", "no pm_type; use one of ipmi, redfish, idrac"},
		"unknown pm_type":          {"nodes: [{pm_type: ovirt, pm_addr: a}]\n", `pm_type "ovirt": unknown driver; use one of`},
		"an old driver":            {"nodes: [{pm_type: pxe_drac, pm_addr: a}]\n", "pm_type pxe_drac: converted to driver idrac"},
		"port of Redfish":          {node("pm_port: 8000"), "h"},
		"unknown field of the BMC": {node("pm_model: x"), "pm_model: not a driver_info field (1 node)"},
		"unknown field":            {node("rack: 7"), "rack: not a node field (1 node)"},
		"own fields of the driver": {node("redfish_verify_ca: false"), `"redfish_verify_ca":false`},
		"kernel and ramdisk":       {node("kernel_id: k"), `"deploy_kernel":"k"`},
		"platform":                 {node("platform: p"), `"tripleo_platform":"p"`},
		"ports":                    {node("ports: [{address: '52:54:00:00:00:01', physical_network: ctl}]"), `"physical_network":"ctl"`},
		"root device":              {node("root_device: {serial: x}"), `"root_device":{"serial":"x"}`},
		"name and class":           {node("name: n1\n  resource_class: big"), `"resource_class":"big"`},
		"capabilities as object":   {node("capabilities: {boot_mode: uefi}\n  profile: compute"), `"capabilities":"boot_mode:uefi,profile:compute"`},
		"a capability as a list":   {node("capabilities: {boot_mode: [a]}"), "capabilities: the value of boot_mode must be a string, not a list"},
		"capabilities as a list":   {node("capabilities: [a]"), "capabilities: must be a string or an object, not a list"},
		"profile replaces":         {node("capabilities: 'profile:a, x:y,'\n  profile: b"), `"capabilities":"x:y,profile:b"`},
	} {
		if _, got := readAs(t, c.text, nodefile.Instackenv); !strings.Contains(got, c.want) {
			t.Errorf("%s: no %q in\n%s", name, c.want, got)
		}
	}
}

// TestManifestsAsAFormat checks that Metal3's manifests are detected and read like the other formats.
func TestManifestsAsAFormat(t *testing.T) {
	t.Parallel()
	text := "apiVersion: metal3.io/v1alpha1\nkind: BareMetalHost\nmetadata: {name: n1, namespace: m}\n" +
		"spec: {online: true, bmc: {address: 'redfish://h', credentialsName: s}, customDeploy: {method: install_coreos}}\n"
	file, got := readAs(t, text, nodefile.Auto)
	if file.Format != nodefile.BMH || file.Plan == nil || !strings.Contains(got, `"name":"m~n1"`) {
		t.Errorf("format %s, plan %v\n%s", file.Format, file.Plan, got)
	}
	if _, got := readAs(t, "kind: Secret\napiVersion: v1\n", nodefile.BMH); !strings.Contains(got, "Secret without metadata.name") {
		t.Error(got)
	}
}

// TestFormatNames checks the names of formats, and the error for formats that cannot be written.
func TestFormatNames(t *testing.T) {
	t.Parallel()
	for _, f := range nodefile.Formats() {
		if got, err := nodefile.ParseFormat(string(f)); err != nil || got != f {
			t.Errorf("%s: %s, %v", f, got, err)
		}
	}
	if _, err := nodefile.ParseFormat("xml"); err == nil || !strings.Contains(err.Error(), `unknown format "xml": use one of baremetal`) {
		t.Error(err)
	}
	for _, f := range []nodefile.Format{nodefile.Instackenv, nodefile.BifrostCSV} {
		if _, err := nodefile.Write(&strings.Builder{}, f, nil); err == nil || !strings.Contains(err.Error(), "cannot be written") {
			t.Errorf("%s: %v", f, err)
		}
	}
	many := "nodes:\n" + strings.Repeat("- {}\n", nodefile.MaxNodes+2)
	if _, got := readAs(t, many, nodefile.Baremetal); !strings.Contains(got, "more than 20000 nodes; split the file") {
		t.Errorf("%.200s", got)
	}
	keys := "n1:\n  driver: ipmi\n"
	for i := range 300 {
		keys += "  x" + strings.Repeat("y", i) + ": 1\n"
	}
	if _, got := readAs(t, keys, nodefile.Bifrost); !strings.Contains(got, "more keys without a field") || strings.Count(got, "\n") > 210 {
		t.Errorf("%d lines", strings.Count(got, "\n"))
	}
}
