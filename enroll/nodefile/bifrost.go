package nodefile

import (
	"strings"

	"ironworks/document"
	"ironworks/models/plan"
)

// bifrost reads Bifrost's inventory, an object that maps names to hosts. It also reads the output of
// bifrost_inventory.py, which contains the hosts in _meta.hostvars.
func (r *reader) bifrost(top document.Value) {
	hosts := top
	if meta := top.Get("_meta"); meta.Has("hostvars") {
		hosts = meta.Get("hostvars")
	}
	if hosts.Kind != document.Object {
		r.problems.Add(hosts.Line, "expected an object of hosts, not %s", hosts.Kind)
		return
	}
	for _, m := range hosts.Members {
		switch {
		case m.Value.Kind != document.Object:
			r.problems.Add(m.Line, "host %s: must be an object, not %s", m.Key, m.Value.Kind)
		case m.Value.Has("ansible_connection") && !m.Value.Has("driver"):
			r.note(m.Line, "host %s: skipped, this is Ansible's own host", m.Key)
		default:
			r.bifrostHost(m)
		}
	}
}

// bifrostHost reads a host in the same way as Bifrost's ironic-enroll-dynamic role and the baremetal_node Ansible
// module. Unlike these, it also reads node fields such as resource_class. It does not read network_interface, which
// is a NIC of Bifrost's own host.
func (r *reader) bifrostHost(host document.Member) {
	b := r.builder(host.Line)
	b.node.Fields["name"] = host.Key
	var instance document.Member
	for _, m := range host.Value.Members {
		_, field := nodeField(m.Key)
		switch {
		case m.Key == "driver_info":
			b.bifrostInfo(m)
		case m.Key == "properties":
			for _, p := range b.members("properties", m.Value) {
				b.bifrostProperty(p)
			}
		case m.Key == "nics":
			for _, nic := range b.items("nics", m.Value) {
				b.nic(nic)
			}
		case m.Key == "instance_info":
			instance = m
		case m.Key == "network_interface":
			b.note(m.Line, "network_interface: not set because it names a NIC in Bifrost")
		case m.Key == "name" && m.Value.Kind == document.Null, m.Key == "uuid" && m.Value.Literal == "":
		case m.Key == "traits":
			b.node.Traits = b.texts("traits", m.Value)
		case field:
			b.set(m)
		default:
			r.unused(m.Line, m.Key, "not a node field, and ignored by Bifrost's enroll role")
		}
	}
	r.bifrostInstance(b, instance)
	r.add(b)
}

// bifrostInfo sets driver_info. Like the Ansible module, it flattens groups such as power in old inventories.
func (b *builder) bifrostInfo(info document.Member) {
	for _, m := range b.members("driver_info", info.Value) {
		switch m.Key {
		case "power", "deploy", "management", "console":
			for _, inner := range b.members("driver_info."+m.Key, m.Value) {
				b.driverInfo(inner)
			}
		default:
			b.driverInfo(m)
		}
	}
}

// bifrostProperty sets a property. In Ansible, ram is memory_mb in MiB, and disk_size is local_gb in GB.
func (b *builder) bifrostProperty(m document.Member) {
	name := m.Key
	switch m.Key {
	case "ram":
		name = "memory_mb"
	case "disk_size":
		name = "local_gb"
	}
	if m.Value.Kind != document.Null && (m.Value.Kind != document.Text || m.Value.Literal != "") {
		b.node.Set(m.Value.Any(), "properties", name)
	}
}

// nic adds a port for a NIC. The mac key contains the address, and other keys are fields of the port.
func (b *builder) nic(v document.Value) {
	if v.Kind != document.Object {
		b.problem(v.Line, "nics: must be an object with mac, not %s", v.Kind)
		return
	}
	port := document.Value{Kind: document.Object, Line: v.Line}
	for _, m := range v.Members {
		if m.Key == "mac" {
			m.Key = "address"
		}
		port.Members = append(port.Members, m)
	}
	b.node.Ports = append(b.node.Ports, b.port(port))
}

// bifrostInstance plans a deployment according to instance_info, which Bifrost's deploy role uses.
func (r *reader) bifrostInstance(b *builder, info document.Member) {
	var fields plan.Fields
	for _, m := range b.members("instance_info", info.Value) {
		text, _ := m.Value.Scalar()
		switch m.Key {
		case "image_source":
			fields.Image.Source = text
		case "image_checksum", "image_os_hash_value":
			fields.Image.Checksum = text
		case "image_os_hash_algo":
			fields.Image.Algorithm = text
		default:
			b.note(m.Line, "instance_info.%s: not in the deployment plan", m.Key)
		}
	}
	if fields.Image.Source == "" {
		return
	}
	if strings.HasPrefix(fields.Image.Source, "/") {
		fields.Image.Source = "file://" + fields.Image.Source
	}
	fields.Kind = plan.KindDirect
	if r.result.Plan == nil {
		r.result.Plan = &plan.Plan{}
	}
	r.result.Plan.Nodes = append(r.result.Plan.Nodes, plan.Node{Name: b.node.Name(), Fields: fields})
}
