package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"ironworks/printable"
)

// MaxSize is the maximum size of a plan file, in bytes.
const MaxSize = 16 << 20

// maxPlanDepth limits the nesting of arguments and meta data. Ironic accepts no more than 25 levels in a request.
const maxPlanDepth = 20

// Problem is an error in a plan file.
type Problem struct {
	// Line and Column count from 1. They are 0 if the position is unknown.
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Path   string `json:"path"`
	Why    string `json:"why"`
}

// String returns the problem, preceded by its position.
func (p Problem) String() string {
	where := ""
	if p.Line > 0 {
		where = fmt.Sprintf("%d:%d: ", p.Line, p.Column)
	}
	if p.Path != "" {
		where += printable.Line(p.Path) + ": "
	}
	return where + printable.Line(p.Why)
}

// Error lists the problems in a plan file.
type Error struct{ Problems []Problem }

// Error returns a line for each problem.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

const maxPlanProblems = 20

// Decode parses a plan file. Unknown keys are errors, because they would have no effect. The error is a *Error.
func Decode(data []byte) (*Plan, error) {
	root, err := planDocument(data)
	if err != nil {
		return nil, err
	}
	r := &planReader{}
	p := &Plan{file: bytes.Clone(data)}
	if root != nil {
		keys := r.fieldKeys(&p.Fields)
		keys["nodes"] = func(n *yaml.Node, path string) { p.Nodes = r.nodes(n, path) }
		r.mapping(root, "", keys)
	}
	if r.problems != nil {
		return nil, &Error{r.problems}
	}
	return p, nil
}

// planDocument parses a file that consists of one YAML document. For an empty file, it returns nil.
func planDocument(data []byte) (*yaml.Node, error) {
	fail := func(line, column int, why string) (*yaml.Node, error) {
		return nil, &Error{[]Problem{{Line: line, Column: column, Why: why}}}
	}
	if len(data) > MaxSize {
		return fail(0, 0, fmt.Sprintf("the plan is larger than %d MiB", MaxSize>>20))
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return fail(0, 0, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := dec.Decode(&second); !errors.Is(err, io.EOF) {
		return fail(second.Line, second.Column, "a plan must be a single YAML document")
	}
	return doc.Content[0], nil
}

type planReader struct{ problems []Problem }

func (r *planReader) addProblem(n *yaml.Node, path, format string, args ...any) {
	if len(r.problems) < maxPlanProblems {
		r.problems = append(r.problems, Problem{Line: n.Line, Column: n.Column, Path: path, Why: fmt.Sprintf(format, args...)})
	}
}

// reader reads a value. path is its position in the plan.
type reader func(n *yaml.Node, path string)

// readers holds a reader for each key that a mapping may have.
type readers map[string]reader

// mapping reads a YAML mapping, which may be empty, and reports unknown keys.
func (r *planReader) mapping(n *yaml.Node, path string, keys readers) {
	r.pairs(n, path, func(key string, k, v *yaml.Node) {
		read := keys[key]
		if read == nil {
			r.addProblem(k, path, "unknown key %q; available: %s", key, strings.Join(slices.Sorted(maps.Keys(keys)), ", "))
			return
		}
		read(v, joinPath(path, key))
	})
}

// pairs calls a function for every key of a mapping. It reports keys that are duplicates or not strings.
func (r *planReader) pairs(n *yaml.Node, path string, each func(key string, k, v *yaml.Node)) {
	switch {
	case isNull(n):
		return
	case n.Kind != yaml.MappingNode || n.Tag != "!!map":
		r.addProblem(n, path, "must be a mapping, not %s", kindOfYAML(n))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch {
		case k.Kind != yaml.ScalarNode || k.Tag == "!!merge":
			r.addProblem(k, path, "a key must be a string, not %s", kindOfYAML(k))
		case seen[k.Value]:
			r.addProblem(k, path, "duplicate key %q", k.Value)
		default:
			seen[k.Value] = true
			each(k.Value, k, v)
		}
	}
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

func kindOfYAML(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	case yaml.DocumentNode:
		return "a document"
	case yaml.ScalarNode:
	}
	switch n.Tag {
	case "!!null":
		return "nothing"
	case "!!bool":
		return "true or false"
	case "!!int", "!!float":
		return "a number"
	case "!!str":
		return "a string"
	case "!!merge":
		return "a merge"
	}
	return n.Tag
}

func (r *planReader) list(n *yaml.Node, path string, each func(path string, item *yaml.Node)) {
	switch {
	case isNull(n):
	case n.Kind != yaml.SequenceNode:
		r.addProblem(n, path, "must be a list, not %s", kindOfYAML(n))
	default:
		for i, item := range n.Content {
			each(fmt.Sprintf("%s[%d]", path, i), item)
		}
	}
}

func (r *planReader) text(to *string) reader {
	return func(n *yaml.Node, path string) {
		if isNull(n) {
			return
		}
		if n.Kind != yaml.ScalarNode || n.Tag != "!!str" {
			r.addProblem(n, path, "must be a string, not %s", kindOfYAML(n)+quoteHint(n))
			return
		}
		*to = n.Value
	}
}

func (r *planReader) texts(n *yaml.Node, path string, fields []textField) {
	keys := readers{}
	for _, f := range fields {
		keys[f.key] = r.text(f.value)
	}
	r.mapping(n, path, keys)
}

func (r *planReader) textList(n *yaml.Node, path string) []string {
	var list []string
	r.list(n, path, func(path string, item *yaml.Node) {
		var text string
		r.text(&text)(item, path)
		list = append(list, text)
	})
	return list
}

func quoteHint(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode && n.Tag != "!!binary" {
		return " (quote it)"
	}
	return ""
}

func (r *planReader) word(n *yaml.Node, path string, known []string) string {
	var word string
	r.text(&word)(n, path)
	if word != "" && !slices.Contains(known, word) {
		r.addProblem(n, path, "invalid value %q: must be one of %s", word, strings.Join(known, ", "))
		return ""
	}
	return word
}

func (r *planReader) value(n *yaml.Node, path string, depth int) any {
	switch {
	case depth > maxPlanDepth:
		r.addProblem(n, path, "nested deeper than %d levels", maxPlanDepth)
	case n.Kind == yaml.MappingNode:
		object := map[string]any{}
		r.pairs(n, path, func(key string, _, v *yaml.Node) { object[key] = r.value(v, joinPath(path, key), depth+1) })
		return object
	case n.Kind == yaml.SequenceNode:
		list := []any{}
		r.list(n, path, func(path string, item *yaml.Node) { list = append(list, r.value(item, path, depth+1)) })
		return list
	case n.Kind == yaml.ScalarNode && slices.Contains([]string{"!!null", "!!bool", "!!int", "!!float", "!!str"}, n.Tag):
		var v any
		err := n.Decode(&v)
		if err == nil {
			_, err = json.Marshal(v) // some numbers, such as NaN, cannot be written as JSON
		}
		if err != nil {
			r.addProblem(n, path, "%v", err)
		}
		return v
	default:
		r.addProblem(n, path, "%s is not allowed in JSON", kindOfYAML(n))
	}
	return nil
}

func (r *planReader) object(to *map[string]any) reader {
	return func(n *yaml.Node, path string) {
		if isNull(n) {
			return
		}
		if n.Kind != yaml.MappingNode {
			r.addProblem(n, path, "must be a mapping, not %s", kindOfYAML(n))
			return
		}
		*to, _ = r.value(n, path, 0).(map[string]any)
	}
}

func joinPath(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
