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

	"ironworks/models"
)

// MaxSize is how large a plan's file may be, in bytes.
const MaxSize = 16 << 20

// maxPlanDepth is how deep arguments and meta data may nest: Ironic takes 25 levels of
// a whole request.
const maxPlanDepth = 20

// Problem is one thing that is wrong in a plan's file.
type Problem struct {
	// Line and Column count from 1; 0 when it has no place.
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Path   string `json:"path"`
	Why    string `json:"why"`
}

// String begins with the place.
func (p Problem) String() string {
	where := ""
	if p.Line > 0 {
		where = fmt.Sprintf("%d:%d: ", p.Line, p.Column)
	}
	if p.Path != "" {
		where += models.Printable(p.Path) + ": "
	}
	return where + models.Printable(p.Why)
}

// Error is why a plan cannot be read.
type Error struct{ Problems []Problem }

// Error has a line for each problem.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// maxPlanProblems are told at once; more do not help anybody.
const maxPlanProblems = 20

// Decode reads a plan's file. It is strict, because what is not understood would
// not be done. The error is a *Error.
func Decode(data []byte) (*Plan, error) {
	root, err := planDocument(data)
	if err != nil {
		return nil, err
	}
	r := &planReader{}
	p := &Plan{file: bytes.Clone(data)}
	if root != nil {
		keys := r.fieldKeys(&p.Fields, "")
		keys["nodes"] = func(n *yaml.Node) { p.Nodes = r.nodes(n) }
		r.mapping(root, "", keys)
	}
	if r.problems != nil {
		return nil, &Error{r.problems}
	}
	return p, nil
}

// planDocument parses the file; nil is an empty one.
func planDocument(data []byte) (*yaml.Node, error) {
	fail := func(line, column int, why string) (*yaml.Node, error) {
		return nil, &Error{[]Problem{{Line: line, Column: column, Why: why}}}
	}
	if len(data) > MaxSize {
		return fail(0, 0, fmt.Sprintf("the plan has more than %d MiB", MaxSize>>20))
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
		return fail(second.Line, second.Column, "a plan is one document")
	}
	return doc.Content[0], nil
}

// planReader reads a tree of YAML and gathers what is wrong with it.
type planReader struct{ problems []Problem }

func (r *planReader) wrong(n *yaml.Node, path, format string, args ...any) {
	if len(r.problems) < maxPlanProblems {
		r.problems = append(r.problems, Problem{Line: n.Line, Column: n.Column, Path: path, Why: fmt.Sprintf(format, args...)})
	}
}

// mapping reads a mapping with known keys. One that is empty says nothing.
func (r *planReader) mapping(n *yaml.Node, path string, keys map[string]func(*yaml.Node)) {
	r.pairs(n, path, func(key string, k, v *yaml.Node) {
		read := keys[key]
		if read == nil {
			r.wrong(k, path, "no key %q here; there are %s", key, strings.Join(slices.Sorted(maps.Keys(keys)), ", "))
			return
		}
		read(v)
	})
}

// pairs reads the keys of a mapping.
func (r *planReader) pairs(n *yaml.Node, path string, each func(key string, k, v *yaml.Node)) {
	switch {
	case isNull(n):
		return
	case n.Kind != yaml.MappingNode || n.Tag != "!!map":
		r.wrong(n, path, "want keys with values, not %s", kindOfYAML(n))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch {
		case k.Kind != yaml.ScalarNode || k.Tag == "!!merge":
			r.wrong(k, path, "a key is a word, not %s", kindOfYAML(k))
		case seen[k.Value]:
			r.wrong(k, path, "the key %q is there twice", k.Value)
		default:
			seen[k.Value] = true
			each(k.Value, k, v)
		}
	}
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// kindOfYAML names what stands there.
func kindOfYAML(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "keys with values"
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
		return "a text"
	case "!!merge":
		return "a merge"
	}
	return n.Tag
}

// list reads a list.
func (r *planReader) list(n *yaml.Node, path string, each func(i int, path string, item *yaml.Node)) {
	switch {
	case isNull(n):
	case n.Kind != yaml.SequenceNode:
		r.wrong(n, path, "want a list, not %s", kindOfYAML(n))
	default:
		for i, item := range n.Content {
			each(i, fmt.Sprintf("%s[%d]", path, i), item)
		}
	}
}

// text reads a text into a field.
func (r *planReader) text(to *string, path string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if isNull(n) {
			return
		}
		if n.Kind != yaml.ScalarNode || n.Tag != "!!str" {
			r.wrong(n, path, "want a text, not %s", kindOfYAML(n)+quoteHint(n))
			return
		}
		*to = n.Value
	}
}

func quoteHint(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode && n.Tag != "!!binary" {
		return " (put it between quotes)"
	}
	return ""
}

func (r *planReader) word(n *yaml.Node, path string, known []string) string {
	var word string
	r.text(&word, path)(n)
	if word != "" && !slices.Contains(known, word) {
		r.wrong(n, path, "%q is none of %s", word, strings.Join(known, ", "))
		return ""
	}
	return word
}

// value reads what goes to Ironic as JSON.
func (r *planReader) value(n *yaml.Node, path string, depth int) any {
	switch {
	case depth > maxPlanDepth:
		r.wrong(n, path, "it nests deeper than %d levels", maxPlanDepth)
	case n.Kind == yaml.MappingNode:
		object := map[string]any{}
		r.pairs(n, path, func(key string, _, v *yaml.Node) { object[key] = r.value(v, joinPath(path, key), depth+1) })
		return object
	case n.Kind == yaml.SequenceNode:
		list := []any{}
		r.list(n, path, func(_ int, path string, item *yaml.Node) { list = append(list, r.value(item, path, depth+1)) })
		return list
	case n.Kind == yaml.ScalarNode && slices.Contains([]string{"!!null", "!!bool", "!!int", "!!float", "!!str"}, n.Tag):
		var v any
		err := n.Decode(&v)
		if err == nil {
			_, err = json.Marshal(v) // not what JSON has no number for
		}
		if err != nil {
			r.wrong(n, path, "%v", err)
		}
		return v
	default:
		r.wrong(n, path, "%s has no place in JSON", kindOfYAML(n))
	}
	return nil
}

func (r *planReader) object(to *map[string]any, path string) func(*yaml.Node) {
	return func(n *yaml.Node) {
		if isNull(n) {
			return
		}
		if n.Kind != yaml.MappingNode {
			r.wrong(n, path, "want keys with values, not %s", kindOfYAML(n))
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
