package config

import (
	"fmt"
	"slices"

	"ironworks/printable"
)

// All are the contexts that there are. The current one is among them, also where it is none
// of the files'.
func (c *Config) All() []Context {
	named := slices.ContainsFunc(c.Contexts, func(x Context) bool { return x.Name == c.Current.Name && x.Source == c.Current.Source })
	if named || c.Current.Name == "" {
		return c.Contexts
	}
	return append([]Context{c.Current}, c.Contexts...)
}

// Find gives the context with a name, and what is wrong with it. The current one has what
// flags and variables add to it.
func (c *Config) Find(name string) (Context, error) {
	if name == c.Current.Name {
		return c.Current, c.Current.Err
	}
	for _, x := range c.Contexts {
		if x.Name == name {
			return x, x.Err
		}
	}
	return Context{}, fmt.Errorf("no context %q", printable.Line(name))
}

// LookedPlaces are the places where a configuration was looked for, a line each.
func (c *Config) LookedPlaces() []string {
	lines := make([]string, len(c.Looked))
	for i, p := range c.Looked {
		lines[i] = p.String()
	}
	return lines
}
