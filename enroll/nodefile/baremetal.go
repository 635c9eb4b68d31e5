package nodefile

import (
	"cmp"

	"ironworks/document"
	"ironworks/spell"
)

// baremetal reads an input for baremetal create (python-ironicclient, v1/create_resources.py).
func (r *reader) baremetal(top document.Value) {
	if top.Kind != document.Object {
		r.problem(top.Line, "expected an object with a nodes key, not %s", top.Kind)
		return
	}
	for _, m := range top.Members {
		if m.Key != "nodes" && m.Key != "chassis" {
			r.problem(m.Line, "unknown key %q%s; baremetal create accepts nodes and chassis", m.Key, spell.DidYouMean(m.Key, []string{"nodes", "chassis"}))
			continue
		}
		if m.Value.Kind != document.List {
			r.problem(m.Line, "%s: must be a list, not %s", m.Key, m.Value.Kind)
			continue
		}
		for _, item := range m.Value.Items {
			switch {
			case item.Kind != document.Object:
				r.problem(item.Line, "%s: must be an object, not %s", m.Key, item.Kind)
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
	id, _ := scalarOf(v, "uuid")
	description, _ := scalarOf(v, "description")
	label := cmp.Or(id, description, "without uuid")
	r.note(v.Line, "chassis %s: not created; create it with baremetal chassis create", label)
	nodes := v.Get("nodes")
	if nodes.Kind != document.List && nodes.Kind != document.Null {
		r.problem(nodes.Line, "nodes: must be a list, not %s", nodes.Kind)
	}
	for _, item := range nodes.Items {
		if item.Kind != document.Object {
			r.problem(item.Line, "nodes: must be an object, not %s", item.Kind)
			continue
		}
		r.baremetalNode(item, &label)
	}
}

func scalarOf(v document.Value, key string) (string, bool) {
	member := v.Get(key)
	return member.Scalar()
}

// baremetalNode reads a node, which consists of the fields of POST /v1/nodes, traits, ports and port groups.
func (r *reader) baremetalNode(v document.Value, chassis *string) {
	b := r.builder(v.Line)
	if chassis != nil {
		b.note(v.Line, "chassis_uuid: not set because chassis %s is not created", *chassis)
	}
	if id, ok := scalarOf(v, "uuid"); ok {
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
