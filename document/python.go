package document

import (
	"cmp"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"ironworks/models/hints"
)

// Python converts v to a value in Python's data model, which keeps the order of keys and distinguishes 1 from 1.0.
func (v Value) Python() any {
	switch v.Kind {
	case Text:
		return v.Literal
	case Bool:
		return v.True()
	case Number:
		if strings.Trim(v.Literal, "-0123456789") != "" && !strings.ContainsAny(v.Literal, ".eE") {
			return hints.PythonNumber(fmt.Sprint(v.Any())) // for example 0x10
		}
		return hints.PythonNumber(cmp.Or(v.Literal, "0"))
	case List:
		list := make(hints.PythonList, len(v.Items))
		for i, item := range v.Items {
			list[i] = item.Python()
		}
		return list
	case Object:
		d := &hints.PythonDict{}
		for _, m := range v.Members {
			d.Set(m.Key, m.Value.Python())
		}
		return d
	case Null:
	}
	return nil
}

// YAML encodes v, a value in Python's data model, in YAML that [Parse] can read. Objects and lists at depth flowFrom
// are each written on one line.
func YAML(v any, flowFrom int) ([]byte, error) {
	return encodeYAML(yamlNode(v, flowFrom))
}

func yamlNode(v any, flowFrom int) *yaml.Node {
	n := &yaml.Node{}
	if flowFrom <= 0 {
		n.Style = yaml.FlowStyle
	}
	switch v := v.(type) {
	case *hints.PythonDict:
		n.Kind = yaml.MappingNode
		for _, key := range v.Keys() {
			n.Content = append(n.Content, textNode(key), yamlNode(v.Get(key), flowFrom-1))
		}
	case hints.PythonList:
		n.Kind = yaml.SequenceNode
		for _, item := range v {
			n.Content = append(n.Content, yamlNode(item, flowFrom-1))
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

// textNode returns a string node. The string is quoted if YAML 1.1 would read the plain text as something else.
func textNode(text string) *yaml.Node {
	n := &yaml.Node{}
	_ = n.Encode(text)
	return n
}
