package config

import (
	"errors"
	"fmt"
	"slices"
)

// Position is a place in the configuration file. The console uses it to report errors that this package cannot
// detect.
type Position struct{ at origin }

// Fault returns an error about the value at the position.
func (p Position) Fault(problem, hint string) error { return p.at.fault(problem, hint, nil) }

// KeyBinding binds keys to an action of the console. This package knows neither the actions nor the names of keys;
// the console checks both.
type KeyBinding struct {
	Action string `json:"action"`
	// Keys lists the names of the keys. If it is empty, no key triggers the action.
	Keys []string `json:"keys"`
	// At is the action's position in the configuration file.
	At Position `json:"-"`
}

// ConsoleSettings holds the settings of the console that apply to all contexts.
type ConsoleSettings struct {
	Keys    []KeyBinding
	Plugins []Plugin
	Serve   Serve
}

// LoadConsoleSettings reads the settings of the console from the configuration file. It ignores the contexts, so that
// labs and recordings, which do not depend on them, work even if a context is broken.
func LoadConsoleSettings(o Options) (ConsoleSettings, error) {
	l := newLoader(o)
	f, _, root, _ := l.parseOurs()
	if root != nil {
		l.readHands(f, root.get)
	}
	return f.console, errors.Join(f.errs...)
}

// readHands reads the settings of the console. get returns the top-level value with the given name, or nil.
func (l *loader) readHands(f *ourFile, get func(name string) *node) {
	if n := get("keys"); n != nil {
		f.readKeys(n)
	}
	if n := get("plugins"); n != nil {
		f.readPlugins(n, l.Home)
	}
	if n := get("serve"); n != nil {
		f.readServe(n, l.Home)
	}
}

func (f *ourFile) readKeys(n *node) {
	if err := wantMapping.check(n, "keys"); err != nil {
		f.errs = append(f.errs, err)
		return
	}
	for _, e := range n.entries {
		key := join("keys", e.name)
		keys, err := readKeyNames(e.value, key)
		if err != nil {
			f.errs = append(f.errs, err)
			continue
		}
		f.console.Keys = append(f.console.Keys, KeyBinding{Action: e.name, Keys: keys, At: Position{origin{file: f.path, line: e.line, column: e.column, key: key}}})
	}
}

// readKeyNames reads the name of one key, or a list of names, from n. A digit needs no quotes.
func readKeyNames(n *node, key string) ([]string, error) {
	items := n.items
	switch n.kind {
	case kindList:
	case kindScalar:
		items = []*node{n}
	case kindEmpty, kindMapping:
		return nil, n.fault(key, "must be a key or a list of keys, but is "+n.describe(), "use ctrl+t, [t, f5], or [] for no key")
	}
	names := make([]string, 0, len(items))
	for i, item := range items {
		if item.kind != kindScalar || !slices.Contains([]string{"!!str", "!!int", "!!bool"}, item.tag) || item.text == "" {
			return nil, item.fault(key, fmt.Sprintf("key %d must be the name of a key, but is %s", i+1, item.describe()), "quote the name")
		}
		names = append(names, item.text)
	}
	return names, nil
}
