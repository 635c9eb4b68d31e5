package nodefile

import (
	"cmp"

	"ironworks/document"
	"ironworks/spell"
)

// baremetal reads an input for baremetal create (python-ironicclient, v1/create_resources.py).
func (r *reader) baremetal(top document.Value) {
	if top.Kind != document.Object {
		r.problems.Add(top.Line, "expected an object with a nodes key, not %s", top.Kind)
		return
	}
	for _, m := range top.Members {
		if m.Key != "nodes" && m.Key != "chassis" {
			r.problems.Add(m.Line, "unknown key %q%s; baremetal create accepts nodes and chassis", m.Key, spell.DidYouMean(m.Key, []string{"nodes", "chassis"}))
			continue
		}
		if m.Value.Kind != document.List {
			r.problems.Add(m.Line, "%s: must be a list, not %s", m.Key, m.Value.Kind)
			continue
		}
		for _, item := range m.Value.Items {
			switch {
			case item.Kind != document.Object:
				r.problems.Add(item.Line, "%s: must be an object, not %s", m.Key, item.Kind)
			case m.Key == "nodes":
				r.baremetalNode(item, nil)
			default:
				r.chassis(item)
			}
		}
	}
}

// chassis reads the nodes of a chassis. Chassis themselves are not created.
func (r *reader) chassis(v document.Value) {
	id, _ := v.Get("uuid").Scalar()
	description, _ := v.Get("description").Scalar()
	label := cmp.Or(id, description, "without uuid")
	r.note(v.Line, "chassis %s: not created; create it with baremetal chassis create", label)
	nodes := v.Get("nodes")
	if nodes.Kind != document.List && nodes.Kind != document.Null {
		r.problems.Add(nodes.Line, "nodes: must be a list, not %s", nodes.Kind)
	}
	for _, item := range nodes.Items {
		if item.Kind != document.Object {
			r.problems.Add(item.Line, "nodes: must be an object, not %s", item.Kind)
			continue
		}
		r.baremetalNode(item, &label)
	}
}

// baremetalNode reads a node, which consists of the fields of POST /v1/nodes, traits, ports and port groups.
func (r *reader) baremetalNode(v document.Value, chassis *string) {
	b := r.builder(v.Line)
	if chassis != nil {
		b.note(v.Line, "chassis_uuid: not set because chassis %s is not created", *chassis)
	}
	if id, ok := v.Get("uuid").Scalar(); ok {
		b.node.Fields["uuid"] = id
	}
	for _, m := range v.Members {
		switch m.Key {
		case "ports":
			for _, item := range b.items("ports", m.Value) {
				b.node.Ports = append(b.node.Ports, b.port(item))
			}
		case "portgroups":
			for _, item := range b.items("portgroups", m.Value) {
				b.node.Portgroups = append(b.node.Portgroups, b.portgroup(item))
			}
		case "traits":
			b.node.Traits = b.texts("traits", m.Value)
		default:
			b.set(m)
		}
	}
	r.add(b)
}
