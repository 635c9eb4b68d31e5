package node

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// yamlText returns a JSON object as sanitized YAML. Keys are sorted, so that texts differ only where the objects
// do; numbers keep Ironic's form.
func yamlText(raw json.RawMessage) (string, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var value any
	if err := dec.Decode(&value); err != nil {
		return "", fmt.Errorf("read the node's JSON: %w", err)
	}
	var text bytes.Buffer
	enc := yaml.NewEncoder(&text)
	enc.SetIndent(2)
	if err := enc.Encode(yamlNode(value)); err != nil {
		return "", fmt.Errorf("write the node as YAML: %w", err)
	}
	if err := enc.Close(); err != nil {
		return "", fmt.Errorf("write the node as YAML: %w", err)
	}
	return text.String(), nil
}

func yamlNode(value any) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode}
	switch v := value.(type) {
	case nil:
		n.Tag, n.Value = "!!null", "null"
	case bool:
		n.Tag, n.Value = "!!bool", strconv.FormatBool(v)
	case json.Number:
		n.Value = v.String()
	case string:
		n.SetString(v)
		if oldBool(v) {
			n.Style = yaml.DoubleQuotedStyle
		}
	case []any:
		n.Kind = yaml.SequenceNode
		for _, item := range v {
			n.Content = append(n.Content, yamlNode(item))
		}
		if len(v) == 0 {
			n.Style = yaml.FlowStyle
		}
	case map[string]any:
		n.Kind = yaml.MappingNode
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			key := &yaml.Node{Kind: yaml.ScalarNode}
			key.SetString(k)
			n.Content = append(n.Content, key, yamlNode(v[k]))
		}
		if len(v) == 0 {
			n.Style = yaml.FlowStyle
		}
	}
	return n
}

// oldBool reports whether YAML 1.1 reads the text as a boolean.
func oldBool(text string) bool {
	if len(text) > len("false") {
		return false
	}
	plain, err := yaml.Marshal(text)
	return err == nil && plain[0] == '"'
}
