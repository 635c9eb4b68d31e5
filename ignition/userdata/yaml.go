package userdata

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxExpanded limits a YAML document with expanded aliases, in bytes: a few lines can expand to gigabytes.
const maxExpanded = 16 << 20

// maxYAMLMarks limits the approximate number of values before parsing, which takes about 10 µs for each value.
const maxYAMLMarks = 50_000

// yamlReader converts YAML nodes to elements. The elements of aliases share their children.
type yamlReader struct {
	elements map[*yaml.Node]*element
	sizes    map[*yaml.Node]int64
	findings []jsonFinding
}

// readYAML parses a document and returns its root. It returns nil if the document is invalid or exceeds the limits
// when its aliases are expanded. The paths in findings refer to the document itself.
func readYAML(data []byte) (root *element, findings []jsonFinding) {
	if marks := bytes.Count(data, []byte{','}) + bytes.Count(data, []byte{'['}) + bytes.Count(data, []byte("- ")) + bytes.Count(data, []byte{'{'}); marks > maxYAMLMarks {
		return nil, []jsonFinding{{id: IDTooComplex, at: place{1, 1}, message: fmt.Sprintf("more than %d commas, brackets and dashes: too slow to read as YAML; host large files elsewhere and refer to them", maxYAMLMarks)}}
	}
	var document yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	if err := guarded(func() error { return decoder.Decode(&document) }); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		return nil, []jsonFinding{yamlFinding(err)}
	}
	r := &yamlReader{elements: map[*yaml.Node]*element{}, sizes: map[*yaml.Node]int64{}}
	if r.expanded(&document, 0) > maxExpanded {
		return nil, []jsonFinding{{id: IDTooComplex, at: place{1, 1}, message: "with aliases expanded, this exceeds 16 MiB or 100 levels, or an anchor contains itself: remove the aliases"}}
	}
	if len(document.Content) > 0 {
		root = r.element(document.Content[0], nil)
	}
	var second yaml.Node
	switch err := guarded(func() error { return decoder.Decode(&second) }); {
	case errors.Is(err, io.EOF):
	case err != nil:
		r.findings = append(r.findings, jsonFinding{id: IDSeveralDocuments, message: "extra data after the end of the document is ignored: remove it"})
	case len(second.Content) > 0 && second.Content[0].Tag != "!!null":
		r.findings = append(r.findings, jsonFinding{id: IDSeveralDocuments, at: nodePlace(&second), message: "a second YAML document starts here and is ignored: merge or remove it"})
	}
	return root, r.findings
}

// expanded returns the approximate size of a node in bytes with its aliases expanded, plus 16 bytes per node.
func (r *yamlReader) expanded(n *yaml.Node, depth int) int64 {
	if size, known := r.sizes[n]; known {
		return size // math.MaxInt32 if the node contains itself by means of an alias
	}
	if depth > 100 {
		return math.MaxInt32
	}
	r.sizes[n] = math.MaxInt32
	size := int64(len(n.Value)) + 16
	if n.Kind == yaml.AliasNode {
		size += r.expanded(n.Alias, depth+1)
	}
	for _, child := range n.Content {
		if size += r.expanded(child, depth+1); size > math.MaxInt32 {
			size = math.MaxInt32
			break
		}
	}
	r.sizes[n] = size
	return size
}

func nodePlace(n *yaml.Node) place {
	if n.Line > math.MaxInt32 || n.Column > math.MaxInt32 {
		return place{}
	}
	return place{int32(n.Line), int32(n.Column)} //nolint:gosec // compared above
}

func (r *yamlReader) element(n *yaml.Node, path elementPath) *element {
	if n.Kind == yaml.AliasNode {
		// Copy the element, because the alias has a different position.
		e := *r.element(n.Alias, path)
		e.at = nodePlace(n)
		return &e
	}
	if known := r.elements[n]; known != nil {
		return known
	}
	e := &element{at: nodePlace(n)}
	r.elements[n] = e
	switch n.Kind {
	case yaml.MappingNode:
		e.kind = elementObject
		keys := map[string]struct{}{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			at := path.at(key.Value)
			child := *r.element(n.Content[i+1], at)
			child.key, child.keyAt = key.Value, nodePlace(key)
			if _, twice := keys[key.Value]; twice {
				r.findings = append(r.findings, jsonFinding{IDDuplicateKey, at, child.keyAt, fmt.Sprintf("duplicate key %s: keep one", quoted(key.Value))})
			}
			keys[key.Value] = struct{}{}
			e.children = append(e.children, &child)
		}
	case yaml.SequenceNode:
		e.kind = elementArray
		for i, item := range n.Content {
			e.children = append(e.children, r.element(item, path.at(i)))
		}
	default:
		e.scalar(n)
	}
	return e
}

func (e *element) scalar(n *yaml.Node) {
	e.text = n.Value
	switch n.ShortTag() {
	case "!!null":
		e.kind, e.text = elementNull, ""
	case "!!bool":
		e.kind = elementBool
		var b bool
		if n.Decode(&b) == nil {
			e.text = strconv.FormatBool(b)
		}
	case "!!int":
		e.kind = elementNumber
		var i int64
		if n.Decode(&i) == nil {
			e.text = strconv.FormatInt(i, 10)
		}
	case "!!float":
		e.kind = elementNumber
	default:
		e.kind = elementString
	}
}

var (
	yamlLine = regexp.MustCompile(`\bline (\d{1,9})\b`)
	// yamlValue matches values that the parser quotes because they have the wrong type. They may be secrets.
	yamlValue = regexp.MustCompile("`[^`]*`")
)

// yamlFinding converts an error of the YAML parser to a finding, without quoted values, at its line number.
func yamlFinding(err error) jsonFinding {
	message := yamlValue.ReplaceAllString(strings.TrimPrefix(err.Error(), "yaml: "), "this value")
	f := jsonFinding{id: IDYAML, message: "not valid Butane YAML: " + message + "; compare it with Butane's documentation"}
	if line := yamlLine.FindStringSubmatch(message); line != nil {
		if n, err := strconv.ParseInt(line[1], 10, 32); err == nil {
			f.at = place{int32(n), 1}
		}
	}
	return f
}

var errPanicked = errors.New("the library crashed")

// guarded calls a library with untrusted input. If the library panics, it returns errPanicked.
func guarded(call func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = errPanicked
		}
	}()
	return call()
}
