package userdata

import (
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"strings"

	v30 "github.com/coreos/ignition/v2/config/v3_0/types"
	v31 "github.com/coreos/ignition/v2/config/v3_1/types"
	v32 "github.com/coreos/ignition/v2/config/v3_2/types"
	v33 "github.com/coreos/ignition/v2/config/v3_3/types"
	v34 "github.com/coreos/ignition/v2/config/v3_4/types"
	v35 "github.com/coreos/ignition/v2/config/v3_5/types"
	v36 "github.com/coreos/ignition/v2/config/v3_6/types"

	"ironworks/spell"
)

type shape struct {
	kind elementKind
	// fields holds the schemas of an object's fields. item is the schema of a list's elements.
	fields map[string]*shape
	item   *shape
}

// specShape returns the schema of a spec version. It is derived from the types in Ignition's library.
func (c *checker) specShape(spec Spec) *shape {
	if known := c.specs[spec]; known != nil {
		return known
	}
	types := map[Spec]any{0: v30.Config{}, 1: v31.Config{}, 2: v32.Config{}, 3: v33.Config{}, 4: v34.Config{}, 5: v35.Config{}, 6: v36.Config{}}
	read := shapeOf(reflect.TypeOf(types[spec]))
	c.specs[spec] = read
	return read
}

func shapeOf(t reflect.Type) *shape {
	switch t.Kind() {
	case reflect.Pointer:
		return shapeOf(t.Elem())
	case reflect.Slice:
		return &shape{kind: elementArray, item: shapeOf(t.Elem())}
	case reflect.Struct:
		s := &shape{kind: elementObject, fields: map[string]*shape{}}
		s.add(t)
		return s
	case reflect.Bool:
		return &shape{kind: elementBool}
	case reflect.Int:
		return &shape{kind: elementNumber}
	default:
		return &shape{kind: elementString}
	}
}

func (s *shape) add(t reflect.Type) {
	for i := range t.NumField() {
		field := t.Field(i)
		if field.Anonymous {
			s.add(field.Type)
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		s.fields[name] = shapeOf(field.Type)
	}
}

// follow returns the schema of the value at path. It returns nil if the spec version does not define this path.
func (s *shape) follow(path elementPath) *shape {
	for _, step := range path {
		if s == nil {
			return nil
		}
		if key, ok := step.(string); ok {
			s = s.fields[key]
			continue
		}
		s = s.item
	}
	return s
}

// shapes reports wrong types, unknown keys, and keys in the wrong case, which only Go's JSON package accepts.
func (c *checker) shapes(s *scope, e *element, want *shape, path elementPath) {
	if e.kind == elementNull {
		return
	}
	if e.kind != want.kind {
		c.add(s.atElement(e), IDWrongType, path, fmt.Sprintf("must be %s, not %s", want.kind, e.kind)+typeHint(path, want, e))
		return
	}
	switch e.kind {
	case elementObject:
		for _, child := range e.children {
			if field := want.fields[child.key]; field != nil {
				c.shapes(s, child, field, path.at(child.key))
				continue
			}
			c.unknownKey(s, child, want, path)
		}
	case elementArray:
		for i, child := range e.children {
			c.shapes(s, child, want.item, path.at(i))
		}
	case elementNumber:
		if _, err := strconv.ParseInt(e.text, 10, 64); err != nil {
			c.add(s.atElement(e), IDWrongType, path, "must be a whole number, with digits only")
		}
	case elementString, elementBool, elementNull:
	}
}

func typeHint(path elementPath, want *shape, e *element) string {
	switch {
	case len(path) == 0:
		return ""
	case path[len(path)-1] == "mode" && e.kind == elementString:
		if mode, err := strconv.ParseInt(e.text, 8, 32); err == nil {
			return fmt.Sprintf(": modes are decimal numbers without quotes; octal %s is %d", quoted(e.text), mode)
		}
		return ": modes are decimal numbers without quotes, 420 for 0644"
	case want.kind == elementBool && e.kind == elementString, want.kind == elementNumber && e.kind == elementString:
		return ": remove the quotes"
	case want.kind == elementArray:
		return ": use [ ]"
	}
	return ""
}

func (c *checker) unknownKey(s *scope, child *element, want *shape, path elementPath) {
	key := child.key
	if c.full() {
		c.errors++
		c.omitted++
		return
	}
	inner := s.atElement(child)
	for known := range want.fields {
		if strings.EqualFold(known, key) {
			c.addKey(inner, IDWrongCaseKey, path.at(key), fmt.Sprintf("key %s must be spelled %s: some parsers accept this spelling, others ignore the key", quoted(key), quoted(known)))
			return
		}
	}
	for newer := s.spec + 1; newer <= NewestSpec; newer++ {
		if c.specShape(newer).follow(path.at(key)) != nil {
			c.addKey(inner, IDUnknownKey, path.at(key), fmt.Sprintf("key %[2]s is not in spec %[1]s, so Ignition ignores it; spec %[3]s has it: raise ignition.version", s.spec, quoted(key), newer))
			return
		}
	}
	way := "remove it"
	if like := nearest(key, want.fields); like != "" {
		way = fmt.Sprintf("did you mean %s?", quoted(like))
	}
	c.addKey(inner, IDUnknownKey, path.at(key), fmt.Sprintf("key %[2]s is not in spec %[1]s, so Ignition ignores it: %[3]s", s.spec, quoted(key), way))
}

func nearest(key string, fields map[string]*shape) string {
	plain := map[string]string{}
	for field := range fields {
		plain[strings.ToLower(field)] = field
	}
	return plain[spell.Nearest(strings.ToLower(strings.ReplaceAll(key, "_", "")), maps.Keys(plain))]
}
