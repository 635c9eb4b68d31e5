package plan

import (
	"bytes"
	"encoding/json"
	"strconv"

	"go.yaml.in/yaml/v3"

	"ironworks/models"
	"ironworks/models/hints"
)

// fieldKeys returns a reader for each key that a node may have. It reads the key's value into f.
func (r *planReader) fieldKeys(f *Fields) readers {
	return readers{
		"kind":             func(n *yaml.Node, path string) { f.Kind = Kind(r.word(n, path, models.Texts(Kinds()))) },
		"deploy_interface": r.text(&f.DeployInterface),
		"steps": func(n *yaml.Node, path string) {
			r.list(n, path, func(path string, item *yaml.Node) { f.Steps = append(f.Steps, r.step(item, path)) })
		},
		"traits": func(n *yaml.Node, path string) {
			f.Traits = append([]string{}, r.textList(n, path)...) // an empty list removes the instance's traits
		},
		"root_device": func(n *yaml.Node, path string) { f.RootDevice = r.rootDevice(n, path) },
		"configdrive": func(n *yaml.Node, path string) { f.ConfigDrive = r.configDrive(n, path) },
		"ramdisk":     func(n *yaml.Node, path string) { r.texts(n, path, f.Ramdisk.fields()) },
		"image":       func(n *yaml.Node, path string) { r.texts(n, path, f.Image.fields()) },
		"allocate":    func(n *yaml.Node, path string) { f.Allocate = r.allocate(n, path) },
		"policy":      func(n *yaml.Node, path string) { f.Policy = r.policy(n, path) },
	}
}

// allocate reads the value of the allocate key. The value true requests an allocation with the node's resource class,
// a mapping requests a specific one, and false requests none.
func (r *planReader) allocate(n *yaml.Node, path string) *Allocate {
	switch {
	case isNull(n):
		return nil
	case n.Kind == yaml.ScalarNode && n.Tag == "!!bool":
		var wanted bool
		if err := n.Decode(&wanted); err != nil {
			r.addProblem(n, path, "%v", err)
		}
		return &Allocate{Off: !wanted}
	}
	a := &Allocate{}
	r.mapping(n, path, readers{
		"resource_class": r.text(&a.ResourceClass),
		"traits":         func(n *yaml.Node, path string) { a.Traits = r.textList(n, path) },
	})
	return a
}

// nodes reads the nodes of a plan. Each item is a name, or a mapping of a name and the node's own fields.
func (r *planReader) nodes(n *yaml.Node, path string) []Node {
	var nodes []Node
	seen := map[string]bool{}
	r.list(n, path, func(path string, item *yaml.Node) {
		var node Node
		if item.Kind == yaml.MappingNode {
			keys := r.fieldKeys(&node.Fields)
			keys["name"] = r.text(&node.Name)
			r.mapping(item, path, keys)
		} else {
			r.text(&node.Name)(item, path)
		}
		switch {
		case node.Name == "":
			r.addProblem(item, path, "node name is missing")
		case seen[node.Name]:
			r.addProblem(item, path, "node %q is listed twice", node.Name)
		}
		seen[node.Name] = true
		nodes = append(nodes, node)
	})
	return nodes
}

func (r *planReader) step(n *yaml.Node, path string) models.Step {
	var s models.Step
	if n.Kind != yaml.MappingNode {
		r.addProblem(n, path, "must be a mapping with interface, step, priority and args, not %s", kindOfYAML(n))
		return s
	}
	r.mapping(n, path, readers{
		"interface": r.text(&s.Interface),
		"step":      r.text(&s.Step),
		"priority": func(n *yaml.Node, path string) {
			p, err := strconv.Atoi(n.Value)
			if n.Kind != yaml.ScalarNode || n.Tag != "!!int" || err != nil || p < 0 {
				r.addProblem(n, path, "must be a whole number ≥ 0, not %s", kindOfYAML(n))
				return
			}
			s.Priority = &p
		},
		"args": r.object(&s.Args),
	})
	if s.Step == "" || s.Interface == "" {
		r.addProblem(n, path, "a step needs an interface and a step")
	}
	return s
}

func (r *planReader) rootDevice(n *yaml.Node, path string) RootDevice {
	var d RootDevice
	r.mapping(n, path, readers{
		"hints": func(n *yaml.Node, path string) { d.Hints = r.hints(n, path) },
		"to": func(n *yaml.Node, path string) {
			d.To = hints.Source(r.word(n, path, []string{string(hints.OfInstance), string(hints.OfProperties)}))
		},
	})
	return d
}

// hints reads root device hints. It keeps their order, because the agent's messages quote them in this order.
func (r *planReader) hints(n *yaml.Node, path string) hints.Hints {
	before := len(r.problems)
	var text bytes.Buffer
	text.WriteByte('{')
	r.pairs(n, path, func(key string, _, v *yaml.Node) {
		name, _ := json.Marshal(key)
		value, err := json.Marshal(r.value(v, joinPath(path, key), 0))
		if err != nil {
			r.addProblem(v, path, "%v", err)
		}
		if text.Len() > 1 {
			text.WriteByte(',')
		}
		text.Write(name)
		text.WriteByte(':')
		text.Write(value)
	})
	text.WriteByte('}')
	if len(r.problems) > before || text.Len() == 2 {
		return hints.Hints{}
	}
	hints, err := hints.Decode(text.Bytes())
	if err != nil {
		r.addProblem(n, path, "%v", err)
	}
	return hints
}

func (r *planReader) configDrive(n *yaml.Node, path string) ConfigDrive {
	var d ConfigDrive
	r.mapping(n, path, readers{
		"user_data_file": r.text(&d.UserDataFile),
		"user_data": func(n *yaml.Node, path string) {
			if n.Kind != yaml.MappingNode {
				r.text(&d.UserData)(n, path)
				return
			}
			// An Ignition configuration may be given as a mapping instead of text, because JSON is valid YAML.
			written, err := json.Marshal(r.value(n, path, 0))
			if err != nil {
				r.addProblem(n, path, "%v", err)
			}
			d.UserData = string(written)
		},
		"reader": func(n *yaml.Node, path string) {
			d.Reader = UserDataReader(r.word(n, path, models.Texts(UserDataReaders())))
		},
		"meta_data":    r.object(&d.MetaData),
		"network_data": r.object(&d.NetworkData),
	})
	if d.UserDataFile != "" && d.UserData != "" {
		r.addProblem(n, path, "user_data and user_data_file cannot be combined")
	}
	return d
}

func (r *planReader) policy(n *yaml.Node, path string) map[CheckID]CheckPolicy {
	policies := map[CheckID]CheckPolicy{}
	r.pairs(n, path, func(key string, k, v *yaml.Node) {
		id, err := ParseCheckID(key)
		if err != nil {
			r.addProblem(k, path, "%v", err)
			return
		}
		var word string
		if v.Kind == yaml.ScalarNode { // accept every type of scalar: in YAML 1.1, off is a boolean
			word = v.Value
		}
		policy, err := ParseCheckPolicy(id, word)
		if err != nil {
			r.addProblem(v, joinPath(path, key), "%v", err)
			return
		}
		policies[id] = policy
	})
	if len(policies) == 0 {
		return nil
	}
	return policies
}
