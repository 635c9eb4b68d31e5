package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"go.yaml.in/yaml/v3"

	"ironworks/models/hints"
)

// Encode returns the plan as the content of a file. It preserves the comments and the order of keys in the file from
// which the plan was read. For an unchanged plan, it returns the original text.
func (p *Plan) Encode() ([]byte, error) {
	var old *yaml.Node
	if p.file != nil {
		if was, err := Decode(p.file); err == nil && was.equal(p) {
			return bytes.Clone(p.file), nil
		}
		old, _ = planDocument(p.file)
	}
	written := p.yaml()
	if old != nil {
		merged(old, written)
		written = old
	}
	var text bytes.Buffer
	enc := yaml.NewEncoder(&text)
	enc.SetIndent(2)
	if err := enc.Encode(written); err != nil {
		return nil, fmt.Errorf("write the plan: %w", err)
	}
	if err := enc.Close(); err != nil {
		return nil, fmt.Errorf("write the plan: %w", err)
	}
	return text.Bytes(), nil
}

func (p *Plan) equal(o *Plan) bool {
	a, errA := yaml.Marshal(p.yaml())
	b, errB := yaml.Marshal(o.yaml())
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

func (p *Plan) yaml() *yaml.Node {
	root := yamlMap()
	if len(p.Nodes) > 0 {
		list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, n := range p.Nodes {
			if reflect.DeepEqual(n.Fields, Fields{}) {
				list.Content = append(list.Content, yamlText(n.Name))
				continue
			}
			item := yamlMap()
			put(item, "name", yamlText(n.Name))
			n.write(item)
			list.Content = append(list.Content, item)
		}
		put(root, "nodes", list)
	}
	p.write(root)
	return root
}

func yamlMap() *yaml.Node { return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"} }

func yamlText(text string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(text)
	return n
}

func put(m *yaml.Node, key string, value *yaml.Node) {
	m.Content = append(m.Content, yamlText(key), value)
}

func putText(m *yaml.Node, key, text string) {
	if text != "" {
		put(m, key, yamlText(text))
	}
}

func putMap(m *yaml.Node, key string, value *yaml.Node) {
	if len(value.Content) > 0 {
		put(m, key, value)
	}
}

func putTexts(m *yaml.Node, key string, fields []textField) {
	texts := yamlMap()
	for _, f := range fields {
		putText(texts, f.key, *f.value)
	}
	putMap(m, key, texts)
}

func (f *Fields) write(m *yaml.Node) {
	putText(m, "kind", string(f.Kind))
	putText(m, "deploy_interface", f.DeployInterface)
	if len(f.Steps) > 0 {
		list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, s := range f.Steps {
			item := yamlMap()
			putText(item, "interface", s.Interface)
			putText(item, "step", s.Step)
			if s.Priority != nil {
				put(item, "priority", yamlValue(*s.Priority))
			}
			if len(s.Args) > 0 {
				put(item, "args", yamlValue(s.Args))
			}
			list.Content = append(list.Content, item)
		}
		put(m, "steps", list)
	}
	if f.Traits != nil { // an empty list removes the instance's traits
		put(m, "traits", yamlTexts(f.Traits))
	}
	root := yamlMap()
	if f.RootDevice.Hints.IsSet() {
		put(root, "hints", yamlHints(f.RootDevice.Hints))
	}
	putText(root, "to", string(f.RootDevice.To))
	putMap(m, "root_device", root)
	putMap(m, "configdrive", f.ConfigDrive.yaml())
	putTexts(m, "ramdisk", f.Ramdisk.fields())
	putTexts(m, "image", f.Image.fields())
	if a := f.Allocate; a != nil {
		allocate := yamlMap()
		putText(allocate, "resource_class", a.ResourceClass)
		if len(a.Traits) > 0 {
			put(allocate, "traits", yamlValue(a.Traits))
		}
		if len(allocate.Content) == 0 {
			allocate = yamlValue(!a.Off)
		}
		put(m, "allocate", allocate)
	}
	policy := yamlMap()
	for _, id := range slices.Sorted(maps.Keys(f.Policy)) {
		putText(policy, string(id), string(f.Policy[id]))
	}
	putMap(m, "policy", policy)
}

func (c ConfigDrive) yaml() *yaml.Node {
	drive := yamlMap()
	putText(drive, "user_data_file", c.UserDataFile)
	putText(drive, "user_data", c.UserData)
	putText(drive, "reader", string(c.Reader))
	if len(c.MetaData) > 0 {
		put(drive, "meta_data", yamlValue(c.MetaData))
	}
	if len(c.NetworkData) > 0 {
		put(drive, "network_data", yamlValue(c.NetworkData))
	}
	return drive
}

func yamlTexts(texts []string) *yaml.Node {
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle}
	for _, t := range texts {
		list.Content = append(list.Content, yamlText(t))
	}
	return list
}

func yamlValue(value any) *yaml.Node {
	n := &yaml.Node{}
	if err := n.Encode(value); err != nil {
		return yamlText(fmt.Sprint(value))
	}
	return n
}

// yamlHints returns the hints as a YAML mapping, in their original order.
func yamlHints(h hints.Hints) *yaml.Node {
	m := yamlMap()
	for _, name := range h.Names() {
		var one map[string]any
		if json.Unmarshal([]byte(h.String()), &one) == nil {
			put(m, string(name), yamlValue(one[string(name)]))
		}
	}
	return m
}

// merged changes the old tree so that it has the content of the new one. Parts that are already equal are left as
// they are.
func merged(old, now *yaml.Node) {
	switch {
	case old.Kind == yaml.MappingNode && now.Kind == yaml.MappingNode:
		mergeMaps(old, now)
	case old.Kind == yaml.SequenceNode && now.Kind == yaml.SequenceNode:
		mergeLists(old, now)
	case !sameYAML(old, now) && !isJSONOf(old, now):
		replaced(old, now)
	}
}

// isJSONOf reports whether the new node is a string that contains the old mapping as JSON. User data may be given as
// a mapping, but is read as a string.
func isJSONOf(old, now *yaml.Node) bool {
	var object map[string]any
	if old.Kind != yaml.MappingNode || old.Decode(&object) != nil {
		return false
	}
	written, err := json.Marshal(object)
	return err == nil && string(written) == now.Value
}

// replaced overwrites old with the content of now, but keeps the comments of old.
func replaced(old, now *yaml.Node) {
	head, line, foot := old.HeadComment, old.LineComment, old.FootComment
	*old = *now
	old.HeadComment, old.LineComment, old.FootComment = head, line, foot
}

func mergeMaps(old, now *yaml.Node) {
	find := func(m *yaml.Node, key string) int {
		for i := 0; i+1 < len(m.Content); i += 2 {
			if m.Content[i].Value == key {
				return i
			}
		}
		return -1
	}
	kept := old.Content[:0:0]
	for i := 0; i+1 < len(old.Content); i += 2 {
		if j := find(now, old.Content[i].Value); j >= 0 {
			merged(old.Content[i+1], now.Content[j+1])
			kept = append(kept, old.Content[i], old.Content[i+1])
		}
	}
	for j := 0; j+1 < len(now.Content); j += 2 {
		if find(old, now.Content[j].Value) < 0 {
			kept = append(kept, now.Content[j], now.Content[j+1])
		}
	}
	old.Content = kept
}

// mergeLists merges each item into the old item with the same identity, so that comments stay with their items.
func mergeLists(old, now *yaml.Node) {
	before := slices.Clone(old.Content)
	content := make([]*yaml.Node, len(now.Content))
	for i, item := range now.Content {
		content[i] = item
		j := slices.IndexFunc(before, func(o *yaml.Node) bool { return itemName(o) == itemName(item) })
		if j >= 0 {
			content[i] = before[j]
			before = slices.Delete(before, j, j+1)
			merged(content[i], item)
		}
	}
	old.Content = content
}

// itemName returns the identity of a list item, which is the name of a node, the label of a step, or the item itself.
func itemName(n *yaml.Node) string {
	if n.Kind != yaml.MappingNode {
		return n.Value
	}
	fields := map[string]string{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		fields[n.Content[i].Value] = n.Content[i+1].Value
	}
	if fields["name"] != "" {
		return fields["name"]
	}
	return fields["interface"] + "." + fields["step"]
}

func sameYAML(a, b *yaml.Node) bool {
	var x, y any
	return a.Decode(&x) == nil && b.Decode(&y) == nil && reflect.DeepEqual(x, y)
}
