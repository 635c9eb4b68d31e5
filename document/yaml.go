package document

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

var yamlLine = regexp.MustCompile(`^yaml: line (\d+): `)

// parseYAML returns the documents in data, except empty ones.
func parseYAML(data []byte, file string) ([]Value, error) {
	c := &yamlReader{}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var values []Value
	for {
		var doc yaml.Node
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			p := Problem{Why: "invalid YAML: " + strings.TrimPrefix(err.Error(), "yaml: ")}
			if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
				p.Line, _ = strconv.Atoi(m[1])
				p.Why = "invalid YAML: " + strings.TrimPrefix(err.Error(), m[0])
			}
			return nil, &Error{File: file, Problems: []Problem{p}}
		}
		if len(doc.Content) == 0 {
			continue
		}
		v := c.value(doc.Content[0], 0)
		if c.values > maxValues {
			return nil, tooMany(file)
		}
		if v.Kind != Null {
			values = append(values, v)
		}
	}
	if c.problems != nil {
		return nil, &Error{File: file, Problems: c.problems}
	}
	return values, nil
}

type yamlReader struct {
	problems Problems
	// values counts the values read so far. It must be limited, because aliases can multiply values.
	values int
}

func (c *yamlReader) value(n *yaml.Node, depth int) Value {
	v := Value{Line: n.Line, Column: n.Column}
	if c.values++; c.values > maxValues || len(c.problems) == maxProblems {
		return v
	}
	if depth > maxDepth {
		c.problems.Add(n.Line, "nested deeper than %d levels", maxDepth)
		return v
	}
	switch n.Kind {
	case yaml.AliasNode:
		return c.value(n.Alias, depth+1)
	case yaml.SequenceNode:
		v.Kind = List
		for _, item := range n.Content {
			v.Items = append(v.Items, c.value(item, depth+1))
		}
		v.Items = slices.Clip(v.Items)
	case yaml.MappingNode:
		v.Kind = Object
		c.members(&v, n, depth)
		v.Members = slices.Clip(v.Members)
	case yaml.ScalarNode:
		c.scalar(&v, n)
	case yaml.DocumentNode:
	}
	return v
}

// members adds the entries of the mapping n to v. Merged keys come last, and do not replace existing keys.
func (c *yamlReader) members(v *Value, n *yaml.Node, depth int) {
	seen := map[string]int{}
	var merges []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, item := n.Content[i], n.Content[i+1]
		if k.Kind == yaml.AliasNode {
			k = k.Alias
		}
		switch {
		case k.Kind != yaml.ScalarNode || k.Tag == "!!null":
			c.problems.Add(k.Line, "a key must be a string")
		case k.Tag == "!!merge":
			merges = append(merges, item)
		case seen[k.Value] != 0:
			c.problems.Add(k.Line, "duplicate key %q, first on line %d", k.Value, seen[k.Value])
		default:
			seen[k.Value] = k.Line
			v.Members = append(v.Members, Member{Key: k.Value, Line: k.Line, Column: k.Column, Value: c.value(item, depth+1)})
		}
	}
	for _, merge := range merges {
		c.merge(v, merge, seen, depth)
	}
}

// merge adds the members of n to v. n is a mapping, or a list of mappings.
func (c *yamlReader) merge(v *Value, n *yaml.Node, seen map[string]int, depth int) {
	from := c.value(n, depth+1)
	objects := []Value{from}
	if from.Kind == List {
		objects = from.Items
	}
	for i := range objects {
		if objects[i].Kind != Object {
			c.problems.Add(n.Line, "<< needs an object, not %s", objects[i].Kind)
			continue
		}
		for _, m := range objects[i].Members {
			if seen[m.Key] == 0 {
				seen[m.Key] = m.Line
				v.Members = append(v.Members, m)
			}
		}
	}
}

// scalar reads a scalar as Ironic's tools do. They use YAML 1.1, in which yes, no, on and off without quotes are
// booleans. A MAC address is read as text, although some look like the base-60 numbers that YAML 1.1 defines.
func (c *yamlReader) scalar(v *Value, n *yaml.Node) {
	v.Literal = n.Value
	plain := n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle|yaml.TaggedStyle) == 0
	switch tag := n.ShortTag(); tag {
	case "!!null":
		v.Kind, v.Literal = Null, ""
	case "!!bool":
		v.Kind, v.scalar = Bool, strings.EqualFold(n.Value, "true")
	case "!!str", "!!timestamp":
		v.Kind = Text
		switch word := strings.ToLower(n.Value); {
		case plain && isBoolWord(n.Value):
			v.Kind, v.scalar = Bool, word == "yes" || word == "on"
		case plain && slices.Contains([]string{"nan", "infinity", "-infinity"}, word):
			c.problems.Add(n.Line, "%s is not a JSON number; quote it if it is a string", n.Value)
		}
	case "!!int", "!!float":
		var value any
		literal := n.Value
		if n.Decode(&value) == nil {
			if _, is := value.(float64); !is || !plainFloat(literal) {
				literal = fmt.Sprint(value)
			}
		}
		scalar, ok := number(literal)
		if !ok {
			c.problems.Add(n.Line, "number %s is not a JSON number; quote it if it is a string", n.Value)
		}
		v.Kind, v.scalar = Number, scalar
	default:
		c.problems.Add(n.Line, "%s is not a JSON type; quote the value", cmp.Or(tag, "the value"))
	}
}

// plainFloat reports whether literal is an ordinary decimal number, and not, for example, 1_000, 0x10 or .inf.
func plainFloat(literal string) bool {
	_, err := strconv.ParseFloat(literal, 64)
	return err == nil && !strings.ContainsAny(literal, "_xXnN")
}

// isBoolWord reports whether YAML 1.1 reads the unquoted word as a boolean. It does not cover true and false.
func isBoolWord(word string) bool {
	switch word {
	case "yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF":
		return true
	}
	return false
}
