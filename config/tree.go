package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

type nodeKind int

const (
	kindEmpty nodeKind = iota // null or empty
	kindScalar
	kindList
	kindMapping
)

// node is a YAML value with its position. Aliases and merge keys are resolved, and aliased nodes are shared. Visit
// only the keys you need, not the whole tree, because an "alias bomb" can make the tree huge.
type node struct {
	kind         nodeKind
	text, tag    string // of a scalar: text is as written, tag is !!str, !!int, …
	file         string
	line, column int
	items        []*node
	entries      []entry
	index        map[string]int
}

// entry is a key of a mapping with its value. A merged key keeps its original position.
type entry struct {
	name         string
	line, column int
	value        *node
}

// get returns the value of the key with the given name, or nil if there is none.
func (n *node) get(name string) *node {
	if n == nil {
		return nil
	}
	if i, ok := n.index[name]; ok {
		return n.entries[i].value
	}
	return nil
}

func (n *node) put(e entry) {
	if i, ok := n.index[e.name]; ok {
		n.entries[i] = e
		return
	}
	if n.index == nil {
		n.index = map[string]int{}
	}
	n.index[e.name] = len(n.entries)
	n.entries = append(n.entries, e)
}

func (n *node) fault(key, problem, hint string) *FileError {
	return &FileError{File: n.file, Line: n.line, Column: n.column, Key: key, Problem: problem, Hint: hint}
}

// parse parses the first document in data, the content of a YAML file. It returns a syntax error as err. Other
// problems are not fatal: duplicate keys (the last one wins), keys that are not text, and further documents.
func parse(file string, data []byte) (root *node, problems []*FileError, err error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc yaml.Node
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return &node{file: file, line: 1, column: 1}, nil, nil
	case err != nil:
		return nil, nil, syntaxError(file, data, err)
	}
	g := &grower{file: file, done: map[*yaml.Node]*node{}}
	root = g.grow(&doc, "")
	var second yaml.Node
	switch err := dec.Decode(&second); {
	case err == nil:
		g.report(&second, "", "the file contains more than one YAML document", "remove the --- line")
	case !errors.Is(err, io.EOF):
		return nil, nil, syntaxError(file, data, err)
	}
	return root, g.problems, nil
}

// maxMerged is the maximum number of keys that merges may copy. Without it, even a small file can lead to billions of
// copies.
const maxMerged = 100_000

// grower converts yaml.Nodes to nodes. done maps each yaml.Node to its result, which is nil while the conversion is
// in progress.
type grower struct {
	file     string
	done     map[*yaml.Node]*node
	merged   int
	problems []*FileError
}

func (g *grower) report(y *yaml.Node, key, problem, hint string) {
	g.problems = append(g.problems, &FileError{
		File: g.file, Line: max(y.Line, 1), Column: max(y.Column, 1), Key: key, Problem: problem, Hint: hint,
	})
}

func (g *grower) grow(y *yaml.Node, path string) *node {
	if n := g.done[y]; n != nil {
		return n
	}
	g.done[y] = nil
	n := &node{file: g.file, line: max(y.Line, 1), column: max(y.Column, 1)}
	switch y.Kind {
	case yaml.DocumentNode:
		if len(y.Content) > 0 {
			n = g.grow(y.Content[0], path)
		}
	case yaml.AliasNode:
		if target, seen := g.done[y.Alias]; seen && target == nil {
			g.report(y, path, "the value contains itself", "")
			break
		}
		n = g.grow(y.Alias, path)
	case yaml.ScalarNode:
		if n.tag = y.ShortTag(); n.tag != "!!null" {
			n.kind, n.text = kindScalar, y.Value
		}
	case yaml.SequenceNode:
		n.kind = kindList
		for i, c := range y.Content {
			n.items = append(n.items, g.grow(c, fmt.Sprintf("%s[%d]", path, i)))
		}
	case yaml.MappingNode:
		n.kind = kindMapping
		g.growMapping(n, y, path)
	}
	g.done[y] = n
	return n
}

func (g *grower) growMapping(n *node, y *yaml.Node, path string) {
	var merges []*yaml.Node
	for i := 0; i+1 < len(y.Content); i += 2 {
		k, v := y.Content[i], y.Content[i+1]
		if k.Kind == yaml.AliasNode {
			k = k.Alias
		}
		if k.Kind != yaml.ScalarNode {
			g.report(k, path, "a key must be text", "")
			continue
		}
		if k.ShortTag() == "!!merge" {
			merges = append(merges, v)
			continue
		}
		key := join(path, k.Value)
		if j, twice := n.index[k.Value]; twice {
			g.report(k, key, fmt.Sprintf("duplicate key, first given in line %d", n.entries[j].line), "")
		}
		n.put(entry{name: k.Value, line: k.Line, column: k.Column, value: g.grow(v, key)})
	}
	for _, m := range merges { // the mapping's own keys win, followed by those of earlier merges
		merged := g.grow(m, join(path, "<<"))
		from := []*node{merged}
		if merged.kind == kindList {
			from = merged.items
		}
		for _, f := range from {
			if f.kind != kindMapping {
				g.report(m, join(path, "<<"), "only a mapping, or a list of mappings, can be merged", "")
				continue
			}
			if g.merged += len(f.entries); g.merged > maxMerged {
				g.report(m, join(path, "<<"), "too many merged keys in one file", "")
				return
			}
			for _, e := range f.entries {
				if n.get(e.name) == nil {
					n.put(e)
				}
			}
		}
	}
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// syntaxError converts an error from the YAML parser to a FileError. The line comes from the error's text or, where the
// parser reports no line or a misleading one, from a search in data. The name of an unknown anchor is dropped, because
// it may be a part of a password.
func syntaxError(file string, data []byte, err error) error {
	fe := &FileError{File: file, Line: 1}
	problem := strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(problem, "line "); ok {
		number, rest, _ := strings.Cut(rest, ": ")
		if n, convErr := strconv.Atoi(number); convErr == nil {
			fe.Line, problem = n, rest
		}
	}
	switch {
	case oddLine(data) > 0:
		fe.Line, fe.Hint = oddLine(data), "the line contains binary characters"
	case strings.HasPrefix(problem, "unknown anchor"):
		_, name, _ := strings.Cut(problem, "'")
		name, _, _ = strings.Cut(name, "'")
		before, _, _ := bytes.Cut(data, []byte("*"+name))
		fe.Line = 1 + bytes.Count(before, []byte("\n"))
		problem, fe.Hint = "a value starts with * but refers to no anchor", "quote the value"
	case strings.Contains(problem, "cannot start any token"), strings.Contains(problem, "tab character"):
		fe.Hint = "quote values that start with @, % or `"
		if line := tabbedLine(data); line > 0 {
			fe.Line, fe.Hint = line, "indent YAML with spaces, not tabs"
		}
	}
	fe.Problem = "not valid YAML: " + problem
	return fe
}

// tabbedLine returns the number of the first line that is indented with a tab, or 0.
func tabbedLine(data []byte) int {
	for i, l := range bytes.Split(data, []byte("\n")) {
		if indent := l[:len(l)-len(bytes.TrimLeft(l, " \t"))]; bytes.ContainsRune(indent, '\t') && len(indent) < len(l) {
			return i + 1
		}
	}
	return 0
}

// oddLine returns the number of the first line that contains invalid UTF-8 or a control character, or 0.
func oddLine(data []byte) int {
	for i, l := range bytes.Split(data, []byte("\n")) {
		odd := func(r rune) bool { return r < ' ' && r != '\t' && r != '\r' || r == 0x7f }
		if !utf8.Valid(l) || bytes.ContainsFunc(l, odd) {
			return i + 1
		}
	}
	return 0
}
