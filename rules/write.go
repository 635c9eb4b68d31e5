package rules

import (
	"bytes"
	"slices"

	"go.yaml.in/yaml/v3"

	"ironworks/models/hints"
)

// YAML writes rules as a file that [Parse] reads.
func YAML(list []*Rule) ([]byte, error) {
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	root := &yaml.Node{Kind: yaml.SequenceNode}
	for _, r := range list {
		inOrder := *r
		inOrder.Conditions, inOrder.Actions = argumentsInOrder(r.Conditions), argumentsInOrder(r.Actions)
		body := inOrder.Body()
		if r.Hidden {
			body.Delete("conditions")
			body.Delete("actions")
		}
		root.Content = append(root.Content, yamlNode(body, 0))
	}
	if err := enc.Encode(root); err != nil {
		return nil, err
	}
	return out.Bytes(), enc.Close()
}

// argumentsInOrder returns operations with their arguments in the order of the parameters: Ironic keeps none.
func argumentsInOrder(operations []Operation) []Operation {
	ordered := slices.Clone(operations)
	for i := range ordered {
		args, ok := ordered[i].Args.(*hints.PythonDict)
		if !ok {
			continue
		}
		op, _ := inverted(ordered[i].Op)
		sig, known := operators()[op]
		if !known {
			sig = actions()[op]
		}
		d := &hints.PythonDict{}
		for _, name := range append(sig.parameters(), args.Keys()...) {
			if args.Has(name) {
				d.Set(name, args.Get(name))
			}
		}
		ordered[i].Args = d
	}
	return ordered
}

// flowFrom is the depth from which objects and lists are written on one line: the arguments of an operation.
const flowFrom = 3

func yamlNode(v any, depth int) *yaml.Node {
	n := &yaml.Node{}
	if depth >= flowFrom {
		n.Style = yaml.FlowStyle
	}
	switch v := v.(type) {
	case *hints.PythonDict:
		n.Kind = yaml.MappingNode
		for _, key := range v.Keys() {
			n.Content = append(n.Content, textNode(key), yamlNode(v.Get(key), depth+1))
		}
	case hints.PythonList:
		n.Kind = yaml.SequenceNode
		for _, item := range v {
			n.Content = append(n.Content, yamlNode(item, depth+1))
		}
	case string:
		return textNode(v)
	case hints.PythonInt:
		n.Kind, n.Tag, n.Value, n.Style = yaml.ScalarNode, "!!int", string(v), 0
	default:
		n.Style = 0
		_ = n.Encode(v) // a boolean, a number or null
	}
	return n
}

// textNode is a string, in quotes where YAML 1.1 would read something else.
func textNode(text string) *yaml.Node {
	n := &yaml.Node{}
	_ = n.Encode(text)
	return n
}
