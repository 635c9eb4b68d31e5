package plugin

import (
	"net/url"
	"slices"
	"strings"

	"ironworks/models"
)

// Context is the context that a plugin runs in.
type Context struct {
	// Name is the context's name; Options are the flags that select it on the command line of ironworks.
	Name    string
	Options []string
}

// secretWords mark variables of OpenStack clients and of ironworks that hold secrets.
var secretWords = []string{"PASSWORD", "SECRET", "TOKEN", "PASSCODE"}

// secret reports whether a variable may hold a credential of Ironic or a BMC.
func secret(name string) bool {
	return (strings.HasPrefix(name, "OS_") || strings.HasPrefix(name, "IRONWORKS_")) &&
		slices.ContainsFunc(secretWords, func(word string) bool { return strings.Contains(name, word) })
}

// selectors are the variables that select an Ironic, each like a flag: --context, --cloud, --url.
var selectors = []string{"IRONWORKS_CONTEXT", "IRONWORKS_CLOUD", "IRONWORKS_URL"}

// selector returns the variable of a flag.
func selector(flag string) (variable string, is bool) {
	variable = "IRONWORKS_" + strings.ToUpper(strings.TrimPrefix(flag, "--"))
	return variable, slices.Contains(selectors, variable)
}

// Environment returns the environment of a program: that of ironworks without credentials, the fields of the node, and
// the variables with which ironworks selects the same context.
func Environment(base []string, n *models.Node, at Context) []string {
	chosen := map[string]string{}
	for i := 0; i+1 < len(at.Options); i += 2 {
		name, found := selector(at.Options[i])
		if u, err := url.Parse(at.Options[i+1]); found && (name != "IRONWORKS_URL" || err == nil && u.User == nil) {
			chosen[name] = at.Options[i+1]
		}
	}
	var env []string
	for _, v := range base {
		name, value, _ := strings.Cut(v, "=")
		selects := slices.Contains(selectors, name)
		if u, err := url.Parse(value); secret(name) || selects && len(chosen) > 0 || strings.HasPrefix(name, "IRONWORKS_NODE_") ||
			name == "IRONWORKS_URL" && (err != nil || u.User != nil) {
			continue
		}
		env = append(env, v)
	}
	for _, name := range selectors {
		if value := chosen[name]; value != "" {
			env = append(env, name+"="+value)
		}
	}
	for _, f := range fields {
		env = append(env, Variable(f.name)+"="+f.get(n))
	}
	return env
}
