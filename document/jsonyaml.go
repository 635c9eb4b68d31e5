package document

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// JSONToYAML converts a JSON value to YAML. Keys keep their order unless sorted is set; numbers stay as in data.
func JSONToYAML(data []byte, sorted bool) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	doc, err := jsonNode(dec, sorted)
	if err != nil {
		return nil, err
	}
	return encodeYAML(doc)
}

func encodeYAML(doc *yaml.Node) ([]byte, error) {
	var text bytes.Buffer
	enc := yaml.NewEncoder(&text)
	enc.SetIndent(2)
	if err := enc.Encode(doc); err != nil {
		return nil, err
	}
	err := enc.Close()
	return text.Bytes(), err
}

// jsonNode reads one JSON value as a YAML node. It does not use a YAML parser, because not all JSON is YAML: Ironic
// writes an emoji as two surrogate escapes, which YAML does not support.
func jsonNode(dec *json.Decoder, sorted bool) (*yaml.Node, error) {
	token, err := dec.Token()
	if err != nil {
		return nil, err
	}
	n := &yaml.Node{Kind: yaml.ScalarNode}
	switch v := token.(type) {
	case string:
		n.SetString(v)
		if oldBool(v) {
			n.Style = yaml.DoubleQuotedStyle
		}
	case json.Number:
		n.Value = v.String()
	case bool:
		n.Tag, n.Value = "!!bool", strconv.FormatBool(v)
	case nil:
		n.Tag, n.Value = "!!null", "null"
	case json.Delim:
		n.Kind = yaml.SequenceNode
		if v == '{' {
			n.Kind = yaml.MappingNode
		}
		for dec.More() { // in an object, keys and values alternate
			item, err := jsonNode(dec, sorted)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, item)
		}
		if _, err := dec.Token(); err != nil {
			return nil, err
		}
		if sorted && n.Kind == yaml.MappingNode {
			sortKeys(n)
		}
	}
	return n, nil
}

func sortKeys(n *yaml.Node) {
	pairs := slices.Collect(slices.Chunk(n.Content, 2))
	slices.SortStableFunc(pairs, func(a, b []*yaml.Node) int { return strings.Compare(a[0].Value, b[0].Value) })
	n.Content = slices.Concat(pairs...)
}

// oldBool reports whether YAML 1.1 parsers would read the given text, for example yes or off, as a boolean.
func oldBool(text string) bool {
	if len(text) > len("false") {
		return false
	}
	plain, err := yaml.Marshal(text)
	return err == nil && plain[0] == '"'
}
