package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// valueType is the type of a key's value in the configuration file.
type valueType int

const (
	wantText valueType = iota
	wantPort
	wantBool
	wantDuration
	wantSize
	wantVersion
	wantTextList
	wantMapping
	wantAny
)

// fileKeys maps the keys allowed at the top level of the configuration file to the types of their values.
var fileKeys = map[string]valueType{
	keyContext:  wantText,
	keyTimeout:  wantDuration,
	keyReadOnly: wantBool,
	"contexts":  wantMapping,
	"filters":   wantMapping,
	"keys":      wantMapping,
	"plugins":   wantMapping,
	"serve":     wantMapping,
}

// contextKeys returns the keys allowed in a context.
func contextKeys() map[string]valueType {
	keys := map[string]valueType{
		keyTimeout:    wantDuration,
		keyAPIVersion: wantVersion,
		keyReadOnly:   wantBool,
		"verify":      wantBool,
		"accent":      wantText,
		"defaults":    wantMapping,
		"checks":      wantMapping,
		"logs":        wantMapping,
		"journal":     wantMapping,
		"bmc":         wantMapping,
	}
	for _, k := range []string{
		keyURL, keyCloud, keyAuth, keyUsername, keyPassword, keyPasswordFile, keyAuthURL,
		keyUserID, keyUserDomainID, keyUserDomainName,
		keyProjectID, keyProjectName, keyProjectDomainID, keyProjectDomainName,
		keyDomainID, keyDomainName, keySystemScope, keyToken,
		keyCredentialID, keyCredentialName, keyCredentialSecret,
		keyRegion, keyInterface, keyCACert, keyCert, keyKey,
	} {
		keys[k] = wantText
	}
	return keys
}

// section reads the values of a mapping in the configuration file. Absent and invalid values count as empty.
type section struct {
	path string // of the mapping, for example contexts.rack7.bmc
	good map[string]*node
	// home replaces ~ in paths, and dir is the base of relative paths.
	home, dir string
	errs      *[]error
}

// sectionOf checks the mapping n. It adds problems, now and later, to errs.
func sectionOf(n *node, path string, keys map[string]valueType, home, dir string, errs *[]error) section {
	good, problems := check(n, path, keys)
	*errs = append(*errs, problems...)
	return section{path: path, good: good, home: home, dir: dir, errs: errs}
}

func (s section) text(key string) string {
	if n := s.good[key]; n != nil {
		return n.text
	}
	return ""
}

// file returns the absolute path that a key names.
func (s section) file(key string) string {
	if n := s.good[key]; n != nil {
		return expandPath(n.text, s.home, s.dir)
	}
	return ""
}

func (s section) items(key string) []*node {
	if n := s.good[key]; n != nil {
		return n.items
	}
	return nil
}

func (s section) entries(key string) []entry {
	if n := s.good[key]; n != nil {
		return n.entries
	}
	return nil
}

// fail adds a problem with the value n of a key.
func (s section) fail(n *node, key, problem, hint string) {
	*s.errs = append(*s.errs, n.fault(join(s.path, key), problem, hint))
}

// check compares the mapping n with the allowed keys. It returns the valid values by key, and all problems.
func check(n *node, path string, keys map[string]valueType) (good map[string]*node, problems []error) {
	good = map[string]*node{}
	if n.kind == kindEmpty {
		return good, nil
	}
	if n.kind != kindMapping {
		return good, []error{n.fault(path, "must be a mapping of keys and values, but is "+n.describe(), "")}
	}
	for _, e := range n.entries {
		key := join(path, e.name)
		w, known := keys[e.name]
		if !known {
			problems = append(problems, &FileError{
				File: e.value.file, Line: e.line, Column: e.column, Key: key,
				Problem: "unknown key", Hint: hintFor(e.name, keys),
			})
			continue
		}
		if err := w.check(e.value, key); err != nil {
			problems = append(problems, err)
			continue
		}
		good[e.name] = e.value
	}
	return good, problems
}

// hintFor returns a hint that suggests what to write instead of name, an unknown key. It returns "" if it has no
// suggestion.
func hintFor(name string, keys map[string]valueType) string {
	switch name {
	case "endpoint", "endpoint_override", "baremetal_endpoint_override":
		name = keyURL
	case "auth_type":
		name = keyAuth
	case "insecure":
		return "use verify: false"
	case "region_name":
		name = keyRegion
	case "user":
		name = keyUsername
	case "color", "colour":
		name = "accent"
	}
	if _, ok := keys[name]; ok {
		return fmt.Sprintf("did you mean %s?", name)
	}
	return didYouMean(name, slices.Sorted(maps.Keys(keys)))
}

// check returns an error if the value in n has the wrong type. The error never quotes the value, which may be a
// password.
func (w valueType) check(n *node, key string) error {
	wrong := func(must, hint string) error {
		if n.kind == kindEmpty {
			return n.fault(key, "has no value", "set a value, in quotes if it starts with #, or remove the key")
		}
		return n.fault(key, "must be "+must+", but is "+n.describe(), hint)
	}
	switch w {
	case wantText:
		if n.kind != kindScalar || n.tag != "!!str" {
			hint := ""
			if n.kind == kindScalar {
				hint = "quote the value"
			}
			return wrong("text", hint)
		}
	case wantPort:
		port, err := strconv.Atoi(n.text)
		if n.kind != kindScalar || n.tag != "!!int" || err != nil || port < 1 || port > 65535 {
			return wrong("a port, 1 to 65535", "")
		}
	case wantBool:
		if _, ok := parseBool(n.text); n.kind != kindScalar || n.tag != "!!bool" || !ok {
			return wrong("true or false", "")
		}
	case wantDuration:
		if n.kind != kindScalar || n.tag != "!!str" && n.tag != "!!int" {
			return wrong("a time such as 30s", "")
		}
	case wantSize:
		if n.kind != kindScalar || n.tag != "!!str" && n.tag != "!!int" {
			return wrong("a size such as 1GiB", "")
		}
	case wantVersion:
		if n.kind != kindScalar || n.tag != "!!str" && n.tag != "!!float" {
			return wrong(`an API version such as "1.82"`, "")
		}
	case wantAny:
	case wantMapping:
		if n.kind != kindMapping && n.kind != kindEmpty {
			return wrong("a mapping of keys and values", "")
		}
	case wantTextList:
		if n.kind != kindList {
			return wrong("a list of strings", "use [a, b]")
		}
		for i, item := range n.items {
			if err := wantText.check(item, fmt.Sprintf("%s[%d]", key, i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// describe returns the type of a value without its text.
func (n *node) describe() string {
	switch n.kind {
	case kindEmpty:
		return "empty"
	case kindList:
		return "a list"
	case kindMapping:
		return "a mapping"
	case kindScalar:
	}
	switch n.tag {
	case "!!str":
		return "text"
	case "!!int", "!!float":
		return "a number"
	case "!!bool":
		return "true or false"
	case "!!timestamp":
		return "a date"
	}
	return "a value with a tag" // do not quote the tag: an unquoted password may start with !
}
