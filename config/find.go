package config

import (
	"fmt"
	"slices"

	"ironworks/printable"
)

// All returns all contexts, including the current one.
func (c *Config) All() []Context {
	named := slices.ContainsFunc(c.Contexts, func(x Context) bool { return x.Name == c.Current.Name && x.Source == c.Current.Source })
	if named || c.Current.Name == "" {
		return c.Contexts
	}
	return append([]Context{c.Current}, c.Contexts...)
}

// Find returns the context with a name, or an error. Flags and variables apply to the current
// one.
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

// LookedPlaces returns the searched places, one line each.
func (c *Config) LookedPlaces() []string {
	lines := make([]string, len(c.Looked))
	for i, p := range c.Looked {
		lines[i] = p.String()
	}
	return lines
}
